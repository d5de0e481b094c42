"""What one action changes in the memory of its run, besides the files that it writes."""

from __future__ import annotations

from itertools import chain

import msgspec
from msgspec.structs import replace

from interlock.effects import TOOL_KINDS
from interlock.memory.concerns import RULE, Concern, find_concern
from interlock.memory.exposure import Context, Exposure, find_exposures
from interlock.memory.live import find_switch
from interlock.memory.repositories import find_repository_read
from interlock.model import Action, Analysis, Decision, ShellState
from interlock.patterns import late

#: What every command has in it that switches a client, or makes a tag.
_MAY_SWITCH = late(
    r"(?i)context|kube|credentials|aws|gcloud|account|cloud|docker|select|export|declare|set -gx|\btag\b|update-ref"
    r"|refs/tags|config|profile|\boc\b|activate|git:remote|project-ref|\beb\b|\bcf\b|link|railway|fly|auth|use"
)


class MemoryChanges(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the run was exposed to, the state that its shell is left in, and places that people outside can see.

    `contexts` are what its clients were switched to, and `tags` the tags that it may have made. `concern` is what it
    left behind if it needed approval; `used` are the calls whose concerns it used, and `users` the programs that did.
    """

    exposures: tuple[Exposure, ...] = ()
    shell: ShellState | None = None
    outside: tuple[str, ...] = ()
    contexts: tuple[Context, ...] = ()
    tags: tuple[str, ...] = ()
    concern: Concern | None = None
    used: tuple[int, ...] = ()
    users: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_CHANGES


NO_CHANGES = MemoryChanges()


def find_changes(action: Action, decision: Decision) -> MemoryChanges:
    """Return what an action changes in the memory of its run once it has run."""
    changes = _find_plain_changes(action, decision.assessment.analysis)
    concern = find_concern(action, decision)
    used = tuple(call for one in decision.assessment.findings if one.rule == RULE for call in one.calls)
    if concern is None and not used:
        return changes
    from interlock.memory.follow_up import users_of  # few calls need approval

    users = users_of(action, decision.assessment.analysis) if used else ()
    return replace(changes, concern=concern, used=used, users=users)


def _find_plain_changes(action: Action, analysis: Analysis) -> MemoryChanges:
    """Return what an action changes in the memory of its run, whether or not it needed approval."""
    exposures = tuple(
        chain(find_exposures(analysis.effects), find_repository_read(action, analysis), find_switch(action, analysis))
    )
    outside = _find_places(action, analysis) if calls_tool(analysis) else ()
    if not _MAY_SWITCH.search(analysis.text):
        return MemoryChanges(exposures, analysis.shell, outside)
    from interlock.memory.contexts import find_contexts, find_tags  # few commands do

    return MemoryChanges(exposures, analysis.shell, outside, find_contexts(analysis), find_tags(analysis))


def calls_tool(analysis: Analysis) -> bool:
    """Whether an action is a call of a tool, not a command or a change of files."""
    return bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS


def _find_places(action: Action, analysis: Analysis) -> tuple[str, ...]:
    from interlock.memory.places import find_outside  # needed for calls of tools alone

    return tuple(find_outside(action, analysis.effects))
