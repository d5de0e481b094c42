"""`interlock audit`: show, follow, verify and export the audit chain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from interlock.audit.anchor import ChainPoint
from interlock.audit.anchor import decode_anchor as decode_anchor
from interlock.audit.chain import read_head
from interlock.audit.checkpoint import checkpoint
from interlock.audit.export import FORMATS
from interlock.audit.export_proof import ENDING, ExportWatch, verify_file
from interlock.audit.identity import user_name
from interlock.audit.keys import KeyRing, SigningKey, format_key, parse_key
from interlock.audit.read import RecordFilter, follow_records, read_all, read_newest, read_page
from interlock.audit.verify import verify
from interlock.cli.history_verify import is_history, verify_history
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.person import require_person
from interlock.cli.runs import timeline
from interlock.cli.store import hours
from interlock.config.home import own_folder
from interlock.config.load import load
from interlock.errors import InterlockError, nearest
from interlock.show import console
from interlock.store.clock import MICROSECONDS, now

if TYPE_CHECKING:
    from interlock.cli.commands.audit import Which
    from interlock.cli.commands.options import Store


def select(found: OpenStore, which: Which) -> RecordFilter:
    """Return the filter for the selected records; ids may be abbreviated."""
    return RecordFilter(
        run_id=found.runs.get(which.run).run_id if which.run is not None else None,
        kind=which.kind,
        approval_id=found.register.get(which.approval).approval_id if which.approval is not None else None,
        since=None if which.since is None else now().wall - hours(which.since) * 3_600 * MICROSECONDS,
    )


def show(store: Store, which: Which, limit: int, before: int | None, *, as_json: bool) -> int:
    """Print the newest records."""
    with open_store(store.store, store.config) as found:
        lines = (
            read_newest(found.database, select(found, which), limit)
            if before is None
            else read_page(found.database, select(found, which), before=before, limit=limit)
        )
    if as_json:
        for line in lines:
            print(line.body)
        return 0
    console().print(timeline(lines) if lines else "no matching records")
    return 0


def follow_all(store: Store, which: Which, *, as_json: bool) -> int:
    """Print records as they are written, until interrupted."""
    with open_store(store.store, store.config) as found:
        with found.database.read() as connection:
            end = read_head(connection).seq
        print("following; Ctrl-C stops", file=sys.stderr)
        out = console()
        for line in follow_records(found.database, select(found, which), after=end):
            if as_json:
                print(line.body, flush=True)
            else:
                out.print(timeline([line]))
    return 0


def prove(store: Store, keys: tuple[str, ...], checkpoint_file: Path | None, *, as_json: bool) -> int:
    """Verify the chain, and print the result or the faults."""
    out = console()
    with open_store(store.store, store.config) as found, out.status("reading") as status:
        proof = verify(
            found.database,
            found.key_ring(keys),
            folder=found.folder,
            kept=_read_checkpoint(checkpoint_file) if checkpoint_file else None,
            progress=lambda done, all_: status.update(f"{done:,} of {all_:,} records"),
        )
    if as_json:
        print(msgspec.json.encode({**msgspec.to_builtins(proof), "good": proof.good}).decode())
    elif proof.good:
        out.print(Text("verified", "bold green") + Text(f"  {proof.records:,} records, {proof.first} to {proof.last}"))
        out.print(Text(f"  the last is {proof.hash}", "dim"))
    else:
        out.print(Text("not verified", "bold red"))
        for fault in proof.faults[:20]:
            out.print(Text(f"  {fault}"))
        if len(proof.faults) > 20:
            out.print(Text(f"  … and {len(proof.faults) - 20} more"))
    return 0 if proof.good else 2


def _read_checkpoint(file: Path) -> ChainPoint:
    try:
        found = decode_anchor(file.read_bytes())
    except OSError as error:
        raise InterlockError(f"`{file}` cannot be read: {error.strerror}") from None
    if found is None:
        raise InterlockError(f"`{file}` is not a checkpoint; `interlock audit checkpoint` writes one")
    return found


def verify_exports(
    store: Store, files: tuple[str, ...], keys: tuple[str, ...], checkpoint_file: Path | None, *, as_json: bool
) -> int:
    """Verify exported files by their proofs, and exported histories, without the store."""
    ring = KeyRing([*_find_own_keys(store), *map(parse_key, keys)])
    good, out = True, console()
    for file in files:
        if is_history(file):
            kept = _read_checkpoint(checkpoint_file) if checkpoint_file else None
            good = verify_history(file, ring, kept, as_json=as_json) and good
            continue
        proof, faults = verify_file(Path(file), ring)
        good = good and not faults
        word = Text("not verified", "bold red") if faults else Text("verified", "bold green")
        whole = "" if proof.complete else ", some records left out"
        out.print(word + Text(f"  {file}  {proof.records:,} records, {proof.first} to {proof.last}{whole}"))
        for fault in faults:
            out.print(Text(f"  {fault}"))
    return 0 if good else 2


def _find_own_keys(store: Store) -> list[str]:
    """Return the public keys of this machine and of the configuration."""
    config = load(store.config)
    return [SigningKey.at(own_folder()).public, *map(parse_key, config.audit.keys)]


def export(store: Store, which: Which, format_: str, out: Path | None, after: int) -> int:
    """Export the records in a format for other programs; beside a file, write the proof that ties it to the chain."""
    writer = FORMATS.get(format_)
    if writer is None:
        raise InterlockError(f"unknown format `{format_}`{nearest(format_, FORMATS)}")
    with open_store(store.store, store.config) as found:
        watch = ExportWatch()
        lines = writer(watch.watch(read_all(found.database, select(found, which), after=after)))
        if out is None:
            sys.stdout.writelines(lines)
            return 0
        if out.exists():
            raise InterlockError(f"`{out}` already exists; an export does not overwrite files")
        try:
            with out.open("x", encoding="utf-8") as file:
                count = sum(1 for line in lines if file.write(line))
            proof = watch.prove(out, format_, found.journal.store_id, now().wall, found.key)
            Path(f"{out}{ENDING}").write_bytes(msgspec.json.encode(proof) + b"\n")
        except OSError as error:
            raise InterlockError(f"`{out}` cannot be written: {error.strerror}") from None
    print(f"{count:,} lines in {out}, up to record {watch.last}; `interlock audit verify {out}` checks it")
    return 0


def write_checkpoint(store: Store, out: Path | None) -> int:
    """Sign the current end of the chain, and print or write the signature."""
    with open_store(store.store, store.config) as found:
        point = found.journal.commit(checkpoint)
    if point is None:
        raise InterlockError("the chain is empty; there is nothing to sign yet")
    text = msgspec.json.encode(point).decode()
    if out is None:
        print(text)
        return 0
    try:
        out.write_text(text + "\n", "utf-8")
    except OSError as error:
        raise InterlockError(f"`{out}` cannot be written: {error.strerror}") from None
    print(f"written to {out}; keep it where those who can write to the store cannot")
    return 0


def accept(store: Store, *, yes: bool) -> int:
    """Accept a store that replaced a newer one, after verifying it and asking for confirmation."""
    require_person("audit accept")
    with open_store(store.store, store.config) as found:
        proof = verify(found.database, found.key_ring())
        if not proof.good:
            raise InterlockError(f"this store does not verify: {proof.faults[0]}")
        if not yes:
            if not sys.stdin.isatty():
                raise InterlockError("all records after this copy was made will be lost; confirm with `--yes`")
            print(f"Records after {proof.last} will be lost. Type `accept` to continue with this store: ", end="")
            if input().strip() != "accept":
                print("nothing was changed")
                return 1
        known = found.journal.accept(user_name())
    print(f"accepted at record {proof.last}; this machine had seen record {known}; this was recorded")
    return 0


def show_key() -> int:
    """Print the public key of this machine."""
    print(format_key(SigningKey.at(own_folder()).public))
    return 0
