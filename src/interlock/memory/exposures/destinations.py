"""Whether an effect can send data to a destination outside the user's organisation."""

from __future__ import annotations

from itertools import islice

from interlock.knowledge.services import find_tool
from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.places import is_place
from interlock.memory.calls.tool_services import mcp_server_of
from interlock.memory.calls.words import memory_words
from interlock.memory.exposures.reads import is_conversation
from interlock.memory.state import RunState
from interlock.model import Action, Effect
from interlock.patterns import late
from interlock.payload import leaves

#: Flags of effects that stay inside, of messages that go outside, and of effects on private data.
INTERNAL_FLAGS = frozenset({"local", "private", "trusted", "inside", "drafted", "rehearsed", "practice"})
EXTERNAL_FLAGS = frozenset({"outside", "unknown", "public"})
PRIVATE_DATA_FLAGS = frozenset(
    "carried personal records dump mail browser clipboard screen recording secret variable environment".split()
)
#: Effects of tool calls and commands that pass on their arguments.
TRANSFER_KINDS = frozenset(
    "message.send document.share content.publish record.change data.export net.send tool.change tool.unknown".split()
)
_SENDING = frozenset({"net.send", "content.publish", "document.share", "package.publish", "data.export"})
_RECORDS = frozenset({"record.change", "appointment.make", "tool.change", "tool.unknown"})
# An address in a text. Opening it sends the values in it.
_ADDRESS = late(r"https?://[^\s\"'<>)\]]{1,2000}")
MAX_ADDRESSES = 100
MIN_VALUE = 4  # the shortest value in an address that may carry data
MIN_SPACES = 4  # the shortest text that may carry data
MIN_LEAK_SPACES = 8  # spaces in a text that carries more than a question
#: Formulas of sheets that fetch an address built from cells.
_FORMULA = late(
    r"(?i)\b(?:image|importdata|importxml|importhtml|importfeed|webservice|hyperlink)\(\s*\"https?://[^\"]*\"\s*&"
)
_SENDING_VERBS = frozenset({"send", "draft"})
#: Values too short to leak anything: small numbers, times, dates, a few characters, and keys that navigate in a page.
_SHORT_VALUE = late(
    r"[-+]?\d{0,4}(?:[.,]\d{1,2})?\s?(?:%|h|min|€|\$)?|\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?[ap]m)?"
    r"|(?:19|20)\d\d-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d)?)?|\d{1,2}[./]\d{1,2}[./](?:\d{2}|\d{4})|\S{0,3}"
    r"|(?i:enter|return|tab|escape|esc|space|backspace|page(?:up|down)|home|end|arrow(?:up|down|left|right)|f\d{1,2})"
)
MAX_ADDRESS = 2_000
#: Base64, base32 in lower case (unlike a hash), and plain text in hexadecimal.
_BLOB = late(
    r"[?&=/](?=[\w+=%-]{0,60}[a-z])(?=[\w+=%-]{0,60}[A-Z])(?=[\w+=%-]{0,60}\d)[\w+=%-]{40}"
    r"|[?&=/.](?=[a-z2-7]{0,60}[2-7])(?=[a-z2-7]{0,60}[g-z])[a-z2-7]{36}"
    r"|[?&=/.](?:2[0-9a-f]|[3-7][0-9a-f]){20}"
)


def can_exfiltrate(effect: Effect, action: Action, state: RunState, *, strict: bool) -> bool:
    """Whether an effect can send data to a destination outside the user's organisation."""
    if not effect.flags.isdisjoint(INTERNAL_FLAGS):
        return False
    if _stays_inside(effect, action, state):
        return strict
    if effect.kind == "message.send":
        if _is_trial(action):
            return False
        return _is_far_message(effect, action, strict) or strict or _is_visible_outside(action, state)
    if effect.kind == "net.fetch":
        return effect.resource is not None and (
            strict or _has_values(effect.resource.name) or has_blob(effect.resource.name)
        )
    if effect.kind == "vcs.push":
        remote = effect.resource.name.split(" ")[0] if effect.resource else ""
        return "stranger" in effect.flags or _is_outside(remote)
    if effect.kind == "data.export" and saves_locally(action):
        return False
    if effect.kind in _SENDING:
        return True
    if effect.kind == "db.write":
        return effect.resource is not None and is_conversation(effect.resource.name)
    if effect.kind == "vcs.read":
        return effect.resource is not None and "://" in effect.resource.name and "$" in effect.resource.name
    if effect.kind == "tool.read":
        return _leaks_text(action)
    return effect.kind in _RECORDS and (
        "outside" in effect.flags
        or _replies_to_stranger(action)
        or _is_visible_outside(action, state)
        or _has_beacon(action)
        or (is_read_by_everyone(action) and not _returns_to_source(action, state))
    )


