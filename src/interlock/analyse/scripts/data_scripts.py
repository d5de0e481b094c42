"""Languages for plots and tables, some words of which run a command or write a file: gnuplot's and Miller's.

Everything else in them computes. Both quote texts, so the texts are found first, and then the words before them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.analyse.scripts.tokens.syntax_check import is_program
from interlock.patterns import late

MAX_CHARS = 100_000
_CAP = frozenset({"cap"})
_TEXT = r"'(?:[^'\n]|'')*'|\"(?:[^\"\\\n]|\\.)*\""


class _Word(NamedTuple):
    """What stands before a text, and the role of the text."""

    before: re.Pattern[str]
    role: str


def _words(*rows: tuple[str, str]) -> tuple[_Word, ...]:
    return tuple(_Word(re.compile(rf"(?:{before})\s*\Z"), role) for before, role in rows)


_GNUPLOT = _words(
    (r"\bsys(?:tem|te|t)?\s*\(?", "code:shell"),
    (r"(?:^|[;{\n])\s*(?:l|lo|loa|load|cal|call)", "script"),
    (r"\bse?t?\s+(?:o|ou|out\w*|pri?n?t?|tabl?e?|log\w*)(?:\s+append)?", "fs.write"),
    (r"(?:^|[;{\n])\s*(?:sav?e?(?:\s+\w+)?|update)", "fs.write"),
    (r"(?:^|[;{\n])\s*(?:eval\w*|exe\w*)|\bbind\b.*", "code:gnuplot"),
    (r"(?:^|[;{\n])\s*(?:s?p|s?pl\w*|rep\w*|fi?t?|sta?t?s?)\b[^;\n]*", "fs.read"),
)
_MILLER = _words(
    (r"\b(?:system|exec|os\.system)\s*\(", "code:shell"),
    (r"\b(?:tee|emit1?|emitp|emitf|print|printn|dump)\b[^;{}]*?>>?", "fs.write"),
    (r"\b(?:tee|emit1?|emitp|emitf|print|printn|dump)\b[^;{}]*?\|", "code:shell"),
)
_PIECE = late(rf"({_TEXT})|`([^`\n]+)`|(?<!\\)#[^\n]*|(?:^|(?<=[;\n]))[^\S\n]*!([^\n]+)", re.DOTALL)
_QUOTES = {"'": Quote("'", "double"), '"': Quote('"')}
_SYNTAXES = {
    "gnuplot": Syntax("gnuplot", comments=("#",), quotes={**_QUOTES, "`": Quote("`")}, strays="#"),
    "miller": Syntax(
        "miller",
        comments=("#",),
        quotes={'"': Quote('"')},
        word=r"[$@]\{[^}]+\}|[$@](?=[\[*])|[$@]?[A-Za-z_]\w*",
        side_by_side=2,
    ),
}
#: What every line of gnuplot begins with: a command, which may be abbreviated, a name that is set, or a data block.
_STATEMENT = late(
    r"(?:\}\s*)?(?:$|[!@#{}\\]|\$?\w+\s*(?:\([^)]*\)|\[[^\]]*\])?\s*=(?!=)|\$\w+\s*<<"
    r"|(?:ar\w*|bi\w*|br\w*|cal?l?|cd?|cl\w*|cont\w*|do|ev\w*|exi?t?|fi?t?|func\w*|h\w*|hist\w*|if|else|import|l\w*|lower|"
    r"pa\w*|pl?\w*|pri\w*|pw?d?|q\w*|rai\w*|ref\w*|rep\w*|rer\w*|res\w*|sav?e?|se?t?|she?l?l?|sho?w?|s?pl\w*|sta\w*|"
    r"sys\w*|te\w*|tog\w*|und\w*|uns\w*|up\w*|vc\w*|vf\w*|warn|while)(?![\w]))"
)
_BLOCK = late(r"(?ms)^(\s*\$\w+\s*<<\s*(\w+))\s*\n.*?^\2\s*$")
_SHELL = late(r"(?:^|[;\n])\s*she?l?l?\s*(?:[;\n]|$)")
_ARGUMENTS = late(r"\s*,\s*\[([^\]]*)\]")
_BANG = late(r"(?m)^\s*!.*$")
_ESCAPED = late(r"\\(.)", re.DOTALL)


def read_gnuplot(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse commands of gnuplot: its shell escapes, and the files that it opens, which may be pipes."""
    if _SHELL.search(text):
        reading.emit("process.run", site, "sh", frozenset({"shell_escape"}))
    reading.emit("out.print", site)
    if not all(_STATEMENT.match(line.strip()) for line in _statements(text)):
        reading.reject("gnuplot", site)
    return _read(reading, text, site, _GNUPLOT, "gnuplot")


def _statements(text: str) -> list[str]:
    """Return the lines of a script, without those of its data blocks and joined where a line goes on."""
    return _BLOCK.sub(r"\1", text.replace("\\\n", "")).split("\n")


def read_miller(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse an expression of Miller: the commands that it runs, and the files that it redirects its records to."""
    return _read(reading, text, site, _MILLER, "miller")


def _read(reading: Reading, text: str, site: Site, words: tuple[_Word, ...], name: str) -> Flow:
    if len(text) > MAX_CHARS:
        reading.unread(f"{name} code that is too long", site, flags=_CAP)
    text, inside = text[:MAX_CHARS], site.behind(name)
    if not is_program(reading, _BANG.sub("", _BLOCK.sub("", text)), _SYNTAXES[name]):
        reading.reject(name, site)
    for found in _PIECE.finditer(text):
        reading.spend()
        if found[1]:
            _read_text(reading, text, found, words, inside)
            if found[1][0] == '"' and name == "gnuplot":  # in such a text, backquotes run a command
                for command in re.findall(r"`([^`]+)`", found[1]):
                    reading.nest("shell", command, inside)
        elif name == "gnuplot" and (found[2] or found[3]):
            reading.nest("shell", (found[2] or found[3]).strip(), inside)
    return UNKNOWN


def _read_text(reading: Reading, text: str, found: re.Match[str], words: tuple[_Word, ...], site: Site) -> None:
    """Emit what happens to one text by the words before it."""
    raw = found[1]
    value = raw[1:-1].replace("''", "'") if raw[0] == "'" else _ESCAPED.sub(r"\1", raw[1:-1])
    before = text[max(0, found.start() - 400) : found.start()]
    role = next((word.role for word in words if word.before.search(before)), "")
    if role == "script" and value[:1] == "<":
        printed = reading.nest("shell", value[1:].strip(), site)
        if "download" in printed.marks:
            reading.emit("code.remote", site, printed.url or value)
        elif printed.text is not None:
            reading.nest("gnuplot", printed.text, site)
        return
    if role and value[:1] in ("|", "<"):
        role, value = "code:shell", value[1:].strip()
    if not role or not value.strip("-+ "):
        return
    if role.startswith("code:"):
        if more := _ARGUMENTS.match(text, found.end()):
            value = " ".join([value, *(one.strip(" '\"") for one in more[1].split(","))])
        reading.nest(role[5:], value, site)
    elif role == "script":
        report_loading(reading, site, value)
        reading.file("code.run", site, value)
    else:
        reading.file(role, site, value)
