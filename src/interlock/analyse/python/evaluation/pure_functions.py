"""The pure functions and methods that constant folding may call."""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import html
import operator
import posixpath
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from interlock.analyse.python.evaluation.values import MAX_CONSTANT, MAX_PARTS, Instance
from interlock.patterns import late

#: Encodings that give at most a few times what they are given, in linear time.
ENCODINGS = frozenset(
    (
        "utf8 utf16 utf16le utf16be utf32 ascii latin1 iso88591 cp1252 cp437 cp037 cp500 cp1026 cp1140 hex hexcodec "
        "base64 base64codec rot13 unicodeescape rawunicodeescape zlib zlibcodec zip"
    ).split()
)
#: Those in which nobody writes: what comes out of them was hidden.
HIDING = frozenset(
    "cp037 cp500 cp1026 cp1140 hex hexcodec base64 base64codec rot13 zlib zlibcodec zip unicodeescape".split()
)


def plain_encoding(name: Any) -> str:
    """Return the name of an encoding without its dashes."""
    return re.sub(r"[-_ ]", "", str(name)).lower()


def _convert_encoding(method: str, value: Any, encoding: str) -> Any:
    plain = plain_encoding(encoding)
    if plain not in ENCODINGS:
        raise ValueError(encoding)
    if method == "decode" and plain in ("zlib", "zlibcodec", "zip"):
        return _decompress(value)
    if method == "decode" and isinstance(value, str) and plain in HIDING - {"rot13"}:
        value = value.encode("latin-1")
    return getattr(codecs, method)(value, encoding)


WIDTH = late(r"\d{4,}|\*")


def may_grow(template: Any, mark: Any, values: Iterable[Any]) -> bool:
    """Whether a template could give something huge: each of its marks may be filled with the longest value."""
    longest = max((len(value) for value in values if isinstance(value, (str, bytes))), default=0)
    return bool(template.count(mark) * longest > 4 * MAX_CONSTANT)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1