def _stays_inside(effect: Effect, action: Action, state: RunState) -> bool:
    """Whether a text goes to a channel of colleagues, or to colleagues alone."""
    if effect.kind in ("message.send", "content.publish") and _is_team_room(effect, action, state):
        return True
    return effect.kind in ("message.send", *_RECORDS) and _is_hidden_outside(action) and not is_open_platform(action)


def saves_locally(action: Action) -> bool:
    """Whether a call puts what it exports into a file on this machine, and names no other place."""
    values = [(key.lower(), value) for key, value in leaves(action.input_payload) if isinstance(value, str)]
    if any("://" in value or "@" in value for _, value in values):
        return False
    return any(
        (value[:1] in "/~" and value[:2] != "//" and "/" in value[1:])
        or (key in _SAVED_AS and _FILE.fullmatch(value) is not None)
        for key, value in values
    )


#: Keys of the file that an export writes, and the relative name of a file: `Quotes/2024/Bauer.pdf`.
_SAVED_AS = frozenset("destination dest output output_path output_file out save_as save_to filename file_name".split())
_FILE = late(r"(?:[\w .()-]{1,80}/){0,8}[\w .()-]{1,80}\.[a-z][a-z0-9]{1,4}")


def _is_team_room(effect: Effect, action: Action, state: RunState) -> bool:
    """Whether a message goes to a chat channel that, as far as earlier calls show, only colleagues can see."""
    if memory_words().chats.isdisjoint(split_words(action.tool_name)) or not effect.flags.isdisjoint(EXTERNAL_FLAGS):
        return False
    rooms = [value for key, value in leaves(action.input_payload) if key.lower() in memory_words().rooms]
    return (
        bool(rooms)
        and all(isinstance(room, str) and room[:1] == "#" for room in rooms)
        and not _is_visible_outside(action, state)
    )


def _is_trial(action: Action) -> bool:
    """Whether a tool sends a test copy of an existing item to one address, without a text."""
    values = [value for _, value in leaves(action.input_payload) if isinstance(value, str)]
    to = [value for value in values if "@" in value]
    return (
        "test" in split_words(action.tool_name)
        and len(to) == 1
        and all(value.count(" ") < MIN_SPACES for value in values)
    )


def _is_far_message(effect: Effect, action: Action, strict: bool) -> bool:
    """Whether a message goes to people outside, or replies to an unknown sender."""
    if "forge" in effect.flags:  # most are about the project's own repository
        return strict or not effect.flags.isdisjoint(PRIVATE_DATA_FLAGS)
    far = (
        EXTERNAL_FLAGS
        if memory_words().chats.isdisjoint(split_words(action.tool_name))
        else EXTERNAL_FLAGS - {"unknown"}
    )
    return (
        not effect.flags.isdisjoint(far)
        or _replies_to_stranger(action)
        or is_read_by_everyone(action)
        or not memory_words().outward.isdisjoint(split_words(action.tool_name))
    )


def is_read_by_everyone(action: Action) -> bool:
    """Whether a tool writes to a public platform or to a server that is not known as a team's, or types into a page."""
    words, known = frozenset(split_words(action.tool_name)), memory_words()
    if not words.isdisjoint(known.browsers):
        return not words.isdisjoint(known.typing) and _types_data(action)
    if not words.isdisjoint(known.open_platforms):
        return True
    server = mcp_server_of(action.tool_name)
    if not server or not known.team.isdisjoint(split_words(server)) or not words.isdisjoint(known.inside):
        return False
    return _writes_text(action)


def _types_data(action: Action) -> bool:
    """Whether the input of a browser may carry data: more than a short number, a time, a date or a single key."""
    return any(
        isinstance(value, str)
        and key.lower() not in memory_words().elements
        and not _SHORT_VALUE.fullmatch(value.strip())
        for key, value in leaves(action.input_payload)
    )


