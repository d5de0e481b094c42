"""The protocol between a hook and the daemon: a message is a list of byte strings, each with its length in front."""

from __future__ import annotations

#: The first byte of an answer: the daemon has accepted the connection, and the rest follows.
ACCEPTED = b"+"
#: The rest of an answer where the daemon cannot decide for this hook, which then decides by itself.
DECIDE_ALONE = b"alone"
#: After how many seconds without a hook the daemon ends, unless `--idle` says otherwise.
IDLE_SECONDS = 1_800.0


def pack(fields: list[bytes]) -> bytes:
    """Return fields as one message.

    >>> pack([b"ls", b""])
    b'2:ls,0:,'
    """
    return b"".join(b"%d:%b," % (len(field), field) for field in fields)


def unpack(message: bytes) -> list[bytes] | None:
    """Return the fields of a message; None where it is incomplete.

    >>> unpack(b"2:ls,0:,")
    [b'ls', b'']
    >>> unpack(b"2:ls,1:"), unpack(b"-1:,"), unpack(b"x")
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
