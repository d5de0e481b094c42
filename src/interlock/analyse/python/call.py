"""A library call with its arguments, as the functions that read calls take it."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import UNKNOWN, as_text
from interlock.analyse.python.state import PythonState
from interlock.analyse.reading import Reading, Site


class Host(Protocol):
    """What a function that reads calls may use of the walker."""

    reading: Reading
    state: PythonState
    scope: PythonScope

    def at(self, node: ast.expr | ast.stmt) -> Site:
        """Return where a node stands in the action."""

    def run(self, text: str, site: Site, name: str) -> Any:
        """Read text as Python that runs here, with the names of here; return what it gives."""


class PythonCall:
    """A function by its dotted name, what it is given, and the object whose method it is.

    `method` is the last part of the name.
    """

    __slots__ = ("_site", "arguments", "host", "keywords", "method", "name", "owner", "place", "reading")

    def __init__(
        self,
        host: Host,
        place: Site | ast.expr | ast.stmt,
        name: str,
        arguments: list[Any],
        keywords: dict[str, Any],
        owner: Any = None,
    ) -> None:
        self.host = host
        self.reading = host.reading
        self.place = place
        self.name = name
        self.arguments = arguments
        self.keywords = keywords
        self.owner = owner
        self.method = name.rpartition(".")[2]
        self._site: Site | None = None

    def replace(self, **changes: Any) -> PythonCall:
        """Return a copy with other values in some fields."""
        return PythonCall(**{name: getattr(self, name) for name in _GIVEN} | changes)

    @property
    def site(self) -> Site:
        """Where the call stands in the action: found when an effect needs it, which is seldom."""
        if self._site is None:
            place = self.place
            self._site = place if isinstance(place, Site) else self.host.at(place)
        return self._site

    @property
    def values(self) -> tuple[Any, ...]:
        """Everything that the call is given, by position or by name."""
        return (*self.arguments, *self.keywords.values())

    def argument(self, position: int) -> Any:
        """Return an argument by its position, or by one of the names that it usually has."""
        if position < len(self.arguments):
            return self.arguments[position]
        names = _KEYWORDS[position] if self.keywords and position < len(_KEYWORDS) else ()
        if not names:
            return UNKNOWN
        return next((self.keywords[name] for name in names if name in self.keywords), UNKNOWN)

    def text(self, position: int) -> str:
        """Return an argument as text."""
        return as_text(self.argument(position))

    def option(self, name: str, position: int, default: Any = None) -> Any:
        """Return an argument by its name or its position."""
        if name in self.keywords:
            return self.keywords[name]
        return self.arguments[position] if position < len(self.arguments) else default


_GIVEN = ("host", "place", "name", "arguments", "keywords", "owner")
_KEYWORDS = (
    tuple(
        "path src source url args cmd command file filename name text query statement sql source_dir host address "
        "qname hostname".split()
    ),
    tuple("dst dest destination target url location out".split()),
    tuple("root_dir base_dir".split()),
)
