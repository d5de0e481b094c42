"""What a Python expression is known to be: a constant, a dotted name, an instance, or nothing known."""

from __future__ import annotations

import base64
import binascii
import codecs
import operator
import re
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from interlock.analyse.paths import HOLE, hole

MAX_CONSTANT = 65_536
MAX_NAME = 60  # of something unknown, as a person would call it


class Ref(NamedTuple):
    """Something with a dotted name: a module, a function, a class."""

    name: str


class Instance(NamedTuple):
    """An object made by a call that is known: a path, an open file, a session."""

    kind: str
    text: str = ""
    mode: str = "r"


class Unknown(NamedTuple):
    """Something that the text does not tell; `name` is how a person would call it."""

    name: str = "…"


class Choice(NamedTuple):
    """One of several values: which of them depends on a condition."""

    values: tuple[Any, ...]


UNKNOWN = Unknown()
ABSTRACT = (Ref, Instance, Unknown, Choice)
CONSTANTS = (str, bytes, int, float, bool, list, tuple, dict, type(None))
MAX_CHOICES = 8
MAX_PARTS = 1_024


def either(first: Any, second: Any) -> Any:
    """Return a value that could be one or the other."""
    found: list[Any] = []
    for value in (first, second):
        found += [one for one in (value.values if isinstance(value, Choice) else (value,)) if one not in found]
    return found[0] if len(found) == 1 else Choice(tuple(found)) if len(found) <= MAX_CHOICES else UNKNOWN


def as_text(value: Any) -> str:
    """Return a value as part of a string, with a hole where it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Instance) and value.text:
        return value.text
    if isinstance(value, (Unknown, Ref)):
        return hole(value.name.replace(HOLE, "")[:MAX_NAME])
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4_000 else hole("number")
    return str(value) if value is None or isinstance(value, float) else hole("…")


def words_of(value: Any) -> list[str] | None:
    """Return an argument list, with holes where a word is not known."""
    if isinstance(value, (list, tuple)) and not isinstance(value, ABSTRACT):
        return [as_text(item) for item in value]
    return None


def is_known(value: Any) -> bool:
    """Whether a value is a constant through and through, and of a size that can be looked through."""
    left, parts = [value], 0
    while left:
        item = left.pop()
        parts += 1
        if parts > MAX_PARTS or isinstance(item, ABSTRACT) or not isinstance(item, CONSTANTS):
            return False
        if isinstance(item, str):
            if HOLE in item:
                return False
        elif isinstance(item, (list, tuple)):
            left += item[:MAX_PARTS]
            parts += len(item) // MAX_PARTS
        elif isinstance(item, dict):
            left += item.values()
    return True


def bounded(value: Any) -> Any:
    """Return a computed constant, unless it has grown past what may be kept."""
    if isinstance(value, (str, bytes, list, tuple, dict)) and len(value) > MAX_CONSTANT:
        return UNKNOWN
    if isinstance(value, int) and value.bit_length() > 4096:
        return UNKNOWN
    return value if isinstance(value, CONSTANTS) else UNKNOWN


#: Encodings that give at most a few times what they are given, in linear time.
ENCODINGS = frozenset(
    (
        "utf8 utf16 utf32 ascii latin1 iso88591 cp1252 hex hexcodec base64 base64codec rot13 "
        "unicodeescape rawunicodeescape"
    ).split()
)


def _coded(method: str, value: Any, encoding: str) -> Any:
    if re.sub(r"[-_ ]", "", encoding).lower() not in ENCODINGS:
        raise ValueError(encoding)
    return getattr(codecs, method)(value, encoding)


WIDTH = re.compile(r"\d{4,}|\*")


def method(owner: str | bytes, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what a method of a constant gives; one that could give something huge is refused."""
    if name in ("encode", "decode"):
        return _coded(name, owner, str(arguments[0]) if arguments else "utf-8")
    if name == "format" and WIDTH.search(str(owner)):
        raise ValueError(name)
    if name == "replace" and len(arguments) > 1:
        if len(owner) + (len(owner) + 1) * len(arguments[1]) > 4 * MAX_CONSTANT and len(arguments[0]) < 2:
            raise ValueError(name)
        if len(owner) + owner.count(arguments[0]) * len(arguments[1]) > MAX_CONSTANT:
            raise ValueError(name)
    if name == "join" and len(owner) * len(arguments[0]) > MAX_CONSTANT:
        raise ValueError(name)
    return getattr(owner, name)(*arguments, **keywords)


def _decompress(data: bytes) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, MAX_CONSTANT)


#: Functions without effects, computed where their arguments are known.
PURE: dict[str, Callable[..., Any]] = {
    "base64.b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.b64encode": base64.b64encode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "bytes.fromhex": bytes.fromhex,
    "codecs.decode": lambda value, encoding="utf-8", *_: _coded("decode", value, encoding),
    "sqlalchemy.text": lambda text: text,
    "sqlalchemy.sql.text": lambda text: text,
    "compile": lambda source, *_, **__: source,
    "zlib.decompress": _decompress,
    "gzip.decompress": _decompress,
    "chr": chr,
    "ord": ord,
    "str": str,
    "bytes": lambda value=b"", *rest: (
        bytes(value, *rest) if not isinstance(value, int) else bytes(min(value, MAX_CONSTANT))
    ),
    "len": len,
    "reversed": lambda value: list(reversed(value)),
    "list": list,
    "tuple": tuple,
    "sorted": sorted,
    "os.path.join": lambda *parts: "/".join(parts) if not any(p.startswith("/") for p in parts[1:]) else parts[-1],
    "os.path.expanduser": lambda path: path,
    "os.path.abspath": lambda path: path,
    "shlex.split": lambda text: text.split(),
    "shlex.join": " ".join,
}

#: Methods of constants that give another constant.
METHODS = frozenset(
    (
        "format join replace lower upper strip lstrip rstrip split decode encode removeprefix removesuffix "
        "title capitalize hex translate partition rpartition"
    ).split()
)

#: What a computation on constants may raise without that being our mistake.
COMPUTE_ERRORS = (
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    zlib.error,
    AssertionError,
)

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Mod": operator.mod,
    "BitXor": operator.xor,
    "Sub": operator.sub,
    "FloorDiv": operator.floordiv,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "RShift": operator.rshift,
}
