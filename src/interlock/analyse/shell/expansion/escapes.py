"""Escape sequences of `$'…'`, `echo -e` and `printf`."""

from __future__ import annotations

import codecs
import re

from interlock.patterns import late

_ANSI = late(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)


# `echo -e` and `printf %b` write octal numbers with a zero in front.
_ECHO = late(r"\\0([0-7]{1,3})")


def decode_echo(text: str) -> str:
    r"""Return a text with its escape sequences decoded as `echo -e` and `printf %b` do.

    >>> decode_echo(r"\0162\x6d")
    'rm'
    """
    return decode_escapes(_ECHO.sub(lambda found: f"\\{found[1]:0>3}", text) if "\\0" in text else text)


def decode_escapes(text: str) -> str:
    """Return a text with its escape sequences decoded. A null byte ends it, as in a shell."""
    if "\\" in text:
        text = _ANSI.sub(_ansi_escape, text)
    return text.partition("\0")[0] if "\0" in text else text


def _ansi_escape(found: re.Match[str]) -> str:
    """Return the character of one escape sequence."""
    body = found.group(1)
    try:
        if body[0] in "xuU" and len(body) > 1:
            return chr(int(body[1:], 16))
        if body[0] in "01234567":
            return chr(int(body, 8))
        if body in ("e", "E"):
            return "\x1b"
        if body[0] in "abfnrtv\\":
            return str(codecs.decode("\\" + body[0], "unicode_escape"))
    except (ValueError, OverflowError):
        return "\ufffd"
    return body
