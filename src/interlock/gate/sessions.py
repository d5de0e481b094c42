"""Sessions that are kept in mind, so that what their runs have done is not read anew for each action."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

from interlock.gate.session import Session

Name = TypeVar("Name")


class Sessions(Generic[Name]):
    """The sessions that were used last, at most so many, and those that are in use.

    A run is never two sessions at once: what one of them notes, the other would not know.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._last: OrderedDict[Name, Session] = OrderedDict()
        self._used: weakref.WeakValueDictionary[Name, Session] = weakref.WeakValueDictionary()

    def get(self, name: Name) -> Session | None:
        """Return a session, if it is in mind."""
        found = self._used.get(name)
        return None if found is None else self.keep(name, found)

    def keep(self, name: Name, session: Session) -> Session:
        """Keep a session, unless there is one by that name already; return the one that counts."""
        session = self._used.setdefault(name, session)
        self._last[name] = session
        self._last.move_to_end(name)
        while len(self._last) > self._most:  # whoever invents names does not fill the memory
            self._last.popitem(last=False)
        return session

    def drop(self, name: Name, session: Session) -> None:
        """Forget a session that has ended."""
        if self._used.get(name) is session:
            del self._used[name]
            self._last.pop(name, None)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._used.values()))
