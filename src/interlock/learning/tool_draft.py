"""Draft the description of a tool from its calls: the arguments, for a person to fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from interlock.analyse.action import analyse
from interlock.analyse.examples import WHERE, show_effects
from interlock.learning.program_draft import load_draft, role_of, without_resource
from interlock.model import Action
from interlock.patterns import late

CAUTIOUS = "tool.unknown"
MAX_ARGUMENTS = 40
_KEY = late(r"[A-Za-z_][\w-]{0,60}")
_PLACEHOLDERS = {"data": "NAME", "fs.write": "./FILE", "net.send": "https://HOST.example"}


def draft_tool(name: str, calls: Sequence[Mapping[str, Any]], days: int) -> str:
    """Return the drafted description of a tool, as TOML that is valid and not in force."""
    seen: dict[str, list[Any]] = {}
    for call in calls:
        for key, value in call.items():
            if _KEY.fullmatch(key) and (key in seen or len(seen) < MAX_ARGUMENTS):
                seen.setdefault(key, []).append(value)
    number = "1 call" if len(calls) == 1 else f"{len(calls):,} calls"
    lines = [
        f"# Drafted from {number} in {days} {'day' if days == 1 else 'days'}. To put it in force:",
        "# 1. say what the tool does (`does`); `interlock knowledge words` lists the kinds of effects,",
        "# 2. compare the roles of the arguments with its documentation, and correct the example,",
        "# 3. remove `draft = true`, and move the file to ~/.interlock/knowledge.",
        "draft = true",
        "",
        f'[tools."{name}"]',
        f'does = "{CAUTIOUS}"  # can do anything; say what it does',
    ]
    if seen:
        lines += ["", f'[tools."{name}".arguments]', *_argument_lines(seen, len(calls))]
    return "\n".join([*lines, *_example_lines(name, lines, seen), ""])


def _argument_lines(seen: Mapping[str, Sequence[Any]], calls: int) -> Iterator[str]:
    for key, values in seen.items():
        yield f'{key} = "{role_of(_texts(values))}"  # {_type_of(values)}, in {len(values):,} of {calls:,} calls'


def _texts(values: Sequence[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


_TYPES = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


def _type_of(values: Sequence[Any]) -> str:
    types = dict.fromkeys(_TYPES.get(type(value), "unknown") for value in values)
    return " or ".join(types)


def _example_lines(name: str, lines: Sequence[str], seen: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yield an example with the effects that the draft gives it, so that a change of it shows."""
    around = load_draft("\n".join(lines), name)
    given = {key: _placeholder(values) for key, values in seen.items()}
    effects = analyse(Action(tool_name=name, input_payload=given, **WHERE), around).effects
    shown = ", ".join(f"{key} = {msgspec.json.encode(value).decode()}" for key, value in given.items())
    yield ""
    yield f'[[tools."{name}".examples]]'
    yield f"call = {{ {shown} }}" if shown else "call = {}"
    yield f"effects = {show_effects(map(without_resource, effects))}"


def _placeholder(values: Sequence[Any]) -> Any:
    """Return a value of the same type as those that were seen; their content is left out."""
    first = values[0]
    if isinstance(first, bool | int | float):
        return type(first)(1)
    return [] if isinstance(first, list) else {} if isinstance(first, dict) else _PLACEHOLDERS[role_of(_texts(values))]
