"""Lisp of all kinds, from Emacs Lisp to Clojure: lists whose first word is a function."""

from __future__ import annotations

from itertools import pairwise

from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.script import MAX_CHARS
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.analyse.scripts.tokens.expressions import Expressions
from interlock.analyse.scripts.values import Ref
from interlock.patterns import late

LISP = Syntax(
    "lisp",
    comments=(";",),
    blocks={"#|": "|#"},
    nests=True,
    quotes={'"': Quote('"')},
    members=(),
    characters=r"\?(?:\\.|\S)|#\\.|\\[()\[\]{}\"';]",
    word=r"\.?[A-Za-z_][\w/*+!?:.>-]*|->>?",
)
#: C#, whose interactive compiler shares the name `csi` with an interpreter of Scheme.
_CSHARP = late(r"\s*(?:(?:using|var|new|await|foreach)\s|[A-Z]\w*(?:\.\w+)+\s*\()")
_NIL = late(r"nil|t")


def read_lisp(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read Lisp: each list is a call of its first word with what follows."""
    if _CSHARP.match(text):
        return reading.nest("csharp", text, site)
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
            stack[-1].append(_value(script, stack[-1], token.text))
    script.whole = script.whole and not stack
    while stack:
        _close(script, stack, len(script.tokens) - 1)
    return script.close()


def _value(script: Expressions, items: list[object], name: str) -> object:
    """Return what a name stands for: a function at the head of a list, or what it was bound to."""
    if not items:
        return Ref(name)
    return script.names.get(name, Ref(name))


def _close(script: Expressions, stack: list[list[object]], at: int) -> None:
    """Call the function of the list that ends, and put what it gives into the list around it."""
    items = stack.pop()
    script.at = at + 1
    value = _call(script, items, at)
    if stack:
        stack[-1].append(value)


def _call(script: Expressions, items: list[object], at: int) -> object:
    head = items[0] if items else None
    if not isinstance(head, Ref):
        return items[-1] if items and isinstance(items[-1], str) else ""
    name, given = head.name, items[1:]
    if name in _BINDING and len(given) > 1 and isinstance(given[0], Ref):
        script.names[given[0].name] = given[1]
    if name in _BLOCKS:
        _bind(script, given)
        return given[-1] if given else ""
    if name in _PIPES:
        return _thread(script, given, at)
    if name.endswith(".") and given:  # `(java.io.File. "x")`
        return given[0] if isinstance(given[0], str) and name.endswith(_FILES) else script.call(head, given, at)
    if name[:1] == "." and given and name[1:2].isalpha():  # `(.delete file)`
        return script.call(Ref(name, given[0]), given[1:], at)
    if name.startswith("//") or name not in script.names:
        name = name.replace("clojure.java.io/", "io/")
    if not script.knows(Ref(name)) and len(given) == 1 and isinstance(given[0], str) and name.isidentifier():
        script.names.setdefault(name, given[0])  # `((home (getenv "HOME")))`
    return script.call(Ref(name), given, at)


def _bind(script: Expressions, given: list[object]) -> None:
    """Give the names in `[name value …]` what they stand for."""
    for name, value in pairwise(given):
        if isinstance(name, Ref) and isinstance(value, str):
            script.names.setdefault(name.name, value)


def _thread(script: Expressions, given: list[object], at: int) -> object:
    """Read `(-> x f g)`: functions that are applied one after another."""
    value = given[0] if given else ""
    for function in given[1:]:
        value = script.call(function, [value], at) if isinstance(function, Ref) else function
    return value


_BINDING = frozenset("def define setq setf defvar defparameter defonce set! defconst".split())
_BLOCKS = frozenset(
    "let let* letrec when-let if-let doseq dolist dotimes for loop progn do begin when unless if with-open when-not "
    "doall dorun with-current-buffer with-temp-buffer save-excursion with-temp-file time future try cond".split()
)
_PIPES = frozenset("-> ->> some-> some->> thread-first thread-last".split())
_FILES = ("File.", "Path.", "URL.", "URI.", "String.", "FileReader.", "FileInputStream.")
