"""The lethal trifecta: a run has read private data and untrusted content, and now can send data out.

Text by a stranger may instruct the agent what to send, and to whom. None of the calls looks wrong by itself.
"""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.calls.command_lines import spell_out
from interlock.memory.calls.places import default_place
from interlock.memory.exposures.destinations import (
    INTERNAL_FLAGS,
    TRANSFER_KINDS,
    can_exfiltrate,
    has_blob,
    is_open_platform,
    is_read_by_everyone,
)
from interlock.memory.exposures.private_names import has_internal_information
from interlock.memory.exposures.repositories import comes_from_elsewhere
from interlock.memory.exposures.sent_files import MAX_TEXT, PRIVATE_KINDS, find_handed_copy, find_sent_file
from interlock.memory.model import LEAK_RULE, Exposure, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

#: Flags of a message that has something private in it.
_SENSITIVE = frozenset({"sensitive", "confidential", "personal", "records", "secret"})
_LEAVING = frozenset({"vcs.push", "content.publish", "message.send"})
#: Names of project scripts that post something.
_POSTING = late(r"\b[\w/.-]*(?:post|publish|upload|comment|reply|submit|send)\w*\.(?:py|js|rb|sh|ts)\b")


def find_leak(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return a finding if an action can send out private data, and the run has read untrusted content.

    `strict` counts everything that leaves the machine, and runs that have read private data but nothing untrusted.
    """
    return (
        _find_confidential(action, analysis, state)
        or find_handed_copy(action, analysis, state)
        or find_sent_file(action, analysis, state)
        or _find_trifecta(action, analysis, state, strict)
    )


def _find_confidential(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if data may leave after the run has read untrusted and confidential content."""
    read = next((one for one in state.exposures if one.kind is ExposureKind.CONFIDENTIAL), None)
    untrusted = next((one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED), None)
    if read is None:
        return None
    for effect in analysis.effects:
        sensitive = not effect.flags.isdisjoint(_SENSITIVE) and effect.kind in TRANSFER_KINDS
        everyone = effect.kind in TRANSFER_KINDS and is_open_platform(action)
        if ((sensitive and is_read_by_everyone(action)) or everyone) and effect.flags.isdisjoint(INTERNAL_FLAGS):
            return _finding(effect, read, untrusted)
        if untrusted is not None and effect.kind in _LEAVING and effect.flags.isdisjoint(INTERNAL_FLAGS):
            return _finding(effect, read, untrusted)
    posting = _POSTING.search(spell_out(analysis)[:MAX_TEXT]) if untrusted and analysis.commands else None
    return _finding(analysis.effects[0], read, untrusted) if posting and analysis.effects else None


def _find_trifecta(action: Action, analysis: Analysis, state: RunState, strict: bool) -> Finding | None:
    private = next(
        (one for one in state.exposures if one.kind in PRIVATE_KINDS and comes_from_elsewhere(one, action)), None
    )
    untrusted = private and _find_untrusted(state, private)
    if private is None or (untrusted is None and not strict and not _has_blob(analysis)):
        return None
    effect = next((one for one in analysis.effects if can_exfiltrate(one, action, state, strict=strict)), None)
    return None if effect is None else _finding(effect, private, untrusted)


def _has_blob(analysis: Analysis) -> bool:
    """Whether an address contains a long unreadable value: something is encoded there."""
    return any(
        one.kind == "net.fetch"
        and one.resource is not None
        and one.flags.isdisjoint(INTERNAL_FLAGS)
        and has_blob(one.resource.name)
        for one in analysis.effects
    )


def find_outside_write(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if sensitive data is written to a place that an earlier call has opened to people outside."""
    effect = next((one for one in analysis.effects if one.kind in TRANSFER_KINDS), None)
    if effect is None or any(not one.flags.isdisjoint(INTERNAL_FLAGS) for one in analysis.effects):
        return None
    texts = [value for _, value in leaves(action.input_payload) if isinstance(value, str)]
    flagged = any(not one.flags.isdisjoint(_SENSITIVE) for one in analysis.effects if one.kind in TRANSFER_KINDS)
    if not flagged and not any(has_internal_information(text) for text in texts):
        return None
    default = default_place(action.tool_name)
    place = next((value for value in (*texts, default) if value in state.outside), None)
    if place is None:
        return None
    reason = f"Puts something sensitive into `{quotable(place)}`, which people outside can see"
    return Finding(LEAK_RULE, Level.HIGH, reason, effect.span, reversible=False)


def _find_untrusted(state: RunState, private: Exposure) -> Exposure | None:
    """Return untrusted content that the run has read, if possible by another call than the private data."""
    found = [one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED]
    return next((one for one in found if one.call != private.call), found[0] if found else None)


def _finding(effect: Effect, private: Exposure, untrusted: Exposure | None) -> Finding:
    what = "a secret" if private.kind is ExposureKind.SECRET else "private data"
    if untrusted is None:
        reason = f"Could send out {what} that call {private.call} has read (`{private.what}`)"
        calls: tuple[int, ...] = (private.call,)
    elif untrusted.call == private.call:
        reason = f"Could send out {what} that call {private.call} has read, with untrusted content (`{private.what}`)"
        calls = (private.call,)
    else:
        reason = (
            f"Could send out {what} that call {private.call} has read (`{private.what}`), "
            f"after call {untrusted.call} has read untrusted content (`{untrusted.what}`)"
        )
        calls = (private.call, untrusted.call)
    return Finding(LEAK_RULE, Level.HIGH, reason, effect.span, reversible=False, calls=calls)
