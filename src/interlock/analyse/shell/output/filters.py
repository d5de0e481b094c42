"""Filters: programs that only transform text. They are carried out on input that is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from interlock.analyse.files.paths import HOLE
from interlock.analyse.shell.expansion.escapes import decode_echo, decode_escapes
from interlock.lazy import LazyTable
from interlock.patterns import late

MAX_TEXT = 65_536
#: Errors that a filter raises on malformed input.
_ERRORS = (ValueError, IndexError)


def echo(words: list[str], _stdin: str) -> str:
    """`echo`, with `-n` and `-e`."""
    index, escapes, newline = 1, False, "\n"
    for word in words[1:]:
        if word[:1] != "-" or not _ECHO_OPTION.fullmatch(word):
            break
        escapes = escapes or "e" in word
        newline = "" if "n" in word else newline
        index += 1
    text = " ".join(words[index:])
    return (decode_echo(text) if escapes else text) + newline


_ECHO_OPTION = late(r"-[neE]+")
_FORMAT = late(r"%(?:%|[-0+ #]*\d*(?:\.\d+)?([sbdiqxXoc]))")


def printf(words: list[str], _stdin: str) -> str | None:
    """`printf`, for the formats that scripts use to print text."""
    if len(words) > 1 and words[1] == "--":
        words = [words[0], *words[2:]]
    if len(words) < 2:
        return ""
    form, values = words[1], words[2:]
    found = list(_FORMAT.finditer(form))
    slots = len([one for one in found if one[1]])
    rounds = -(-len(values) // slots) if slots and values else 1
    if rounds * len(form) + sum(map(len, values)) > MAX_TEXT:
        return None
    pending = iter(values)
    return "".join([_fill_format(form, found, pending) for _ in range(rounds)])


def _fill_format(form: str, slots: list[re.Match[str]], values: Iterator[str]) -> str:
    """Return a format with its slots filled once. A `%` that results from an escape is not a slot."""
    parts, at = [], 0
    for slot in slots:
        start, end = slot.span()
        parts += [decode_escapes(form[at:start]), _format_value(slot[1], values)]
        at = end
    return "".join([*parts, decode_escapes(form[at:])])


def _format_value(letter: str | None, values: Iterator[str]) -> str:
    """Return the next value in the format of a conversion letter."""
    if letter is None:
        return "%"
    text = next(values, "")
    if letter == "b":
        return decode_echo(text)
    if letter == "c":
        return text[:1]
    if letter in "xXo" and text.isascii() and text.isdigit():
        return format(int(text[:18]), letter)
    return text


def _rev(_words: list[str], stdin: str) -> str:
    return "\n".join(line[::-1] for line in stdin.split("\n"))


def _tac(_words: list[str], stdin: str) -> str:
    return (
        "".join(reversed(stdin.splitlines(keepends=True)))
        if stdin.endswith("\n")
        else "\n".join(stdin.split("\n")[::-1])
    )


def _sort(words: list[str], stdin: str) -> str | None:
    if any(word not in ("-r", "-u", "-ru", "-ur") for word in words[1:]):
        return None
    lines = stdin.splitlines()
    lines = sorted(
        set(lines) if any("u" in word for word in words[1:]) else lines, reverse=any("r" in w for w in words[1:])
    )
    return "".join(line + "\n" for line in lines)


def _uniq(words: list[str], stdin: str) -> str | None:
    lines = stdin.splitlines()
    return (
        None if words[1:] else "".join(f"{line}\n" for at, line in enumerate(lines) if not at or line != lines[at - 1])
    )


def _cat(words: list[str], stdin: str) -> str | None:
    return stdin if all(word.startswith("-") for word in words[1:]) else None


def _parse_count(words: list[str], letters: str, default: str) -> tuple[str, str] | None:
    """Return the unit (`n` lines, `c` bytes) and the count of `head` and `tail`, or None."""
    unit, count, at = letters[0], default, 1
    while at < len(words):
        word = words[at]
        found = re.fullmatch(r"-([nc])?([+-]?\d+)|--(lines|bytes)=([+-]?\d+)", word)
        if found:
            unit, count = (found[1] or found[3] or "n")[0].replace("l", "n").replace("b", "c"), found[2] or found[4]
        elif word in ("-n", "-c") and at + 1 < len(words):
            unit, count, at = word[1], words[at + 1], at + 1
        elif word not in ("-q", "-", "-s"):
            return None
        at += 1
    return (unit, count) if re.fullmatch(r"[+-]?\d{1,9}", count) else None


def _head(words: list[str], stdin: str) -> str | None:
    asked = _parse_count(words, "nc", "10")
    if asked is None:
        return None
    items: list[str] = stdin.splitlines(keepends=True) if asked[0] == "n" else list(stdin)
    return "".join(items[: int(asked[1])])


def _tail(words: list[str], stdin: str) -> str | None:
    asked = _parse_count(words, "nc", "10")
    if asked is None:
        return None
    items: list[str] = stdin.splitlines(keepends=True) if asked[0] == "n" else list(stdin)
    count = int(asked[1])
    return "".join(items[count - 1 :] if asked[1][0] == "+" else items[-abs(count) :] if count else [])


def _cut(words: list[str], stdin: str) -> str | None:
    """`cut -d, -f2`, `cut -c3-`."""
    text = " ".join(words[1:])
    listed = re.search(r"(?:-([fcb]) ?|--(?:fields|characters|bytes)=)([\d,-]+)", text)
    if listed is None:
        return None
    by = next(
        (words[at + 1] if word == "-d" else word[2:] for at, word in enumerate(words[:-1]) if word.startswith("-d")),
        "\t",
    )
    fields = listed[1] == "f" or "--fields" in text
    lines = []
    for line in stdin.splitlines():
        items = line.split(by[:1] or "\t") if fields else list(line)
        if fields and len(items) == 1:
            lines.append(line)
            continue
        lines.append(
            (by[:1] if fields else "").join(item for at, item in enumerate(items, 1) if _is_listed(listed[2], at))
        )
    return "".join(line + "\n" for line in lines)


def _is_listed(ranges: str, at: int) -> bool:
    """Whether a field number is in a list such as `1,3-5`."""
    for part in ranges.split(",")[:64]:
        low, dash, high = part.partition("-")
        first = int(low[:9] or 1)
        if first <= at <= (int(high[:9]) if high else 10**9 if dash else first):
            return True
    return False


def _tr(words: list[str], stdin: str) -> str | None:
    """`tr`: translate, delete or squeeze characters."""
    options = "".join(word[1:] for word in words[1:] if word.startswith("-") and len(word) > 1 and word[1:].isalpha())
    sets = [
        _character_set(word)
        for word in words[1:]
        if not (word.startswith("-") and len(word) > 1 and word[1:].isalpha())
    ]
    if not sets:
        return None
    first = sets[0]
    if set(options) & set("cC"):
        first = "".join(sorted({char for char in stdin if char not in first}))
        if len(sets) == 2:
            sets[1] = sets[1][-1:]  # the complement maps to the last character
    if "d" in options and len(sets) == 1:
        return stdin.translate(dict.fromkeys(map(ord, first)))
    if "s" in options and len(sets) == 1:
        return re.sub(r"(.)\1+", lambda found: found[1] if found[1] in first else found[0], stdin, flags=re.DOTALL)
    if len(sets) != 2 or not sets[1]:
        return None
    second = sets[1].ljust(len(first), sets[1][-1])
    return stdin.translate(dict(zip(map(ord, first), second, strict=False)))


_CLASSES = {
    "upper": "A-Z",
    "lower": "a-z",
    "digit": "0-9",
    "alpha": "A-Za-z",
    "alnum": "A-Za-z0-9",
    "space": " \t\n\r\f\v",
    "blank": " \t",
}


def _character_set(text: str) -> str:
    """Expand the classes and ranges of a set of `tr`."""
    text = re.sub(r"\[:(\w+):\]", lambda found: _CLASSES.get(found[1], ""), decode_escapes(text)[:512])
    return re.sub(r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1)[:256])), text)


def _fold(words: list[str], stdin: str) -> str | None:
    return stdin if len(stdin) < 80 and not words[1:] else None


def _paste(words: list[str], stdin: str) -> str | None:
    """`paste -sd ''`: join lines."""
    if "-s" not in words and not any(re.fullmatch(r"-[sd]+", word) for word in words[1:]):
        return None
    by = next(
        (words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("-") and word.endswith("d")), "\t"
    )
    return decode_escapes(by).join(stdin.splitlines()) + "\n" if len(by) < 3 else None


FILTERS: LazyTable[Callable[[list[str], str], str | None]] = LazyTable(
    "interlock.analyse.shell.output",
    {
        "decoders:DECODERS": "base32 base64 basenc gunzip gzip od openssl uudecode xxd zcat".split(),
        "json_paths:PICKERS": ("dasel", "gojq", "jq", "yq"),
        "sed_substitution:SEDS": ("sed", "gsed"),
    },
    ready={
        "cat": _cat,
        "cut": _cut,
        "fold": _fold,
        "head": _head,
        "nl": lambda _words, _stdin: None,
        "paste": _paste,
        "rev": _rev,
        "sort": _sort,
        "tac": _tac,
        "tail": _tail,
        "tr": _tr,
        "uniq": _uniq,
    },
)


def apply_filter(words: list[str], stdin: str | None) -> str | None:
    """Return the output of a filter on a text, or None if it is unknown."""
    if stdin is None:
        return None
    function = FILTERS.get(words[0].rpartition("/")[2])
    if function is None or (HOLE in stdin and function is not _cat):
        return None
    try:
        text = function(words, stdin)
    except _ERRORS:
        return None
    return text if text is not None and len(text) <= MAX_TEXT else None
