"""Messages and appointments: to whom they go, and what they carry.

A message to somebody is routine. It asks if it reaches many, carries keys, bank accounts or confidential matters,
binds its sender towards a stranger, leads people on, or tells the world about a person.
"""

from __future__ import annotations

from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.sensitive import names_confidential

#: Words in the names of tools whose messages the world can read.
_OPEN = frozenset(
    (
        "comment comments review reviews reddit instagram facebook twitter tiktok youtube forum discourse public "
        "publicly trustpilot yelp quora mastodon bluesky bsky threads linkedin"
    ).split()
)
_SELVES = frozenset({"me", "self", "myself", "owner"})
LARGE_MEETING = 20


def is_routine_message(call: Call) -> bool:
    """Whether a message is an ordinary one, by its readers and by its content."""
    if call.has("many", "holds_key", "bank_account"):
        return False
    strangers = call.has("outside", "unknown", "company", "public")
    if strangers and call.has("luring", "binding"):
        return False
    if call.has("personal") and (call.has("public", "outside", "company") or call.words(_OPEN)):
        return False
    if call.has("confidential"):
        return call.has("inside") and not strangers
    if call.has("luring") and call.has("elsewhere"):
        return False
    return not (call.has("sensitive") and strangers and _attaches_data(call))


def _attaches_data(call: Call) -> bool:
    """Whether a file goes along whose name says that it is not for everyone."""
    return any(isinstance(one.value, str) and names_confidential(one.text) for one in call.of_role("attachment"))


def is_routine_appointment(call: Call) -> bool:
    """Whether an appointment is an ordinary one."""
    if call.has("confidential", "holds_key", "luring"):
        return False
    if not call.has("many"):
        return True
    invited = [one for one in call.of_role("recipient") if one.text]
    everyone = any(one.text.strip().lower() in ("all", "everyone", "*") for one in invited)
    return not everyone and 0 < len(invited) <= LARGE_MEETING
