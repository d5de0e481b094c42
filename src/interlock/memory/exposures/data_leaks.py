"""The lethal trifecta: a run has read private data and untrusted content, and now does what can carry data out.

Text that a stranger wrote may have told the agent what to send, and to whom. None of the calls looks wrong by itself.
"""

from __future__ import annotations

from interlock.levels import Level
from interlock.memory.calls.places import default_place
from interlock.memory.exposures.destinations import (
    CARRYING,
    FAR,
    NEAR,
    carries_out,
    has_blob,
    is_open_platform,
    is_read_by_everyone,
)
from interlock.memory.exposures.private_names import tells_inside
from interlock.memory.exposures.repositories import comes_from_elsewhere
from interlock.memory.model import Exposure, ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late
from interlock.payload import leaves
from interlock.sanitise import quotable

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
    return (
        _find_confidential(action, analysis, state)
        or _find_copy(action, analysis, state)
        or _find_sent_file(action, analysis, state)
        or _find_trifecta(action, analysis, state, strict)
    )


def _find_confidential(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if something may leave after text from outside came in and something confidential was read."""
    read = next((one for one in state.exposures if one.kind is ExposureKind.CONFIDENTIAL), None)
    untrusted = next((one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED), None)
    if read is None:
        return None
    for effect in analysis.effects:
        sensitive = not effect.flags.isdisjoint(_SENSITIVE) and effect.kind in _GIVING
        everyone = effect.kind in _GIVING and is_open_platform(action)
        if ((sensitive and is_read_by_everyone(action)) or everyone) and effect.flags.isdisjoint(NEAR):
            return _finding(effect, read, untrusted)
        if untrusted is not None and effect.kind in _LEAVING and effect.flags.isdisjoint(NEAR):
            return _finding(effect, read, untrusted)
    posting = _POSTING.search(analysis.text[:MAX_TEXT]) if untrusted and "shell" in analysis.languages else None
    return _finding(analysis.effects[0], read, untrusted) if posting and analysis.effects else None


_LEAVING = frozenset({"vcs.push", "content.publish", "message.send"})
#: Scripts of a project that post something, by their names.
_POSTING = late(r"\b[\w/.-]*(?:post|publish|upload|comment|reply|submit|send)\w*\.(?:py|js|rb|sh|ts)\b")


def _find_trifecta(action: Action, analysis: Analysis, state: RunState, strict: bool) -> Finding | None:
    private = next((one for one in state.exposures if one.kind in _PRIVATE and comes_from_elsewhere(one, action)), None)
    untrusted = private and _find_untrusted(state, private)
    if private is None or (untrusted is None and not strict and not _has_blob(analysis)):
        return None
    effect = next((one for one in analysis.effects if carries_out(one, action, state, strict=strict)), None)
    return None if effect is None else _finding(effect, private, untrusted)


def _has_blob(analysis: Analysis) -> bool:
    """Whether an address has a long value in it that nobody can read: something is encoded there."""
    return any(
        one.kind == "net.fetch"
        and one.resource is not None
        and one.flags.isdisjoint(NEAR)
        and has_blob(one.resource.name)
        for one in analysis.effects
    )


def find_outside_write(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if something sensitive is put into a place that an earlier call has opened to people outside."""
    effect = next((one for one in analysis.effects if one.kind in _GIVING), None)
    if effect is None or any(not one.flags.isdisjoint(NEAR) for one in analysis.effects):
        return None
    texts = [value for _, value in leaves(action.input_payload) if isinstance(value, str)]
    flagged = any(not one.flags.isdisjoint(_SENSITIVE) for one in analysis.effects if one.kind in _GIVING)
    if not flagged and not any(tells_inside(text) for text in texts):
        return None
    default = default_place(action.tool_name)
    place = next((value for value in (*texts, default) if value in state.outside), None)
    if place is None:
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
        held = next((name for name in copies if _is_held(path, name)), None)
        if held is not None:
            what = "a secret" if "secret" in copies[held] else "private data"
            reason = f"Hands over `{quotable(value[:80])}`, into which this run has put {what}"
            return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False)
    return None


def _is_held(path: str, name: str) -> bool:
    """Whether a path is a file of this run, in a folder of it, or one of several whose names begin alike."""
    return path == name or path.startswith(name[:-1] if name.endswith("*") else name.rstrip("/") + "/")


def _find_sent_file(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a file leaves for people outside after the run has read something private.

    What is in the file is not known. That it goes to a stranger, and that the run knows what a stranger may not, is.
    """
    private = next((one for one in state.exposures if one.kind in _PRIVATE), None)
    if private is None:
        return None
    effect = _find_upload(analysis)
    if effect is None:
        effect = next((one for one in analysis.effects if one.kind in _GIVING and _goes_far(one, action)), None)
        if effect is None or not any(_is_local_file(value) for _, value in leaves(action.input_payload)):
            return None
    what = "a secret" if private.kind is ExposureKind.SECRET else "private data"
    reason = f"Sends a file to people outside after call {private.call} has read {what} (`{private.what}`)"
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=(private.call,))


def _find_upload(analysis: Analysis) -> Effect | None:
    """Return the effect of a program that nobody described and that is told to pass a file on."""
    if "shell" not in analysis.languages or not _UPLOAD.search(analysis.text[:MAX_TEXT]):
        return None
    return next((one for one in analysis.effects if one.kind == "process.run"), None)


# A program with a verb by which a file goes to a service, and a file: `asciinema upload /tmp/a.cast`.
_UPLOAD = late(
    r"(?:^|[;&|\n])\s*[\w./-]{2,60}(?: [\w.-]{2,30}){0,2} (?:upload|share|submit|files\.create|publish|post)\b"
    r"[^\n;&|]{0,300}?[ =@](?:[\w.~-]*/)?[\w./*-]{1,200}\.\w{1,8}(?=\s|$)"
)
MAX_TEXT = 20_000


def _goes_far(effect: Effect, action: Action) -> bool:
    if not effect.flags.isdisjoint(NEAR):
        return False
    return not effect.flags.isdisjoint(FAR) or is_read_by_everyone(action)


def _is_local_file(value: object) -> bool:
    """Whether a value is the path of a file on this machine.

    >>> _is_local_file("/home/user/project/a.pdf"), _is_local_file("https://a.example/x.pdf"), _is_local_file("/v1/x y")
    (True, False, False)
    """
    return (
        isinstance(value, str) and value[:1] in "/~." and len(value) <= MAX_PATH and _FILE.fullmatch(value) is not None
    )


_FILE = late(r"(?:/|~/|\.{1,2}/)[^\n:?]*\.\w{1,8}")


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
