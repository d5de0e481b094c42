"""The memory allocator of a process that serves many threads for a long time."""

from __future__ import annotations

import os

#: The parameter of glibc's `mallopt` that limits the number of arenas.
M_ARENA_MAX = -8


def use_one_arena() -> bool:
    """Let all threads allocate from one arena, if the C library is glibc; return whether it does.

    By default, each thread keeps an arena of its own, with room for the most that it ever needed: a server grows for
    hours, although what it holds does not. Call this before the first thread starts: arenas that exist are kept.
    Python's threads wait for one another anyway, so they hardly ever wait for the arena.
    """
    if "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        return False
    import ctypes

    return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1))
