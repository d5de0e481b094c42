"""Untrusted text made safe to parse (`clean`), print (`plain`, `join_lines`, `quotable`), store (`storable_name`)."""

from __future__ import annotations

from interlock.patterns import late

MAX_STORED_NAME, MAX_QUOTED = 200, 120

#: Characters that print as nothing: a name with one of them looks like another.
_BLANK = late(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00016fe4\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
#: More combining marks on one letter than any language uses: they would be drawn over the text around them.
_STACKED = late(
    "(?<=[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})"
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def clean(text: str) -> str:
    """Return a text that every parser and JSON accept: no null bytes, no lone surrogates; offsets stay the same."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def plain(text: str) -> str:
    """Return a text on one line, with characters that could forge or hide parts of a prompt escaped.

    >>> plain("ls\\x1b[2K\\u202e")
    'ls\\\\x1b[2K\\\\u202e'
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(char if char.isprintable() and not _BLANK.match(char) else ascii(char)[1:-1] for char in text)
    return _STACKED.sub(lambda found: ascii(found[0])[1:-1], shown)


def join_lines(text: object) -> str:
    r"""Return a text as one line for a list: line breaks become a return sign.

    >>> join_lines("a = 1\n\n  b = 2")
    'a = 1 ⏎ b = 2'
    """
    return " ⏎ ".join(part.strip() for part in str(text).splitlines() if part.strip())


def storable_name(text: str) -> str:
    """Return a name as the store keeps it: printable, and a long one cut and ended with its digest.

    >>> storable_name("deploy\\n"), len(storable_name("x" * 1_000))
    ('deploy\\\\n', 197)
    """
    if len(text) <= MAX_STORED_NAME and text.isprintable() and text.isascii():
        return text
    whole = plain(clean(text))
    if len(whole) <= MAX_STORED_NAME:
        return whole
    import hashlib  # a name this long is rare, and loading it is slow

    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{whole[: MAX_STORED_NAME - 20]}…{digest}"


def quotable(text: str) -> str:
    """Return a text that is shown to people between backticks: short, on one line, and without backticks of its own.

    >>> quotable("a`, and is `safe\\n")
    "a', and is 'safe\\\\n"
    """
    return plain(text[:MAX_QUOTED]).replace("`", "'")
