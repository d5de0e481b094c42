"""Local content among the arguments of a call: what a script sends along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script


def find_sent_marks(script: Script, values: list[Any]) -> frozenset[str]:
    """Return the marks of the local content that a call is given."""
    return script.find_sent_marks(values)
