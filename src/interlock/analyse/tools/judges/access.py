"""Access, accounts and protections."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judges.call import GRAVE, Call
from interlock.analyse.tools.judges.records import is_weighty
from interlock.analyse.tools.judges.things import is_alarm_clock
from interlock.analyse.tools.narrowing import takes_rights
from interlock.knowledge.tool_names import split_words

_LOW_ROLES = frozenset(
    (
        "viewer reader read guest member commenter observer reporter view comment collaborator follower watcher "
        "subscriber attendee participant readonly triage contributor"
    ).split()
)
#: Words of fields by which somebody signs in, or that say what they may do.
_IDENTITY_KEYS = frozenset(
    (
        "email phone password status active suspended enabled role roles username login recovery mfa factor manager "
        "groups group state salary bank disabled locked type license account owner delegate forwarding profile handle"
    ).split()
)
REPORTER = 20  # the number of a role that may only look, at services that number them
_ON = frozenset({"true", "on", "enabled", "required", "enforce", "enforced", "strict", "block", "yes"})


#: Verbs that change what somebody is, not what is noted about them.
_STANDING = frozenset(
    "swap port promote demote discharge reassign merge migrate reset convert downgrade upgrade recall".split()
)


def is_routine_access(call: Call) -> bool:
    """Whether somebody who is not a stranger gets a low role."""
    if takes_rights(call):
        return not call.has("lowered", "deceptive", "instructions")
    if call.has("admin", "outside", "public", "many", "sensitive", "elsewhere"):
        return False
    roles = {word for one in call.of_role("role") if isinstance(one.value, str) for word in split_words(one.text)}
    levels = [one.value for one in call.of_role("role") if type(one.value) is int and one.key == "access_level"]
    return not roles.isdisjoint(_LOW_ROLES) or (bool(levels) and max(levels) <= REPORTER)


def is_routine_account(call: Call) -> bool:
    """Whether only the display of an account is changed."""
    if any(call.of_role("room")) and is_routine_access(call):
        return True  # somebody joins a room
    if (
        call.meaning.verb != "change"
        or call.meaning.said in _STANDING
        or not call.flags.isdisjoint(GRAVE)
        or call.has("lowered")
    ):
        return False
    if any(is_weighty(one) for one in call.arguments):
        return False
    changed = {word for one in call.arguments for word in one.words}
    return _IDENTITY_KEYS.isdisjoint(changed)


def is_routine_security(call: Call) -> bool:
    """Whether a protection is turned on, or an alarm only wakes somebody."""
    if is_alarm_clock(call):
        return True
    if (
        call.meaning.verb == "remove"
        or call.meaning.said in _LOWERING
        or call.has("lowered", "public", "admin", "many")
    ):
        return False
    return any(one.low in _ON and _ENDING.isdisjoint(one.words) and _turns_on(one) for one in call.arguments)


def _turns_on(one: Argument) -> bool:
    """Whether a key is that of a protection, or says nothing but that something is on; `confirm: true` does not."""
    named = not one.words.isdisjoint(VALUES["protection"] | _SWITCHES)
    return named and one.words.isdisjoint(VALUES["negation"]) and _ENDING.isdisjoint(one.words)


_SWITCHES = frozenset(
    "enable enabled on active state status mode value required armed arm action setting level".split()
)
_LOWERING = frozenset("lift relax loosen ease waive exempt release unhold mute silence suppress lower open".split())
_ENDING = frozenset("delete remove purge erase skip bypass disable ignore force off without override".split())
