"""Paging: a cursor names the last row of a page, so that nothing is lost or seen twice while others write."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from interlock.errors import InterlockError
from interlock.store.where import Where


class Cursor(NamedTuple):
    """Where a page ended: the time and the id of its last row."""

    at: int
    id: str

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(f"{self.at}.{self.id}".encode()).decode().rstrip("=")

    def narrow(self, where: Where, at: str, id_: str) -> None:
        """Add that a row comes after this one, where the newest come first, to the conditions of a query."""
        where.add(f"({at} < :after_at OR ({at} = :after_at AND {id_} < :after_id))", after_at=self.at, after_id=self.id)


def parse_cursor(text: str) -> Cursor:
    """Return the cursor of a text, or raise.

    >>> parse_cursor(str(Cursor(7, "x")))
    Cursor(at=7, id='x')
    """
    try:
        at, _, id_ = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(".")
        if not -(2**62) < int(at) < 2**62 or "\0" in id_:
            raise ValueError(at)
        return Cursor(int(at), id_)
    except (ValueError, binascii.Error):
        raise InterlockError("this is no cursor; give back the `next` of the page before as it is") from None
