"""Lisp, as editors take it on a command line: lists whose first word is a function."""

from __future__ import annotations

from interlock.analyse.reading import UNKNOWN, Flow, Reading, Site
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.analyse.scripts.tokens.expressions import Expressions
from interlock.analyse.scripts.values import Ref
from interlock.patterns import late

LISP = Syntax(
    "lisp",
    comments=(";",),
    quotes={'"': Quote('"')},
    members=(),
    characters=r"\?(?:\\.|\S)|#\\.",
    word=r"[A-Za-z_][\w/*+!?:.-]*",
)
_NIL = late(r"nil|t")


def read_lisp(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Lisp: each list is a call of its first word with what follows."""
    if len(text) > MAX_CHARS:
        reading.unread(f"lisp text longer than {MAX_CHARS} characters", site, flags=frozenset({"cap"}))
        text = text[:MAX_CHARS]
    script = Expressions(reading, text, site, LISP, stdin)
    stack: list[list[object]] = []
    for at, token in enumerate(script.tokens):
        reading.spend()
        if token.text == "(" and token.kind == "op":
            stack.append([])
        elif token.text == ")" and token.kind == "op" and stack:
            _close(script, stack, at)
        elif stack and token.kind == "text":
            stack[-1].append(script.string(token))
        elif stack and token.kind == "name" and not _NIL.fullmatch(token.text):
            stack[-1].append(Ref(token.text))
    script.whole = script.whole and not stack
    while stack:
        _close(script, stack, len(script.tokens) - 1)
    script.close()
    return UNKNOWN


def _close(script: Expressions, stack: list[list[object]], at: int) -> None:
    """Call the function of the list that ends, and put what it gives into the list around it."""
    items = stack.pop()
    script.at = at + 1
    value = script.call(items[0], items[1:], at) if items and isinstance(items[0], Ref) else ""
    if stack:
        stack[-1].append(value)
