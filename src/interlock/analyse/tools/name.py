"""What a tool does, by the verb and the object in its name or its description."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from interlock.analyse.tools.words import (
    AMBIGUOUS,
    BRANDS,
    BRINGING,
    BY_WORD,
    CARRIERS,
    CONNECTING,
    CONTROLLING,
    DETAIL,
    DRAFTS,
    FIGURES,
    GLANCING,
    GROUPS,
    LAUNCHING,
    NAMING,
    NOMINALS,
    NOUNS,
    OUTCOMES,
    PREPOSITIONS,
    QUESTIONS,
    WRAPPERS,
    group_of,
    is_known,
    is_verb_only,
    stem,
    thing_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words
from interlock.knowledge.tool_tables import ToolObject
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)

_SERVER = late(r"^mcp__(.+?)__(.+)$")
MAX_DESCRIPTION = 400
_SENTENCE = late(r"[.;!?\n(]")
LONGEST = 3  # words of an object
#: Verbs that change little by themselves, so that a stated payment or order counts before them.
_WEAK = frozenset({"", "read", "draft", "make", "change", "run", "send", "book", "approve", "submit"})
#: What a description says that is done besides, and what counts even where the name promises a read.
_STATED = frozenset({"pay", "trade", "sign"})
_HIDDEN = _STATED | {"remove", "grant", "publish"}
_FIRM = {
    **dict.fromkeys(("change", "remove", "operate"), _WORDS.settable_last_words),
    **dict.fromkeys(("share", "export", "send", "sign"), _WORDS.sendable_last_words),
    "publish": frozenset({"results", "result", "scores", "report", "rates"}),
}
#: Last words of names that tell something about a secret and not the secret.
ABOUT_SECRETS = _WORDS.about_secrets
_GOING = frozenset({"goto", "navigate", "hover", "visit"})
_RECORDS = frozenset({"record", "records", "entry", "entries"})
_LOCKS = frozenset({"lock", "locks"})
_PROTECTION = BY_WORD["domain_lock"]
_LOADING = frozenset({"reload", "load", "recharge"})
_OPERATED = _WORDS.devices | {"security", "firmware", "emergency"}
#: Of several verbs, the one that matters most.
_ORDER = (
    "pay transfer trade sign remove grant export publish operate install approve submit share send book run make change"
).split()
_RANK = {group: rank for rank, group in enumerate(_ORDER)}


class Meaning(NamedTuple):
    """What a tool does: the group of its verb, the objects and all words of its name, and the verb itself.

    `either` is what a description names first that names a read and a change: "Read or set a value".
    """

    verb: str
    things: tuple[ToolObject, ...]
    words: tuple[str, ...]
    said: str = ""
    either: str = ""


@lru_cache(maxsize=4096)
def meaning_of(name: str, description: str) -> Meaning:
    """Return what a tool does by its name and, where that does not tell, by its description."""
    words = split_words(name)
    server = _SERVER.match(name)
    own = _separate(_merge_brands(split_words(server[2]) if server else words))
    verb, at = ("read", 1) if _looks_second(own) else _find_verb(own)
    method = _method_of(name, own)
    if method and (method > 1 or at < len(own) - method):
        verb, at = _shift(_find_verb(own[-method:]), len(own) - method) or (verb, at)
    said = _verb_at(own, at)
    things = _find_things(own, at)
    first, change = _read_or_change(description) if description and not is_verb_only(said) else ("", "")
    if description:
        verb, said, things = _add_description(own, verb, said, things, description)
    if change and verb not in _STATED:
        verb, said = group_of(change), change
    if said == "deploy" and (not things or things[0].name in _WORDS.devices):
        things = (BY_WORD[said],)  # what ships is a version
    if own[1:] and own[-1] in WRAPPERS and things and things[0] is BY_WORD.get(own[-1]) and not is_verb_only(said):
        things = things[1:]  # `key_admin` is no administrator
    if server and not things:
        things = _find_things(_merge_brands(split_words(server[1])), -1)
    if (
        own
        and own[-1] in CARRIERS
        and (verb in ("", "run") or said in NOUNS)
        and not (things and things[0].name in _WORDS.devices)
    ):
        return Meaning("", (), words)  # what it runs tells what it does
    verb, said, things = _adjust(own, verb, said, things)
    if _accesses_secret(own, verb, said):
        return Meaning("read", (_SECRET_VALUE,), words, "access", first)
    if verb == "read" and said in _GOING and things and "hazard" in things[0].flags:
        verb = "operate"
    if verb == "read" and (
        said in GLANCING or not ABOUT_SECRETS.isdisjoint(own[-2:] if own[-1:] == (said,) else own[-1:])
    ):
        things = tuple(thing for thing in things if thing.read != "secret.read")
    return Meaning(verb, things, words, said, first)


def _accesses_secret(words: tuple[str, ...], verb: str, said: str) -> bool:
    """Whether a name says that a secret is accessed: `secret_manager_access`, `access_secret_version`."""
    if "access" not in words or _KEEPING_SECRETS.isdisjoint(words) or words[-1] not in _WORDS.accessed_secrets:
        return False
    return not verb or (verb == "read" and said in ("version", "value"))


_KEEPING_SECRETS = frozenset({"secret", "secrets"})
_SECRET_VALUE = BY_WORD["secret_value"]


def _method_of(name: str, words: tuple[str, ...]) -> int:
    """Return how many words the method has in a dotted name: `registrar.getDomainExpiry`, `page_posts.list`."""
    last = split_words(name.rpartition(".")[2]) if "." in name else ()
    return len(last) if last and words[-len(last) :] == last and len(last) < len(words) else 0


def _shift(found: tuple[str, int], start: int) -> tuple[str, int] | None:
    """Return a verb that was found in the last words, at its place among all; None if there is none."""
    return (found[0], found[1] + start) if found[0] else None


def _verb_at(words: tuple[str, ...], at: int) -> str:
    """Return the verb at a place, with the word that belongs to it: `turn_off`."""
    if at < 0:
        return ""
    pair = "_".join(words[at : at + 2])
    return pair if pair in GROUPS else words[at]


def _adjust(
    own: tuple[str, ...], verb: str, said: str, things: tuple[ToolObject, ...]
) -> tuple[str, str, tuple[ToolObject, ...]]:
    """Return verb and objects of a name, corrected where they mean something else together."""
    if verb in ("make", "change", "run") and not DRAFTS.isdisjoint(own):
        return "draft", said, things
    if said in BRINGING and not FIGURES.isdisjoint(own[-1:]) and thing_of("_".join(own[-2:])) is None:
        return "read", said, things
    if not things:
        return verb, said, things
    first = things[0]
    if (
        first.name == "ordinary"
        and len(things) > 1
        and things[1].name in _WORDS.kept_records
        and not _RECORDS.isdisjoint(own)
    ):
        return verb, said, things[1:]  # `vaccine_record`
    if said in _LOADING and first.name in ("money", "payee"):
        return "pay", said, things
    if not verb and not CONTROLLING.isdisjoint(own) and first.name in _OPERATED | {"health"}:
        return "operate", "control", things
    if not verb and own and own[-1] in _WORDS.device_states and first.name in _OPERATED:
        return "operate", f"turn_{own[-1]}", things
    if said in NAMING and first.name not in _WORDS.named_in_code:
        return "change", said, (DETAIL,)
    if said in AMBIGUOUS and not (getattr(first, verb) or first.any):
        return "change", said, things
    if first.name == "broadcast" and said in LAUNCHING:
        return "send", said, things
    if first.name == "meeting":
        paid = tuple(one for one in things if one.name in ("order", "shop_service"))
        return verb, said, (*paid, *things)
    return verb, said, things


def _add_description(
    own: tuple[str, ...], verb: str, said: str, things: tuple[ToolObject, ...], description: str
) -> tuple[str, str, tuple[ToolObject, ...]]:
    """Return verb and objects of a name, completed or corrected by what the tool's description says."""
    description = _POSSESSOR.sub("", description[:MAX_DESCRIPTION])  # `the owner's phone` is no owner
    stated = _find_stated(description, _HIDDEN if verb in ("", "read", "draft") else _STATED) if verb in _WEAK else None
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
    named = _find_things(told, at if at < len(told) else -1)
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
        return group not in ("make", "change")  # `test_checkout` looks, whatever it opens
    return named in _LOOSE or named == "read"


