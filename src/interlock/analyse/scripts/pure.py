"""Functions without effects, computed where their arguments are known: decoding, joining, turning around."""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
import zlib
from collections.abc import Callable
from functools import reduce
from itertools import zip_longest
from typing import Any

from interlock.analyse.scripts import parts
from interlock.analyse.scripts.perl_strings import transliterate
from interlock.analyse.scripts.strings import character
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT, Choice, Ref, as_text, flat, is_constant
from interlock.patterns import late

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
        if len(items) > 1:
            raise ValueError(items)
        separator, items = (items[0] if items else ""), list(arguments[0])
    elif not items or not is_constant(separator):  # it may be a list that is not known
        raise ValueError(separator)
    return as_text(separator).join(_texts(items))


def _texts(items: list[Any]) -> list[str]:
    """Return the texts of items that are texts or numbers, or stand for one."""
    for item in items:
        if isinstance(item, (list, dict, tuple)) and not isinstance(item, Ref):
            raise TypeError(item)
    return [as_text(item) for item in items]


def _count_hexes(form: str) -> int:
    """Return how many texts of hexadecimal digits a form packs: `H*`, `H2H2`."""
    found = re.findall(r"[Hh](?:\d+|\*)?", form)
    if "".join(found) != form.replace(" ", ""):
        raise ValueError(form)
    return len(found)


_CHARACTERS = late(r"(?:[cCUW](?:\*|\d+)?)+")
_PLAIN = late(r"[aA]\*|\([aA]\*?\)\*")


def _pack(arguments: list[Any]) -> str:
    form, items = str(arguments[0]).replace(" ", ""), flat(arguments[1:])
    if form[:1] in "Hh":
        return "".join(from_hex(as_text(item)) for item in items[: _count_hexes(form)])
    if _CHARACTERS.fullmatch(form):
        return "".join(item if isinstance(item, str) and not item.isdigit() else character(int(item)) for item in items)
    if _PLAIN.fullmatch(form):
        return "".join(_texts(items if "(" in form else items[:1]))
    if form in ("m", "m0", "u"):
        return from_base64(as_text(items[0])) if form[0] == "m" else text_of(binascii.a2b_uu(as_text(items[0])))
    raise ValueError(form)


def _unpack(arguments: list[Any]) -> str:
    form, text = str(arguments[0]), as_text(arguments[1])
    if form == "u":
        return "".join(text_of(binascii.a2b_uu(line)) for line in text.strip("\n").split("\n"))
    if form == "H*":
        return bytes_of(text).hex()
    if form in ("a*", "A*"):
        return text
    raise ValueError(form)


def _buffer(arguments: list[Any]) -> str:
    """`Buffer.from(x, encoding)`."""
    first, encoding = arguments[0], as_text(arguments[1]) if len(arguments) > 1 else "utf8"
    if isinstance(first, list):
        return "".join(character(int(item)) for item in first)
    decode = {"base64": from_base64, "base64url": from_base64, "hex": from_hex}.get(encoding)
    if decode is None and encoding not in _ENCODINGS:
        raise ValueError(encoding)
    return decode(as_text(first)) if decode else as_text(first)


def _replace(arguments: list[Any]) -> str:
    if isinstance(arguments[0], list):  # PHP's: each of the texts, one after the other
        olds, text = _texts(arguments[0]), as_text(arguments[2])
        news = _texts(arguments[1]) if isinstance(arguments[1], list) else [as_text(arguments[1])] * len(olds)
        return reduce(lambda one, pair: _replace([*pair, one]), zip_longest(olds, news, fillvalue=""), text)
    old, new, text = _texts(arguments)
    if len(text) + text.count(old) * len(new) > MAX_TEXT or not old:
        raise ValueError(old)
    return text.replace(old, new)


def _replace_first(arguments: list[Any]) -> str:
    old, new, text = _texts(arguments)
    return text.replace(old, new, 1) if old else new + text


def _translate(arguments: list[Any]) -> str:
    """`tr(old, new, text)`: each character of one set becomes the one at its place in the other."""
    old, new, text = _texts(arguments)
    found = transliterate(text, old, new, "")
    if old[:1] == "^" or found is None:
        raise ValueError(old)
    return found


def _split(arguments: list[Any]) -> list[Any]:
    separator, text = _texts(arguments)
    return list(text[:MAX_ITEMS]) if not separator else [*text.split(separator, MAX_ITEMS)]


def _reverse(arguments: list[Any]) -> Any:
    items = arguments[0] if len(arguments) == 1 else arguments
    if not isinstance(items, (list, str)):
        raise TypeError(items)
    return items[::-1]


_DIRECTIVE = late(r"%(?:%|[-+0-9.]{0,4}([sdxvqic]))")


def _format(arguments: list[Any]) -> str:
    form = as_text(arguments[0])
    if "%" in _DIRECTIVE.sub("", form):  # `%1$s`, `%<name>s`, `%{name}`, `%*d`
        raise ValueError(form)
    values = iter(flat(arguments[1:]))

    def fill(found: re.Match[str]) -> str:
        if not found[1]:
            return "%"
        value = next(values, "")
        if found[1] == "c":  # a number stands for a character, and of a text the first one is taken
            return character(int(value)) if isinstance(value, int) or as_text(value).isdecimal() else as_text(value)[:1]
        return _texts([value])[0]

    text = _DIRECTIVE.sub(fill, form)
    if next(values, None) is not None:
        raise ValueError(form)
    return text


