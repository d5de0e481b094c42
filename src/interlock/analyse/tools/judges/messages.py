"""Messages and appointments: their recipients and their content.

A message to somebody is routine. It asks if it reaches many, carries keys, bank accounts or confidential matters,
binds its sender towards a stranger, deceives people, or publishes something about a person.
"""

from __future__ import annotations

from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.people import (
    FEW,
    has_private_mailbox,
    is_mailing_list,
    is_segment,
    names_few_people,
    reaches_many,
)
from interlock.analyse.tools.sensitive_content import is_confidential_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-audiences", AudienceWords)

#: Words in the names of tools whose messages leave the organisation.
_READ_OUTSIDE = _WORDS.public_message_tools | _WORDS.outsider_tools

_SELVES = frozenset({"me", "self", "myself", "owner"})
LARGE_MEETING = 20


def is_routine_message(call: JudgedCall) -> bool:
    """Whether a message is an ordinary one, by its readers and by its content."""
    if call.has("holds_key", "bank_account") or (call.has("many") and not _is_trial(call)):
        return False
    if any(is_segment(one) for one in call.arguments):
        return False
    if call.meaning.said in _WORDS.passing_on_verbs and (
        call.words(_WORDS.mailbox_words) or any(has_private_mailbox(one.text) for one in call.of_role("recipient"))
    ):
        return False  # what is in it is not among the arguments
    if call.has("company") and any(_calls_everyone(one.text) for one in call.arguments):
        return False
    strangers = call.has("outside", "unknown", "company", "public") or call.words(_READ_OUTSIDE)
    if strangers and call.has("luring", "binding"):
        return False
    if call.has("exposing") and (call.has("public", "outside", "company") or call.words(_WORDS.public_message_tools)):
        return False
    if call.has("confidential"):
        return (call.has("inside") or _stays_inside(call)) and not strangers
    if call.has("luring") and (call.has("elsewhere") or any(_calls_everyone(one.text) for one in call.arguments)):
        return False
    return not (call.has("sensitive") and strangers and _attaches_data(call))


def _is_trial(call: JudgedCall) -> bool:
    """Whether a mailing only goes to reviewers: `send_test`, or a list of one."""
    recipients = [one for one in call.of_role("recipient") if one.text and isinstance(one.value, str)]
    if (
        not recipients
        or len(recipients) > FEW
        or any(reaches_many(one.text) or is_mailing_list(one.text) for one in recipients)
    ):
        return False
    if all(names_few_people(one.text) for one in recipients):
        return True
    names = (call.meaning.words, *(split_words(one.text) for one in call.of_role("operation")))
    return any("test" in words and not _WORDS.message_words.isdisjoint(words) for words in names)


def _calls_everyone(text: str) -> bool:
    """Whether a text calls everybody in a room."""
    return any(mention in text for mention in _WORDS.mentions)


def _stays_inside(call: JudgedCall) -> bool:
    """Whether a reply is a note for the team: `type: note`, `public: false`, `internal: true`."""
    return any(
        (one.key in ("internal", "is_internal", "private") and one.value is True)
        or (one.key in ("public", "is_public") and one.value is False)
        or (one.key in _WORDS.internal_keys and one.low in _WORDS.internal_values)
        for one in call.arguments
    )


def _attaches_data(call: JudgedCall) -> bool:
    """Whether a file with a confidential name is attached."""
    return any(isinstance(one.value, str) and is_confidential_name(one.text) for one in call.of_role("attachment"))


def is_routine_appointment(call: JudgedCall) -> bool:
    """Whether an appointment is an ordinary one."""
    if call.has("confidential", "holds_key", "luring") or (call.has("sensitive") and call.has("outside")):
        return False
    if not call.has("many"):
        return True
    if call.has("outside", "unknown") and any(is_mailing_list(one.text) for one in call.of_role("recipient")):
        return False
    invited = [one for one in call.of_role("recipient") if one.text]
    everyone = any(one.low in ("all", "everyone", "*") for one in invited)
    return not everyone and 0 < len(invited) <= LARGE_MEETING
