"""Calls judged together with what earlier calls of the run have set.

`activate_template {"name": "Coffee"}` looks harmless, but with the call that saved the template, it pays each hour.
So the arguments of the calls that defined what a call names are put into it, and the whole is judged as one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.vocabulary import DRAFTS, group_of
from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import memory_words
from interlock.memory.definitions import short_values, unwrap
from interlock.memory.model import Definition
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import MAX_DEPTH, leaves, plain_key

#: How many steps names are followed (a rule names a contact, which has an address), and to how many definitions.
MAX_STEPS, MAX_RELATED = 3, 6
#: The verb of drafts that may take effect as well.
_SAVING = "save"
#: Addresses that a name can stand for: mail, web, phone and bank account.
_ADDRESS = late(r"\S+@\S+\.\w+|https?://\S+|\+\d[\d ()/-]{6,}|[A-Z]{2}\d{2}[A-Z0-9 ]{11,32}")
#: Names inside longer ones, such as `cn=printers,ou=groups` and `rule:nightly`, and in templates.
_SEPARATORS = late(r"[,=:/|]")
_PLACEHOLDER = late(r"\{\{\s*([\w.-]+)|\$\{([\w.-]+)\}")


class JointCall(NamedTuple):
    """A call with the arguments of the earlier calls that it depends on, and the numbers of those."""

    action: Action
    calls: tuple[int, ...]


def join_definitions(action: Action, definitions: tuple[Definition, ...]) -> Iterator[JointCall]:
    """Yield a call with all definitions that it depends on, then with each of them alone, so that none hides another.

    What was only drafted or saved also counts as done. Reading and drafting trigger nothing.
    """
    meaning = meaning_of(action.tool_name, "")
    if meaning.verb == "read" or (meaning.verb == "draft" and meaning.said != _SAVING):
        return
    action = replace(action, input_payload=unwrap(action.input_payload))
    related = _find_related(action, definitions)[:MAX_RELATED]
    if not related:
        return
    yield _join(action, related)
    if len(related) > 1:
        for one in related:
            yield _join(action, [one])
    for one in related:
        name = _find_released_name(one.tool)
        if name:
            whole, calls = _join(action, related)
            yield JointCall(replace(whole, tool_name=name, description="", docstring=""), calls)


def _join(action: Action, related: Sequence[Definition]) -> JointCall:
    """Return a call with the arguments of earlier ones. The newest value of an argument counts."""
    arguments: dict[str, Any] = {}
    for one in sorted(related, key=lambda one: one.call):
        arguments = _merge(arguments, _without_states(one.arguments))
    arguments = _merge(arguments, action.input_payload)
    meant = {name: address for one in related for name, address in _name_addresses(one)}
    whole = replace(action, input_payload=_resolve(arguments, meant) if meant else arguments, input_schema={})
    return JointCall(whole, tuple(sorted(one.call for one in related)))


def _name_addresses(definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the name that a call has set with the address that it stands for, if there is one of each."""
    found = [value for _, value in leaves(definition.arguments) if isinstance(value, str) and _ADDRESS.fullmatch(value)]
    if len(found) == len(definition.names) == 1 and definition.names[0] != found[0].lower():
        yield definition.names[0], found[0]


def _resolve(value: Any, meant: Mapping[str, str]) -> Any:
    """Return arguments with addresses in place of the names that stand for them."""
    if isinstance(value, Mapping):
        return {key: _resolve(part, meant) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_resolve(part, meant) for part in value]
    return meant.get(value.strip().lower(), value) if isinstance(value, str) else value


def _find_related(action: Action, definitions: Sequence[Definition]) -> list[Definition]:
    """Return the definitions that a call names, directly or through others, and settings that apply to all calls."""
    service, left = tool_service_of(action.tool_name), [*reversed(definitions)]
    mentioned, found = _mentions(action.input_payload), list[Definition]()
    for _ in range(MAX_STEPS):
        named = [one for one in left if _is_named(one, mentioned, service)]
        if not named:
            break
        found += named
        left = [one for one in left if one not in named]
        mentioned = mentioned.union(*(_mentions(one.arguments) for one in named))
    return found + [one for one in left if one.standing and service and tool_service_of(one.tool) == service]


def _is_named(definition: Definition, mentioned: set[str], service: str) -> bool:
    """Whether something that a call has set is named. At another service, a plain word counts only for an address."""
    names = mentioned.intersection(definition.names)
    if not names or (service and tool_service_of(definition.tool) == service):
        return bool(names)
    return any(not name.isalpha() for name in names) or any(_name_addresses(definition))


def _mentions(arguments: Mapping[str, Any]) -> set[str]:
    """Return the names and ids that arguments may refer to, in lower case."""
    found = {text for _, text in short_values(arguments)}
    found |= {part.strip() for text in found for part in _SEPARATORS.split(text)}
    for _, value in leaves(arguments):
        if isinstance(value, str):
            found |= {(first or second).lower() for first, second in _PLACEHOLDER.findall(value)}
    return found


def _merge(first: Mapping[str, Any], second: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return two sets of arguments as one; where both have a value, the second counts."""
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        both = isinstance(known, Mapping) and isinstance(value, Mapping) and depth < MAX_DEPTH
        merged[key] = _merge(known, value, depth + 1) if both and known is not None else value
    return merged


def _without_states(value: Any) -> Any:
    """Return arguments without those that say whether something is in effect yet."""
    if isinstance(value, Mapping):
        states = memory_words().states
        kept = {key: part for key, part in value.items() if plain_key(key).rpartition("_")[2] not in states}
        return {key: _without_states(part) for key, part in kept.items()}
    return [_without_states(part) for part in value] if isinstance(value, (list, tuple)) else value


def _find_released_name(tool: str) -> str:
    """Return the name of a tool that does at once what another one drafts or saves, or an empty text.

    >>> _find_released_name("mail_draft_filter"), _find_released_name("mail_create_filter")
    ('mail_create_filter', '')
    """
    words = split_words(tool)
    drafting = next((word for word in words if word in DRAFTS or group_of(word) == "draft"), "")
    return "_".join("create" if word == drafting else word for word in words) if drafting else ""
