"""Cursors for paging: each names the last row of a page, so that concurrent writes neither skip nor repeat rows."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from interlock.errors import InterlockError
from interlock.store.where import Where


class PageCursor(NamedTuple):
    """The time and the id of the last row of a page."""

    at: int
    id: str

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(f"{self.at}.{self.id}".encode()).decode().rstrip("=")

    def narrow(self, where: Where, at: str, id_: str) -> None:
        """Restrict a query, ordered from newest to oldest, to the rows after this one; `at` and `id_` are columns."""
        where.add(f"({at} < :after_at OR ({at} = :after_at AND {id_} < :after_id))", after_at=self.at, after_id=self.id)


def parse_cursor(text: str) -> PageCursor:
    """Return the cursor that a text encodes, or raise.

    >>> parse_cursor(str(PageCursor(7, "x")))
    PageCursor(at=7, id='x')
    """
    try:
        at, _, id_ = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(".")
        if not -(2**62) < int(at) < 2**62 or "\0" in id_:
            raise ValueError(at)
        return PageCursor(int(at), id_)
    except (ValueError, binascii.Error):
        raise InterlockError("invalid cursor; pass the `next` of the previous page unchanged") from None
