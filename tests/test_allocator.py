"""All threads of a server allocate from one arena."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Allocate in eight threads at once, and print how many arenas there are then.
ALLOCATE = """
import ctypes, os, tempfile, threading

from interlock.allocator import use_one_arena

{call}
together = threading.Barrier(8)

def allocate():
    together.wait()
    kept = [bytes(2_000) for _ in range(100)]
    together.wait()

threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as found:
    file = ctypes.c_void_p(libc.fopen(found.name.encode(), b"w"))
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(found.read().count(b"<heap nr="))
"""


def count_arenas(call: str) -> int:
    """Return how many arenas a process has after its threads have allocated."""
    done = subprocess.run(
        [sys.executable, "-c", ALLOCATE.format(call=call)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.parametrize(("call", "is_one"), [("assert use_one_arena()", True), ("", False)])
def test_threads_share_one_arena(call: str, is_one: bool) -> None:
    assert (count_arenas(call) == 1) is is_one
