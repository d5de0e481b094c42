"""Changes that the world sees or is told about: a state such as `published`, a switch such as `notify_customers`."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import Call
from interlock.analyse.tools.switches import is_true
from interlock.patterns import late


def goes_live(call: Call) -> bool:
    """Whether a text or a page is put where the world sees it: `{"status": "live", "body": …}`."""
    if not any(one.key in _STATE_KEYS and _LIVE_STATE.fullmatch(one.low) for one in call.arguments):
        return False
    return any(one.key in _WRITTEN and isinstance(one.value, str) and one.value for one in call.arguments)


def tells_crowd(one: Argument) -> bool:
    """Whether people outside are told about a change, all of them: `notify_customers: true`."""
    if one.words.isdisjoint(_TELLING):
        return False
    told = is_true(one) or one.low in ("sms", "email", "mail", "push", "all", "voice")
    return told and not one.words.isdisjoint(_CROWD)


#: States of what everyone can see, and keys of what people read there.
_STATE_KEYS = frozenset("status state publish_status post_status publication publication_state".split())
_LIVE_STATE = late(
    r"(?:live|publish|published|online|public|publi(?:zier|shed|ziert)|veröffentlicht|publié|publicado)(?:_now)?"
)
_WRITTEN = frozenset("body html headline slug page landing_page article content markdown text title post".split())
#: Words of switches by which people are told, and of those who are told.
_TELLING = frozenset("notify notifies deliver send email sms inform alert".split())
_CROWD = frozenset(
    (
        "customers clients subscribers patients students parents families followers buyers suppliers vendors tenants "
        "applicants candidates"
    ).split()
)
