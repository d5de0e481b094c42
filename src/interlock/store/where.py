"""The WHERE clause of a query, built from conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Where:
    """Conditions joined by AND, and the values of their parameters.

    >>> where = Where("state = :state", state="open").add("seq < :before", before=7)
    >>> str(where), where.given
    ('WHERE state = :state AND seq < :before', {'state': 'open', 'before': 7})
    """

    def __init__(self, condition: str = "", **given: Any) -> None:
        self._conditions = [condition] if condition else []
        self.given = given

    def add(self, condition: str, **given: Any) -> Where:
        """Add a condition."""
        self._conditions.append(condition)
        self.given.update(given)
        return self

    def equals(self, **columns: Any) -> Where:
        """Add that each column has a value; columns given as None are left out."""
        for name, value in columns.items():
            if value is not None:
                self.add(f"{name} = :{name}", **{name: value})
        return self

    def among(self, column: str, values: Iterable[Any]) -> Where:
        """Add that a column has one of some values; there must be one at least."""
        given = {f"{column}_{number}": value for number, value in enumerate(values)}
        return self.add(f"{column} IN ({', '.join(f':{name}' for name in given)})", **given)

    def starts_with(self, column: str, text: str) -> Where:
        """Add that a column starts with a text."""
        given = {f"{column}_length": len(text), f"{column}_begins": text}
        return self.add(f"substr({column}, 1, :{column}_length) = :{column}_begins", **given)

    def contains(self, column: str, name: str, text: str) -> Where:
        """Add that a column contains a text, ignoring case; `name` is the name of the parameter."""
        escaped = text.replace("/", "//").replace("%", "/%").replace("_", "/_")
        return self.add(f"lower({column}) LIKE lower(:{name}) ESCAPE '/'", **{name: f"%{escaped}%"})

    @property
    def text(self) -> str:
        """The conditions without the word in front of them."""
        return " AND ".join(self._conditions)

    def __str__(self) -> str:
        return f"WHERE {self.text}" if self._conditions else ""
