"""However a deletion of `C:\\Windows` is written, it is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock import Verdict
from interlock.analyse.code import FAULT
from tests.powershell.lines import action, read
from tests.reading import ENGINE

_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}
LINES = [
    re.sub(r"\\[nrt\\]", lambda found: _ESCAPES[found[0]], line)
    for line in (Path(__file__).parent / "evasions.txt").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("line", LINES)
def test_a_deletion_is_found_however_it_is_written(line: str) -> None:
    analysis = read(line)
    deleted = [effect.resource.name for effect in analysis.effects if effect.kind == "fs.delete" and effect.resource]
    assert [name for name in deleted if name == "/" or name.startswith("/Windows")]
    assert not [why for why in analysis.coverage.opaque if FAULT in why]
    assert ENGINE.decide(action(line)).verdict is not Verdict.ALLOW


SCRIPTS = (Path(__file__).parent / "scripts.txt").read_text("utf-8").split("\n#----\n")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script[:40])
def test_an_everyday_script_is_allowed(script: str) -> None:
    decision = ENGINE.decide(action(script))
    assert decision.verdict is Verdict.ALLOW
    assert not [why for why in decision.assessment.coverage.opaque if FAULT in why or "does not" in why]
