"""A server that reports what its allocators hold, so that soak can tell objects from memory that nothing uses."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

from interlock.cli import script

#: The variable that names the file for reports.
VARIABLE = "SOAK_REPORT"
#: The numbers of glibc's `struct mallinfo2`; the one at this index is the bytes that are free in its arenas.
_NUMBERS, _FREE = 10, 8


class Report(NamedTuple):
    """What a process holds: blocks of memory that Python's objects use, and bytes of glibc that nothing uses."""

    blocks: int = 0
    unused: int = 0


class _Mallinfo(ctypes.Structure):
    _fields_ = [("numbers", ctypes.c_size_t * _NUMBERS)]


def take_report() -> Report:
    """Return what this process holds now."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = _Mallinfo
    return Report(sys.getallocatedblocks(), mallinfo2().numbers[_FREE])


def read_report(file: Path) -> Report:
    """Return the last report of a process, or an empty one if it has not reported yet."""
    return Report(*json.loads(file.read_text())) if file.exists() else Report()


def start_reporting() -> None:
    """Report once a second, in a thread."""
    threading.Thread(target=_report, args=(Path(os.environ[VARIABLE]),), daemon=True).start()


def _report(file: Path) -> None:
    draft = file.with_suffix(".draft")
    while True:
        draft.write_text(json.dumps(take_report()))
        draft.replace(file)
        time.sleep(1)


if __name__ == "__main__":
    start_reporting()
    script()
