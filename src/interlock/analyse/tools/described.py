"""Calls of tools that are described: the effect is known, and what it is given says whether it matters."""

from __future__ import annotations

from interlock.analyse.payloads.code import Read
from interlock.analyse.payloads.unknown_tools import scan_payload
from interlock.analyse.reading import Reading, Site
from interlock.analyse.tools.arguments import arguments_of
from interlock.analyse.tools.facts import facts_of
from interlock.analyse.tools.judge import report_effect
from interlock.analyse.tools.judges import Call
from interlock.analyse.tools.name import meaning_of
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.knowledge.services import KnownTool
from interlock.model import Action
from interlock.sanitise import clean

_QUIET = frozenset({"tool.read", "tool.draft"})


def read_service_call(reading: Reading, action: Action, known: KnownTool) -> Read:
    """Analyse a call of a tool of a known service."""
    tool = known.tool
    quiet = tool.does in _QUIET
    reading.emit(tool.does if quiet else "tool.change", Site((0, 0)), clean(action.tool_name))
    if not quiet:
        arguments = arguments_of(action.input_payload, tool.arguments)
        org = reading.organisation or NO_ORGANISATION
        flags = facts_of(arguments, action.input_payload, org) | frozenset(tool.flags)
        meaning = meaning_of(action.tool_name, "")
        report_effect(reading, action, tool.does, Call(meaning, None, arguments, flags, org))
    return scan_payload(reading, action.input_payload, "tool.read" if quiet else "tool.change")
