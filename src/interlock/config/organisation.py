"""The table `[organisation]`: internal domains and people, routine payees, and accounts for tests."""

from __future__ import annotations

from typing import Any

from interlock.analyse.tools.organisation import Organisation
from interlock.config.values import expect
from interlock.documents import Document
from interlock.errors import nearest

_LISTS = ("domains", "people", "rooms", "counterparties", "test_accounts")


def read_organisation(document: Document, key: str, value: Any) -> Organisation:
    """Return the organisation that a configuration names, in lower case."""
    table = expect(document, value, dict, f"written as `[{key}]`", key)
    known = (*_LISTS, "routine_amount")
    found: dict[str, Any] = {}
    for name, given in table.items():
        if name not in known:
            raise document.error(f"unknown key `{name}`{nearest(name, known)}", key, name)
        if name == "routine_amount":
            found[name] = float(expect(document, given, (int, float), "a number", key, name))
        else:
            found[name] = _names(document, key, name, given)
    return Organisation(**found)


def _names(document: Document, key: str, name: str, given: Any) -> tuple[str, ...]:
    expect(document, given, list, "a list of strings", key, name)
    for item in given:
        if not isinstance(item, str) or not item.strip():
            raise document.error(f"`{name}` must contain only strings, found `{item!r}`", key, name)
    sign = "@." if name == "domains" else "#" if name == "rooms" else ""
    return tuple(item.strip().lower().lstrip(sign) for item in given)
