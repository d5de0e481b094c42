"""Conditions of a query that somebody puts together."""

from __future__ import annotations

from typing import Any


class Where:
    """Conditions that must all hold, and the values that they ask for by name.

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

    def same(self, **columns: Any) -> Where:
        """Add that columns hold exactly these values, as far as one is asked for."""
        for name, value in columns.items():
            if value is not None:
                self.add(f"{name} = :{name}", **{name: value})
        return self

    def begins(self, column: str, text: str) -> Where:
        """Add that a column begins with a text."""
        given = {f"{column}_length": len(text), f"{column}_begins": text}
        return self.add(f"substr({column}, 1, :{column}_length) = :{column}_begins", **given)

    def holds(self, column: str, name: str, text: str) -> Where:
        """Add that a column holds a text somewhere, in whichever case."""
        escaped = text.replace("/", "//").replace("%", "/%").replace("_", "/_")
        return self.add(f"lower({column}) LIKE lower(:{name}) ESCAPE '/'", **{name: f"%{escaped}%"})

    def __str__(self) -> str:
        return "WHERE " + " AND ".join(self._conditions) if self._conditions else ""
