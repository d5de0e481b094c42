"""The page on compliance: every line names evidence that exists, and no more is claimed than that."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from interlock.cli import main
from interlock.evidence.files import FILES
from interlock.rules.standards.lists import FILES as LISTS
from interlock.rules.standards.lists import read_document
from interlock.server.api.metrics import ROUTES
from tests.test_docs import BLOCK, ROOT, recorded

PAGE = (ROOT / "docs" / "compliance.md").read_text()
#: Each line of a document: its name, and the cells after it.
LINES = {
    found[1]: found[2]
    for found in re.finditer(r"^\| ((?:AARM|AI Act|ISO|NIST) [\w ().]+?) \| (.*) \|$", PAGE, re.MULTILINE)
}
COMMANDS = sorted(set(re.findall(r"`(interlock [^`]+)`", BLOCK.sub("", PAGE))))
#: Words that stand for something that the reader has.
PLACEHOLDERS = frozenset({"RUN", "FILE"})


def test_every_line_that_was_asked_for_is_there() -> None:
    assert {f"AARM R{number}" for number in range(1, 10)} <= set(LINES)
    for article in (12, 14, 19, 26):
        assert any(line.startswith(f"AI Act {article}(") for line in LINES)
    assert any(line.startswith("ISO A.") for line in LINES)
    assert {line.split()[1] for line in LINES if line.startswith("NIST")} == {"GOVERN", "MAP", "MEASURE", "MANAGE"}


def test_every_line_names_a_command_or_a_page() -> None:
    for line, cells in LINES.items():
        evidence = cells.rpartition(" | ")[2]
        assert re.search(r"`(interlock|GET) [^`]+`", evidence), line


def test_nothing_is_called_certified_or_compliant() -> None:
    assert not re.search(r"\b(certif\w+|compliant|complies|conforms|guarantee\w*)\b", PAGE, re.IGNORECASE)
    assert '"Maps to" means' in PAGE


def test_the_page_names_the_versions_of_the_lists() -> None:
    for file in LISTS.values():
        document = read_document(file)
        assert document["version"] in PAGE


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An own folder whose store has a run and a request."""
    own = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERLOCK_HOME", str(own))
        recorded()
    return own


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works(
    command: str, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For real, on a store with a few records; a command that needs a name of the reader's shows its help."""
    monkeypatch.setenv("INTERLOCK_HOME", str(filled))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)[1:]
    if PLACEHOLDERS & set(words):
        words = [*(word for word in words if word not in PLACEHOLDERS), "--help"]
    status = main(words)
    shown = capsys.readouterr()
    assert status in (0, 2, 3) or words == ["doctor"], shown.err  # two of them are about actions that are stopped
    assert shown.out


def test_every_route_exists() -> None:
    paths = {path for route in ROUTES for path in route.paths}
    for path in re.findall(r"`GET /v1(/metrics/\w+)`", PAGE):
        assert path in paths


def test_evidence_maps_to_lines_of_the_page() -> None:
    for file in FILES:
        assert file.serves, file.name
        assert [line for line in file.serves if line not in LINES] == [], file.name
        assert f"`{file.name}`" in PAGE
