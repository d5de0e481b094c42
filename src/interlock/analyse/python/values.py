"""What a Python expression is known to be: a constant, a dotted name, an instance, or nothing known."""

from __future__ import annotations

import base64
import binascii
import codecs
import operator
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from interlock.analyse.paths import HOLE, hole

MAX_CONSTANT = 65_536


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


UNKNOWN = Unknown()
CONSTANTS = (str, bytes, int, float, bool, list, tuple, dict, type(None))


def as_text(value: Any) -> str:
    """Return a value as part of a string, with a hole where it is not known."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Instance) and value.text:
        return value.text
    if isinstance(value, Unknown):
        return hole(value.name)
    if isinstance(value, Ref):
        return hole(value.name)
    return str(value)


def words_of(value: Any) -> list[str] | None:
    """Return an argument list, with holes where a word is not known."""
    if isinstance(value, (list, tuple)) and not isinstance(value, (Ref, Instance, Unknown)):
        return [as_text(item) for item in value]
    return None


def is_known(value: Any) -> bool:
    """Whether a value is a constant through and through."""
    if isinstance(value, (Ref, Instance, Unknown)) or not isinstance(value, CONSTANTS):
        return False
    if isinstance(value, str):
        return HOLE not in value
    if isinstance(value, (list, tuple)):
        return len(value) < 1024 and all(is_known(item) for item in value)
    if isinstance(value, dict):
        return len(value) < 1024 and all(is_known(item) for item in value.values())
    return True


def bounded(value: Any) -> Any:
    """Return a computed constant, unless it has grown past what may be kept."""
    if isinstance(value, (str, bytes, list, tuple, dict)) and len(value) > MAX_CONSTANT:
        return UNKNOWN
    if isinstance(value, int) and value.bit_length() > 4096:
        return UNKNOWN
    return value if isinstance(value, CONSTANTS) else UNKNOWN


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
    "codecs.decode": codecs.decode,
    "zlib.decompress": _decompress,
    "gzip.decompress": _decompress,
    "chr": chr,
    "ord": ord,
    "str": str,
    "bytes": bytes,
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
        "title capitalize hex translate zfill partition rpartition"
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
