"""Reading a whole script by its tree: what parses, what parses in pieces, and what cannot be read."""

from __future__ import annotations

from functools import partial
from itertools import islice

from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.scope import TooDeep
from interlock.analyse.scripts.strings import closing_bracket
from interlock.analyse.scripts.syntax import Syntax
from interlock.analyse.scripts.trees.language import Language
from interlock.analyse.scripts.trees.source import ScriptSource
from interlock.analyse.scripts.trees.tree_script import TreeText
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import Ref
from interlock.patterns import late

_WITH_DATA = frozenset({"perl", "ruby"})
_DATA = late(r"(?m)^__(?:END|DATA)__[ \t]*\n")
_MAX_LINES = 64
MAX_CALLS = 24
MAX_CALL = 200  # characters
#: A name with what it belongs to, wherever it stands.
_NAME = late(r"[A-Za-z_]\w*(?:(?:\.|::|->)\w+)*(?=\s*[(\[{'\"`]|\s+\S)")
#: Functions that load the modules of others.
_LOADERS = frozenset({"import", "require"})
_CAP = frozenset({"cap"})


def read_tree(reading: Reading, text: str, site: Site, stdin: Flow, syntax: Syntax, language: Language) -> Flow:
    """Read a script in a language that has a grammar."""
    source = ScriptSource(text, language)
    if source.too_large:
        reading.unread(f"{syntax.name} text {source.too_large}", site, flags=_CAP)
    reading.spend(source.effort())
    walker = Walker(TreeText(reading, source, site, syntax, language, stdin))
    for line in _data_lines(text) if syntax.name in _WITH_DATA else ():
        walker.held.add(line)
    if (source.root.has_error or source.ends_open) and not source.too_large:
        walker.whole = False
    try:
        walker.evaluate(source.root)
        if not walker.whole:
            _read_pieces(walker, source, language)
        walker.read_rest()
        walker.read_unseen()
        walker.read_rest()
        walker.read_deferred()
    except (TooDeep, RecursionError):
        reading.unread(f"{syntax.name} text nested too deep", site, flags=_CAP)
    return walker.close()


def _data_lines(text: str) -> list[str]:
    """Return the lines of text behind the end of a script, which it can read as a file."""
    found = _DATA.search(text)
    return [line.strip() for line in text[found.end() :].split("\n", _MAX_LINES)] if found else []


def _read_pieces(walker: Walker, source: ScriptSource, language: Language) -> None:
    """Read what the grammar does not take piece by piece: a misplaced sign does not hide what stands behind it."""
    for piece in source.pieces():
        part = ScriptSource(piece, language, is_whole=False)
        whole = not part.root.has_error
        walker.reading.spend(part.effort())
        if whole and not part.too_large:
            walker.source, walker.depth = part, 0
            walker.evaluate(part.root)
            walker.read_unseen()
    for text in source.broken_lines():
        walker.read_again(partial(_read_calls, walker, text, language))
    walker.source = source


def _read_calls(walker: Walker, text: str, language: Language) -> None:
    """Read lines that do not parse from each name of a function in them: what stands before it may hide it."""
    for found in islice(_NAME.finditer(text), MAX_CALLS):
        value = Ref(found[0].replace("::", ".").replace("->", "."))
        if not walker.knows(value) and value.name not in _LOADERS:
            continue
        end = closing_bracket(text, found.end() + 1, "(", ")") if text[found.end() :][:1] == "(" else -1
        end = end + 1 or found.end() + MAX_CALL
        part = ScriptSource(text[found.start() : min(end, found.end() + MAX_CALL)], language, is_whole=False)
        walker.reading.spend(part.effort())
        walker.source, walker.depth = part, 0
        walker.evaluate(part.root)
        walker.read_unseen()
