"""Orders in words, and names of buttons: "Confirm transfer of 8,400 GBP", `#confirm-make-public`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.vocabulary import GROUPS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import PageWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-pages", PageWords)
MAX_ORDER = 2_000
#: The end of an instruction.
_CLAUSES = late(rf"(?i)[.;!?\n]+(?:\s|$)|,(?!\d)|\b(?:{'|'.join(_WORDS.clause_words)})\b")
_NEGATED = late(rf"(?i)\b(?:{'|'.join(_WORDS.negations)})\b")
#: Actions on pages that change nothing.
_LOOKING = late(rf"(?i)\b(?:{'|'.join(_WORDS.page_furniture)})\b")
#: Harmless phrases with such words: cookies of a page, and signing in.
_ENTERING = late(
    r"(?i)\bcookies?\b(?! (?:values|export))|\b(?:sign|log)[ -]?(?:in|out|up|on)\b(?! to .*(?:\bpay"
    rf"|transfer))|^(?:{'|'.join(_WORDS.showing_verbs)})\b[^,;]*$"
)
_VAGUE = frozenset(
    {"make", "change", "send", "operate", "book", "remove", "run", "approve", "share", "install", "sign"}
)


def order_meanings(text: str, *, pressed: bool = False) -> Iterator[Meaning]:
    """Yield what an order to a browser or an agent does, clause by clause; `pressed` is the name of a button."""
    for clause in _CLAUSES.split(text[:MAX_ORDER]):
        cut = _NEGATED.split(clause, 1)[0]
        words = split_words(cut)
        if not words or _ENTERING.search(cut) or (_LOOKING.search(cut) and not _is_grave(words)):
            continue
        many = _counts_many(cut)
        meaning = _of_words(words, pressed=pressed) or (_find_mass_message(words) if many else None)
        if meaning is not None:
            yield meaning._replace(words=(*meaning.words, "bulk")) if many else meaning


def _find_mass_message(words: tuple[str, ...]) -> Meaning | None:
    """Return the message that an order sends to a number of people: "Send now to 18,204 subscribers"."""
    return meaning_of("send_message", "") if not _WORDS.mass_message_verbs.isdisjoint(words) else None


def _counts_many(text: str) -> bool:
    """Whether an order names a large number of something: "Send invoice to 240 customers"."""
    return any(int(found[1].replace(",", "")[:9]) >= MANY for found in _COUNTED.finditer(text))


MANY = 50  # more than a few
_COUNTED = late(
    rf"\b(\d[\d,]*) (?:(?:{'|'.join(_WORDS.counted_states)}) )?(?:{'|'.join(_WORDS.counted_things)})\b",
    re.IGNORECASE,
)


def _is_grave(words: tuple[str, ...]) -> bool:
    return any(GROUPS.get(word) in _GRAVE for word in words)


_GRAVE = frozenset({"pay", "trade", "publish", "sign", "grant"})


def _of_words(words: tuple[str, ...], *, pressed: bool) -> Meaning | None:
    plain = tuple(word for word in words if word not in _WORDS.pressing_words) or words
    if ("public" in plain and not _WORDS.opening_words.isdisjoint(plain)) or _opens_link(words):
        return meaning_of("_".join(("expose", "public_access", *plain)), "")
    if not pressed and plain[0] in _WORDS.looking_verbs and not _reveals(plain):
        return None
    if pressed and not _WORDS.committing_words.isdisjoint(plain) and len(plain) > 1:
        return meaning_of("sign_contract", "")
    if pressed and {"danger", "zone"} <= set(plain) and any(GROUPS.get(word) in _ENDING for word in plain):
        return meaning_of("delete_account", "")
    if not _WORDS.completing_verbs.isdisjoint(plain) and not _WORDS.booked_things.isdisjoint(plain):
        return meaning_of("place_order", "")
    meaning = operation_meaning("_".join(plain))
    if meaning.verb in ("", "draft"):
        return None
    if meaning.said == "deploy" or (meaning.things and meaning.things[0].name == "deployment"):
        return meaning if _WORDS.practice_words.isdisjoint(plain) else None
    if meaning.verb in ("run", "operate") and any(thing.name == "broadcast" for thing in meaning.things):
        return meaning._replace(verb="send")
    if meaning.verb in ("read", "run"):
        return meaning_of("show_secret", "") if _reveals(plain) else None
    if meaning.verb == "remove" and (not _WORDS.for_good.isdisjoint(plain) or _deletes_something(plain, meaning.said)):
        return meaning
    if meaning.said == "sign":
        return meaning
    return meaning if meaning.things or meaning.verb not in _VAGUE else None


def _deletes_something(words: tuple[str, ...], verb: str) -> bool:
    """Whether a button names what it deletes."""
    return verb in _WORDS.deleting_verbs and any(
        word != verb and word.isalpha() and word not in _WORDS.button_parts for word in words
    )


def _opens_link(words: tuple[str, ...]) -> bool:
    """Whether words name the choice by which everyone can open something: "Anyone with the link"."""
    return not _ANYONE.isdisjoint(words) and not _WHERE.isdisjoint(words)


_ANYONE = frozenset({"anyone", "anybody", "everyone", "public"})
_WHERE = frozenset({"link", "web", "internet", "url"})
_ENDING = frozenset({"remove", "change", "operate", "transfer", "publish", "share"})


def _reveals(words: tuple[str, ...]) -> bool:
    """Whether an order asks for a secret itself, not for information about it or an action on it."""
    named = not _WORDS.secret_words.isdisjoint(words) or (
        "codes" in words and not _WORDS.sign_in_codes.isdisjoint(words)
    )
    return named and _WORDS.about_secrets.isdisjoint(words)
