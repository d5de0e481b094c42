"""The lock of a place: one export at a time. It only avoids double work: file names are unique."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import msgspec

from interlock.errors import ConflictError
from interlock.history.export_place import LOCK, ExportPlace
from interlock.store.clock import MICROSECONDS, now

#: How long a lock in an object store counts after it was last renewed: its holder may have been killed.
LOCK_SECONDS = 600


@contextlib.contextmanager
def lock_place(place: ExportPlace) -> Iterator[Lock]:
    """Hold the lock of a place: in a folder, wait for it; in an object store, raise if another export has it."""
    if place.is_local:
        with place.folder_lock():
            yield Lock(None)
        return
    lease = _LeasedLock(place)
    lease.take()
    try:
        yield Lock(lease)
    finally:
        lease.release()


class _Lease(msgspec.Struct, frozen=True):
    """The holder of the lock of an object store, and when the lock expires."""

    holder: str
    until: int


class Lock:
    """The lock of a place while it is held."""

    def __init__(self, lease: _LeasedLock | None) -> None:
        self._lease = lease

    def renew(self) -> None:
        """Hold the lock for longer; raise if it expired and another export took it."""
        if self._lease is not None:
            self._lease.renew()


class _LeasedLock:
    """A lock in an object store: a small object that says who holds it, and that expires."""

    def __init__(self, place: ExportPlace) -> None:
        self._place, self._holder = place, os.urandom(8).hex()

    def take(self) -> None:
        found = self._read()
        if found is not None and found.until > now().wall:
            left = (found.until - now().wall) // MICROSECONDS + 1
            raise ConflictError(f"another export to `{self._place.shown}` is running; its lock expires in {left} s")
        if found is not None:
            self._place.remove(LOCK)
        self._place.create(LOCK, self._lease())
        self.renew()  # raises if another export was faster

    def renew(self) -> None:
        found = self._read()
        if found is None or found.holder != self._holder:
            raise ConflictError(f"another export to `{self._place.shown}` has started; this one stops")
        self._place.write(LOCK, self._lease())

    def release(self) -> None:
        found = self._read()
        if found is not None and found.holder == self._holder:
            self._place.remove(LOCK)

    def _lease(self) -> bytes:
        return msgspec.json.encode(_Lease(self._holder, now().wall + LOCK_SECONDS * MICROSECONDS))

    def _read(self) -> _Lease | None:
        data = self._place.read(LOCK)
        try:
            return None if data is None else msgspec.json.decode(data, type=_Lease)
        except msgspec.MsgspecError:
            return _Lease("", 0)  # not one of ours, so it has expired
