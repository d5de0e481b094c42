"""Rules as a document writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.values import choice, expect
from interlock.documents import Document
from interlock.effects import KINDS
from interlock.errors import ConfigError, nearest
from interlock.flags import check_flags
from interlock.levels import Level
from interlock.model import Place
from interlock.patterns import searcher
from interlock.rules import Pattern, Rule, effect

RULE_KEYS = tuple("name level effect flags without place resource reason reversible instead match no_match".split())


_SHAPES: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("name", "effect", "reason", "instead", "resource"), (str, "a text")),
    **dict.fromkeys(("flags", "without", "place", "match", "no_match"), (list, "a list of texts")),
    "reversible": (bool, "true or false"),
}


def rule_of(document: Document, item: Mapping[str, Any], *path: str | int) -> Rule:
    """Return one rule, or raise with its line; whether its examples hold is for the whole configuration to say."""
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
                expect(document, part, str, "a list of texts", *path, name)
    level = choice(document, item["level"], [level.value for level in Level], *path, "level")
    return Rule(
        name=str(item["name"]),
        level=Level(level),
        when=_pattern_of(document, item, *path),
        reason=str(item["reason"]),
        reversible=bool(item.get("reversible", True)),
        instead=str(item.get("instead", "")),
        match=[str(example) for example in item["match"]],
        no_match=[str(example) for example in item.get("no_match", ())],
        family="configured",
    )


def _pattern_of(document: Document, item: Mapping[str, Any], *path: str | int) -> Pattern:
    """Return what an effect must be for a rule to fire, or raise with the line of the key that is wrong."""
    for name in ("flags", "without"):
        try:
            check_flags(item.get(name, ()))
        except ValueError as error:
            raise document.error(str(error), *path, name) from None
    resource = item.get("resource")
    try:
        pattern = effect(
            str(item["effect"]),
            *item.get("flags", ()),
            without=" ".join(item.get("without", ())),
            place=" ".join(item.get("place", ())),
        )
        if resource is not None:
            search = searcher(str(resource), f"rule `{item['name']}`", ignore_case=False)
            pattern = msgspec.structs.replace(pattern, resource=search)
    except ConfigError as error:
        raise error.at(document.file, document.line((*path, "resource"))) from None
    except ValueError as error:
        found = str(error).split("`")[1] if "`" in str(error) else str(error).split("'")[1]
        near = nearest(found, list(KINDS) if "kind" in str(error) else [place.value for place in Place])
        spot = "effect" if "kind" in str(error) else "place"
        raise document.error(f"{str(error).replace(chr(39), '`')}{near}", *path, spot) from None
    return pattern
