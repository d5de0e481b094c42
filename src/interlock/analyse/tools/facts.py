"""What the arguments of a call tell about it, as flags: for real or rehearsed, how many, for whom, for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interlock.analyse.scratch_names import is_scratch_name
from interlock.analyse.tools.arguments import MANY, VALUES, Argument
from interlock.analyse.tools.people import audience_flags
from interlock.analyse.tools.sensitive import sensitive_flags
from interlock.knowledge.tool_names import split_words

_FALSE = frozenset({"false", "no", "0", "off", "none", "null", ""})
_TRUE = frozenset({"true", "yes", "1", "on"})
LARGE = 50  # a count that is more than a few


def facts_of(arguments: Iterable[Argument], payload: Mapping[str, Any]) -> frozenset[str]:
    """Return the flags that the arguments of a call give it."""
    flags: set[str] = set()
    for one in arguments:
        flags |= _flags_of(one)
    if _longest_list(payload) > MANY:
        flags.add("many")
    if "rehearsed" not in flags and "practice" in flags and "live" in flags:
        flags.discard("practice")  # one of them is for real
    return frozenset(flags)


def _flags_of(one: Argument) -> set[str]:
    text = one.text
    low = text.strip().lower()
    flags: set[str] = set()
    if one.roles:
        flags |= _by_role(one, low)
    if low in VALUES["all"] and not one.roles & {"visibility"}:
        flags.add("many")
    flags |= sensitive_flags(one, text)
    flags |= audience_flags(one, text)
    return flags


def _by_role(one: Argument, low: str) -> set[str]:
    """Return the flags of a value in its roles."""
    flags: set[str] = set()
    roles = one.roles
    if "rehearsal" in roles and low not in _FALSE:
        flags.add("rehearsed")
    if "final" in roles and low in _TRUE:
        flags.add("final")
    if "visibility" in roles and (low in VALUES["everyone"] or (low in _TRUE and _names(one.key, "everyone"))):
        flags.add("public")
    if "private" in roles and low in _FALSE:
        flags.add("public")
    if "state" in roles and (
        low in VALUES["drafted"] or (low in _FALSE and one.key.startswith(("publish", "send", "submit")))
    ):
        flags.add("rehearsed")
    if "role" in roles and (not VALUES["high_role"].isdisjoint(split_words(low)) or low in VALUES["high_role"]):
        flags.add("admin")
    if "environment" in roles:
        flags |= _environment(one, low)
    if "switch" in roles and _switches_off(one, low):
        flags.add("lowered")
    if "count" in roles and _number(one.value) > LARGE:
        flags.add("many")
    return flags


def _environment(one: Argument, low: str) -> set[str]:
    words = set(split_words(low))
    if one.key in ("live", "livemode", "production") and low in _TRUE:
        return {"live"}
    if not words.isdisjoint(VALUES["live"]):
        return {"live"}
    return {"practice"} if not words.isdisjoint(VALUES["practice"]) or is_scratch_name(low) else set()


def _names(key: str, group: str) -> bool:
    return not VALUES[group].isdisjoint(key.split("_"))


_NEGATIVE = frozenset("disable disabled off insecure exempt allow bypass skip ignore".split())


def _switches_off(one: Argument, low: str) -> bool:
    """Whether a switch is turned off: `enabled: false`, `disabled: true`, `state: "off"`."""
    negative = not _NEGATIVE.isdisjoint(one.key.split("_"))
    if low in _TRUE:
        return negative
    return not negative and low in VALUES["off"]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(min(value, 1e18))


def _longest_list(value: Any, depth: int = 0) -> int:
    if depth > 4:
        return 0
    if isinstance(value, Mapping):
        return max((_longest_list(part, depth + 1) for part in list(value.values())[:50]), default=0)
    if isinstance(value, (list, tuple)):
        inner = max((_longest_list(part, depth + 1) for part in value[:50]), default=0)
        return max(inner, len(value) if all(isinstance(part, (str, int, Mapping)) for part in value[:50]) else 0)
    return 0
