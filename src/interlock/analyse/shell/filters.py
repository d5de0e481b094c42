"""Filters: programs that only turn a text into another text, carried out where that text is known."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from interlock.analyse.shell.words import ansi

MAX_TEXT = 65_536


def echo(words: list[str], _stdin: str) -> str:
    """`echo`, with `-n` and `-e`."""
    index, escapes, newline = 1, False, "\n"
    while index < len(words) and re.fullmatch(r"-[neE]+", words[index]):
        escapes = escapes or "e" in words[index]
        newline = "" if "n" in words[index] else newline
        index += 1
    text = " ".join(words[index:])
    return (ansi(text) if escapes else text) + newline


_FORMAT = re.compile(r"%(?:%|-?\d*(?:\.\d+)?([sbdqx]))")


def printf(words: list[str], _stdin: str) -> str | None:
    """`printf`, for the formats that scripts use to print text."""
    if len(words) < 2:
        return ""
    form, values = ansi(words[1]), words[2:]
    slots = len([found for found in _FORMAT.finditer(form) if found.group(1)])
    rounds = -(-len(values) // slots) if slots and values else 1
    if rounds * len(form) + sum(map(len, values)) > MAX_TEXT:
        return None
    pending = iter(values)
    return "".join(_FORMAT.sub(lambda found: next(pending, "") if found.group(1) else "%", form) for _ in range(rounds))


def _decode_base64(words: list[str], stdin: str) -> str | None:
    if not any(re.fullmatch(r"-[iw]*[dD].*|--decode", word) for word in words[1:]):
        return base64.b64encode(stdin.encode("utf-8", "replace")).decode() + "\n"
    try:
        return base64.b64decode("".join(stdin.split()) + "==").decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def _xxd(words: list[str], stdin: str) -> str | None:
    if "-r" not in words and not any(word.startswith("-") and "r" in word for word in words[1:]):
        return None
    try:
        return bytes.fromhex("".join(stdin.split())).decode("utf-8", "replace")
    except ValueError:
        return None


def _rev(_words: list[str], stdin: str) -> str:
    return "\n".join(line[::-1] for line in stdin.split("\n"))


def _cat(words: list[str], stdin: str) -> str | None:
    return stdin if all(word.startswith("-") for word in words[1:]) else None


def _tr(words: list[str], stdin: str) -> str | None:
    sets = [_character_set(word) for word in words[1:] if not word.startswith("-")]
    if "-d" in words and len(sets) == 1:
        return stdin.translate(dict.fromkeys(map(ord, sets[0])))
    if len(sets) != 2 or not sets[1]:
        return None
    second = sets[1].ljust(len(sets[0]), sets[1][-1])
    return stdin.translate(dict(zip(map(ord, sets[0]), second, strict=False)))


def _character_set(text: str) -> str:
    text = ansi(text).replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z").replace("[:digit:]", "0-9")
    return re.sub(
        r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1)[:256])), text[:512]
    )


FILTERS: dict[str, Callable[[list[str], str], str | None]] = {
    "base64": _decode_base64,
    "cat": _cat,
    "rev": _rev,
    "tr": _tr,
    "xxd": _xxd,
}
