"""Edits of an export: each is found, without the store."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from interlock.audit.anchor import ChainPoint
from interlock.audit.chain import text_to_sign
from interlock.audit.export_proof import digest_file
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import parse_record
from interlock.audit.record import hash_of
from interlock.history.export_files import MARKER, file_name, parse_name
from interlock.history.export_place import ExportPlace
from interlock.history.export_verify import verify_export
from interlock.history.record_table import to_table
from tests.history.exports import add_records, check, export_to, new_journal

EDITS = 300
Edit = Callable[[Path, random.Random], None]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export, as it was before its last three days (`old`), and as it is now (`new`)."""
    folder = tmp_path_factory.mktemp("exports")
    journal = new_journal(f"sqlite:///{folder}/store.db", folder / "own")
    for days in ([0, 1], [1, 2], [3, 3, 4]):
        add_records(journal, days)
        export_to(journal, folder / "own", f"{folder}/new")
        if days == [1, 2]:
            shutil.copytree(folder / "new", folder / "old")
    journal.close()
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("day=*/*.parquet"))


def proof_of(file: Path) -> Path:
    return Path(f"{file}.proof")


def change_a_byte(folder: Path, chance: random.Random) -> None:
    file = chance.choice([*files(folder), *map(proof_of, files(folder)), folder / MARKER])
    data = bytearray(file.read_bytes())
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def cut_a_file(folder: Path, chance: random.Random) -> None:
    file = chance.choice([*files(folder), *map(proof_of, files(folder)), folder / MARKER])
    data = file.read_bytes()
    file.write_bytes(data[: chance.randrange(len(data))])


def replace_a_row(folder: Path, chance: random.Random) -> None:
    """Write a file anew with other rows, hashed anew, under the name and with the digest that it would have."""
    file = chance.choice(files(folder))
    rows = pq.read_table(file, partitioning=None).to_pylist()
    at = chance.randrange(len(rows))
    rows[at]["body"] = rows[at]["body"].replace('"actor":"', '"actor":"x', 1)
    before = rows[0]["hash"] if at else "0" * 64
    for row in rows[at:]:
        row["hash"] = before = hash_of(before, row["body"].encode())
    table = to_table(parse_record(row["body"], row["hash"]) for row in rows)
    if chance.random() < 0.3:
        table = pa.concat_tables([table, table.slice(0, 1)])
    pq.write_table(table, file)
    known = parse_name(str(file.relative_to(folder)))
    assert known is not None
    if chance.random() < 0.5:
        digest = digest_file(file)
        named = folder / file_name(known.day, known.first, known.last, digest)
        proof = msgspec.json.decode(proof_of(file).read_bytes())
        proof |= {"digest": digest, "name": str(named.relative_to(folder)), "lastHash": rows[-1]["hash"]}
        proof_of(file).unlink()
        file.rename(named)
        proof_of(named).write_bytes(msgspec.json.encode(proof))


def swap_proofs(folder: Path, chance: random.Random) -> None:
    one, other = map(proof_of, chance.sample(files(folder), 2))
    texts = one.read_bytes(), other.read_bytes()
    other.write_bytes(texts[0])
    one.write_bytes(texts[1])


def swap_files(folder: Path, chance: random.Random) -> None:
    """Let two files, with their proofs, change their names."""
    one, other = chance.sample(files(folder), 2)
    for a, b in ((one, other), (proof_of(one), proof_of(other))):
        texts = a.read_bytes(), b.read_bytes()
        b.write_bytes(texts[0])
        a.write_bytes(texts[1])


def remove_a_file(folder: Path, chance: random.Random) -> None:
    file = chance.choice(files(folder))
    file.unlink()
    if chance.random() < 0.7:
        proof_of(file).unlink()


def remove_a_proof(folder: Path, chance: random.Random) -> None:
    proof_of(chance.choice(files(folder))).unlink()


def remove_a_day(folder: Path, chance: random.Random) -> None:
    shutil.rmtree(chance.choice(sorted(folder.glob("day=*"))))


def remove_the_tail(folder: Path, chance: random.Random) -> None:
    for file in files(folder)[-chance.randrange(1, 4) :]:
        file.unlink()
        proof_of(file).unlink()


