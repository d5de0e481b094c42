"""The compiled knowledge is used only while it matches its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.knowledge import artefact, shards

FOLDER = Path(artefact.FOLDER)
ASK = """
from interlock.knowledge.catalogue import PROGRAMS
print(PROGRAMS["mv"].flags, "newcomer" in PROGRAMS)
"""
UNTOUCHED = "() False"
#: What is copied of the folders with many descriptions: to compile all of them takes most of a second.
FEW = ("programs/files/*.toml", "services/slack.toml", "functions/lua.toml")


class Copy:
    """A copy of the package."""

    def __init__(self, folder: Path) -> None:
        self.knowledge = folder / "interlock" / "knowledge"
        self.artefact = self.knowledge / "unified.bin"
        self.source = self.knowledge / "programs" / "files" / "mv.toml"
        # The first start writes the bytecode as well, which each copy then has: to compile the code takes a second.
        self.environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": ""}

    def ask(self) -> str:
        """Return what a new process knows."""
        line = [sys.executable, "-c", ASK]
        done = subprocess.run(line, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else done.stderr

    def edit(self, old: str = 'names = ["mv"', new: str = 'flags = ["force"]\nnames = ["mv"') -> None:
        text = self.source.read_text("utf-8")
        assert old in text
        self.source.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small package, whose artefact was written at its first start: few descriptions, few weights, no other code."""
    folder = tmp_path_factory.mktemp("started")
    package = folder / "interlock"
    left_out = shutil.ignore_patterns("programs", "services", "functions", "*.bin", "__pycache__")
    shutil.copytree(FOLDER, package / "knowledge", ignore=left_out)
    for file in (file for pattern in FEW for file in FOLDER.glob(pattern)):
        copied = package / "knowledge" / file.relative_to(FOLDER)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copied)
    for module in FOLDER.parent.glob("*.py"):
        shutil.copy(module, package)
    for weights in package.glob("knowledge/tables/second-opinion*.toml"):
        weights.write_text("".join(weights.read_text("utf-8").splitlines(keepends=True)[:20]), "utf-8")
    assert Copy(folder).ask() == UNTOUCHED
    return folder


@pytest.fixture
def copy(started: Path, tmp_path: Path) -> Copy:
    return Copy(Path(shutil.copytree(started, tmp_path / "copy")))


def test_it_is_written_at_the_first_start_and_read_at_the_next(copy: Copy) -> None:
    assert copy.ask() == UNTOUCHED  # which compares the sources, since they were copied
    written = copy.artefact.stat().st_mtime_ns
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.stat().st_mtime_ns == written


def test_an_edited_description_counts_at_the_next_start(copy: Copy) -> None:
    copy.edit()
    assert copy.ask() == "('force',) False"
    assert copy.ask() == "('force',) False"


def test_an_edit_that_leaves_size_and_folder_alone_counts(copy: Copy) -> None:
    copy.edit()
    assert copy.ask() == "('force',) False"
    copy.edit('["force"]', '["names"]')
    assert copy.ask() == "('names',) False"


def test_a_name_that_is_added_to_a_description_counts(copy: Copy) -> None:
    copy.edit('names = ["mv"', 'names = ["newcomer", "mv"')
    assert copy.ask() == "() True"


def test_a_source_that_is_replaced_by_an_older_file_of_the_same_size_counts(copy: Copy) -> None:
    copy.edit()
    assert copy.ask() == "('force',) False"
    before = copy.source.stat()
    copy.edit('["force"]', '["names"]')
    os.utime(copy.source, ns=(before.st_atime_ns, before.st_mtime_ns - 10**12))
    assert copy.ask() == "('names',) False"


def test_a_description_that_is_added_or_removed_counts(copy: Copy) -> None:
    added = copy.source.with_name("newcomer.toml")
    added.write_text('names = ["newcomer"]\ndoes = "fs.read"\n', "utf-8")
    assert copy.ask() == "() True"
    added.unlink()
    assert copy.ask() == UNTOUCHED


