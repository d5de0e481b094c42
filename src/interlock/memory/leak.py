"""The lethal trifecta: a run has read private data and untrusted content, and now does what can carry data out.

Text that a stranger wrote may have told the agent what to send, and to whom. None of the calls looks wrong by itself.
"""

from __future__ import annotations

from itertools import islice

from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.exposure import Exposure, ExposureKind, memory_words
from interlock.memory.places import is_place, leaves
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Effect, Finding
from interlock.patterns import late

RULE = "private_data_may_leave"
_PRIVATE = frozenset({ExposureKind.SECRET, ExposureKind.PRIVATE})
_NEAR = frozenset({"local", "private", "trusted", "inside", "drafted", "rehearsed", "practice"})
_FAR = frozenset({"outside", "unknown", "public"})
_CARRYING = frozenset({"carried", "personal", "records", "secret", "variable", "environment"})
_SENDING = frozenset({"net.send", "content.publish", "document.share", "package.publish", "data.export"})
_RECORDS = frozenset({"record.change", "appointment.make", "tool.change", "tool.unknown", "db.write"})
# An address with values in it, among other text: whoever opens the text sends them.
_ADDRESS = late(r"https?://[^\s\"'<>)\]]{1,2000}")
MIN_VALUE = 4  # characters of a value in an address that may tell something


def find_leak(action: Action, analysis: Analysis, state: RunState, *, strict: bool = False) -> Finding | None:
    """Return a finding if an action can carry private data out of a run that untrusted content has come into.

    `strict` counts all that leaves the machine, and a run that has read private data alone.
    """
    copied = _find_copy(action, analysis, state)
    if copied is not None:
        return copied
    server = _server(action.tool_name)
    private = next((one for one in state.exposures if _is_from_elsewhere(one, server)), None)
    untrusted = next((one for one in state.exposures if one.kind is ExposureKind.UNTRUSTED), None)
    if private is None or (untrusted is None and not strict):
        return None
    effect = next((one for one in analysis.effects if _carries_out(one, action, state, strict)), None)
    return None if effect is None else _finding(effect, private, untrusted)


def _find_copy(action: Action, analysis: Analysis, state: RunState) -> Finding | None:
    """Return a finding if a tool is given a file into which this run has put private data or a secret."""
    effect = next((one for one in analysis.effects if one.kind in _GIVING), None)
    if effect is None or not effect.flags.isdisjoint(_NEAR):
        return None
    kept = {path: one.marks & _CARRYING for path, one in state.written.items() if not one.marks.isdisjoint(_CARRYING)}
    if not kept:
        return None
    if effect.kind == "message.send" and not effect.flags.isdisjoint(_KEPT):
        return Finding(RULE, Level.HIGH, "Sends private data that this run has copied", effect.span, reversible=False)
    for _, value in leaves(action.input_payload):
        if not isinstance(value, str) or len(value) > MAX_PATH or "\n" in value:
            continue
        path = value if value[:1] == "/" else f"{(action.cwd or '').rstrip('/')}/{value.removeprefix('./')}"
        held = next((name for name in kept if path == name or path.startswith(name.rstrip("/") + "/")), None)
        if held is not None:
            what = "a secret" if "secret" in kept[held] else "private data"
            reason = f"Hands over `{value[:80]}`, into which this run has put {what}"
            return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False)
    return None


_GIVING = frozenset(
    "message.send document.share content.publish record.change data.export net.send tool.change tool.unknown".split()
)
_KEPT = frozenset({"records", "personal", "secret", "environment"})
MAX_PATH = 300


def _server(tool: str) -> str:
    """Return the server of an MCP tool, or an empty text."""
    return tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") > 1 else ""


def _is_from_elsewhere(exposure: Exposure, server: str) -> bool:
    """Whether private data was read elsewhere than on the open platform that is written to: there, most is open."""
    if exposure.kind not in _PRIVATE:
        return False
    return _server(exposure.what) != server or memory_words().open_platforms.isdisjoint({server})


