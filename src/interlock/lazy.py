"""Modules that are imported when something of them is first used: a hook decides one action and then ends.

What a single function needs, it imports itself. Where many actions need it, a `LazyModule` is faster: a statement that
imports a module takes longer than many a function, even if the module is there already. A table of names whose values
are in many modules is a `LazyTable`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")


class LazyTable(Mapping[str, Value]):
    """A table put together from tables in the modules of a package, each imported when one of its names is looked up.

    `parts` maps the place of each part, written `module:TABLE`, to its names. `ready` are values that need no import
    and take precedence. `also` are names that a subclass knows the values of.
    """

    def __init__(
        self,
        package: str,
        parts: Mapping[str, Iterable[str]],
        ready: Mapping[str, Value] | None = None,
        also: Iterable[str] = (),
    ) -> None:
        self.package, self.parts = package, parts
        self._values: dict[str, Value] = dict(ready or {})
        self._places: dict[str, str] = {}
        for place, names in parts.items():
            self._places.update(dict.fromkeys(names, place))
        for name in (*self._values, *also):
            self._places.setdefault(name, "")

    def get(self, name: str, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """Return the value of a name, or `default`."""
        return self[name] if name in self._places else default

    def __getitem__(self, name: str) -> Value:
        found = self._values.get(name)
        if found is None:
            place = self._places[name]
            part = self.load(place)
            for other in self.parts[place]:
                self._values.setdefault(other, part[other])
            found = self._values[name]
        return found

    def load(self, place: str) -> Mapping[str, Value]:
        """Import a part; raise if its names are not the listed ones."""
        part: Mapping[str, Value] = load(self.package, place)
        wrong = part.keys() ^ set(self.parts[place])
        if wrong:
            raise LookupError(f"`{place}` in `{self.package}`: {', '.join(sorted(wrong))} not in both lists of names")
        return part

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyModule:
    """A module that is imported when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # what tools ask any object for must not import the module
        __import__(self._name)
        found = getattr(sys.modules[self._name], name)
        setattr(self, name, found)  # later lookups do not come here
        return found


def load(package: str, place: str) -> Any:
    """Return what is at a place in a package, written `module:NAME`."""
    module, _, name = f"{package}.{place}".partition(":")
    __import__(module)
    return getattr(sys.modules[module], name)
