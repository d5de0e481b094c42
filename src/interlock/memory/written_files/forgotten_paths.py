"""The paths of files that a run wrote and whose entries were dropped, in a Bloom filter of fixed size.

A path that was added is always found. Of other paths, about one in a hundred is found after 4,500 were added, and one
in twenty-five after 10,000.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: The size of the filter, and how many of its bits each path sets.
BYTES, BITS = 8_192, 4


def add_paths(known: bytes, paths: Iterable[str]) -> bytes:
    """Return the filter with more paths. An empty one has no bytes.

    >>> known = add_paths(b"", ["/w/a.sh"])
    >>> has_path(known, "/w/a.sh"), has_path(known, "/w/b.sh"), has_path(b"", "/w/a.sh")
    (True, False, False)
    """
    filled = bytearray(known)
    for path in paths:
        filled = filled or bytearray(BYTES)
        for at, bit in _places(path):
            filled[at] |= bit
    return bytes(filled)


def has_path(known: bytes, path: str) -> bool:
    """Whether a path was probably added: false positives are possible."""
    return bool(known) and all(known[at] & bit for at, bit in _places(path))


def _places(path: str) -> Iterator[tuple[int, int]]:
    import hashlib  # few runs forget anything, and loading it is slow

    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).digest()
    for start in range(0, 2 * BITS, 2):
        number = int.from_bytes(digest[start : start + 2], "big")
        yield number >> 3, 1 << (number & 7)
