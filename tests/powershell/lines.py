"""The lines of PowerShell that tests read: everyday ones, and dangerous ones with the effect that they must have."""

from __future__ import annotations

from pathlib import Path

from interlock import Action
from interlock.analyse.action import analyse
from interlock.model import Analysis
from tests.reading import WHERE

_FOLDER = Path(__file__).parent
HARMLESS = (_FOLDER / "harmless.txt").read_text("utf-8").splitlines()
DANGEROUS = [
    tuple(line.split(" ==> ")) for line in (_FOLDER / "dangerous.txt").read_text("utf-8").splitlines() if line.strip()
]


def action(command: str) -> Action:
    """Return the call of a PowerShell tool."""
    return Action(tool_name="PowerShell", input_payload={"command": command}, **WHERE)


def read(command: str) -> Analysis:
    """Read a PowerShell command."""
    return analyse(action(command))


def has(analysis: Analysis, expected: str) -> bool:
    """Whether an effect of a kind is there, with every word of what is expected in it."""
    kind, *words = expected.split()
    return any(
        effect.kind.startswith(kind) and all(word in str(effect) for word in words) for effect in analysis.effects
    )
