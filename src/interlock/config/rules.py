"""Reading rules from a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from interlock.config.values import choice, expect
from interlock.documents import Document
from interlock.effects import KINDS
from interlock.errors import ConfigError, nearest
from interlock.flags import check_flags
from interlock.levels import Level
from interlock.model import Place
from interlock.patterns import Searcher, searcher
from interlock.rules import Rule, effect
from interlock.rules.rule import Pattern, kinds_in


class ResourceSearch:
    """The search for a rule's `resource`. Its `repr` is the pattern, by which configurations are compared."""

    __slots__ = ("_pattern", "_search")

    def __init__(self, pattern: str, search: Searcher) -> None:
        self._pattern, self._search = pattern, search

    def __call__(self, text: str) -> bool:
        """Whether the pattern is found in a text."""
        return self._search(text)

    def __repr__(self) -> str:
        return f"<search for {self._pattern!r}>"

    def __reduce__(self) -> tuple[Callable[[str], ResourceSearch], tuple[str]]:
        return _search_again, (self._pattern,)  # so that a configuration can be sent to other processes


def _search_again(pattern: str) -> ResourceSearch:
    return ResourceSearch(pattern, searcher(pattern, "a rule", ignore_case=False))


RULE_KEYS = tuple("name level effect flags without place resource reason reversible instead match no_match".split())


_SHAPES: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("name", "effect", "reason", "instead", "resource"), (str, "a string")),
    **dict.fromkeys(("flags", "without", "place", "match", "no_match"), (list, "a list of strings")),
    "reversible": (bool, "true or false"),
}


def read_rule(document: Document, item: Mapping[str, Any], *path: str | int) -> Rule:
    """Return one rule, or raise with its line. The caller checks its examples, once the configuration is complete."""
    _check_shape(document, item, *path)
    level = choice(document, item["level"], [level.value for level in Level], *path, "level")
    return Rule(
        name=str(item["name"]),
        level=Level(level),
        when=_pattern(document, item, *path),
        reason=str(item["reason"]),
        reversible=bool(item.get("reversible", True)),
        instead=str(item.get("instead", "")),
        match=[str(example) for example in item["match"]],
        no_match=[str(example) for example in item.get("no_match", ())],
        family="configured",
        written=item,
    )


def _check_shape(document: Document, item: Mapping[str, Any], *path: str | int) -> None:
    """Raise for a key that is unknown or missing, or whose value has the wrong type."""
    for name in item:
        if name not in RULE_KEYS:
            raise document.error(f"unknown key `{name}` in a rule{nearest(name, RULE_KEYS)}", *path, name)
    for name in ("name", "level", "effect", "reason", "match"):
        if not item.get(name):
            raise document.error(f"a rule needs `{name}`", *path)
    for name, (kind, what) in _SHAPES.items():
        if name in item:
            expect(document, item[name], kind, what, *path, name)
            for part in item[name] if kind is list else ():
                expect(document, part, str, "a list of strings", *path, name)


def _pattern(document: Document, item: Mapping[str, Any], *path: str | int) -> Pattern:
    """Return the effects that a rule is about."""
    places = " ".join(item.get("place", ()))
    for word in item["effect"].split():
        if not kinds_in(word):
            raise document.error(f"unknown effect kind `{word}`{nearest(word, KINDS)}", *path, "effect")
    for name in ("flags", "without"):
        try:
            check_flags(item.get(name, ()))
        except ValueError as error:
            raise document.error(str(error), *path, name) from None
    for name in places.split():
        choice(document, name, [place.value for place in Place], *path, "place")
    pattern = effect(item["effect"], *item.get("flags", ()), without=" ".join(item.get("without", ())), place=places)
    if "resource" not in item:
        return pattern
    try:
        search = searcher(item["resource"], f"rule `{item['name']}`", ignore_case=False)
    except ConfigError as error:
        raise error.at(document.file, document.line((*path, "resource"))) from None
    return msgspec.structs.replace(pattern, resource=ResourceSearch(item["resource"], search))
