"""Recipients: insiders, outsiders, many, everyone; and deceptive addresses.

An address is inside if the configuration says so, or if it has the domain of the mailbox that the call itself acts
from. It is outside at a provider of free mail, at a look-alike of a known domain, where its words or ending say so,
and, where the organisation's domains are known, at any other domain. Of other addresses nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from difflib import SequenceMatcher
from functools import lru_cache

from interlock.analyse.addresses.deception import is_lookalike, registrable
from interlock.analyse.addresses.hosts import host_flags, is_url
from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.organisation import Organisation
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import PeopleWords
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.patterns import late

_WORDS = read_table("tool-audiences", AudienceWords)

_PEOPLE = read_table("people", PeopleWords)
_FREE = frozenset(_PEOPLE.free_mail)
_OUTSIDE_WORDS = frozenset(_PEOPLE.outside_words)
_OUTSIDE_ENDINGS = frozenset(_PEOPLE.outside_endings)
_SHARED = frozenset(_PEOPLE.shared_rooms)
_WIDE = frozenset(_PEOPLE.wide_rooms)
_LISTS = frozenset(_PEOPLE.lists)
_ADDRESS = late(r"([\w.+%-]{1,64})@([\w-]{1,63}(?:\.[\w-]{1,63})+)")
_LATIN = late(r"[a-z]+")
_PHONE = late(r"\+?[\d][\d ()/.-]{6,18}")
_CROWDS = frozenset(_PEOPLE.crowds)
_ALL = frozenset(_PEOPLE.all_words)
_COLLEAGUES = frozenset(_PEOPLE.colleagues)
_LETTERS = late(r"[^\W\d_]+")
_COUNT = late(r"\((\d[\d., ]{0,12})(k?)(?: [a-z]+)?\)|\b\d{1,3}(?:[ .,]\d{3})+(?=\W|$)")
_SEGMENT = late(r"\bsegments?[:/]")
FEW = 10  # people that are addressed one by one
MAX_RECIPIENT = 100  # characters of the name of recipients
MAX_WORDS = 8
MAX_ADDRESSES = 400  # characters of an argument that is looked through for addresses, unless it names recipients


def mail_addresses_in(text: str) -> list[tuple[str, str]]:
    """Return the mail addresses in a text, each as its mailbox and its domain, in lower case."""
    if "@" not in text:
        return []
    return [(found[1].lower(), found[2].lower().rstrip(".")) for found in _ADDRESS.finditer(text)]


def own_domains(arguments: Iterable[Argument]) -> frozenset[str]:
    """Return the domains of the mailboxes that a call acts from: `from`, `mailbox`, `sender`."""
    found = {domain for one in arguments if "sender" in one.roles for _, domain in mail_addresses_in(one.text)}
    return frozenset(registrable(domain) for domain in found - _FREE)


def audience_flags(one: Argument, own: frozenset[str], org: Organisation) -> Set[str]:
    """Return the flags of an argument that names people: `outside`, `inside`, `many`, `public`, `deceptive`, …."""
    named, text = "recipient" in one.roles, one.text
    reached = named or "room" in one.roles
    if not reached and "@" not in text and not text.endswith(_WORDS.recipient_files):
        return _NO_FLAGS
    if isinstance(one.value, bool) or "sender" in one.roles or len(text) > (20_000 if named else MAX_ADDRESSES):
        return _NO_FLAGS  # `notify_members: true` names nobody
    flags: set[str] = set()
    if (
        text.endswith(_WORDS.recipient_files)
        and not one.words.isdisjoint(_LISTS | _WORDS.list_keys)
        and not text.startswith(_WORDS.local_beginnings)
    ):
        flags.add("many")  # a file of recipients
    for mailbox, domain in mail_addresses_in(text):
        flags |= mail_address_flags(mailbox, domain, own, org)
        if named and not _LISTS.isdisjoint(_LATIN.findall(mailbox)):
            flags.add("many")
    if reached and not _is_own_address(one):
        flags |= _find_name_flags(text.strip(), org)
    if named and isinstance(one.value, str) and reaches_many(text):
        flags.add("many")
    return flags


_NO_FLAGS: frozenset[str] = frozenset()


def _is_own_address(one: Argument) -> bool:
    """Whether an address on the web is that of the thing that is meant: `item_url`, and not `webhook_url`."""
    words = one.key.split("_")
    return len(words) > 1 and words[-1] in _ADDRESSES and words[-2] in _WORDS.own_things


_ADDRESSES = frozenset({"url", "uri", "link"})


@lru_cache(maxsize=2048)
def reaches_many(text: str) -> bool:
    """Whether the name of recipients stands for many people; a number behind it says how many.

    >>> [reaches_many(text) for text in ("subscribers:*", "all_buyers_since:2022", "csv:x.csv (9,410 numbers)")]
    [True, True, True]
    >>> [reaches_many(text) for text in ("all customers (1)", "Jo Hall", "parent of Ann", "ann@acme.com")]
    [False, False, False, False]
    """
    low = text.strip().lower()
    if not 2 < len(low) <= MAX_RECIPIENT or is_url(text) or _PHONE.fullmatch(low):
        return False
    counted = _COUNT.search(low)
    if counted:
        return _count(counted) > FEW
    if "@" in low.lstrip("@"):
        return False
    words = _LETTERS.findall(low)
    if not words or len(words) > MAX_WORDS:
        return False
    if "*" in low or (_SEGMENT.search(low) and _WORDS.trial_people.isdisjoint(words)):
        return True
    if not _CROWDS.isdisjoint(words):
        return True
    return len(words) > 1 and not _ALL.isdisjoint(words) and _COLLEAGUES.isdisjoint(words)


def _count(found: re.Match[str]) -> float:
    """Return the number of people that a name says it stands for: `(9,410 numbers)`, `(184k profiles)`."""
    digits = "".join(letter for letter in found[1] or found[0] if letter.isdecimal())
    return float(digits[:12] or 0) * (1000 if found[2] else 1)


def is_segment(one: Argument) -> bool:
    """Whether an argument names a segment of customers or users, other than testers."""
    if not one.words.isdisjoint(_AUDIENCES):
        return not _WORDS.standings.isdisjoint(_LETTERS.findall(one.low)) and not names_few_people(one.low)
    if one.words.isdisjoint(("segment", "segments")) or not one.low:
        return False
    return _WORDS.trial_people.isdisjoint(_LETTERS.findall(one.low)) and not names_few_people(one.low)


_AUDIENCES = frozenset({"audience", "audiences", "cohort"})


def names_few_people(text: str) -> bool:
    """Whether the name of recipients says that they are few: "just-me (1)"."""
    counted = _COUNT.search(text.lower())
    return counted is not None and _count(counted) <= FEW


def is_mailing_list(text: str) -> bool:
    """Whether an address is that of a list: `all-clients@acme.com`."""
    return any(not _LISTS.isdisjoint(_LATIN.findall(mailbox)) for mailbox, _ in mail_addresses_in(text))


def has_private_mailbox(text: str) -> bool:
    """Whether an address is at a provider of free mail."""
    return any(domain in _FREE for _, domain in mail_addresses_in(text))


def mail_address_flags(mailbox: str, domain: str, own: frozenset[str], org: Organisation) -> set[str]:
    """Return what is known about one address."""
    if org.has_domain(domain) or f"{mailbox}@{domain}" in org.people:
        return {"inside"}
    if any(_resembles(domain, known) for known in (*own, *org.domains)) or is_lookalike(domain):
        return {"outside", "deceptive"}
    if domain in _FREE or org.domains or is_outside_by_words(mailbox, domain):
        return {"outside"}
    if registrable(domain) in own:
        return {"inside"}
    return {"outside"} if own else {"unknown"}


def is_outside(mailbox: str, domain: str) -> bool:
    """Whether an address is certainly not a colleague's, even if the organisation is unknown."""
    return domain in _FREE or is_outside_by_words(mailbox, domain)


