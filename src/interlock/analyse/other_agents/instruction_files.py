"""Instruction files of agents with unknown new content: the text of the action is searched instead.

A loop over several files, or a script that reads a file, changes a part of it and writes it back, still has the
instructions and the names of the settings in its own text.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.analyse.flow import Flow
from interlock.analyse.other_agents.instructions import is_poisoned
from interlock.model import Effect
from interlock.patterns import late

#: The flags of files that this module reads about.
TAUGHT = frozenset({"agent_rules", "ide_config"})
# Settings of editors that let their agents act without approval.
_SWITCHES = late(
    r"(?i)chat\.(?:tools|agent)\.[\w.]*(?:auto_?approve|auto_?accept|autorun)|workspace\.trust\.(?:enabled|untrustedFiles)"
    r"|skip_?-?permissions|bypass_?-?permissions|\byolo|auto_?-?approve|auto_?-?run(?:mode)?\b|allowed_?-?commands|always_?allow"
    r"|agent\.(?:always_allow_tool_actions|tool_permissions)"
)
_ORDERS = frozenset({"instructions"})
_AGENT = frozenset({"agent_config"})


def report_poisoned_file(effects: list[Effect], text: str, files: Mapping[str, Flow]) -> None:
    """Add an effect for a file with misleading instructions, or with settings that turn an agent's checks off."""
    _mark_fetched(effects, files)
    for effect in effects:
        if effect.kind != "fs.write" or effect.resource is None or TAUGHT.isdisjoint(effect.flags):
            continue
        added = _AGENT if "ide_config" in effect.flags and _SWITCHES.search(text) else frozenset[str]()
        if "agent_rules" in effect.flags and is_poisoned(text):
            added = _ORDERS
        if added and not added <= effect.flags:
            effects.append(
                Effect("fs.write", effect.resource, effect.flags | added, effect.span, effect.via, effect.call)
            )
            return


_FETCHED = frozenset({"download"})
_FROM_ELSEWHERE = frozenset({"download", "decoded"})


def _mark_fetched(effects: list[Effect], files: Mapping[str, Flow]) -> None:
    """Mark files with instructions whose content this action fetches: `requests.get(url).text` in `CLAUDE.md`."""
    for at, effect in enumerate(effects):
        if effect.kind != "fs.write" or effect.resource is None or "agent_rules" not in effect.flags:
            continue
        held = files.get(effect.resource.name)
        if held is not None and not _FROM_ELSEWHERE.isdisjoint(held.marks):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _FETCHED)
