"""Calls without effects, folded to constants: pure functions and methods of texts. Decoded results are kept apart."""

from __future__ import annotations

from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.calls.disclosures import is_named_only
from interlock.analyse.python.evaluation.constant_folding import compute, join_texts
from interlock.analyse.python.evaluation.marks import decodes, marks_of, mixture
from interlock.analyse.python.evaluation.name_resolution import MIN_HIDDEN
from interlock.analyse.python.evaluation.pure_functions import (
    COMPUTE_ERRORS,
    DECODERS,
    ECHOES,
    HIDING,
    PURE,
    method,
    plain_encoding,
)
from interlock.analyse.python.evaluation.values import (
    MAX_CONSTANT,
    Ref,
    Unknown,
    as_text,
    limit_size,
    size_of,
    words_of,
)
from interlock.analyse.python.functions.uncalled_functions import UncalledFunctions
from interlock.patterns import late

_SPELLED = 8  # single characters in a row: nobody writes so
#: Methods that leave unknown parts as they are.
_KEEPING = frozenset({"format", "replace", "removeprefix", "removesuffix", "startswith", "endswith"})
_SAME = frozenset("encode decode strip lstrip rstrip lower upper title capitalize swapcase casefold".split())
_WORDS = late(r"(?:\0[^\0]*\0|[^\s\0])+")
_CODECS = frozenset({"codecs.decode", "codecs.encode"})


_BYTES = frozenset({"bytes", "bytearray"})
_NAMED = frozenset({Ref, Unknown})


def _is_spelled(arguments: list[Any]) -> bool:
    """Whether bytes are made from a list of numbers."""
    return bool(arguments) and type(arguments[0]) in (list, tuple) and len(arguments[0]) >= _SPELLED


class PureCalls(UncalledFunctions):
    """Reads calls that compute."""

    __slots__ = ()

    def note_decoded(self, value: Any) -> None:
        """Remember of a constant that it came out of a decoder."""
        if isinstance(value, (str, bytes)) and len(value) >= MIN_HIDDEN:
            self.state.decoded.add(value)

    def call_pure(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return the result of a pure function; the result of a decoder is recorded as decoded."""
        self.reading.spend(sum(map(size_of, arguments)) // 256)
        if is_named_only(name, arguments):
            return Unknown("names")
        result = compute(PURE[name], arguments, keywords)
        decoder = name in DECODERS or (
            name in _CODECS and len(arguments) > 1 and plain_encoding(arguments[1]) in HIDING
        )
        decoder = decoder or (name in _BYTES and _is_spelled(arguments))
        if type(result) is not Unknown and not (decoder and not result):
            if decoder or (self.state.decoded and any(self.is_decoded(value) for value in arguments)):
                self.note_decoded(result)
            return result
        if name == "dict" and keywords:
            return (dict(arguments[0]) if arguments and isinstance(arguments[0], dict) else {}) | keywords
        if name == "os.path.join":
            return join_texts([part for index, one in enumerate(arguments) for part in ("/", one)[index == 0 :]])
        if decoder or name in ("chr", "unichr"):
            return mixture(self.reading, f"decoded by {name}", arguments, "decoded")
        if name in ECHOES and arguments:
            return arguments[0] if name not in ("str", "list", "dict") else self._as_text_part(arguments[0])
        return mixture(self.reading, name, arguments)

    def call_text_method(self, owner: str | bytes, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return the result of a method of a constant text (`"{}".format(x)`, `"".join(…)`)."""
        self.reading.spend(len(owner) // 256)
        told = [self._as_text_part(argument) for argument in arguments]
        if name == "format":
            told = [as_text(argument) for argument in told]
            keywords = {key: as_text(self._as_text_part(value)) for key, value in keywords.items()}
        if name == "join" and arguments:
            return self._join(owner, arguments[0])
        if isinstance(owner, str) and HOLE in owner and name not in _KEEPING:
            return self._call_with_holes(owner, name, arguments)
        try:
            result = limit_size(method(owner, name, told, keywords))
        except COMPUTE_ERRORS:
            return mixture(self.reading, name, (owner, *arguments))
        hiding = name == "decode" and arguments and plain_encoding(arguments[0]) in HIDING
        if hiding or name == "translate" or self.is_decoded(owner):
            self.note_decoded(result)
        return result

    def _call_with_holes(self, owner: str, name: str, arguments: list[Any]) -> Any:
        """Return the result of a method of a text with holes, which must not be cut."""
        if name in _SAME:
            return owner
        if name == "split" and not arguments:
            return _WORDS.findall(owner)
        return mixture(self.reading, name, (owner, *arguments))

    def _join(self, owner: str | bytes, items: Any) -> Any:
        words = words_of(items)
        if words is None or isinstance(owner, bytes):
            return mixture(self.reading, "join", (items,))
        self.reading.spend(len(words) // 64)
        if len(owner) * len(words) + sum(len(word) for word in words) > MAX_CONSTANT:
            return mixture(self.reading, "join", (items,))
        text = limit_size(owner.join(words))
        spelled = not owner and len(words) >= _SPELLED and all(len(word) == 1 for word in words)
        if isinstance(text, str) and HOLE not in text and (spelled or any(self.is_decoded(item) for item in items)):
            self.state.decoded.add(text)
        return text

    def mark_decoded(self, function: Any, result: Any, arguments: list[Any]) -> Any:
        """Return the result of a call, marked as decoded if the function's name says that it decodes."""
        if type(result) is not Unknown or type(function) not in _NAMED or not decodes(function.name):
            return result
        if "decoded" in marks_of(self.reading, result):
            return result
        return mixture(self.reading, f"decoded by {function.name}", (result, *arguments), "decoded")
