"""The flags of a call by its arguments, corrected by the purpose of the tool."""

from __future__ import annotations

from interlock.analyse.reading import Reading
from interlock.analyse.tools.argument_flags import find_argument_flags
from interlock.analyse.tools.argument_meanings import is_binding
from interlock.analyse.tools.arguments import DECLARED, Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.operations import Operations
from interlock.analyse.tools.organisation import NO_ORGANISATION
from interlock.analyse.tools.reported_effects import Flags
from interlock.analyse.tools.selected_operations import selects_practice
from interlock.analyse.tools.service_addresses import place_flags, service_addresses
from interlock.analyse.tools.switches import is_true, lowers_in_call
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.model import Action

_WORDS = read_table("tool-names", ToolNameWords)

_PLAIN_ADDRESSES = frozenset({("url",), ("uri",), ("href",), ("link",)})
#: Words of what can be cloned, and keys of where it is fetched from.
_REPOSITORIES = frozenset({"repo", "repository", "git"})
_CLONED = _PLAIN_ADDRESSES | {("repo_url",), ("repository_url",), ("clone_url",), ("repo",), ("repository",)}


def flags_of_call(
    reading: Reading, action: Action, meaning: Meaning, arguments: list[Argument], inside: Operations
) -> Flags:
    """Return the flags that the arguments of a call give it."""
    asked = {one.address for one in inside.requests}  # the destination of a request is not its audience
    if not _WORDS.address_holders.isdisjoint(meaning.words):
        asked |= {one.value for one in arguments if one.keys in _PLAIN_ADDRESSES and isinstance(one.value, str)}
    if meaning.said == "clone" and not _REPOSITORIES.isdisjoint(meaning.words):
        asked |= {one.value for one in arguments if one.keys in _CLONED and isinstance(one.value, str)}
    given = [one for one in arguments if one.value not in asked] if asked else arguments
    own = service_addresses(meaning, given)
    if own:
        given = [one.with_roles(one.roles - _REACHED) if one.value in own else one for one in given]
    if meaning.verb in _NOWHERE:
        given = [one.with_roles(one.roles - _SITED) if _is_machine(one) else one for one in given]
    flags = find_argument_flags(given, action.input_payload, reading.organisation or NO_ORGANISATION)
    if "lowered" in flags and not any(lowers_in_call(one, meaning.said, meaning.words, given) for one in given):
        flags -= {"lowered"}
    if "live" not in flags:
        flags |= place_flags(meaning.words, arguments)
    if action.input_schema and selects_practice(action, arguments):
        flags |= {"practice"}
    rehearsing = [one for one in arguments if "rehearsal" in one.roles]
    if any(_rehearses_thing(one, meaning) for one in rehearsing):
        flags |= {"rehearsed"}
    if "force_push" in "_".join(meaning.words) and meaning.verb in _PUSHING:
        flags |= {"final"}
    if not _PRACTISING.isdisjoint(meaning.words) or (
        "paper" in meaning.words and not _WORDS.trading_words.isdisjoint(meaning.words)
    ):
        flags |= {"practice"}
    return flags | {"binding"} if is_binding(arguments) else flags


def _rehearses_thing(one: Argument, meaning: Meaning) -> bool:
    """Whether a switch inside the thing itself rehearses it: `placeOrder {"order": {"whatIf": true}}`."""
    return len(one.keys) == _INSIDE and one.keys[0] in meaning.words and is_true(one)


def _is_machine(one: Argument) -> bool:
    """Whether an argument names a machine, and the tool is not known to have it."""
    return one.key in _MACHINES and DECLARED not in one.roles and "://" not in one.text


#: Verbs of what does not happen on a machine, keys of machines, and the role that they have otherwise.
_NOWHERE = frozenset({"send", "pay", "transfer", "trade", "sign", "approve", "submit"})
_MACHINES = frozenset({"host", "server", "addr"})
_SITED = frozenset({"environment"})
#: Roles of those who get something.
_REACHED = frozenset({"recipient", "room"})
_PUSHING = frozenset({"send", "change", "publish", "run"})
_INSIDE = 2  # keys of what stands inside the thing
#: Words in names of tools that work on test systems or with invented data.
_PRACTISING = frozenset({"testnet", "staging", "emulator", "simulator", "synthetic", "simulated", "mock", "dummy"})
