"""What a hook and the daemon say to each other: a list of byte strings, each with its length in front."""

from __future__ import annotations

#: The first byte of an answer: somebody is there, and the rest follows.
HERE = b"+"


def packed(fields: list[bytes]) -> bytes:
    """Return fields as one message.

    >>> packed([b"ls", b""])
    b'2:ls,0:,'
    """
    return b"".join(b"%d:%b," % (len(field), field) for field in fields)


def unpacked(message: bytes) -> list[bytes] | None:
    """Return the fields of a message; None where it is not whole.

    >>> unpacked(b"2:ls,0:,")
    [b'ls', b'']
    >>> unpacked(b"2:ls,1:"), unpacked(b"-1:,"), unpacked(b"x")
    (None, None, None)
    """
    fields, at = [], 0
    while at < len(message):
        colon = message.find(b":", at, at + 12)
        if colon < 0 or not message[at:colon].isdigit():
            return None
        start, end = colon + 1, colon + 1 + int(message[at:colon])
        if message[end : end + 1] != b",":
            return None
        fields.append(message[start:end])
        at = end + 1
    return fields