def _concat(arguments: list[Any]) -> Any:
    """Texts joined; of lists, a longer list."""
    return flat(arguments) if isinstance(arguments[0], list) else "".join(_texts(flat(arguments)))


def _from_json(arguments: list[Any]) -> Any:
    """Return what JSON stands for; an object keeps its own names."""
    return json.loads(_texts(arguments)[0])


def _same(arguments: list[Any]) -> Any:
    """The first value; with more than it and how it is encoded, either that or something made of all of them."""
    if not arguments:
        return ""
    return (
        arguments[0]
        if all(type(one) is int or _is_option(one) for one in arguments[1:])
        else Choice((arguments[0], None))
    )


def _is_option(value: Any) -> bool:
    """Whether an argument says how something is decoded or shown, and is no part of it."""
    if isinstance(value, Ref):
        return value.name.lower() in ("true", "false", "null", "nil", "undefined")
    if isinstance(value, dict):
        return is_constant(list(value.values()))
    return isinstance(value, bool) or (isinstance(value, str) and value.lower() in _ENCODINGS)


def _expand(arguments: list[Any]) -> str:
    path = as_text(arguments[0])
    return path if path[:1] in ("~", "/") or len(arguments) < 2 else f"{as_text(arguments[1])}/{path}"


def _from_url(text: str) -> str:
    return re.sub(r"%([0-9a-fA-F]{2})", lambda found: character(int(found[1], 16)), text)


def _repeat(arguments: list[Any]) -> str:
    text, times = as_text(arguments[0]), int(arguments[1])
    if len(text) * times > MAX_TEXT:
        raise ValueError(times)
    return text * times


PURE: dict[str, Callable[[list[Any]], Any]] = {
    "same": _same,
    "json": _from_json,
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
    "concat": _concat,
    "pack": _pack,
    "unpack": _unpack,
    "address": lambda a: f"{as_text(a[-1])}:{as_text(a[0])}",
    "home": lambda _a: "~",
    "buffer": _buffer,
    "replace": _replace,
    "replace_first": _replace_first,
    "translate": _translate,
    "split": _split,
    "form": lambda a: _from_url(as_text(a[0]).replace("+", " ")),
    "format": _format,
    "repeat": _repeat,
    "lower_first": lambda a: as_text(a[0])[:1].lower() + as_text(a[0])[1:],
    "lower": lambda a: as_text(a[0]).lower(),
    "upper": lambda a: as_text(a[0]).upper(),
    "strip": lambda a: as_text(a[0]).strip(),
    "url": lambda a: _from_url(as_text(a[0])),
    "utf16": lambda a: bytes_of(as_text(a[0])).decode("utf-16-le", "replace"),
    "path": lambda a: "/".join(_texts(flat(a))),
    "expand": _expand,
    "words": lambda a: as_text(a[0]).split(),
    "slice": parts.take_slice,
    "substring": parts.take_between,
    "substr": parts.take_length,
    "counted": parts.take_counted,
    "drop": parts.drop_first,
    "values": parts.take_values,
    "flatten": parts.flatten,
    "compact": parts.leave_out_nothing,
    "strip_prefix": parts.strip_prefix,
    "strip_suffix": parts.strip_suffix,
}


#: How many values a function takes; what gets more gives something unknown.
_MOST = {
    **dict.fromkeys(
        "base64 to_base64 hex inflate deflated rot13 uu json lower lower_first upper strip words".split(), 1
    ),
    **dict.fromkeys(("url", "form", "utf16"), 1),
    **dict.fromkeys(("address", "buffer", "expand", "repeat", "split", "unpack"), 2),
    **dict.fromkeys(("replace", "replace_first", "translate"), 3),
    **dict.fromkeys(("slice", "substring", "substr", "counted"), 3),
    **dict.fromkeys(("drop", "strip_prefix", "strip_suffix"), 2),
    **dict.fromkeys(("values", "compact"), 1),
}
#: Functions whose result may contain unknown parts.
KEEPING = frozenset("same join concat path format strip expand list flatten compact values".split())
_ENCODINGS = frozenset("utf8 utf-8 ascii latin1 binary iso-8859-1 us-ascii ucs-8".split())


def compute(name: str, arguments: list[Any]) -> Any:
    """Return what a function gives, or None where that cannot be told.

    A function that is given more than it knows, or something that is not known, gives None, unless the unknown part
    is kept in the result.
    """
    most = _MOST.get(name)
    if most is not None:
        arguments = [*arguments[:most], *(one for one in arguments[most:] if not _is_option(one))]
        if len(arguments) > most:
            return None
    if name not in KEEPING and not all(is_constant(one) for one in arguments):
        return None
    try:
        value = PURE[name](arguments)
    except ERRORS:
        return None
    return value if not isinstance(value, (str, list)) or len(value) <= MAX_TEXT else None
