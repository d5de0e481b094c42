"""Actions that may change the live system that an earlier call has switched to."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.levels import Level
from interlock.memory.calls.tasks import ProgramsByCommand, programs_by_command
from interlock.memory.live_systems.switched_programs import may_use
from interlock.memory.model import Exposure, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Analysis, Effect, Finding, ProgramCall

RULE = "live_system_used"
#: Kinds of effects that may change something that others use, or run code that may.
_CHANGING = (
    *("db.write", "db.delete", "db.drop", "db.alter", "db.grant", "db.execute", "container.", "cluster.", "infra."),
    *("deploy.", "process.spawn", "process.run", "code.run", "code.eval", "local.change", "service.change"),
)
_READING = ("container.read", "cluster.read", "infra.read")


def find_live_use(analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action may change a system that an earlier call of the run has switched to."""
    programs = programs_by_command(analysis)
    for switched in reversed(state.exposures):
        if switched.kind is ExposureKind.LIVE:
            effect = _find_use(analysis, switched, programs) or _find_call(analysis, switched)
            if effect is not None:
                reason = f"May change a live system: call {switched.call} switched to it (`{switched.what}`)"
                return Finding(RULE, Level.HIGH, reason, effect.span, calls=(switched.call,))
    return None


def _find_use(analysis: Analysis, switched: Exposure, programs: ProgramsByCommand) -> Effect | None:
    """Return the first effect by which a program that follows a switch may change the system."""
    effects = (one for one in analysis.effects if may_change_system(one))
    return next((one for one in effects if _follows(one, switched.client, programs.get(one.call, ()))), None)


def _follows(effect: Effect, client: str, programs: Iterable[ProgramCall]) -> bool:
    """Whether an effect is one of code, or of a program that works on the target of a client."""
    return not programs or any(may_use(client, one, effect) for one in programs)


def _find_call(analysis: Analysis, switched: Exposure) -> Effect | None:
    """Return the effect of a call that may change something at the server which a call has switched."""
    effect = analysis.effects[0] if analysis.effects else None
    if effect is None or effect.resource is None or effect.kind not in ("tool.change", "tool.unknown", "tool.destroy"):
        return None
    server = switched.what.split("__")[:2]
    return effect if len(server) > 1 and effect.resource.name.split("__")[:2] == server else None


def find_system_change(analysis: Analysis) -> Effect | None:
    """Return the first effect by which an action may change a system that others use, or None."""
    return next(filter(may_change_system, analysis.effects), None)


def may_change_system(effect: Effect) -> bool:
    """Whether an effect may change a system that others use; a script may change more than the reads found in it."""
    return changes_system(effect) or bool(effect.via)


def changes_system(effect: Effect) -> bool:
    """Whether an effect is of a kind that changes systems, or runs code that may."""
    return effect.kind.startswith(_CHANGING) and effect.kind not in _READING