def is_open_platform(action: Action) -> bool:
    """Whether a tool belongs to a service at which everyone reads what is written."""
    return not memory_words().open_platforms.isdisjoint(split_words(action.tool_name))


def _returns_to_source(action: Action, state: RunState) -> bool:
    """Whether all that the run read through tools came from the server that it writes to. Never true for a forum."""
    server = mcp_server_of(action.tool_name)
    if not server or not memory_words().open_platforms.isdisjoint(split_words(server)):
        return False
    return all(mcp_server_of(one.what.partition(" ")[0]) == server for one in state.exposures)


def _leaks_text(action: Action) -> bool:
    """Whether a lookup is given more text than it needs, at a server that is not a team's."""
    known, server = memory_words(), mcp_server_of(action.tool_name)
    if not server or not known.team.isdisjoint(split_words(server)):
        return False
    return any(
        isinstance(value, str) and value.count(" ") >= MIN_LEAK_SPACES and key.lower() not in memory_words().asking
        for key, value in leaves(action.input_payload)
    )


def _writes_text(action: Action) -> bool:
    """Whether a call has a text that may carry data, and is not a draft."""
    values = [(key.lower(), value) for key, value in leaves(action.input_payload)]
    if any(key in ("status", "state") and value == "draft" for key, value in values):
        return False
    return any(isinstance(value, str) and value.count(" ") >= MIN_SPACES for _, value in values)


def _replies_to_stranger(action: Action) -> bool:
    """Whether a tool replies to an unknown sender, outside the channels of a team."""
    known = memory_words()
    if any(name in known.rooms for name in action.input_payload):
        return False
    words = frozenset(split_words(action.tool_name))
    return (not words.isdisjoint(known.answering) and words.isdisjoint(known.inside)) or words >= _SENDING_VERBS


def _is_visible_outside(action: Action, state: RunState) -> bool:
    """Whether the arguments, or an earlier call about the place, say that outsiders can see what is written."""
    known = memory_words()
    for key, value in leaves(action.input_payload):
        name = key.lower()
        if (name in known.opening and value is True) or (name in known.closing and value is False):
            return True
        if not isinstance(value, str):
            continue
        if value in state.outside or (name in known.readers and value.lower() in known.customers):
            return True
        if is_place(name, value) and _is_outside(value):
            return True
    return False


def _is_hidden_outside(action: Action) -> bool:
    """Whether an argument that the tool's schema has says that outsiders cannot see what is written."""
    closed = [key for key, value in action.input_payload.items() if value is False]
    closed = [key for key in closed if key.lower() in memory_words().opening]
    if not closed:
        return False
    described = find_tool(action.tool_name)
    declared = action.input_schema.get("properties") or (described.tool.arguments if described else {})
    return any(key in declared for key in closed)


def _is_outside(text: str) -> bool:
    return not memory_words().outside.isdisjoint(split_words(text))


def _has_beacon(action: Action) -> bool:
    """Whether a text contains an address with values that are sent to its server."""
    if any(isinstance(value, str) and _FORMULA.search(value) for _, value in leaves(action.input_payload)):
        return True
    return any(
        _has_values(found[0])
        for _, value in leaves(action.input_payload)
        if isinstance(value, str) and "?" in value
        for found in islice(_ADDRESS.finditer(value), MAX_ADDRESSES)
    )


def has_blob(address: str) -> bool:
    """Whether an address contains a long unreadable value: something is encoded there.

    >>> has_blob("https://a.example/jbqwozlohncekobzgm3tanbqga2dimbvgmzdamjtga/b.svg")
    True
    >>> has_blob("https://a.example/commit/9aded42fb5c85e6345bb8717545d909643c0aa74")
    False
    """
    return _BLOB.search(address[:MAX_ADDRESS]) is not None


def _has_values(address: str) -> bool:
    """Whether an address has values in it that are sent when it is opened.

    >>> _has_values("https://a.example/x?name=Hale-61"), _has_values("https://a.example/x?page=2")
    (True, False)
    """
    pairs = (pair.partition("=") for pair in address.partition("?")[2].split("&"))
    return any(name and len(value) >= MIN_VALUE for name, _, value in pairs)
