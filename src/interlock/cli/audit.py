"""`interlock audit`: the chain, shown, followed, proved and exported."""

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
from interlock.audit.identity import user_name
from interlock.audit.keys import SigningKey, format_key
from interlock.audit.read import RecordFilter, follow_records, read_all, read_newest, read_page
from interlock.audit.verify import verify
from interlock.cli.open_store import OpenStore, open_store
from interlock.cli.runs import timeline
from interlock.cli.store import hours
from interlock.config.trust import own_folder
from interlock.errors import InterlockError, nearest
from interlock.show import console
from interlock.store.clock import MICROSECONDS, now

if TYPE_CHECKING:
    from interlock.cli.typed.audit import Which
    from interlock.cli.typed.options import Store


def wanted(found: OpenStore, which: Which) -> RecordFilter:
    """Return which records were asked for; ids may be cut short."""
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
            read_newest(found.database, wanted(found, which), limit)
            if before is None
            else read_page(found.database, wanted(found, which), before=before, limit=limit)
        )
    if as_json:
        for line in lines:
            print(line.body)
        return 0
    console().print(timeline(lines) if lines else "there are no such records")
    return 0


def follow_all(store: Store, which: Which, *, as_json: bool) -> int:
    """Print records as they are written, until interrupted."""
    with open_store(store.store, store.config) as found:
        with found.database.read() as connection:
            end = read_head(connection).seq
        print("following; Ctrl-C ends it", file=sys.stderr)
        out = console()
        for line in follow_records(found.database, wanted(found, which), after=end):
            if as_json:
                print(line.body, flush=True)
            else:
                out.print(timeline([line]))
    return 0


def prove(store: Store, keys: tuple[str, ...], kept: Path | None, *, as_json: bool) -> int:
    """Prove the chain, or name what is wrong with it first."""
    out = console()
    with open_store(store.store, store.config) as found, out.status("reading") as status:
        proof = verify(
            found.database,
            found.ring(keys),
            folder=found.folder,
            kept=_read_kept(kept) if kept else None,
            progress=lambda done, all_: status.update(f"{done:,} of {all_:,} records"),
        )
    if as_json:
        print(msgspec.json.encode({**msgspec.to_builtins(proof), "good": proof.good}).decode())
    elif proof.good:
        out.print(Text("proved", "bold green") + Text(f"  {proof.records:,} records, {proof.first} to {proof.last}"))
        out.print(Text(f"  the last is {proof.hash}", "dim"))
    else:
        out.print(Text("not proved", "bold red"))
        for fault in proof.faults[:20]:
            out.print(Text(f"  {fault}"))
        if len(proof.faults) > 20:
            out.print(Text(f"  … and {len(proof.faults) - 20} more"))
    return 0 if proof.good else 2


def _read_kept(file: Path) -> ChainPoint:
    try:
        found = decode_anchor(file.read_bytes())
    except OSError as error:
        raise InterlockError(f"`{file}` cannot be read: {error.strerror}") from None
    if found is None:
        raise InterlockError(f"`{file}` is no checkpoint; `interlock audit checkpoint` writes one")
    return found


def export(store: Store, which: Which, format_: str, out: Path | None) -> int:
    """Write the records in a format that others read."""
    writer = FORMATS.get(format_)
    if writer is None:
        raise InterlockError(f"unknown format `{format_}`{nearest(format_, FORMATS)}")
    with open_store(store.store, store.config) as found:
        lines = writer(read_all(found.database, wanted(found, which)))
        if out is None:
            sys.stdout.writelines(lines)
            return 0
        if out.exists():
            raise InterlockError(f"`{out}` is there already; an export does not write over anything")
        try:
            with out.open("x", encoding="utf-8") as file:
                count = sum(1 for line in lines if file.write(line))
        except OSError as error:
            raise InterlockError(f"`{out}` cannot be written: {error.strerror}") from None
    print(f"{count:,} lines in {out}")
    return 0


def write_checkpoint(store: Store, out: Path | None) -> int:
    """Sign where the chain ends now, and print that, to be kept elsewhere."""
    with open_store(store.store, store.config) as found:
        point = found.journal.commit(checkpoint)
    if point is None:
        raise InterlockError("there is nothing to sign yet")
    text = msgspec.json.encode(point).decode()
    if out is None:
        print(text)
        return 0
    try:
        out.write_text(text + "\n", "utf-8")
    except OSError as error:
        raise InterlockError(f"`{out}` cannot be written: {error.strerror}") from None
    print(f"written to {out}; keep it where nobody who can write the store can write")
    return 0


def accept(store: Store, *, yes: bool) -> int:
    """Go on with a store that was put in place of a newer one, once it is proved in itself and that was confirmed."""
    with open_store(store.store, store.config) as found:
        proof = verify(found.database, found.ring())
        if not proof.good:
            raise InterlockError(f"this store is not proved in itself: {proof.faults[0]}")
        if not yes:
            if not sys.stdin.isatty():
                raise InterlockError("whatever was recorded after this copy was made is given up; say so with `--yes`")
            print(f"Records after {proof.last} are given up. Type `accept` to go on with this store: ", end="")
            if input().strip() != "accept":
                print("nothing was changed")
                return 1
        known = found.journal.accept(user_name())
    print(f"accepted at record {proof.last}; this machine had seen {known}, and that is on record")
    return 0


def show_key() -> int:
    """Print the public half of the key that signs on this machine."""
    print(format_key(SigningKey.at(own_folder()).public))
    return 0