def test_a_source_that_is_newer_but_the_same_changes_nothing(copy: Copy) -> None:
    before = copy.artefact.read_bytes()
    os.utime(copy.source)
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\0" * 8, b"\xff" * 100, b"\0\0\0\0\0\0\0\x05hello"])
def test_an_artefact_that_cannot_be_read_is_compiled_anew(copy: Copy, content: bytes) -> None:
    whole = copy.artefact.read_bytes()
    copy.artefact.write_bytes(content)
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.read_bytes() == whole


@pytest.mark.parametrize("part", ["index", "data"])
def test_an_artefact_that_is_damaged_is_compiled_anew(copy: Copy, part: str) -> None:
    whole = copy.artefact.read_bytes()
    damaged, index = bytearray(whole), int.from_bytes(whole[:8], "big")
    first, end = (200, index) if part == "index" else (index + 12, len(whole))
    for at in range(first, end, 50):
        damaged[at] ^= 1
    copy.artefact.write_bytes(damaged)
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.read_bytes() == whole


def test_an_artefact_that_was_cut_off_is_compiled_anew(copy: Copy) -> None:
    whole = copy.artefact.read_bytes()
    copy.artefact.write_bytes(whole[: int.from_bytes(whole[:8], "big") + 20])
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.read_bytes() == whole


def test_an_artefact_of_another_version_is_compiled_anew(copy: Copy) -> None:
    whole = copy.artefact.read_bytes()
    source = copy.knowledge / "artefact.py"
    source.write_text(
        source.read_text("utf-8").replace(f"FORMAT = {artefact.FORMAT}", f"FORMAT = {artefact.FORMAT + 1}")
    )
    assert copy.ask() == UNTOUCHED
    assert copy.artefact.read_bytes() != whole


def test_an_artefact_of_other_sources_is_not_used(copy: Copy) -> None:
    old = copy.artefact.read_bytes()
    copy.edit()
    copy.ask()
    copy.artefact.write_bytes(old)
    os.utime(copy.artefact, ns=(1, 1))
    assert copy.ask() == "('force',) False"


def test_a_mistake_in_a_description_says_where(copy: Copy) -> None:
    copy.edit(new='flags = ["foce"]\nnames = ["mv"')
    assert "mv.toml:1: unknown flag `foce` in `flags`; did you mean `force`?" in copy.ask()


def test_many_first_starts_at_once_leave_a_whole_artefact(copy: Copy) -> None:
    copy.artefact.unlink()
    started = [
        subprocess.Popen([sys.executable, "-c", ASK], env=copy.environment, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    assert [one.communicate()[0].strip() for one in started] == [UNTOUCHED] * 6
    assert copy.ask() == UNTOUCHED
    assert [name for name in os.listdir(copy.knowledge) if name.startswith(".unified")] == []


OVERWRITE = """
import os
from interlock.knowledge import artefact
from interlock.knowledge.catalogue import PROGRAMS
flags = PROGRAMS["cp"].flags
with open(artefact.ARTEFACT, "r+b") as file:
    content = file.read()
    file.seek(0)
    file.write({written})
os.utime(artefact.ARTEFACT, ns=(2**61, 2**61))
print(PROGRAMS["mv"].flags, "newcomer" in PROGRAMS)
"""


@pytest.mark.parametrize(("written", "kept"), [("bytes(len(content))", False), ("content", True)])
def test_an_artefact_that_is_overwritten_while_a_process_reads_it(copy: Copy, written: str, kept: bool) -> None:
    line = [sys.executable, "-c", OVERWRITE.format(written=written)]
    done = subprocess.run(line, env=copy.environment, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (UNTOUCHED, "")
    assert copy.ask() == UNTOUCHED
    assert kept == (copy.artefact.stat().st_mtime_ns == 2**61)


def test_a_sharded_table_is_the_table_that_was_split() -> None:
    table = {f"name {number} é": number for number in range(2_000)}
    stored = shards.split(table)
    assert len(stored.parts) == shards.SHARDS
    whole = shards.ShardedTable(stored, int)
    assert list(whole.items()) == list(table.items())  # in its order
    one_by_one = shards.ShardedTable(stored, int)
    assert {name: one_by_one[name] for name in reversed(table)} == table
    assert (one_by_one.get("nobody"), "nobody" in one_by_one, len(one_by_one)) == (None, False, len(table))
    with pytest.raises(KeyError):
        one_by_one["nobody"]
