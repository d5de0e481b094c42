"""The lethal trifecta: a run has read private data and untrusted content, and now does what can carry data out.

Text that a stranger wrote may have told the agent what to send, and to whom. None of the calls looks wrong by itself.
"""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.exposure import Exposure, ExposureKind, quotable
from interlock.memory.outward import CARRYING, NEAR, carries_out
from interlock.memory.repositories import comes_from_elsewhere
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.payload import leaves

RULE = "private_data_may_leave"
MAX_PATH = 300
_PRIVATE = frozenset({ExposureKind.SECRET, ExposureKind.PRIVATE})
#: Effects by which a tool passes on what it is given.
_GIVING = frozenset(
    "message.send document.share content.publish record.change data.export net.send tool.change tool.unknown".split()
)
#: Flags of a message that has something private in it.
_SENSITIVE = frozenset({"sensitive", "confidential", "personal", "records", "secret"})
_HELD = frozenset({"records", "personal", "secret", "environment"})


def find_leak(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return a finding if an action can carry private data out of a run that untrusted content has come into.

    `strict` counts everything that leaves the machine, and runs that have read private data but nothing untrusted.
    """
    return _find_copy(action, analysis, state) or _find_trifecta(action, analysis, state, strict)


def _find_trifecta(action: Action, analysis: Analysis, state: RunState, strict: bool) -> Finding | None:
    private = next((one for one in state.exposures if one.kind in _PRIVATE and comes_from_elsewhere(one, action)), None)
    untrusted = private and _find_untrusted(state, private)
    if private is None or (untrusted is None and not strict):
        return None
    effect = next((one for one in analysis.effects if carries_out(one, action, state, strict=strict)), None)
    return None if effect is None else _finding(effect, private, untrusted)


def find_filled(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if something sensitive is put into a place that an earlier call has opened to people outside."""
    effect = next(
        (one for one in analysis.effects if one.kind in _GIVING and not one.flags.isdisjoint(_SENSITIVE)), None
    )
    if effect is None or not effect.flags.isdisjoint(NEAR):
        return None
    place = next((value for _, value in leaves(action.input_payload) if value in state.outside), None)
    if not isinstance(place, str):
        return None
    reason = f"Puts something sensitive into `{quotable(place)}`, which people outside can see"
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False)


def _find_untrusted(state: RunState, private: Exposure) -> Exposure | None:
    """Return untrusted content that came in, if possible by another call than the private data."""
    found = [one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED]
    return next((one for one in found if one.call != private.call), found[0] if found else None)


def _find_copy(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool is given a file into which this run has put private data or a secret."""
    effect = next((one for one in analysis.effects if one.kind in _GIVING), None)
    if effect is None or not effect.flags.isdisjoint(NEAR):
        return None
    copies = {path: one.marks & CARRYING for path, one in state.written.items() if not one.marks.isdisjoint(CARRYING)}
    if not copies:
        return None
    if effect.kind == "message.send" and not effect.flags.isdisjoint(_HELD):
        return Finding(RULE, Level.HIGH, "Sends private data that this run has copied", effect.span, reversible=False)
    for _, value in leaves(action.input_payload):
        if not isinstance(value, str) or len(value) > MAX_PATH or "\n" in value:
            continue
        path = value if value[:1] == "/" else f"{(action.cwd or '').rstrip('/')}/{value.removeprefix('./')}"
        held = next((name for name in copies if path == name or path.startswith(name.rstrip("/") + "/")), None)
        if held is not None:
            what = "a secret" if "secret" in copies[held] else "private data"
            reason = f"Hands over `{quotable(value[:80])}`, into which this run has put {what}"
            return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False)
    return None


def _finding(effect: Effect, private: Exposure, untrusted: Exposure | None) -> Finding:
    what = "a secret" if private.kind is ExposureKind.SECRET else "private data"
    if untrusted is None:
        reason = f"Could send out {what} that call {private.call} has read (`{private.what}`)"
        calls: tuple[int, ...] = (private.call,)
    elif untrusted.call == private.call:
        reason = f"Could send out {what} that call {private.call} has read, with text from outside (`{private.what}`)"
        calls = (private.call,)
    else:
        reason = (
            f"Could send out {what} that call {private.call} has read (`{private.what}`), "
            f"after call {untrusted.call} has let in text from outside (`{untrusted.what}`)"
        )
        calls = (private.call, untrusted.call)
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=calls)