#: What nouns in names may stand for although the tool does something else.
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
        group, at = _find_verb(plain[start:])
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


def _read_or_change(description: str) -> tuple[str, str]:
    """Return what a description names first of a read and a change, and the verb of the change, if it names both.

    >>> _read_or_change("Read or set a value"), _read_or_change("Share or inspect a channel")
    (('read', 'set'), ('change', 'share'))
    >>> _read_or_change("Send or reply")
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
    return thing_of(f"{words[0]}_{following}") is not None and words[0] in NOUNS


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
                return group_of(plain), plain, _find_things(tuple(stem(one) for one in words[at:]), 0)
    return None


def _merge_brands(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words in which the names of services are whole again: `PayPal` is no payment."""
    merged: list[str] = []
    for word in words:
        if merged and merged[-1] + word in BRANDS:
            merged[-1] += word
        else:
            merged.append(word)
    return tuple(merged)


def _separate(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with those taken apart that are a verb and an object: `deleteuser`.

    Beside a verb, a word that could be taken apart is the name of something: `trustpilot_list_reviews`.
    """
    if all(len(word) < 7 or is_known(word) for word in words) or any(map(is_verb_only, words)):
        return words
    if not _WORDS.firm_looks.isdisjoint(words[1:-1]):
        return words
    parts: list[str] = []
    for word in words:
        cut = 0 if len(word) < 7 or is_known(word) else _cut(word)
        parts += (word[:cut], word[cut:]) if cut else (word,)
    return tuple(parts)


def _cut(word: str) -> int:
    for at in range(min(len(word) - 4, 10), 2, -1):
        head = word[:at]
        if (at > 3 or head in ("add", "get", "set", "del")) and head in GROUPS and thing_of(word[at:]):
            return at
    return 0


def _find_verb(words: tuple[str, ...]) -> tuple[str, int]:
    """Return the group of the verb that decides, and where it stands; verbs that are also nouns count last."""
    if words and words[0] in QUESTIONS and len(words) > 1:
        return "read", 0
    found = _outside_compounds(words, _all_verbs(words))
    end = next((at for at, word in enumerate(words) if at and word in PREPOSITIONS), len(words))
    sure = [one for one in found if one[2]]
    before = [one for one in sure if one[1] < end]
    if before or sure:
        return _decide(words, before or sure, found)
    found = [one for one in found if one[1] < end]  # `note_on_order` orders nothing
    is_outcome = len(words) > 1 and words[end - 1] in OUTCOMES
    if found and is_outcome and not (_begins(words[:end], found[0]) and words[end - 1] in _FIRM.get(found[0][0], ())):
        return "read", end - 1
    if len(found) == _PAIR and words[found[0][1]] in _TAKEN and words[found[1][1]] in _PASSING and end == len(words):
        return found[1][:2]  # `snapshot_share` shares, `group_settings_patch` changes
    if len(found) > 1 and found[0][0] in _MOVING and _is_remark(words, found[-1]):
        return found[-1][:2]  # `bill_comment`, `auction_watch`
    if found:
        return found[0][:2] if found[0][0] not in ("read", "draft") or len(found) == 1 else _last_noun(words, found)
    if len(words) > 1 and words[-1] in NOMINALS:
        return group_of(NOMINALS[words[-1]]), len(words) - 1
    return ("read", end - 1) if words and words[end - 1] in OUTCOMES else ("", -1)


_PAIR = 2
#: Nouns that are also verbs of reading, and the words after them that name the operation.
_TAKEN = frozenset({"snapshot", "screenshot", "group", "profile"})
_PASSING = frozenset({"share", "transfer", "forward", "patch"})


def _begins(words: tuple[str, ...], verb: tuple[str, int, bool]) -> bool:
    """Whether a name begins with a verb, or with the name of a service before it: `baserow_share_view`."""
    if verb[1] == 0:
        return True
    return (
        verb[1] < len(words) - 1
        and words[-1] not in _WORDS.listed_last_words
        and not any(map(_tells, words[: verb[1]]))
    )


def _tells(word: str) -> bool:
    """Whether a word says what is done or to what; the name of a service does not."""
    thing = thing_of(word)
    return is_known(word) and not (thing is not None and thing.service and not group_of(word))


def _looks_second(words: tuple[str, ...]) -> bool:
    """Whether a name has a look after its first word, which then is no verb: `telegram_get_chat`."""
    return (
        len(words) > 2 and words[1] in _WORDS.firm_looks and bool(group_of(words[0])) and CONNECTING.isdisjoint(words)
    )


def _is_remark(words: tuple[str, ...], last: tuple[str, int, bool]) -> bool:
    """Whether the last verb of a name says that something is noted about what stands before, or looked at."""
    return words[last[1]] in _WORDS.remarks and last[1] == len(words) - 1


_MOVING = frozenset({"pay", "trade", "transfer", "book", "submit"})


def _outside_compounds(words: tuple[str, ...], found: list[tuple[str, int, bool]]) -> list[tuple[str, int, bool]]:
    """Return the verbs that are no part of what is named in several words: `flash_sale_launch`, `pump_start`."""
    if len(found) < 2:
        return found
    inner = {
        at + step
        for size in (3, 2)
        for at in range(len(words) - size + 1)
        if "_".join(words[at : at + size]) in BY_WORD
        for step in range(size)
    }
    first = thing_of(words[found[0][1]])
    if first is not None and first.name in _OPERATED and not found[0][2]:
        inner.add(found[0][1])
    return [one for one in found if one[1] not in inner or "_" in _verb_at(words, one[1])] or found


def _last_noun(words: tuple[str, ...], found: list[tuple[str, int, bool]]) -> tuple[str, int]:
    """Return the verb of a name in which all verbs are nouns too: `quote_order` quotes, `search_and_order` orders."""
    return _decide(words, found[:1], found)


def _all_verbs(words: tuple[str, ...]) -> list[tuple[str, int, bool]]:
    """Return every verb: its group, where it stands, and whether it cannot be a noun."""
    found: list[tuple[str, int, bool]] = []
    taken = -1
    for at, word in enumerate(words):
        if at <= taken:
            continue
        if word == "begin" and _is_verb_next(words[at + 1 :]):
            continue  # `begin_what_if`: the client does not wait for the end
        pair = GROUPS.get(f"{word}_{words[at + 1]}") if at + 1 < len(words) else None
        if pair:
            found.append((pair, at, True))
            taken = at + 1
            continue
        group = group_of(word)
        if group:
            looks = word in _WORDS.looks and at < len(words) - 1
            if looks and word not in ("search", "find"):
                looks = all(one[0] == "read" for one in found)  # `export_list_members`
            found.append((group, at, word not in NOUNS or looks))
    return found


def _is_verb_next(words: tuple[str, ...]) -> bool:
    """Whether words begin with a verb, be it one of two words."""
    return bool(words) and (bool(group_of(words[0])) or "_".join(words[:2]) in GROUPS)


def _decide(
    words: tuple[str, ...], sure: list[tuple[str, int, bool]], found: list[tuple[str, int, bool]]
) -> tuple[str, int]:
    """Return the first verb, or the gravest of those that it is connected with."""
    first, last = sure[0], found[-1]
    if words[first[1]] in _WORDS.looks and last[1] == len(words) - 1 and (last[2] or first[1]) and last[0] != "read":
        return last[:2]  # `list_item_delete`, `guest_list_export`
    joined = [
        one
        for one in found
        if one[1] > first[1]
        and (one[2] or one[0] != "submit")  # `create_or_update_file` files nothing
        and not CONNECTING.isdisjoint(words[first[1] : one[1]])
        and one[0] in _RANK
    ]
    if not joined:
        return first[:2]
    return min((first, *joined), key=lambda one: _RANK.get(one[0], 99))[:2]


def _find_things(words: tuple[str, ...], verb: int) -> tuple[ToolObject, ...]:
    """Return the objects that words name, the head of the phrase first: `user_role` is a role. Services come last."""
    found: list[tuple[int, ToolObject]] = []
    taken: set[int] = set()
    for size in range(LONGEST, 0, -1):
        for at in range(len(words) - size + 1):
            if not taken.isdisjoint(range(at, at + size)) or (size == 1 and at == verb and len(words) > 1):
                continue
            part = words[at : at + size]
            thing = thing_of(part[0]) if size == 1 else thing_of("_".join(part)) or _find_split_object(part)
            if thing:
                taken.update(range(at, at + size))
                found.append((at, thing))
    end = next((at for at, word in enumerate(words) if at > max(verb, 0) and word in PREPOSITIONS), len(words))
    if 0 <= verb < end and words[verb] in _WORDS.remarks:
        found = [one for one in found if one[0] < end]  # `comment_on_contract` signs nothing
    found.sort(key=lambda one: (_order(one[1]), one[0] >= end, -one[0] if one[0] < end else one[0]))
    return _lock_software(words, tuple(thing for _, thing in found))


def _lock_software(words: tuple[str, ...], things: tuple[ToolObject, ...]) -> tuple[ToolObject, ...]:
    """Return the objects; the lock of a domain or a branch is a protection and no door."""
    if len(things) > 1 and things[0].name == "entry" and not _LOCKS.isdisjoint(words):
        return (_PROTECTION, *things[1:]) if any(one.name in _WORDS.locked_software for one in things) else things
    return things


def _find_split_object(part: tuple[str, ...]) -> ToolObject | None:
    """Return what words name that are one word elsewhere: `gate way`; an article is no part of a word."""
    return BY_WORD.get("".join(part)) if part[0] not in _WORDS.articles else None


def _order(thing: ToolObject) -> int:
    """Return the place of an object among others: lists decide about what is put into them, services count last."""
    return 2 if thing.service else 0 if thing.name == "collection" else 1
