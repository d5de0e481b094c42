"""Changes that become public: a state such as `published`, a switch such as `notify_customers`."""

from __future__ import annotations

from interlock.analyse.addresses.deception import registrable
from interlock.analyse.addresses.hosts import host_of, is_url
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.switches import is_true
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.patterns import late

_WORDS = read_table("tool-audiences", AudienceWords)


def publishes_page(call: JudgedCall) -> bool:
    """Whether a text or a page is published: `{"status": "live", "body": …}`."""
    if not call.keyed(_WORDS.page_keys):
        return False
    lives = call.keyed(_WORDS.publication_state_keys) and any(
        one.key in _WORDS.publication_state_keys and _LIVE_STATE.fullmatch(one.low) for one in call.arguments
    )
    if not lives and not (call.meaning.verb and _is_on_public_site(call)):
        return False
    return any(one.key in _WORDS.page_keys and isinstance(one.value, str) and one.value for one in call.arguments)


def _is_on_public_site(call: JudgedCall) -> bool:
    """Whether a page of a site is written that everyone reads, and not one for trying things out."""
    if not call.keyed(_WORDS.site_keys):
        return False
    if any(one.key in ("title", "page") and _TRIAL_PAGE.search(one.low) for one in call.arguments):
        return False
    return any(map(_is_public_site, call.arguments))


_TRIAL_PAGE = late(f"sandbox|spielwiese|^(?:{'|'.join(_WORDS.trial_pages)}):")


def _is_public_site(one: Argument) -> bool:
    """Whether an argument is the address of a site that everyone writes and reads."""
    if one.key not in _WORDS.site_keys or not isinstance(one.value, str) or not is_url(one.value):
        return False
    return registrable(host_of(one.value)) in _WORDS.public_sites


def notifies_public(call: JudgedCall) -> bool:
    """Whether all people outside are notified of a change: `notify_customers: true`."""
    return call.keyed(_NOTIFYING) and any(map(_is_notice, call.arguments))


_NOTIFYING = _WORDS.telling_words | {"deliver_notifications"}


def _is_notice(one: Argument) -> bool:
    if one.key == "deliver_notifications":
        return is_true(one)
    if one.words.isdisjoint(_WORDS.telling_words):
        return False
    told = is_true(one) or one.low in _WORDS.telling_values
    return told and not one.words.isdisjoint(_WORDS.told_crowds)


_LIVE_STATE = late(f"(?:{'|'.join(_WORDS.live_states)})(?:_now)?")
