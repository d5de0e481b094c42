"""The effects of calls of store clients in any language, from the verb of the method and the arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from interlock.analyse.clients.store_methods import (
    ACCOUNTS,
    DELETING,
    DROPPING,
    GRANTING,
    NOUNS,
    SETTING,
    SETTINGS,
)
from interlock.analyse.clients.store_places import LOCAL, REMOTE, SCRATCH, is_scratch_address
from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

#: Arguments that make one deletion many, if they are true.
_WIDENING = frozenset({"recursive", "recurse", "delete_all", "deleteAll", "force_delete", "delete_contents", "prefix"})
_EVERYTHING = late(r"^(?:\*|_all|\*:\*|[\w.:/-]*\*)$")


class StoreCall(NamedTuple):
    """A call of a store's client: the words of its method, the names between the client and it, and its arguments."""

    words: list[str]
    owners: list[str]
    has_arguments: bool
    takes_client: bool  # what another client gives is among the arguments
    is_wide: bool


def meaning_by_verb(call: StoreCall) -> str:
    """Return the effect of a call by the verb at the start of the method's name, or an empty text."""
    verb, *nouns = call.words
    if verb in GRANTING and not ACCOUNTS.isdisjoint((*nouns, *call.owners)):
        return "db.grant"
    if verb in SETTING and not SETTINGS.isdisjoint(nouns):
        return "db.alter server"
    if verb in DROPPING or (verb in DELETING and not NOUNS.isdisjoint(nouns)):
        return "db.drop table"
    if verb not in DELETING:
        return ""
    if not NOUNS.isdisjoint(owner.lower().rstrip("s") for owner in call.owners):
        return "db.drop table"
    if call.takes_client:
        return "db.delete unbounded"
    many = not call.has_arguments or "all" in nouns or "many" in nouns or call.is_wide
    return "db.delete many" if many else "db.delete"


def takes_in_many(values: Iterable[Any], named: Mapping[str, Any]) -> bool:
    """Whether the arguments of a deletion cover many things.

    >>> takes_in_many(["orders-*"], {}), takes_in_many(["orders"], {"recursive": True}), takes_in_many(["orders"], {})
    (True, True, False)
    """
    if any(name in _WIDENING and value not in (False, None, "") for name, value in named.items()):
        return True
    return any(isinstance(value, str) and _EVERYTHING.match(value) for value in values)


def matches_everything(condition: Any) -> bool:
    """Whether the condition of a call is empty, so that it matches everything.

    >>> matches_everything({}), matches_everything({"where": {}}), matches_everything({"id": 1})
    (True, True, False)
    """
    if isinstance(condition, dict) and "where" in condition:
        condition = condition["where"]
    return isinstance(condition, (dict, list)) and not condition


def narrow_place(place: str, values: Iterable[Any]) -> str:
    """Return `scratch` if a client of this machine gets the name of test data."""
    return SCRATCH if place != REMOTE and is_scratch_address(values) else place


def resolve_meaning(meaning: str, everything: bool, is_wide: bool) -> tuple[str, frozenset[str]]:
    """Return the kind of an effect and its flags, of which `filter` stands for how many rows a condition matches.

    >>> resolve_meaning("db.delete filter", True, False), resolve_meaning("db.write filter", False, False)
    (('db.delete', frozenset({'unbounded'})), ('db.write', frozenset()))
    """
    kind, *flags = meaning.split()
    if flags == ["filter"]:
        flags = ["unbounded"] if everything else ["many"] if kind != "db.write" else []
    if kind == "db.delete" and not flags and is_wide:
        flags = ["many"]
    return kind, frozenset(flags)


def emit_at_place(reading: Reading, site: Site, kind: str, name: str, flags: frozenset[str], place: str) -> None:
    """Emit an effect on a store that is `scratch`, `local`, `remote` or `unknown`."""
    if place == LOCAL and kind.startswith("db."):
        flags |= {"local"}
    if place == SCRATCH:
        reading.emit_scratch(kind, site, name, flags)
    else:
        reading.emit(kind, site, name, flags)
