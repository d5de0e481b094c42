"""Flags of a call by its arguments: live or rehearsed, how many, for whom, permanent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from interlock.analyse.tools.arguments import DESCRIBED, MANY, VALUES, Argument
from interlock.analyse.tools.environments import environment_flags
from interlock.analyse.tools.organisation import NO_ORGANISATION, Organisation
from interlock.analyse.tools.people import audience_flags, own_domains
from interlock.analyse.tools.sensitive_content import sensitive_flags
from interlock.analyse.tools.switches import gives_high_role, is_true, lowers_protection, opens
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late
from interlock.payload import MAPPINGS, SCALARS

_WORDS = read_table("tool-arguments", ArgumentWords)
#: Values of a dry run: `dryRun: server`.
_DRY = frozenset({"server", "client", "all"})
#: Keys of how something is written, and values by which others decide whether it is taken over.
_EDITING = frozenset({"mode", "edit_mode", "editing_mode", "write_mode"})
_MANNERS = _EDITING | _WORDS.manner_keys
#: Roles of what says that a call is rehearsed, or that its result stays a draft.
_REHEARSING = frozenset({"rehearsal", "effective", "state", "drafting", "releasing"})
LARGE = 50  # a count that is more than a few
_DEEPEST = 3  # keys below which a switch is not the tool's own


def find_argument_flags(
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
    if "rehearsed" not in flags and "live" in flags:
        flags -= {"practice", "practice_name", "scratch_name"}  # one of them is for real
    if "drafted" in flags and _contradicts_draft(arguments):
        flags -= {"drafted"}
    return frozenset(flags)


def _contradicts_draft(arguments: Sequence[Argument]) -> bool:
    """Whether a state is given twice, and one is no draft: `{"status": "created", "mail": {"status": "sent"}}`."""
    states = [one for one in arguments if "state" in one.roles and isinstance(one.value, str) and one.low]
    drafted = {one.key for one in states if _is_drafted(one, one.low)}
    return any(one.key in drafted and not _is_drafted(one, one.low) for one in states)


def _flags_of(one: Argument, own: frozenset[str], org: Organisation) -> frozenset[str]:
    if "data" in one.roles:  # the description of the tool says that it is only text
        return sensitive_flags(one)
    short = len(one.text) <= _SHORT and type(one.value) in _PLAIN
    flags = _flags_of_short(one) if short else _flags_by_value(one)
    if org.test_accounts and one.low in org.test_accounts:
        flags |= {"practice"}
    return flags | audience_flags(one, own, org)


@lru_cache(maxsize=4096)
def _flags_of_short(one: Argument) -> frozenset[str]:
    """Return the flags of a short value. States, switches and names come again with every call."""
    return _flags_by_value(one)


_SHORT = 40
_PLAIN = frozenset({str, bool, int})


def _flags_by_value(one: Argument) -> frozenset[str]:
    """Return the flags of an argument, apart from those of its recipients."""
    low = one.low
    flags: set[str] = _by_role(one, low) if one.roles else set()
    if lowers_protection(one):
        flags.add("lowered")
    if opens(one):
        flags.add("public")
    if one.key not in _WORDS.text_keys and _means_all(one, low):
        flags.add("many")
    if one.key in _WORDS.repository_keys and low.endswith(_WORDS.website_endings):
        flags.add("outside")  # what is in it is a website
    return sensitive_flags(one) | flags


def _by_role(one: Argument, low: str) -> set[str]:
    """Return the flags of a value in its roles."""
    flags: set[str] = set()
    roles = one.roles
    if len(one.keys) <= _DEEPEST and (not roles.isdisjoint(_REHEARSING) or one.key in _MANNERS):
        flags |= _find_rehearsal(one, low)
    if "role" in roles and gives_high_role(one):
        flags.add("admin")
    if ("final" in roles and is_true(one)) or ("state" in roles and _is_permanent(low)):
        flags.add("final")
    if "environment" in roles:
        flags |= environment_flags(one)
    if "count" in roles and _number(one.value) > LARGE:
        flags.add("many")
    if "filter" in roles and one.value in ((), ""):
        flags.add("many")
    return flags


def _is_permanent(low: str) -> bool:
    """Whether a state is one for good: `CLOSED_PERMANENTLY`."""
    return len(low) < 60 and "permanent" in low and not low.startswith(("not", "non"))


def _find_rehearsal(one: Argument, low: str) -> set[str]:
    """Return the flag of a rehearsal: the operation is `rehearsed`, or its result is `drafted`.

    A switch of the operation rehearses it. A state, such as `status: draft`, is that of what is written, and says
    nothing about a payment, a deletion or a right.
    """
    if one.is_own:
        rehearsed = is_true(one) or low in VALUES["drafted"] or low in _DRY
        if rehearsed and one.eases_as("rehearsal"):
            return {"rehearsed"}
        if one.key in _WORDS.manner_keys and low.replace("-", "_") in _WORDS.rehearsing_manners:
            return {"rehearsed"}  # `run_type: plan_only`
        if low in _NOT and one.eases_as("effective"):
            return {"rehearsed"}
        if one.key in _EDITING and low in _WORDS.suggested_values:
            return {"drafted"}
    return {"drafted"} if _WORDS.aside_keys.isdisjoint(one.keys[:-1]) and _is_drafted(one, low) else set()


def _is_drafted(one: Argument, low: str) -> bool:
    """Whether a state or a switch says that what is written stays a draft."""
    if one.eases_as("state"):
        return low in VALUES["drafted"] or (DESCRIBED in one.roles and low in VALUES["prepared"])
    return (one.eases_as("drafting") and is_true(one)) or (one.eases_as("releasing") and low in _NOT)


_NOT = frozenset({"false", "no", "off"})


_ALL_WORD = late("|".join(sorted(VALUES["all_words"])))


def _means_all(one: Argument, low: str) -> bool:
    """Whether a value stands for everything or everyone: `all`, `*`, `all_since_2022`, or a switch `update_all`."""
    if one.value is True:
        return not one.words.isdisjoint(_WORDS.all_words)
    if not isinstance(one.value, str) or len(low) > 60 or "@" in low[1:]:
        return False
    if low == "todos" and one.roles.isdisjoint(("recipient", "filter")):
        return False  # rather a list of tasks than all in Spanish
    if low in VALUES["all"]:
        return low != "true" or "filter" in one.roles
    if low.isascii() and not _ALL_WORD.search(low):
        return False
    told = split_words(low)
    if one.key.startswith("who_") and not VALUES["not_everyone_words"].isdisjoint(told):
        return False  # `who_can_view: ALL_MEMBERS_CAN_VIEW`
    named = not one.roles.isdisjoint(("recipient", "room"))
    if named and not VALUES["all_words"].isdisjoint(told[1:4]):
        return _WORDS.colleague_words.isdisjoint(told)  # `district:all_families`
    return 1 < len(told) <= 4 and told[0] in VALUES["all_words"]


def _number(value: Any) -> float:
    if isinstance(value, str) and value.replace(",", "").replace("_", "").isdecimal() and len(value) < 18:
        return float(value.replace(",", "").replace("_", ""))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(min(value, 1e18))


def _longest_list(value: Any, depth: int = 0) -> int:
    if depth > 4 or isinstance(value, SCALARS):
        return 0
    if isinstance(value, MAPPINGS):
        inner = [part for part in islice(value.values(), 50) if not isinstance(part, SCALARS)]
        return max([_longest_list(part, depth + 1) for part in inner]) if inner else 0
    if isinstance(value, (list, tuple)):
        longest = max([_longest_list(part, depth + 1) for part in value[:50]], default=0)
        return max(
            longest, len(value) if all(isinstance(part, (str, int, dict, Mapping)) for part in value[:50]) else 0
        )
    return 0
