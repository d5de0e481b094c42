"""Syntax trees of script languages. Each grammar is loaded when the first text in its language is parsed."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

from tree_sitter import Language, Node, Parser

from interlock.patterns import late

#: Language → the package of its grammar, and the function that returns it.
_GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "batch": ("tree_sitter_batch", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "make": ("tree_sitter_make", "language"),
    "perl": ("tree_sitter_perl", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "php_only": ("tree_sitter_php", "language_php_only"),  # without the text around `<?php … ?>`
    "powershell": ("tree_sitter_powershell", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_SPACES = dict.fromkeys([0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0xFEFF], " ")
_LINES = {0x2028: "\n", 0x2029: "\n"}
_JAVASCRIPT = {**_SPACES, **_LINES}
#: Non-ASCII characters that are white space or punctuation. In other languages they are part of a name.
_MEANINGS: Mapping[str, Mapping[int, str]] = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "powershell": {
        **_SPACES,
        **dict.fromkeys([0x2018, 0x2019, 0x201A, 0x201B], "'"),
        **dict.fromkeys([0x201C, 0x201D, 0x201E], '"'),
        **dict.fromkeys([0x2013, 0x2014, 0x2015], "-"),
    },
}
_NOT_ASCII = late(r"[^\x00-\x7f]")
_local = threading.local()


def parse(language: str, text: str) -> Node:
    """Return the syntax tree of a text.

    A grammar gets ASCII only, one character for each character, because some scanners read past the end of their
    tables on others. So byte offsets in the tree are character offsets in the text.

    >>> parse("lua", "print('é')").has_error
    False
    """
    parser: Parser | None = getattr(_local, language, None)
    if parser is None:
        parser = _make_parser(language)
    if not text.isascii():
        text = to_ascii(language, text)
    return parser.parse(text.encode("ascii")).root_node


def to_ascii(language: str, text: str) -> str:
    """Return an ASCII text of the same length: white space and punctuation by meaning, other characters as `x`."""
    if text.isascii():
        return text
    return _NOT_ASCII.sub("x", text.translate(_MEANINGS.get(language, {})))


def _make_parser(language: str) -> Parser:
    """Return a parser for a language, which the current thread keeps."""
    parser = Parser(_load_language(*_GRAMMARS[language]))
    setattr(_local, language, parser)
    return parser


def _load_language(package: str, function: str) -> Language:
    grammar = getattr(_load_binding(package), function)()
    if not isinstance(grammar, int):
        return Language(grammar)
    with warnings.catch_warnings():  # Perl's package returns an address, which is deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        return Language(grammar)


def _load_binding(package: str) -> Any:
    """Return the native module of a grammar without importing its package, which takes longer to load."""
    found = find_spec(package)
    spec = found and PathFinder.find_spec(f"{package}._binding", found.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError(f"the grammar `{package}` is not installed")
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return binding