def move_to_another_day(folder: Path, chance: random.Random) -> None:
    file = chance.choice(files(folder))
    day = folder / "day=2031-01-01"
    day.mkdir()
    proof_of(file).rename(day / proof_of(file).name)
    file.rename(day / file.name)


def add_a_file(folder: Path, chance: random.Random) -> None:
    file = chance.choice(files(folder))
    name = file.name.replace("-", "-9", 1) if chance.random() < 0.5 else "more.parquet"
    shutil.copy(file, file.with_name(name))


def remove_the_marker(folder: Path, chance: random.Random) -> None:
    (folder / MARKER).unlink()


def cut_the_marker_back(folder: Path, chance: random.Random) -> None:
    """Let the end marker name an earlier end, unsigned, and remove the files after that."""
    last = files(folder)[-1]
    proof = msgspec.json.decode(proof_of(last).read_bytes())
    marker = msgspec.json.decode((folder / MARKER).read_bytes())
    marker |= {"seq": proof["first"] - 1, "hash": proof["beforeHash"]}
    (folder / MARKER).write_bytes(msgspec.json.encode(marker))
    last.unlink()
    proof_of(last).unlink()


EDITED = (
    (change_a_byte, 8),
    (cut_a_file, 3),
    (replace_a_row, 4),
    (swap_proofs, 1),
    (swap_files, 1),
    (remove_a_file, 2),
    (remove_a_proof, 1),
    (remove_a_day, 1),
    (remove_the_tail, 1),
    (move_to_another_day, 1),
    (add_a_file, 1),
    (remove_the_marker, 1),
    (cut_the_marker_back, 1),
)


def test_every_edit_is_found(home: Path, tmp_path: Path) -> None:
    chance, found = random.Random(19), 0
    kinds: list[Edit] = [edit for edit, weight in EDITED for _ in range(weight)]
    for number in range(EDITS):
        folder = tmp_path / str(number)
        shutil.copytree(home / "new", folder)
        edit = kinds[number % len(kinds)]
        edit(folder, chance)
        report = check(str(folder), home / "own")
        assert not report.good, (number, edit.__name__)
        found += 1
        shutil.rmtree(folder)
    assert found == EDITS
    assert check(str(home / "new"), home / "own").good


def test_an_older_export_in_its_place_is_found_by_this_machine_or_a_checkpoint(home: Path, tmp_path: Path) -> None:
    """An older end marker is genuine, so without either of them nothing tells that there was a newer one."""
    own, place = home / "own", home / "new"
    newest = check(str(place), own)
    shutil.move(place, tmp_path / "kept")
    try:
        shutil.copytree(home / "old", place)
        assert check(str(place), own).good
        (fault,) = check(str(place), own, anchors=True).faults
        assert f"this machine's note of its last export is for record {newest.last}" in fault
        key = SigningKey.at(own)
        signature = key.sign(text_to_sign(newest.store_id, newest.last, newest.hash))
        kept = ChainPoint(newest.store_id, newest.last, newest.hash, key.key_id, signature)
        (fault,) = verify_export(ExportPlace(str(place)), KeyRing([key.public]), kept=kept).faults
        assert f"the checkpoint kept elsewhere is for record {newest.last}" in fault
    finally:
        shutil.rmtree(place)
        shutil.move(tmp_path / "kept", place)


def test_the_export_of_another_store_in_its_place_is_found_by_this_machine(home: Path, tmp_path: Path) -> None:
    """Both stores are of this machine, so its key has signed both exports."""
    own, journals = home / "own", [new_journal(f"sqlite:///{tmp_path}/{name}.db", home / "own") for name in "ab"]
    for number, journal in enumerate(journals):
        add_records(journal, [0])
        export_to(journal, own, f"{tmp_path}/{number}")
        journal.close()
    shutil.rmtree(tmp_path / "0")
    shutil.copytree(tmp_path / "1", tmp_path / "0")
    (fault,) = check(f"{tmp_path}/0", own, anchors=True).faults
    assert "this machine exported another store here before" in fault


def test_another_machine_needs_the_key(home: Path, tmp_path: Path) -> None:
    (fault,) = check(str(home / "new"), tmp_path / "else").faults
    assert "signed by the unknown key" in fault
