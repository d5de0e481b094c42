"""Where a node of the syntax tree stands in the action's text."""

from __future__ import annotations

import ast
from itertools import accumulate

from interlock.analyse.reading import Site
from interlock.model import Span


class Locator:
    """The lines and columns of one text, as offsets into the action."""

    __slots__ = ("_columns", "_lines", "_sites", "site", "text")

    def __init__(self, text: str, site: Site) -> None:
        self.text, self.site = text, site
        self._lines: list[int] | None = None
        self._columns: dict[int, list[int]] = {}
        self._sites: dict[ast.AST, Site] = {}

    def at(self, node: ast.expr | ast.stmt) -> Site:
        """Return where a node stands in the action."""
        site = self.site
        if site.base < 0:
            return site
        found = self._sites.get(node)
        if found is None:
            found = self._sites[node] = Site(self._span(node), site.via, site.cwd)
        return found

    def _span(self, node: ast.expr | ast.stmt) -> Span:
        lines = self._lines
        if lines is None:
            lines = self._lines = list(accumulate(map(len, self.text.splitlines(keepends=True)), initial=0))
        last, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        if last <= len(lines) and self.text.isascii():
            base = self.site.base
            return (base + lines[node.lineno - 1] + node.col_offset, base + lines[last - 1] + column)
        return (self._offset(lines, node.lineno, node.col_offset), self._offset(lines, last, column))

    def _offset(self, starts: list[int], line: int, column: int) -> int:
        start = starts[line - 1] if line <= len(starts) else starts[-1]
        if not self.text.isascii():  # columns are counted in bytes
            if line not in self._columns:
                text = self.text[start : starts[min(line, len(starts) - 1)]]
                self._columns[line] = [at for at, char in enumerate(text) for _ in char.encode("utf-8", "replace")]
            columns = self._columns[line]
            column = columns[column] if column < len(columns) else (columns[-1] + 1 if columns else 0)
        return self.site.base + start + column
