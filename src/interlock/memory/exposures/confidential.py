"""Exposures to files and records whose names say that they are confidential."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.exposures.private_names import (
    is_confidential,
)
from interlock.memory.model import Exposure, ExposureKind
from interlock.memory.taint.command_paths import (
    paths_of,
)
from interlock.model import Action, Analysis
from interlock.payload import leaves
from interlock.sanitise import quotable

_READING_KINDS = frozenset({"tool.read", "fs.read", "process.run", "out.print"})


def find_confidential(action: Action, analysis: Analysis) -> Iterator[Exposure]:
    """Yield an exposure if an action reads what is confidential by its name."""
    if not analysis.effects or analysis.effects[0].kind not in _READING_KINDS:
        return
    texts = [value for _, value in leaves(action.input_payload) if isinstance(value, str)]
    if analysis.effects[0].kind != "tool.read":
        texts = [
            *(path for path in paths_of(action, analysis)),
            *(text for text in texts if "\n" not in text and " " not in text),
        ]
    found = next((text for text in texts if is_confidential(text)), None)
    if found is not None:
        yield Exposure(
            ExposureKind.CONFIDENTIAL,
            quotable(f"{action.tool_name} {found}" if analysis.effects[0].kind == "tool.read" else found),
        )
