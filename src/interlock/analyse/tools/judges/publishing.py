"""Content that is published."""

from __future__ import annotations

from interlock.analyse.tools.arguments import DECLARED, VALUES, Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.judges.messages import is_routine_message
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-audiences", AudienceWords)

#: Words in the names of tools by which the whole world reads something.
_READ_BY_ALL = _WORDS.broadcasting_tools | _WORDS.worldwide_tools


def is_withheld(call: JudgedCall) -> bool:
    """Whether only the author can see something: `privacy_status: private`, `private: true`."""
    told = False
    for one in call.arguments:
        low = one.low
        if one.key in _WORDS.visibility_keys and isinstance(one.value, str):
            if low not in VALUES["withheld"]:
                return False
            told = True
        elif one.key in ("private", "is_private"):
            told = told or is_true(one)
    return told


def is_routine_publication(call: JudgedCall) -> bool:
    """Whether content is visible only to its author, or to the people of a room or a company."""
    if call.has("public"):
        return False
    if call.words(_TWEETING):
        return False  # whatever stands beside it, everybody can read it
    if call.words(_WORDS.worldwide_tools) and not any(one.key in _WORDS.privacy_keys for one in call.arguments):
        return False
    if is_withheld(call):
        return True
    return (_stays_in_room(call) or _is_internal(call)) and is_routine_message(call)


def _stays_in_room(call: JudgedCall) -> bool:
    """Whether a text is posted to a room of a chat: `room: "team-dispatch"`, `channel: "#inc-382"`."""
    if call.words(_READ_BY_ALL):
        return False
    rooms = [one for one in call.of_role("room") if isinstance(one.value, str) and one.value.strip()]
    return bool(rooms) and all(_is_room(one) for one in rooms)


def _is_room(one: Argument) -> bool:
    return one.key in _WORDS.room_keys or (one.key in _CHANNELS and _CHAT_CHANNEL.match(one.text.strip()) is not None)


def _is_internal(call: JudgedCall) -> bool:
    """Whether only people of the company can see something: `visibility: internal`, `audience: company`."""
    if call.words(_READ_BY_ALL):
        return False
    told = [one for one in call.arguments if one.key in _AUDIENCES or one.key.endswith("_access")]
    if not told:
        noted = call.words(_WORDS.support_desks) and any(
            one.key in ("internal", "is_internal") for one in call.arguments
        )
        noted = noted and all(is_true(one) for one in call.arguments if one.key in ("internal", "is_internal"))
        return noted or call.words(_INTERNAL)
    named = call.words(_INTERNAL)
    return all(
        one.low in VALUES["company"] or ((named or DECLARED in one.roles) and _is_colleagues(one)) for one in told
    )


def _is_colleagues(one: Argument) -> bool:
    """Whether an audience is one of colleagues: `agents`, `buyer_team`, `InternalUsers`."""
    words = {word.lower() for word in split_words(one.text[:60])}
    return (
        DECLARED in one.roles
        and not words.isdisjoint(_WORDS.colleague_audiences)
        and words.isdisjoint(VALUES["everyone_words"] | _WORDS.stranger_audiences)
    )


_INTERNAL = frozenset({"internal"})
_AUDIENCES = _WORDS.visibility_keys | {"user_segment", "visible_to"}


_CHANNELS = frozenset({"channel", "channel_id", "channels"})
_CHAT_CHANNEL = late(r"#[\w-]+$|[CGD][0-9A-Z]{6,}$")
_TWEETING = frozenset({"tweet", "tweets", "retweet"})
