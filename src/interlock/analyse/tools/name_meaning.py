"""The meaning of a tool: the verb and the object in its name or its description."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from interlock.analyse.tools.description_meaning import STATED, add_description, read_or_change
from interlock.analyse.tools.name_objects import find_objects
from interlock.analyse.tools.name_parts import merge_brands, separate
from interlock.analyse.tools.name_verbs import OPERATED, find_verb, looks_second, verb_at
from interlock.analyse.tools.vocabulary import (
    AMBIGUOUS,
    BRINGING,
    BY_WORD,
    CARRIERS,
    CONTROLLING,
    DETAIL,
    DRAFTS,
    FIGURES,
    GLANCING,
    LAUNCHING,
    NAMING,
    NOUNS,
    WRAPPERS,
    group_of,
    is_verb_only,
    object_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-names", ToolNameWords)
_SERVER = late(r"^mcp__(.+?)__(.+)$")
#: Last words of names that are about a secret without revealing it.
ABOUT_SECRETS = _WORDS.about_secrets
_GOING = frozenset({"goto", "navigate", "hover", "visit"})
_RECORDS = frozenset({"record", "records", "entry", "entries"})
_LOADING = frozenset({"reload", "load", "recharge"})


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
    """Return the meaning of a tool: by its name or, if that does not tell, by its description."""
    words = split_words(name)
    server = _SERVER.match(name)
    own = separate(merge_brands(split_words(server[2]) if server else words))
    verb, at = ("read", 1) if looks_second(own) else find_verb(own)
    method = _method_of(name, own)
    if method and (method > 1 or at < len(own) - method):
        verb, at = _shift(find_verb(own[-method:]), len(own) - method) or (verb, at)
    said = verb_at(own, at)
    things = find_objects(own, at)
    first, change = read_or_change(description) if description and not is_verb_only(said) else ("", "")
    if description:
        verb, said, things = add_description(own, verb, said, things, description)
    if change and verb not in STATED:
        verb, said = group_of(change), change
    if said == "deploy" and (not things or things[0].name in _WORDS.devices):
        things = (BY_WORD[said],)  # what ships is a version
    if own[1:] and own[-1] in WRAPPERS and things and things[0] is BY_WORD.get(own[-1]) and not is_verb_only(said):
        things = things[1:]  # `key_admin` is no administrator
    if server and not things:
        things = find_objects(merge_brands(split_words(server[1])), -1)
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


def _adjust(
    own: tuple[str, ...], verb: str, said: str, things: tuple[ToolObject, ...]
) -> tuple[str, str, tuple[ToolObject, ...]]:
    """Return verb and objects of a name, corrected where they mean something else together."""
    if verb in ("make", "change", "run") and not DRAFTS.isdisjoint(own):
        return "draft", said, things
    if said in BRINGING and not FIGURES.isdisjoint(own[-1:]) and object_of("_".join(own[-2:])) is None:
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
    if not verb and not CONTROLLING.isdisjoint(own) and first.name in OPERATED | {"health"}:
        return "operate", "control", things
    if not verb and own and own[-1] in _WORDS.device_states and first.name in OPERATED:
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
