"""Actions that may change the live system that an earlier call has switched to."""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.model import Exposure, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Analysis, Effect, Finding

RULE = "live_system_used"
#: Kinds of effects that may change something that others use, or run code that may.
_CHANGING = (
    *("db.write", "db.delete", "db.drop", "db.alter", "db.grant", "db.execute", "container.", "cluster.", "infra."),
    *("deploy.", "process.spawn", "process.run", "code.run", "code.eval", "local.change", "service.change"),
)
_READING = ("container.read", "cluster.read", "infra.read")


def find_live_use(analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if an action may change the system that an earlier call of the run has switched to."""
    switched = next((one for one in reversed(state.exposures) if one.kind is ExposureKind.LIVE), None)
    effect = None if switched is None else find_system_change(analysis) or _find_call(analysis, switched)
    if switched is None or effect is None:
        return None
    reason = f"May change a live system: call {switched.call} switched to it (`{switched.what}`)"
    return Finding(RULE, Level.HIGH, reason, effect.span, calls=(switched.call,))


def _find_call(analysis: Analysis, switched: Exposure) -> Effect | None:
    """Return the effect of a call that may change something at the server which a call has switched."""
    effect = analysis.effects[0] if analysis.effects else None
    if effect is None or effect.resource is None or effect.kind not in ("tool.change", "tool.unknown", "tool.destroy"):
        return None
    server = switched.what.split("__")[:2]
    return effect if len(server) > 1 and effect.resource.name.split("__")[:2] == server else None


def find_system_change(analysis: Analysis) -> Effect | None:
    """Return the first effect by which an action may change a system that others use, or None."""
    for effect in analysis.effects:
        runs_code = bool(effect.via)  # a script may change more than the reads that were found in it
        if (effect.kind.startswith(_CHANGING) and effect.kind not in _READING) or runs_code:
            return effect
    return None
