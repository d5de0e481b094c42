"""Cut one page from a list that was read with one item more than the page shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from interlock.store.paging import PageCursor

Element = TypeVar("Element")


def cut_page(
    found: Sequence[Element], size: int, position: Callable[[Element], PageCursor]
) -> tuple[list[Element], str | None]:
    """Return the first `size` items, and the cursor of the next page if there are more.

    >>> cut_page([5, 4, 3], 2, lambda number: PageCursor(number, ""))[0]
    [5, 4]
    """
    items = list(found[:size])
    return items, str(position(items[-1])) if len(found) > size else None
