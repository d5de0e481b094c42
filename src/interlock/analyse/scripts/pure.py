"""Functions without effects, computed where their arguments are known: decoding, joining, turning around."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Callable
from typing import Any

from interlock.analyse.scripts.strings import character
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT, as_text, flat, is_constant

#: What a computation on constants may raise without that being our mistake.
ERRORS = (TypeError, ValueError, LookupError, ArithmeticError, zlib.error)


_NULL = "\u2400"  # a null byte, which would be taken for a hole


def bytes_of(text: str) -> bytes:
    """Return a text as the bytes that it stands for."""
    if text.isascii() or not _is_narrow(text):
        return text.encode("utf-8", "replace")
    return text.replace(_NULL, "\0").encode("latin-1")


def _is_narrow(text: str) -> bool:
    return all(ord(char) < 256 or char == _NULL for char in text)


def text_of(data: bytes) -> str:
    """Return bytes as a text, however they are written: in UTF-8 or 16, or byte for byte."""
    if b"\0" in data[:64] and not any(data[1:64:2]):
        return data.decode("utf-16-le", "replace").replace("\0", _NULL)
    try:
        return data.decode("utf-8").replace("\0", _NULL)
    except UnicodeDecodeError:
        return data.decode("latin-1").replace("\0", _NULL)


def from_base64(text: str) -> str:
    """Return what base64 stands for, in either alphabet, with or without its padding."""
    plain = re.sub(r"[^A-Za-z0-9+/]", "", text.replace("-", "+").replace("_", "/"))
    return text_of(base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "=" * (-len(plain) % 4)))


def from_hex(text: str) -> str:
    """Return what pairs of hexadecimal digits stand for."""
    return text_of(binascii.unhexlify(re.sub(r"[^0-9a-fA-F]", "", text)))


def inflate(text: str, window: int = 32 + zlib.MAX_WBITS) -> str:
    """Return what was compressed, up to what may be kept."""
    return text_of(zlib.decompressobj(window).decompress(bytes_of(text), MAX_TEXT))


def _join(arguments: list[Any]) -> str:
    separator, items = arguments[0], flat(arguments[1:])
    if isinstance(separator, list):  # the list first, as JavaScript's and Ruby's methods have it
        separator, items = (items[0] if items else ""), list(arguments[0])
    elif not items or not is_constant(separator):  # it may be a list that is not known
        raise ValueError(separator)
    return as_text(separator).join(as_text(item) for item in items)


def _count_hexes(form: str) -> int:
    """Return how many texts of hexadecimal digits a form packs: `H*`, `H2H2`."""
    found = re.findall(r"[Hh](?:\d+|\*)?", form)
    if "".join(found) != form.replace(" ", ""):
        raise ValueError(form)
    return len(found)


def _pack(arguments: list[Any]) -> str:
    form, items = str(arguments[0]), flat(arguments[1:])
    if form[:1] in "Hh":
        return "".join(from_hex(as_text(item)) for item in items[: _count_hexes(form)])
    if form[:1] in "CcUWa(":
        return "".join(item if isinstance(item, str) and not item.isdigit() else character(int(item)) for item in items)
    if form[:1] in "mu":
        return from_base64(as_text(items[0])) if form[0] == "m" else text_of(binascii.a2b_uu(as_text(items[0])))
    raise ValueError(form)


def _unpack(arguments: list[Any]) -> str:
    form, text = str(arguments[0]), as_text(arguments[1])
    if form[:1] == "u":
        return "".join(text_of(binascii.a2b_uu(line)) for line in text.strip("\n").split("\n"))
    return bytes_of(text).hex() if form[:1] == "H" else text


def _buffer(arguments: list[Any]) -> str:
    """`Buffer.from(x, encoding)`."""
    first = arguments[0]
    if isinstance(first, list):
        return "".join(character(int(item)) for item in first)
    decode = {"base64": from_base64, "base64url": from_base64, "hex": from_hex}.get(
        as_text(arguments[1]) if len(arguments) > 1 else ""
    )
    return decode(as_text(first)) if decode else as_text(first)


def _replace(arguments: list[Any]) -> str:
    old, new, text = (as_text(argument) for argument in arguments[:3])
    if len(text) + text.count(old) * len(new) > MAX_TEXT or not old:
        raise ValueError(old)
    return text.replace(old, new)


def _split(arguments: list[Any]) -> list[Any]:
    separator, text = as_text(arguments[0]), as_text(arguments[1])
    return list(text[:MAX_ITEMS]) if not separator else [*text.split(separator, MAX_ITEMS)]


def _reverse(arguments: list[Any]) -> Any:
    items = arguments[0] if len(arguments) == 1 else arguments
    return items[::-1] if isinstance(items, (list, str)) else items


def _format(arguments: list[Any]) -> str:
    values = iter(flat(arguments[1:]))

    def fill(found: re.Match[str]) -> str:
        if not found[1]:
            return "%"
        value = next(values, "")
        if found[1] == "c":  # a number stands for a character, and of a text the first one is taken
            return character(int(value)) if isinstance(value, int) or as_text(value).isdecimal() else as_text(value)[:1]
        return as_text(value)

    return re.sub(r"%(?:%|[-+0-9.]{0,4}([sdxvqic]))", fill, as_text(arguments[0]))


def _expand(arguments: list[Any]) -> str:
    path = as_text(arguments[0])
    return path if path[:1] in ("~", "/") or len(arguments) < 2 else f"{as_text(arguments[1])}/{path}"


def _repeat(arguments: list[Any]) -> str:
    text, times = as_text(arguments[0]), int(arguments[1])
    if len(text) * times > MAX_TEXT:
        raise ValueError(times)
    return text * times


PURE: dict[str, Callable[[list[Any]], Any]] = {
    "same": lambda a: a[0] if a else "",
    "base64": lambda a: from_base64(as_text(a[0])),
    "to_base64": lambda a: base64.b64encode(bytes_of(as_text(a[0]))).decode(),
    "hex": lambda a: from_hex(as_text(a[0])),
    "inflate": lambda a: inflate(as_text(a[0])),
    "deflated": lambda a: inflate(as_text(a[0]), -zlib.MAX_WBITS),
    "rot13": lambda a: codecs.decode(as_text(a[0]), "rot13"),
    "uu": lambda a: text_of(binascii.a2b_uu(as_text(a[0]))),
    "chr": lambda a: "".join(character(int(item)) for item in flat(a)),
    "reverse": _reverse,
    "join": _join,
    "list": lambda a: flat(a),
    "concat": lambda a: "".join(as_text(item) for item in flat(a)),
    "pack": _pack,
    "unpack": _unpack,
    "address": lambda a: f"{as_text(a[-1])}:{as_text(a[0])}",
    "home": lambda _a: "~",
    "buffer": _buffer,
    "replace": _replace,
    "split": _split,
    "format": _format,
    "repeat": _repeat,
    "lower": lambda a: as_text(a[0]).lower(),
    "upper": lambda a: as_text(a[0]).upper(),
    "strip": lambda a: as_text(a[0]).strip(),
    "url": lambda a: re.sub(r"%([0-9a-fA-F]{2})", lambda f: character(int(f[1], 16)), as_text(a[0])),
    "utf16": lambda a: bytes_of(as_text(a[0])).decode("utf-16-le", "replace"),
    "path": lambda a: "/".join(as_text(item) for item in flat(a)),
    "expand": _expand,
    "words": lambda a: as_text(a[0]).split(),
}


def compute(name: str, arguments: list[Any]) -> Any:
    """Return what a function gives, or None where that cannot be told."""
    try:
        value = PURE[name](arguments)
    except ERRORS:
        return None
    return value if not isinstance(value, (str, list)) or len(value) <= MAX_TEXT else None
