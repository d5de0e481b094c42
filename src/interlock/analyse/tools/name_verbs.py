"""The main verb among the words of a name. Verbs that are also nouns count last."""

from __future__ import annotations

from interlock.analyse.tools.vocabulary import (
    BY_WORD,
    CONNECTING,
    GROUPS,
    NOMINALS,
    NOUNS,
    OUTCOMES,
    PREPOSITIONS,
    QUESTIONS,
    group_of,
    is_known,
    object_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords

_WORDS = read_table("tool-names", ToolNameWords)

_FIRM = {
    **dict.fromkeys(("change", "remove", "operate"), _WORDS.settable_last_words),
    **dict.fromkeys(("share", "export", "send", "sign"), _WORDS.sendable_last_words),
    "publish": frozenset({"results", "result", "scores", "report", "rates"}),
}
OPERATED = _WORDS.devices | {"security", "firmware", "emergency"}
#: Of several verbs, the one that matters most.
_ORDER = (
    "pay transfer trade sign remove grant export publish operate install approve submit share send book run make change"
).split()
_RANK = {group: rank for rank, group in enumerate(_ORDER)}


def verb_at(words: tuple[str, ...], at: int) -> str:
    """Return the verb at a place, with the word that belongs to it: `turn_off`."""
    if at < 0:
        return ""
    pair = "_".join(words[at : at + 2])
    return pair if pair in GROUPS else words[at]


def find_verb(words: tuple[str, ...]) -> tuple[str, int]:
    """Return the group of the verb that decides, and where it stands; verbs that are also nouns count last."""
    if words and words[0] in QUESTIONS and len(words) > 1:
        return "read", 0
    found = _outside_compounds(words, _all_verbs(words))
    end = _find_preposition(words)
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


def _find_preposition(words: tuple[str, ...]) -> int:
    """Return where the first preposition after the first word stands, or the number of words."""
    if PREPOSITIONS.isdisjoint(words):
        return len(words)
    return next((at for at, word in enumerate(words) if at and word in PREPOSITIONS), len(words))


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
    """Whether a word is a verb or an object, and not the name of a service."""
    thing = object_of(word)
    return is_known(word) and not (thing is not None and thing.service and not group_of(word))


def looks_second(words: tuple[str, ...]) -> bool:
    """Whether a name has a reading verb after its first word, which then is not a verb: `telegram_get_chat`."""
    return (
        len(words) > 2 and words[1] in _WORDS.firm_looks and bool(group_of(words[0])) and CONNECTING.isdisjoint(words)
    )


def _is_remark(words: tuple[str, ...], last: tuple[str, int, bool]) -> bool:
    """Whether the last verb of a name is one of notes or reads about the words before it."""
    return words[last[1]] in _WORDS.remarks and last[1] == len(words) - 1


_MOVING = frozenset({"pay", "trade", "transfer", "book", "submit"})


def _outside_compounds(words: tuple[str, ...], found: list[tuple[str, int, bool]]) -> list[tuple[str, int, bool]]:
    """Return the verbs that are not part of a compound noun: `flash_sale_launch`, `pump_start`."""
    if len(found) < 2:
        return found
    inner = {
        at + step
        for size in (3, 2)
        for at in range(len(words) - size + 1)
        if "_".join(words[at : at + size]) in BY_WORD
        for step in range(size)
    }
    first = object_of(words[found[0][1]])
    if first is not None and first.name in OPERATED and not found[0][2]:
        inner.add(found[0][1])
    return [one for one in found if one[1] not in inner or "_" in verb_at(words, one[1])] or found


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
    """Return the first verb, or the gravest of the verbs that it is joined with."""
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