def method(owner: str | bytes, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what a method of a constant gives; one that could give something huge is refused."""
    if name in ("encode", "decode"):
        encoding = arguments[0] if arguments else keywords.get("encoding", "utf-8")
        return _convert_encoding(name, owner, str(encoding))
    if name == "format" and (WIDTH.search(str(owner)) or may_grow(owner, "{", (*arguments, *keywords.values()))):
        raise ValueError(name)
    if name == "translate" and isinstance(arguments[0], dict) and any(_is_long(one) for one in arguments[0].values()):
        raise ValueError(name)
    if name == "replace" and len(arguments) > 1:
        if len(owner) + (len(owner) + 1) * len(arguments[1]) > 4 * MAX_CONSTANT and len(arguments[0]) < 2:
            raise ValueError(name)
        if len(owner) + owner.count(arguments[0]) * len(arguments[1]) > MAX_CONSTANT:
            raise ValueError(name)
    if name == "join" and len(owner) * len(arguments[0]) > MAX_CONSTANT:
        raise ValueError(name)
    if name in ("zfill", "center", "ljust", "rjust") and arguments[0] > MAX_CONSTANT:
        raise ValueError(name)
    return getattr(owner, name)(*arguments, **keywords)


def _decompress(data: bytes, *_: Any, **__: Any) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, MAX_CONSTANT)


def _bytes(value: Any = b"", *rest: Any) -> bytes:
    return bytes(value, *rest) if not isinstance(value, int) else bytes(min(value, MAX_CONSTANT))


def _range(*limits: int) -> list[int]:
    if len(range(*limits)) > MAX_PARTS:
        raise ValueError("range")
    return list(range(*limits))


def _join(*parts: str) -> str:
    return "/".join(part.rstrip("/") or "/" for part in parts[:-1]) + ("/" if len(parts) > 1 else "") + parts[-1]


def _paths(*parts: str) -> str:
    rooted = [index for index, part in enumerate(parts) if part.startswith(("/", "~"))]
    return _join(*parts[rooted[-1] if rooted else 0 :])


def _literal(text: str) -> Any:
    if len(text) > MAX_LITERAL:
        raise ValueError(text)
    try:
        return ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError from error


def _substitute(pattern: str, new: str, text: str, *rest: Any, **named: Any) -> str:
    """Return what `re.sub` gives for a pattern that takes no longer than the text: with one repetition at most."""
    if rest or named or len(text) > MAX_LITERAL or len(pattern) > MAX_PATTERN or len(new) > MAX_PATTERN:
        raise ValueError(pattern)
    if len(_REPEATS.findall(pattern)) > 1:
        raise ValueError(pattern)
    try:
        return re.sub(pattern, new, text)
    except re.error as error:
        raise ValueError from error


MAX_LITERAL = 4_096
MAX_PATTERN = 64
_REPEATS = late(r"[*+?{]")


def _unquote(text: str | bytes, *_: Any) -> str:
    """Return a text with its `%xx` decoded."""
    data = text.encode() if isinstance(text, str) else text
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes.fromhex(found[1].decode()), data).decode(
        "utf-8", "replace"
    )


_B64 = {
    f"base64.{name}": getattr(base64, name)
    for name in (
        "b64decode standard_b64decode urlsafe_b64decode b32decode b16decode b85decode a85decode decodebytes".split()
    )
}

#: Functions that turn what nobody can read into what a machine can run.
DECODERS: dict[str, Callable[..., Any]] = {
    **_B64,
    "base64.decodestring": base64.decodebytes,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "bytes.fromhex": bytes.fromhex,
    "bytearray.fromhex": bytes.fromhex,
    "zlib.decompress": _decompress,
    "gzip.decompress": _decompress,
}

PURE: dict[str, Callable[..., Any]] = {
    **DECODERS,
    "base64.b64encode": base64.b64encode,
    "codecs.decode": lambda value, encoding="utf-8", *_: _convert_encoding("decode", value, encoding),
    "codecs.encode": lambda value, encoding="utf-8", *_: _convert_encoding("encode", value, encoding),
    "unicodedata.normalize": unicodedata.normalize,
    "sqlalchemy.text": lambda text: text,
    "sqlalchemy.sql.text": lambda text: text,
    "chr": chr,
    "unichr": chr,
    "ord": ord,
    "int": lambda value=0, base=10: int(value, base) if isinstance(value, str) and len(value) < 64 else int(value),
    "hex": hex,
    "abs": abs,
    "str": lambda value="", *rest: (
        value.decode("utf-8", "replace") if isinstance(value, bytes) and rest else str(value)
    ),
    "bytes": _bytes,
    "bytearray": _bytes,
    "memoryview": lambda value: value,
    "len": len,
    "range": _range,
    "xrange": _range,
    "reversed": lambda value: list(reversed(value)),
    "list": list,
    "set": list,
    "frozenset": list,
    "iter": list,
    "tuple": list,
    "dict": lambda *given, **named: dict(*given, **named),
    "sorted": lambda value: sorted(value),
    "zip": lambda *lists: [list(row) for row in zip(*lists, strict=False)],
    "enumerate": lambda value, start=0: [list(pair) for pair in enumerate(value, start)],
    "str.maketrans": str.maketrans,
    "string.join": lambda words, by=" ": by.join(words),
    "os.path.join": _paths,
    "os.path.expanduser": lambda path: path,
    "os.path.abspath": lambda path: path,
    "os.path.realpath": lambda path: path,
    "os.path.normpath": lambda path: path,
    "os.path.dirname": posixpath.dirname,
    "os.path.basename": posixpath.basename,
    "os.path.splitext": lambda path: list(posixpath.splitext(path)),
    "os.fspath": lambda path: path,
    "os.fsencode": lambda path: path,
    "shlex.split": lambda text: text.split(),
    "shlex.join": " ".join,
    "shlex.quote": lambda text: text,
    "textwrap.dedent": lambda text: text,
    "operator.add": operator.add,
    "operator.concat": operator.add,
    "operator.xor": operator.xor,
    "operator.getitem": operator.getitem,
    "repr": repr,
    "ascii": ascii,
    "ast.literal_eval": _literal,
    "re.sub": _substitute,
    "urllib.parse.unquote": _unquote,
    "urllib.parse.unquote_plus": lambda text, *_: _unquote(text.replace("+", " ")),
    "urllib.parse.unquote_to_bytes": lambda text: _unquote(text).encode(),
    "html.unescape": html.unescape,
    "itertools.chain": lambda *lists: [item for one in lists for item in one],
    "itertools.chain.from_iterable": lambda lists: [item for one in lists for item in one],
    "collections.deque": lambda items=(), *_: list(items),
    "tempfile.gettempdir": lambda: "/tmp",
    "tempfile.mkdtemp": lambda *_, **__: "/tmp/made",
    "tempfile.mktemp": lambda *_, **__: "/tmp/made",
    "pytest.TempPathFactory.mktemp": lambda *_, **__: Instance("pathlib.Path", "/tmp/pytest/made"),
    "pytest.TempPathFactory.getbasetemp": lambda *_, **__: Instance("pathlib.Path", "/tmp/pytest"),
    "os.path.expandvars": lambda path: path.replace("${HOME}", "~").replace("$HOME", "~"),
}

#: Functions that give what they were given, where that is not known.
ECHOES = frozenset(
    "str os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.fspath os.path.expandvars bytes "
    "textwrap.dedent shlex.quote list tuple dict set iter reversed sorted bytearray memoryview sqlalchemy.text".split()
)

#: Methods of constants that give another constant.
METHODS = frozenset(
    (
        "format join replace lower upper strip lstrip rstrip split rsplit splitlines decode encode removeprefix "
        "removesuffix title capitalize swapcase hex translate partition rpartition zfill center ljust rjust "
        "startswith endswith find index count casefold"
    ).split()
)

#: What a computation on constants may raise without that being our mistake.
COMPUTE_ERRORS = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, zlib.error, AssertionError)

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

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WHITESPACE = " \t\n\r\x0b\x0c"
#: Names that always stand for the same.
NAMED: dict[str, Any] = {
    "sys.executable": "python3",
    "os.sep": "/",
    "os.path.sep": "/",
    "os.linesep": "\n",
    "os.devnull": "/dev/null",
    "os.curdir": ".",
    "mmap.PROT_READ": 1,
    "mmap.PROT_WRITE": 2,
    "mmap.PROT_EXEC": 4,
    "string.ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
    "string.ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.ascii_letters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.digits": "0123456789",
    "string.hexdigits": "0123456789abcdefABCDEF",
    "string.octdigits": "01234567",
    "string.punctuation": _PUNCTUATION,
    "string.whitespace": _WHITESPACE,
    "string.printable": f"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ{_PUNCTUATION}{_WHITESPACE}",
}
