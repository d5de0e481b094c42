"""What the arguments of a call tell about it, as flags: for real or rehearsed, how many, for whom, for good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from interlock.analyse.scratch_names import is_scratch_name
from interlock.analyse.tools.arguments import MANY, VALUES, Argument
from interlock.analyse.tools.organisation import NO_ORGANISATION, Organisation
from interlock.analyse.tools.people import audience_flags, own_domains
from interlock.analyse.tools.sensitive import sensitive_flags
from interlock.analyse.tools.switches import FALSE, TRUE, gives_high_role, is_true, lowers_protection, opens
from interlock.knowledge.tool_names import split_words

LARGE = 50  # a count that is more than a few
_DEEPEST = 3  # keys below which a switch is not the tool's own
_PROSE = frozenset(
    (
        "text body message content subject title description comment note notes summary prompt question reason html "
        "markdown caption topic name label labels code script"
    ).split()
)


def facts_of(
    arguments: Iterable[Argument], payload: Mapping[str, Any], org: Organisation = NO_ORGANISATION
) -> frozenset[str]:
    """Return the flags that the arguments of a call give it."""
    arguments = list(arguments)
    own = own_domains(arguments)
    flags: set[str] = set()
    for one in arguments:
        flags |= _flags_of(one, own, org)
    if _longest_list(payload) > MANY:
        flags.add("many")
    if "rehearsed" not in flags and "practice" in flags and "live" in flags:
        flags.discard("practice")  # one of them is for real
    return frozenset(flags)


def _flags_of(one: Argument, own: frozenset[str], org: Organisation) -> set[str]:
    text = one.text
    low = text.strip().lower()
    if "data" in one.roles:  # the description of the tool says that it is only text
        return sensitive_flags(one, text)
    flags: set[str] = _by_role(one, low) if one.roles else set()
    if lowers_protection(one, low):
        flags.add("lowered")
    if opens(one, low):
        flags.add("public")
    if gives_high_role(one, low):
        flags.add("admin")
    if one.key not in _PROSE and _means_all(one, low):
        flags.add("many")
    if org.test_accounts and low in org.test_accounts:
        flags.add("practice")
    flags |= sensitive_flags(one, text)
    flags |= audience_flags(one, text, own, org)
    return flags


def _by_role(one: Argument, low: str) -> set[str]:
    """Return the flags of a value in its roles."""
    flags: set[str] = set()
    roles = one.roles
    if len(one.keys) <= _DEEPEST and _is_rehearsal(one, low):
        flags.add("rehearsed")
    if "final" in roles and is_true(one, low):
        flags.add("final")
    if "environment" in roles:
        flags |= _environment(one, low)
    if "count" in roles and _number(one.value) > LARGE:
        flags.add("many")
    if "filter" in roles and one.value in ((), ""):
        flags.add("many")
    return flags


def _is_rehearsal(one: Argument, low: str) -> bool:
    """Whether the tool's own switch says that nothing happens yet."""
    if "rehearsal" in one.roles and (is_true(one, low) or low in VALUES["drafted"]):
        return True
    if "state" in one.roles and low in VALUES["drafted"]:
        return True
    return "effective" in one.roles and low in FALSE and one.value not in (None, "", ())


def _environment(one: Argument, low: str) -> set[str]:
    if one.key in ("live", "livemode", "live_mode", "production"):
        return {"live"} if low in TRUE else {"practice"} if low in FALSE else set()
    words = {word.lower() for word in split_words(one.text)} if len(low) < 200 else set()
    if not words.isdisjoint(VALUES["live"]):
        return {"live"}
    return {"practice"} if not words.isdisjoint(VALUES["practice"]) or is_scratch_name(low) else set()


def _means_all(one: Argument, low: str) -> bool:
    """Whether a value stands for everything or everyone: `all`, `*`, `all_since_2022`, or a switch `update_all`."""
    if one.value is True:
        return not one.words.isdisjoint(("all", "everyone", "everybody", "everything", "bulk"))
    if not isinstance(one.value, str) or len(low) > 60:
        return False
    if low == "todos" and one.roles.isdisjoint(("recipient", "filter")):
        return False  # rather a list of tasks than all in Spanish
    if low in VALUES["all"]:
        return low != "true" or "filter" in one.roles
    told = split_words(low)
    return 1 < len(told) <= 4 and told[0] in VALUES["all_words"]


def _number(value: Any) -> float:
    if isinstance(value, str) and value.replace(",", "").replace("_", "").isdigit() and len(value) < 18:
        return float(value.replace(",", "").replace("_", ""))
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