def _finding(effect: Effect, private: Exposure, untrusted: Exposure | None) -> Finding:
    kind = "a secret" if private.kind is ExposureKind.SECRET else "private data"
    reason = f"Could send out {kind} that call {private.call} has read (`{private.what}`)"
    if untrusted is not None:
        reason += f", and call {untrusted.call} has let in text from outside (`{untrusted.what}`)"
    calls = (private.call,) if untrusted is None else (private.call, untrusted.call)
    return Finding(RULE, Level.HIGH, reason, effect.span, reversible=False, calls=calls)


def _carries_out(effect: Effect, action: Action, state: RunState, strict: bool) -> bool:
    """Whether an effect can carry data to a place that is not plainly part of the work."""
    kind, flags = effect.kind, effect.flags
    if not flags.isdisjoint(_NEAR):
        return False
    if kind == "message.send":
        if "forge" in flags:  # most are about the project's own repository
            return strict or not flags.isdisjoint(_CARRYING)
        far = _FAR if memory_words().chats.isdisjoint(split_words(action.tool_name)) else _FAR - {"unknown"}
        if not flags.isdisjoint(far) or _answers(action) or is_read_by_everyone(action):
            return True
        return strict or _is_opened(action, state)
    if kind == "net.fetch":
        return effect.resource is not None and (strict or _has_values(effect.resource.name))
    if kind == "vcs.push":
        return "stranger" in flags or (effect.resource is not None and _is_outside(effect.resource.name.split(" ")[0]))
    if kind in _SENDING:
        return True
    return kind in _RECORDS and (
        "outside" in flags or _is_opened(action, state) or _has_beacon(action) or is_read_by_everyone(action)
    )


def is_read_by_everyone(action: Action) -> bool:
    """Whether a tool writes to an open platform, or types into a page."""
    words, known = frozenset(split_words(action.tool_name)), memory_words()
    if not words.isdisjoint(known.browsers):
        return not words.isdisjoint(_TYPING)
    return not words.isdisjoint(known.open_platforms)


_TYPING = frozenset("fill type submit upload press select input".split())


def _answers(action: Action) -> bool:
    """Whether a tool answers somebody who wrote first, and who may be anybody: not in a channel of a team."""
    if any(name in _ROOMS for name in action.input_payload):
        return False
    words = frozenset(split_words(action.tool_name))
    return not words.isdisjoint(memory_words().answering) or words >= _SENT_LATER


def _is_opened(action: Action, state: RunState) -> bool:
    """Whether the arguments, or an earlier call about the place, say that people outside see what is written."""
    words = memory_words()
    for key, value in leaves(action.input_payload):
        name = key.lower()
        if (name in words.opening and value is True) or (name in words.closing and value is False):
            return True
        if isinstance(value, str) and value in state.outside:
            return True
        if name in _READERS and isinstance(value, str) and value.lower() in _CUSTOMERS:
            return True
        if is_place(name, value) and _is_outside(value):
            return True
    return False


def _is_outside(text: str) -> bool:
    return not memory_words().outside.isdisjoint(split_words(text))


_READERS = frozenset({"visibility", "audience", "readers", "scope", "access"})
_CUSTOMERS = frozenset({"customer", "customers", "client", "clients", "everyone", "anyone", "all"})


_SENT_LATER = frozenset({"send", "draft"})
_ROOMS = frozenset({"channel", "channel_id", "room", "thread_ts", "chat", "chat_id", "space"})


def _has_beacon(action: Action) -> bool:
    return any(
        _has_values(found[0])
        for _, value in leaves(action.input_payload)
        if isinstance(value, str) and "?" in value
        for found in islice(_ADDRESS.finditer(value), MAX_ADDRESSES)
    )


MAX_ADDRESSES = 100


def _has_values(address: str) -> bool:
    """Whether an address has values in it, by which whoever opens it sends them.

    >>> _has_values("https://a.example/x?name=Hale-61"), _has_values("https://a.example/x?page=2")
    (True, False)
    """
    pairs = (pair.partition("=") for pair in address.partition("?")[2].split("&"))
    return any(name and len(value) >= MIN_VALUE for name, _, value in pairs)
