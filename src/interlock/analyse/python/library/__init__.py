"""What Python's functions do: descriptions, which stand in `knowledge/functions/python`, and names with a meaning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from interlock.analyse.reading import Reading
from interlock.knowledge.catalogue import read_functions
from interlock.knowledge.function import ORDINALS, Function


@cache
def load_shipped_functions() -> Mapping[str, Function]:
    """Return the functions that Interlock knows."""
    return read_functions("python")


def find_function(reading: Reading, name: str) -> Function | None:
    """Return a function's description: the user's own, the shipped one, or None."""
    own = reading.knowledge.functions
    if own and ("python", name) in own:
        return own["python", name]
    return load_shipped_functions().get(name)


def find_argument(reading: Reading, name: str, role: str) -> int | None:
    """Return the position of a function's argument with a role, or None if it has none."""
    function = find_function(reading, name)
    arguments = function.arguments if function is not None else {}
    return next((ORDINALS[argument] for argument in ORDINALS if arguments.get(argument) == role), None)
