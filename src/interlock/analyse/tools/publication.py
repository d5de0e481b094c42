"""Changes that the world sees or is told about: a state such as `published`, a switch such as `notify_customers`."""

from __future__ import annotations

from interlock.analyse.addresses.deception import registrable
from interlock.analyse.addresses.hosts import host_of, is_url
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import JudgedCall
from interlock.analyse.tools.switches import is_true
from interlock.patterns import late


def goes_live(call: JudgedCall) -> bool:
    """Whether a text or a page is put where the world sees it: `{"status": "live", "body": …}`."""
    lives = any(one.key in _STATE_KEYS and _LIVE_STATE.fullmatch(one.low) for one in call.arguments)
    if not lives and not (call.meaning.verb and _is_on_public_site(call)):
        return False
    return any(one.key in _WRITTEN and isinstance(one.value, str) and one.value for one in call.arguments)


def _is_on_public_site(call: JudgedCall) -> bool:
    """Whether a page of a site is written that everyone reads, and not one for trying things out."""
    if any(one.key in ("title", "page") and _TRIAL_PAGE.search(one.low) for one in call.arguments):
        return False
    return any(map(_is_public_site, call.arguments))


_TRIAL_PAGE = late(r"sandbox|spielwiese|^(?:user|benutzer|draft|utilisateur|usuario|utente|wikipedia):")


def _is_public_site(one: Argument) -> bool:
    """Whether an argument is the address of a site that everyone writes and reads."""
    if one.key not in _SITE_KEYS or not isinstance(one.value, str) or not is_url(one.value):
        return False
    return registrable(host_of(one.value)) in _PUBLIC_SITES


_SITE_KEYS = frozenset("api api_url site wiki host endpoint server base_url instance".split())
_PUBLIC_SITES = frozenset(
    (
        "wikipedia.org wikidata.org wikimedia.org wiktionary.org fandom.com stackoverflow.com stackexchange.com "
        "reddit.com x.com twitter.com facebook.com instagram.com linkedin.com medium.com dev.to quora.com"
    ).split()
)


def tells_crowd(one: Argument) -> bool:
    """Whether people outside are told about a change, all of them: `notify_customers: true`."""
    if one.key == "deliver_notifications":
        return is_true(one)
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
