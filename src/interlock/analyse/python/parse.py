"""Parsing of Python text with the `ast` module."""

from __future__ import annotations

import ast
import re
import textwrap
import threading
import warnings

from interlock.analyse.files.paths import hole
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import shows_secret
from interlock.patterns import late

MAX_CHARS = 64_000
_CAP = frozenset({"cap"})
_SECRET = frozenset({"secret", "variable"})


def parse_or_report(reading: Reading, text: str, site: Site) -> ast.Module | None:
    """Return the syntax tree of a text, or None; report text that does not parse or disguises its names."""
    if len(text) > MAX_CHARS:
        reading.unread(f"python text longer than {MAX_CHARS} characters", site, flags=_CAP)
        return None
    tree = parse(text)
    if tree is None:
        from interlock.analyse.python.notebooks import is_notebook, read_notebook

        if is_notebook(text):
            tree = parse(read_notebook(reading, text, site))
    if tree is None:
        reading.reject("python", site)
    elif not text.isascii() and _LOOKALIKE.search(text) and _has_lookalike_names(text, tree):
        reading.emit("code.eval", site, "names in other letters", frozenset({"lookalike"}))
    return tree


# Letters that Python takes for plain ones: of mathematics, and of full width.
_LOOKALIKE = late("[\U0001d400-\U0001d7ff\uff21-\uff3a\uff41-\uff5a]")
_COMMENT = late("#[^\n]*")


def _has_lookalike_names(text: str, tree: ast.Module) -> bool:
    """Whether such letters stand in names, and not only in texts and comments."""
    texts = [node.value for node in nodes_in(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    elsewhere = sum(len(_LOOKALIKE.findall(part)) for part in (*texts, *_COMMENT.findall(text)))
    return len(_LOOKALIKE.findall(text)) > elsewhere


def restore_holes(reading: Reading, tree: ast.Module) -> None:
    """Put the holes back into texts of a program in which the shell has expanded them: `"https://x/$TOKEN"`."""
    if not reading.inserted:
        return
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, reading.inserted))})\b")
    named = {known: f"environ {name}" if shows_secret(name) else name for known, name in reading.inserted.items()}
    for name in named.values():
        if name not in reading.inserted:
            reading.taints.setdefault(name, _SECRET)
    for node in nodes_in(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = pattern.sub(lambda found: hole(named[found[0]]), node.value)


def parse(text: str) -> ast.Module | None:
    """Return the syntax tree of Python text, or None if it is not Python."""
    tree = _parse(text)
    if tree is not None:
        return tree
    level = textwrap.dedent(text)
    return _parse(level) if level != text else None


def _parse(text: str) -> ast.Module | None:
    try:
        with _QUIET, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a wrong escape in the agent's text is not our warning
            return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


_QUIET = threading.Lock()  # what warnings do belongs to the whole process