@lru_cache(maxsize=2048)
def is_outside_by_words(mailbox: str, domain: str) -> bool:
    """Whether the words or the ending of an address say that it is not a colleague's.

    >>> is_outside_by_words("tips", "daily-news.example"), is_outside_by_words("jo", "brindle.co")
    (True, False)
    """
    words = {*_LATIN.findall(mailbox), *_LATIN.findall(domain)}
    if not words.isdisjoint(_OUTSIDE_WORDS) or domain.rpartition(".")[2] in _OUTSIDE_ENDINGS:
        return True
    return any(len(word) > 6 and (word.startswith(_LONG) or word.endswith(_LONG)) for word in words)


_LONG = tuple(word for word in _PEOPLE.outside_words if len(word) > 4)


@lru_cache(maxsize=2048)
def _resembles(domain: str, known: str) -> bool:
    """Whether a domain looks like a known one without being it: `acrne.com`, `acme-mail.co`, `acme.support`."""
    if domain == known or domain.endswith("." + known):
        return False
    name, other = registrable(domain).partition(".")[0], registrable(known).partition(".")[0]
    if len(other) < 4:
        return False
    return name == other or name.startswith(f"{other}-") or SequenceMatcher(None, name, other).ratio() > 0.87


def _find_name_flags(text: str, org: Organisation) -> set[str]:
    """Return the flags of a name of people, a room, a list or an address of the web."""
    if org.names(text):
        return {"inside"}
    low = text.lower().lstrip("#@")
    if is_url(text):
        return set() if {"local", "private", "usual"} & host_flags(text) else {"elsewhere", "outside"}
    if low in VALUES["everyone"] or low in VALUES["all"]:
        return {"many", "public"} if low in VALUES["everyone"] else {"many"}
    if len(low) > 80 or "@" in low:
        return set()
    words = set(_LATIN.findall(low))
    flags = set()
    if not words.isdisjoint(_SHARED) and not _is_folder(low):
        flags.add("outside")
    if not words.isdisjoint(_WIDE):
        flags.add("company")
    if _PHONE.fullmatch(low):
        flags.add("unknown")
    return flags


def _is_folder(low: str) -> bool:
    """Whether the name of a place is that of a folder: `shared-drive:/Ops/Reports`."""
    return "/" in low and "drive" in low.partition("/")[0]


def outside_names(texts: Sequence[str], own: frozenset[str], org: Organisation) -> list[str]:
    """Return the addresses in texts that are outside, for people who are asked."""
    return [
        f"{mailbox}@{domain}"
        for text in texts
        for mailbox, domain in mail_addresses_in(text)
        if "outside" in mail_address_flags(mailbox, domain, own, org)
    ]
