"""Marks: where unknown values come from (download, secret, environment, decoder), kept by name in the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from interlock.analyse.files.paths import HOLE, holes
from interlock.analyse.flow import NONE
from interlock.analyse.python.evaluation.values import (
    MAX_NAME,
    MAX_PARTS,
    Choice,
    Class,
    Instance,
    Object,
    Partial,
    PythonFunction,
    Ref,
    Unknown,
)
from interlock.analyse.reading import Reading
from interlock.analyse.secrets.keys import is_secret_name, shows_secret
from interlock.patterns import late

ENVIRONMENT = "the environment"

#: What must not leave the machine unasked.
PRIVATE = frozenset("secret environment host_facts screen clipboard keys recording".split())

#: Variables of the environment that tell who and where.
HOST_VARIABLES = frozenset("USER USERNAME LOGNAME HOSTNAME COMPUTERNAME USERDOMAIN SSH_CONNECTION SSH_CLIENT".split())

_DECODES = late(
    r"(?i)(^|_|\b)(de|un)(code|crypt|cipher|code[sd]|obfuscate|compress|serialize|scramble|mask|hex|hexlify|pack|shuffle)"
    r"|^(b64|b32|b16|b85|a85)d|^(xor|rot13|caesar)|^reveal$"
)
_STRUCT = frozenset({"struct.unpack", "zipfile.unpack", "shutil.unpack_archive"})


@lru_cache(maxsize=4096)
def decodes(name: str) -> bool:
    """Whether the name of a function says that it decodes: `b64decode`, `decrypt`, `unxor`."""
    return name not in _STRUCT and _DECODES.search(name.rpartition(".")[2]) is not None


def sources(reading: Reading, *values: Any) -> list[str]:
    """Return the names under which the marks of values are kept."""
    return _find_sources(reading, list(values)) if reading.taints else []


def _find_sources(reading: Reading, left: list[Any]) -> list[str]:
    """Return the names under which the marks of values are kept; the list of values is used up."""
    taints = reading.taints
    found: dict[str, None] = {}
    parts = 0
    while left and parts < MAX_PARTS:
        value = left.pop()
        parts += 1
        kind = type(value)
        if kind is Unknown:
            if value.name in taints:
                found[value.name] = None
        elif kind is str:
            if HOLE in value or len(value) >= 2_048:
                _add_holes(reading, value, found)
        elif kind is Ref:
            own = ENVIRONMENT if value.name.startswith("os.environ") else value.name
            if own in taints:
                found[own] = None
        elif kind not in _WITHOUT_PARTS:
            if kind is Instance and value.source in taints:
                found[value.source] = None
            left += _PARTS.get(kind, _parts_of_other)(value)
    if parts >= 16:
        reading.spend(parts // 16)
    return list(found)


def _add_holes(reading: Reading, text: str, found: dict[str, None]) -> None:
    """Add the names of the holes in a text that have marks."""
    reading.spend(len(text) // 2_048)
    found |= {name: None for name in holes(text) if name in reading.taints}


#: Kinds of values that come from nowhere and hold nothing.
_WITHOUT_PARTS = frozenset({int, float, bool, type(None), bytes, PythonFunction, Class})


def _parts_of_list(value: list[Any] | tuple[Any, ...]) -> Iterable[Any]:
    return value[:MAX_PARTS]


def _parts_of_dict(value: dict[Any, Any]) -> Iterable[Any]:
    return [*value.keys(), *value.values()][:MAX_PARTS]


def _parts_of_other(value: Any) -> Iterable[Any]:
    """Return the values inside a value whose kind is derived from a container, such as a named tuple, or nothing."""
    if isinstance(value, (list, tuple)):
        return _parts_of_list(value)
    return _parts_of_dict(value) if isinstance(value, dict) else ()


#: Kind of a value → the values inside one.
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    Instance: lambda value: (value.text,),
    Choice: lambda value: value.values,
    Object: lambda value: value.contents(),
    Partial: lambda value: value.arguments,
    list: _parts_of_list,
    tuple: _parts_of_list,
    dict: _parts_of_dict,
}


def marks_of(reading: Reading, *values: Any) -> frozenset[str]:
    """Return the marks of values: `download`, `secret`, `decoded`, …."""
    found, taints = NONE, reading.taints
    if taints:
        for name in _find_sources(reading, list(values)):
            found |= taints[name]
    return found


def unknown_from(reading: Reading, name: str, *marks: str) -> Unknown:
    """Return an unknown value with marks. Its name needs a space in it, so that no variable shares it."""
    name = name.replace(HOLE, "")[:MAX_NAME]
    reading.taints[name] = reading.taints.get(name, NONE) | frozenset(marks)
    return Unknown(name)


def mixture(reading: Reading, name: str, values: Iterable[Any], *marks: str) -> Unknown:
    """Return an unknown value that was computed from others, with all their marks."""
    found = _find_sources(reading, list(values)) if reading.taints else ()
    if not found:
        return unknown_from(reading, f"{name} …", *marks) if marks else Unknown(name)
    if len(found) == 1 and (not marks or reading.taints[found[0]].issuperset(marks)):
        return Unknown(found[0])
    union = frozenset(marks).union(*(reading.taints[one] for one in found))
    first = next((one for one in found if union <= reading.taints[one]), None)
    return (
        Unknown(first)
        if first
        else unknown_from(reading, f"{found[0][: MAX_NAME - 16]} and {'+'.join(sorted(union))[:11]}", *union)
    )


def environment_of(reading: Reading) -> Unknown:
    """Return the whole environment, which holds the values of secrets."""
    return unknown_from(reading, ENVIRONMENT, "environment", "variable")


def variable_of(reading: Reading, name: str) -> Any:
    """Return an environment variable: its usual value, or an unknown one with the marks that its name tells."""
    if name in ("HOME", "USERPROFILE"):
        return "~"
    if name in ("TMPDIR", "TEMP", "TMP"):
        return "/tmp"
    if is_secret_name(name):
        return unknown_from(reading, f"environ {name}", "secret", "variable")
    if shows_secret(name):
        return unknown_from(reading, f"environ {name}", "variable")
    if name in HOST_VARIABLES:
        return unknown_from(reading, f"environ {name}", "host_facts")
    return Unknown(name)
