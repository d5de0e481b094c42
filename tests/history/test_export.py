"""Exports as Parquet: incremental, whole at every moment, and proved without the store."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from interlock.audit.journal import Journal
from interlock.audit.prune import prune
from interlock.errors import ConflictError, InterlockError, TamperedError
from interlock.history.export import DAY, Exporter
from interlock.history.export_files import MARKER, choose_files, file_name, parse_name
from interlock.history.export_lock import Lock, lock_place
from interlock.history.export_place import LOCK, ExportPlace
from interlock.history.record_table import SCHEMA
from tests.history.exports import START, add_records, check, export_to, new_journal


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own"


@pytest.fixture
def journal(tmp_path: Path, own: Path) -> Iterator[Journal]:
    found = new_journal(f"sqlite:///{tmp_path}/store.db", own)
    add_records(found, [0, 1, 3])
    yield found
    found.close()


def days(place: str) -> list[str]:
    return [found.day for found in map(parse_name, ExportPlace(place).names()) if found]


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_an_export_adds_what_is_new(journal: Journal, own: Path, tmp_path: Path, kind: str) -> None:
    place = str(tmp_path / "out") if kind == "folder" else f"memory://{tmp_path}/out"
    first = export_to(journal, own, place)
    assert (first.records, check(place, own, anchors=True).faults) == (journal.last_seq, ())
    assert export_to(journal, own, place).files == 0
    add_records(journal, [3, 1, 4])  # a record of an earlier day was spooled meanwhile
    second = export_to(journal, own, place)
    assert (second.records, second.files) == (15, 3)
    report = check(place, own, anchors=True)
    assert (report.faults, report.records, report.last) == ((), journal.last_seq, second.last)
    assert days(place)[-5:] == ["2038-06-14", "2038-06-14", "2038-06-16", "2038-06-16", "2038-06-17"]
    names = ExportPlace(place).names()
    assert LOCK not in names
    if kind == "folder":
        assert pq.read_schema(tmp_path / "out" / next(filter(parse_name, names))).equals(SCHEMA)


def test_files_have_a_limited_size(
    journal: Journal, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.history.export.FILE_RECORDS", 4)
    monkeypatch.setattr("interlock.history.export.GROUP_RECORDS", 2)
    assert export_to(journal, own, f"{tmp_path}/out").files > 4
    assert check(f"{tmp_path}/out", own).good


class Killed(BaseException):
    """Raised where a process would be killed."""


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_killed_export_is_continued(
    journal: Journal, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """It is killed at each file that it stores, again and again; what is there never contradicts itself."""
    place, put = f"{tmp_path}/out", ExportPlace.put

    def die(self: ExportPlace, draft: Path, name: str) -> None:
        if not before:
            put(self, draft, name)
        if next(steps):
            raise Killed
        if before:
            put(self, draft, name)

    for survived in range(12):
        steps = iter([False] * survived + [True])
        with monkeypatch.context() as patched, contextlib.suppress(StopIteration, Killed):
            patched.setattr(ExportPlace, "put", die)
            export_to(journal, own, place)
        if survived % 3 == 2:
            export_to(journal, own, place)
            assert check(place, own, anchors=True).good
            shutil.rmtree(place)
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / ".draft.1.beef").touch()  # a real kill leaves its draft
    export_to(journal, own, place)
    assert check(place, own).good
    assert list((tmp_path / "out").glob(".draft*")) == []


def test_two_exports_at_once_wait_for_each_other(journal: Journal, own: Path, tmp_path: Path) -> None:
    threads = [threading.Thread(target=export_to, args=(journal, own, f"{tmp_path}/out")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = check(f"{tmp_path}/out", own)
    assert (report.good, report.records) == (True, journal.last_seq)


def test_an_export_that_waited_sees_what_was_written_meanwhile(
    journal: Journal, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"{tmp_path}/out"

    @contextlib.contextmanager
    def late_lock(waiting: ExportPlace) -> Iterator[Lock]:
        monkeypatch.undo()
        add_records(journal, [3])
        export_to(journal, own, place)
        with lock_place(waiting) as lock:
            yield lock

    monkeypatch.setattr("interlock.history.export.lock_place", late_lock)
    assert export_to(journal, own, place).records == 0
    assert check(place, own, anchors=True).records == journal.last_seq


def test_two_exports_without_a_lock_lose_nothing(
    journal: Journal, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no lock can be held, both write files of their own, and the next export removes the copies."""
    place = f"{tmp_path}/out"
    whole = Exporter._write_part
    monkeypatch.setattr("interlock.history.export.lock_place", lambda _: contextlib.nullcontext(Lock(None)))

    def interrupted(self: Exporter, *given: object) -> object:
        monkeypatch.setattr(Exporter, "_write_part", whole)
        add_records(journal, [3])
        export_to(journal, own, place)
        return whole(self, *given)  # type: ignore[arg-type]

    export_to(journal, own, place)
    add_records(journal, [3])
    monkeypatch.setattr(Exporter, "_write_part", interrupted)
    export_to(journal, own, place)
    assert len(set(ExportPlace(place).names())) > 8
    export_to(journal, own, place)
    report = check(place, own, anchors=True)
    assert (report.faults, report.records) == ((), journal.last_seq)


def test_an_object_store_is_locked(journal: Journal, own: Path, tmp_path: Path) -> None:
    place = f"memory://{tmp_path}/locked"
    with lock_place(ExportPlace(place)), pytest.raises(ConflictError, match=r"another export to .* is running"):
        export_to(journal, own, place)
    export_to(journal, own, place)


def test_copies_do_not_hide_the_way_to_the_end() -> None:
    names = [file_name("2026-01-01", first, last, "ab" * 32) for first, last in ((1, 10), (11, 20), (1, 12), (3, 4))]
    assert [(file.first, file.last) for file in choose_files(names, 0)] == [(1, 10), (11, 20)]


def test_an_export_that_cannot_be_continued_says_why(journal: Journal, own: Path, tmp_path: Path) -> None:
    place, other = f"{tmp_path}/out", new_journal(f"sqlite:///{tmp_path}/other.db", own)
    add_records(other, [0])
    export_to(journal, own, place)
    with pytest.raises(InterlockError, match="the history of another store"):
        export_to(other, own, place)
    with pytest.raises(TamperedError, match="signed by the unknown key"):
        export_to(journal, tmp_path / "else", place)
    other.close()
    add_records(journal, [5, 6])
    prune(journal, START + 6 * DAY, "ann")
    with pytest.raises(InterlockError, match=r"records 17 to \d+ were pruned before they were exported"):
        export_to(journal, own, place)
    export_to(journal, own, f"{tmp_path}/new")  # it begins where the store does
    assert check(f"{tmp_path}/new", own).good
    (tmp_path / "new" / MARKER).unlink()
    with pytest.raises(InterlockError, match=f"but no `{MARKER}`"):
        export_to(journal, own, f"{tmp_path}/new")


@pytest.mark.parametrize(
    ("url", "message"),
    [("s3://bucket/x", "needs a driver: Install s3fs"), ("nope://x", "cannot be opened: Protocol not known")],
)
def test_a_place_without_a_driver_says_so(url: str, message: str) -> None:
    with pytest.raises(InterlockError, match=message):
        ExportPlace(url)
