"""The languages of code and their analysers, which are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import Languages
from interlock.lazy import LazyModule, load
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse import sql
else:
    sql = LazyModule("interlock.analyse.sql")

LanguageReader = Callable[..., Flow]  # of a reading, a text, its site, and standard input
PACKAGE = "interlock.analyse"


def _load(place: str, *more: str) -> LanguageReader:
    """Return an analyser (`module:function`) that is imported on first use, and pass it more names of its module."""

    @cache
    def find() -> LanguageReader:
        module = place.partition(":")[0]
        given = [load(PACKAGE, f"{module}:{one}") for one in more]
        reader: LanguageReader = load(PACKAGE, place)
        return (lambda *read: reader(*read, *given)) if given else reader

    def read(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
        return find()(reading, text, site, stdin)

    return read


def _sql(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Run meta commands of database clients, then analyse the rest as SQL."""
    if _META.search(text):  # meta commands, which the client runs itself
        from interlock.analyse.scripts.clients import read_meta

        text = read_meta(reading, text, site)
        if not text.strip():
            return Flow()
    return sql.analyse_sql(reading, text, site, stdin)


_META = late(
    r"(?m)^[^\S\n]*(?:\\|\.[a-z]|!|(?:system|(?i:pager|tee|source|host|spool|pipe_once))\s|@@?(?:\S*[/~]|\w+\.sql)|:(?:r\s|out\s|!!))|\\[!go]"
)


def _tokens(name: str) -> LanguageReader:
    """Return the analyser of a language that is read token by token."""

    def read(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
        from interlock.analyse.scripts.syntaxes import SYNTAXES
        from interlock.analyse.scripts.tokens.expressions import read_tokens

        return read_tokens(reading, text, site, stdin, SYNTAXES[name])

    return read


def _program(name: str) -> LanguageReader:
    """Return the analyser of a compiled language."""

    def read(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
        from interlock.analyse.scripts.compiled.program import read_program
        from interlock.analyse.scripts.syntaxes.compiled import COMPILED

        notation = next(one for one in COMPILED if one.name == name)
        return read_program(reading, text, site, stdin, notation)

    return read


def _client(name: str) -> LanguageReader:
    """Return the analyser of a program's own commands: an editor's, a debugger's."""

    def read(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
        from interlock.analyse.scripts.clients import read_client

        return read_client(reading, text, site, stdin, name)

    return read


_COMPILED = "c csharp crystal d dart fsharp go haskell java kotlin nim ocaml rust scala swift v zig".split()

_JAVASCRIPT = "scripts.trees.javascript:read_javascript"


def _with_linked_sources(language: str, reader: LanguageReader) -> LanguageReader:
    """Return an analyser that reads a script alone, and then with the sources of the run that it loads."""

    def read(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
        flow = reader(reading, text, site, stdin)
        if reading.files:
            from interlock.analyse.scripts.linked_sources import read_linked

            read_linked(reading, language, text, site, lambda linked, at: reader(reading, linked, at, stdin))
        return flow

    return read


LANGUAGES: dict[str, LanguageReader] = {
    "shell": _load("shell.walk:analyse_shell"),
    "python": _load("python.walk:analyse_python"),
    "sql": _sql,
    "mongo": _load("stores.mongo:read_mongo"),
    "redis": _load("stores.redis:read_redis"),
    "cypher": _load("stores.cypher:read_cypher"),
    "apex": _load("scripts.apex:read_apex"),
    "spl": _load("stores.splunk:read_splunk"),
    "awk": _load("scripts.awk:read_awk"),
    "sed": _load("scripts.sed:read_sed"),
    "powershell": _load("powershell.walk:read_powershell"),
    "batch": _load("scripts.batch:read_batch"),
    "tcl": _load("scripts.tcl:read_tcl"),
    "make": _load("scripts.make:read_make"),
    "lisp": _load("scripts.lisp:read_lisp"),
    "javascript": _load(_JAVASCRIPT),
    "typescript": _load(_JAVASCRIPT, "TYPED"),
    "tsx": _load(_JAVASCRIPT, "TYPED_MARKUP"),
    "ruby": _load("scripts.trees.ruby:read_ruby"),
    "php": _load("scripts.trees.php:read_php"),
    "perl": _load("scripts.trees.perl:read_perl"),
    "lua": _load("scripts.trees.lua:read_lua"),
    "applescript": _load("scripts.applescript:read_applescript"),
    "r": _load("scripts.r:read_r"),
    "gnuplot": _load("scripts.data_scripts:read_gnuplot"),
    "miller": _load("scripts.data_scripts:read_miller"),
    **{name: _tokens(name) for name in "julia groovy elixir octave erlang".split()},
    **{name: _program(name) for name in _COMPILED},
    **{name: _client(name) for name in ("vim", "ed", "gdb", "tex")},
}
#: Languages whose scripts load others by their paths.
_LINKING = "javascript typescript tsx ruby php perl lua r julia".split()
LANGUAGES |= {name: _with_linked_sources(name, LANGUAGES[name]) for name in _LINKING}

_TABLE = read_table("languages", Languages).languages
#: Other names of languages.
NAMES = {also: name for name, one in _TABLE.items() for also in one.also}
#: Interpreter in a script's first line → its language.
_INTERPRETERS = {program: name for name, one in _TABLE.items() for program in one.programs}
_FIRST_LINE = late(r"#!\s*(?:\S*/env\s+(?:-\S+\s+)*)?(?:\S*/)?([A-Za-z]+(?:-[A-Za-z]+)*)")
#: Ending or name of a file → the language of its code.
ENDINGS = {ending: name for name, one in _TABLE.items() for ending in (*one.endings, *one.files)}


#: Verilog, whose files end like those of V.
_VERILOG = late(r"(?m)^\s*(?:`\w+|endmodule\b|module\s+\w+\s*[#(;])")


def script_language(text: str, language: str) -> str:
    """Return the language of a script: that of the interpreter in its first line, or else `language`."""
    found = _FIRST_LINE.match(text)
    return _INTERPRETERS.get(found[1], language) if found else language


def language_of(path: str, text: str) -> str | None:
    """Return the language of a file by its name or its first line, or None if it is not code.

    >>> language_of("clean.sh", "rm -rf x"), language_of("hook", "#!/usr/bin/env python3"), language_of("x.md", "")
    ('shell', 'python', None)
    """
    name = path.rpartition("/")[2]
    found = ENDINGS.get(name) or ENDINGS.get(name[name.rfind(".") :]) if name else None
    if found == "v" and _VERILOG.search(text):
        return None
    if found is None and (first := _FIRST_LINE.match(text)):
        found = _INTERPRETERS.get(first[1])
    return found
