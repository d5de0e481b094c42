"""The meaning of a tool's description, which completes or corrects that of its name."""

from __future__ import annotations

from interlock.analyse.tools.name_objects import find_objects
from interlock.analyse.tools.name_verbs import find_verb
from interlock.analyse.tools.vocabulary import (
    CARRIERS,
    CONNECTING,
    NOUNS,
    OUTCOMES,
    PREPOSITIONS,
    group_of,
    is_verb_only,
    object_of,
    stem,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)

MAX_DESCRIPTION = 400
_SENTENCE = late(r"[.;!?\n(]")
#: Verbs that change little by themselves, so that a stated payment or order takes precedence.
_WEAK = frozenset({"", "read", "draft", "make", "change", "run", "send", "book", "approve", "submit"})
#: Actions that a description states in addition, and those that count even if the name promises a read.
STATED = frozenset({"pay", "trade", "sign"})
_HIDDEN = STATED | {"remove", "grant", "publish"}


def add_description(
    own: tuple[str, ...], verb: str, said: str, things: tuple[ToolObject, ...], description: str
) -> tuple[str, str, tuple[ToolObject, ...]]:
    """Return the verb and the objects of a name, completed or corrected by the tool's description."""
    description = _POSSESSOR.sub("", description[:MAX_DESCRIPTION])  # `the owner's phone` is no owner
    stated = _find_stated(description, _HIDDEN if verb in ("", "read", "draft") else STATED) if verb in _WEAK else None
    if stated:
        return (*stated[:2], stated[2] or things)
    firm = is_verb_only(said)
    if verb and verb != "run" and firm and any(not thing.service for thing in things):
        return verb, said, things
    sentence = _first_sentence(description)
    told = tuple(stem(word) for word in sentence if word != "or")
    group, at = verb_of_description(sentence)
    told = told[: _end_of_object(told, at)]
    if group and (not verb or (verb == "run" and not things and said != "deploy")):
        verb, said = group, told[at] if at < len(told) else ""
    elif group and not firm and _corrects(own, verb, said, group, told[at : at + 1]):
        verb, said = group, told[at]
    named = find_objects(told, at if at < len(told) else -1)
    return verb, said, (*named, *things) if named and all(one.service for one in things) else things


def _corrects(own: tuple[str, ...], named: str, said: str, group: str, told: tuple[str, ...]) -> bool:
    """Whether the verb of a description counts more than a noun in the name: `flow_status` sets a status.

    `own` are the words of the name, `named` and `said` its verb, `group` and `told` that of the description.
    """
    if group in (named, "run", "draft") or (own[-1:] and own[-1] in CARRIERS) or not all(map(is_verb_only, told)):
        return False
    if group == "read":
        return named in _LOOSE and told != ("ask",)
    if named == "read" and own[:1] == (said,):
        return group not in ("make", "change")  # `test_checkout` only reads, whatever it opens
    return named in _LOOSE or named == "read"


#: Meanings of nouns in names that a description overrides.
_LOOSE = frozenset({"send", "make", "change", "operate", "watch"})
_POSSESSOR = late(r"\b\w+['\u2019]s\b")


def verb_of_description(words: tuple[str, ...]) -> tuple[str, int]:
    """Return the group of the verb with which a description begins, and where it stands without `or`.

    Other words are verbs only after a word that calls for one: "Lets you delete a file". In "Gift cards of the shop"
    and "Certificate signing requests" there is none.
    """
    plain = tuple(stem(word) for word in words if word != "or")
    if plain[:1] and plain[0] in _WORDS.giving_back:
        return "read", 0
    start = next(
        (at for at, word in enumerate(plain) if word not in _WORDS.opening_words and not word.endswith("ly")),
        len(plain),
    )
    if start < len(plain) and group_of(plain[start]) and not _is_noun_phrase(plain[start:]):
        group, at = find_verb(plain[start:])
        return (group_of(plain[start]), start) if plain[start] in NOUNS else (group, at + start)
    for at in range(1, len(plain)):
        last = at == len(plain) - 1 and "of" not in plain  # "Figures of a send" sends nothing
        if (plain[at - 1] in _WORDS.calling_words or last) and is_verb_only(plain[at]):
            return group_of(plain[at]), at
    end = next((at for at, word in enumerate(plain) if at and word in PREPOSITIONS), len(plain))
    return ("read", end - 1) if plain and plain[end - 1] in OUTCOMES else ("", -1)


def _first_sentence(description: str) -> tuple[str, ...]:
    """Return the words of the first sentence, or of its part after a colon if that begins with a verb."""
    sentence = _SENTENCE.split(description, 1)[0]
    after = split_words(sentence.partition(": ")[2])
    return after if after and is_verb_only(stem(after[0])) else split_words(sentence)


def read_or_change(description: str) -> tuple[str, str]:
    """Return what a description names first of a read and a change, and the verb of the change, if it names both.

    >>> read_or_change("Read or set a value"), read_or_change("Share or inspect a channel")
    (('read', 'set'), ('change', 'share'))
    >>> read_or_change("Send or reply")
    ('', '')
    """
    words = tuple(stem(word) for word in _first_sentence(description[:MAX_DESCRIPTION]))
    if "or" not in words:
        return "", ""
    starts = (0, *(at + 1 for at, word in enumerate(words[:-1]) if word == "or"))
    verbs = [words[at] for at in starts if at == 0 or group_of(words[at]) == "read" or words[at] not in NOUNS]
    verbs = [word for word in verbs if group_of(word)]
    changes = [word for word in verbs if group_of(word) not in ("read", "draft", "watch")]
    if not changes or len(changes) == len(verbs):
        return "", ""
    return "change" if verbs[0] in changes else "read", changes[0]


def _is_noun_phrase(words: tuple[str, ...]) -> bool:
    """Whether words that begin like an order name something: "Gift cards of the shop", "Relays and sensors"."""
    following = words[1] if len(words) > 1 else ""
    if not following or following in ("of", "for", "management"):
        return True
    if following in CONNECTING:
        return len(words) < 3 or not group_of(words[2])
    return object_of(f"{words[0]}_{following}") is not None and words[0] in NOUNS


def _end_of_object(words: tuple[str, ...], verb: int) -> int:
    """Return where the object of a verb ends: `Put the catalogue online on sales channels`."""
    return next((at for at, word in enumerate(words) if at > max(verb, 0) + 1 and word in _PLACING), len(words))


_PLACING = PREPOSITIONS - {"of"}


def _find_stated(description: str, groups: frozenset[str]) -> tuple[str, str, tuple[ToolObject, ...]] | None:
    """Return an action that a description states: `… and charges the card`, `Deletes all rows`."""
    for sentence in _SENTENCE.split(description):
        words = split_words(sentence)
        for at, word in enumerate(words[:-1]):
            plain = stem(word)
            begins = at == 0 or words[at - 1] in CONNECTING or words[at - 1] == "also"
            if not begins or group_of(plain) not in groups or words[at + 1] not in _WORDS.articles:
                continue
            if _WORDS.negations.isdisjoint(words[:at]):
                return group_of(plain), plain, find_objects(tuple(stem(one) for one in words[at:]), 0)
    return None
