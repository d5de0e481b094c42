"""Searches for secrets in Python: code that walks through a home or a system, and looks for keys."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from interlock.analyse.files.traits import traits
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.python.state import has_any
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import is_key_shape
from interlock.patterns import late

_WALKING = late(r"\b(?:walk|i?glob|rglob|iterdir|listdir|scandir)\s*\(")
# A home folder, the root, or a folder of the system as a text of its own.
_WIDE = late(
    r"""["'](?:~|/|/home|/Users|/root|/etc|/var|/mnt|/opt|/home/[\w.-]+|/Users/[\w.-]+|~/\.\w[\w.-]*|~/\.?\*|~/\.config)(?:/?\.?\*[^"']*|/)?["']"""
    r"""|Path\.home\(\)|expanduser\(|environ\[["']HOME["']\]|["'](?:~|/home/[\w.-]+|/Users/[\w.-]+)/\*\*"""
)
#: One of these is in whatever `_WALKING` matches.
_WALKS = ("walk", "glob", "iterdir", "listdir", "scandir")
#: One of these begins whatever `_WIDE` matches.
_WIDE_STARTS = ('"~', "'~", '"/', "'/", "Path.home()", "expanduser(", "environ[")
_MATCHING = frozenset("compile findall finditer search match fullmatch".split())
_SEARCH = frozenset({"secret_search"})
#: Kinds of nodes that can name what is searched for.
_LISTING = frozenset({ast.Call, ast.Tuple, ast.List, ast.Set})
MIN_NAMES = 2
MAX_TEXT = 65_536


def report_searches(reading: Reading, text: str, tree: ast.Module, site: Site) -> None:
    """Report a search for keys, by their shape or by the names of their files, outside of a project."""
    text = text[:MAX_TEXT]
    if not has_any(text, _WALKS) or not has_any(text, _WIDE_STARTS):
        return
    if not _WIDE.search(text) or not _WALKING.search(text):
        return
    for node in nodes_in(tree):
        found = _find_key_search(node) if node.__class__ in _LISTING else ""
        if found:
            reading.emit("fs.read", site, found, _SEARCH)
            return


def _find_key_search(node: ast.AST) -> str:
    """Return the pattern of keys or the names of their files that a part of the code looks for, or nothing."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MATCHING:
        pattern = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        return pattern if isinstance(pattern, str) and is_key_shape(pattern) else ""
    secret = [name for name in _find_listed_names(node) if "secret" in traits(name)]
    return secret[0] if len(secret) >= MIN_NAMES else ""


def _find_listed_names(node: ast.AST) -> Iterator[str]:
    """Yield the texts of a list that something is compared with: `name in ("id_rsa", ".env")`, `endswith((…))`."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for item in node.elts:
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                yield item.value.lstrip("*")
