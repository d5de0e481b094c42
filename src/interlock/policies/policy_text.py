"""Policies as text: the TOML of a configuration file, written so that reading it gives the same policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from interlock.config.policies import POLICY_KEYS, read_policy
from interlock.documents import Document
from interlock.errors import ConfigError
from interlock.policies.policy_input import PolicyInput, policy_input
from interlock.policy.policies import Policy
from interlock.sanitise import plain

#: The keys in the order in which they are written, except for the conditions.
_BEFORE = ("policy_id", "name", "description", "action")
_AFTER = ("when", "during", "outside", "missing", "enabled", "approval", "limit")
#: Values that need not be written.
_USUAL = {"name": "", "description": "", "missing": "differs", "enabled": True}
_NOTHING: tuple[tuple[str, Any], ...] = (
    ("who", []),
    ("reason", False),
    ("model", False),
    ("liftable", False),
    ("challenge", "auto_approve"),
    ("by", "agent"),
)
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
FILE = "text"


def format_policy_text(policy: Policy | PolicyInput) -> str:
    """Return a policy as TOML, or raise if TOML cannot express it.

    >>> print(format_policy_text(Policy("no-force", conditions=["toolName=deploy"], action="block")), end="")
    [[policies]]
    policy_id = "no-force"
    action = "block"
    conditions = [
        { field = "toolName", operator = "equals", value = "deploy" },
    ]
    """
    given = msgspec.to_builtins(policy)
    lines = ["[[policies]]", *_pairs(given, _BEFORE)]
    if given["conditions"]:
        lines += ["conditions = [", *(f"    {_table(_condition(one))}," for one in given["conditions"]), "]"]
    return "\n".join([*lines, *_pairs(given, _AFTER)]) + "\n"


def parse_policy_text(text: str) -> PolicyInput:
    """Return the one policy of a TOML text, or raise with its line."""
    document = Document(text.replace("\r\n", "\n"), FILE)
    for key in document.values:
        if key != "policies":
            raise document.error(f"unknown key `{plain(key)}`; the text has one `[[policies]]` table", key)
    items = document.values.get("policies")
    if not isinstance(items, list) or len(items) != 1 or not isinstance(items[0], dict):
        raise document.error("write exactly one `[[policies]]` table", "policies")
    try:
        return policy_input(read_policy(document, items[0], "policies", 0))
    except TypeError as error:  # a list or a table where a field holds words or numbers
        message = f"a condition compares a field with a value of the wrong type: {error}"
        raise document.error(message, "policies", 0, "conditions") from None


def _pairs(given: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = given.get(POLICY_KEYS[name])
        if value is not None and value != _USUAL.get(name):
            yield f"{name} = {_multiline(value) if name == 'when' else _top_value(value)}"


def _top_value(value: Any) -> str:
    return _value(_omit_defaults(value) if isinstance(value, Mapping) else value)


def _condition(condition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in condition.items() if value is not None}


def _omit_defaults(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table without the values that equal the defaults."""
    return {key: value for key, value in table.items() if value is not None and (key, value) not in _NOTHING}


def _multiline(text: str) -> str:
    """Return an expression as people would write it: in single quotes, or over several lines."""
    lines = text.split("\n")
    if any(plain(line) != line for line in lines) or "'''" in text or text.endswith("'"):
        return _text(text)
    if len(lines) > 1:
        return f"'''\n{text}'''"
    return f"'{text}'" if "'" not in text else _text(text)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return _table(value)
    raise ConfigError("TOML cannot express `null`; use `PUT /v1/policies` to change this policy")


def _table(values: Mapping[str, Any]) -> str:
    pairs = [f"{key if key and _BARE.issuperset(key) else _text(key)} = {_value(one)}" for key, one in values.items()]
    return f"{{ {', '.join(pairs)} }}" if pairs else "{}"


def _text(text: str) -> str:
    keep = plain(text) == text
    return f'"{"".join(_escape(char, keep=keep) for char in text)}"'


def _escape(char: str, *, keep: bool) -> str:
    """Return a character of a text. Characters that a page would change are escaped, and so are quotes."""
    if char in '"\\':
        return f"\\{char}"
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        raise ConfigError("a text contains an unpaired surrogate, which TOML cannot express")
    if keep or (char.isascii() and char.isprintable()):
        return char
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
