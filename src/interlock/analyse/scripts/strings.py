"""Strings of script languages: where they end, and what their escapes stand for."""

from __future__ import annotations

import re

from interlock.analyse.scripts.syntax import Quote
from interlock.patterns import late

_C = late(
    r"\\(x\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{1,2}|u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}"
    r"|[0-7]{1,3}|\r?\n|.)",
    re.DOTALL,
)
_DECIMAL = late(r"\\(x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,8}\}|[0-9]{1,3}|z\s*|\n|.)", re.DOTALL)
_TICK = late(r"`(u\{[0-9a-fA-F]{1,6}\}|.)", re.DOTALL)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


def character(number: int) -> str:
    """Return the character of a number; no text holds one that cannot be written, nor a null."""
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def _c(found: re.Match[str]) -> str:
    body = found[1]
    if body[0] in "xuU" and len(body) > 1:
        return character(int(body[1:].strip("{}"), 16))
    if body[0] in "01234567":
        return character(int(body, 8))
    return "" if body in ("\n", "\r\n") else LETTERS.get(body, body)


def _decimal(found: re.Match[str]) -> str:
    body = found[1]
    if body[0].isdigit() and body.isascii():
        return character(int(body))
    return "" if body[0] == "z" else _c(found)


def _tick(found: re.Match[str]) -> str:
    body = found[1]
    if body[0] == "u" and len(body) > 1:
        return character(int(body[1:].strip("{}"), 16))
    return "" if body == "\n" else LETTERS.get(body, body)


def closing_bracket(text: str, at: int, opener: str, close: str) -> int:
    """Return where the bracket that is open at `at` closes, or -1."""
    depth = 1
    for found in re.compile(rf"\\.|[{re.escape(opener + close)}]", re.DOTALL).finditer(text, at):
        mark = found[0]
        depth += (mark == opener) - (mark == close)
        if not depth:
            return found.start()
    return -1


def unescape(text: str, quote: Quote) -> str:
    """Return what a string's text stands for."""
    how = quote.escapes
    if how == "double":
        text = text.replace(quote.close * 2, quote.close)
    elif how == "tick":
        text = _TICK.sub(_tick, text).replace('""', '"') if "`" in text or '""' in text else text
    elif "\\" in text and how:
        if how == "quote":
            text = re.sub(r"\\([\\" + re.escape(quote.close) + "])", r"\1", text)
        else:
            text = _DECIMAL.sub(_decimal, text) if how == "decimal" else _C.sub(_c, text)
    return text
