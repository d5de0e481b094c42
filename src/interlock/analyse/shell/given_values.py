"""Values that a command gives to the code of an interpreter: its arguments and its variables.

`python3 -c 'os.system(sys.argv[1])' 'rm -rf /'` runs what is in the argument. The values are put into the code in place
of the expressions that stand for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from interlock.analyse.files.paths import HOLE, holes, is_hole
from interlock.analyse.secrets.keys import shows_secret
from interlock.analyse.shell.scope import ShellScope
from interlock.patterns import late

MAX_GIVEN = 4_096  # characters of one value


def _in_single_quotes(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class LiteralSyntax(NamedTuple):
    """How a language writes its arguments and variables, and its texts."""

    argument: re.Pattern[str]  # with the groups `at`, or `since` for all from there on
    variable: re.Pattern[str]  # with the group `name`
    quote: Callable[[str], str]
    before: int  # how many arguments stand before the first one that is given
    environment: str  # a variable of the environment, with `{}` for its name
    holes: bool = False  # whether unknown values become variables of the language


_NAMED = r"""\s*["'](?P<name>\w+)["']"""
_PYTHON = LiteralSyntax(
    late(r"\b(?:\w+\.)?argv\[\s*(?:(?P<at>-?\d+)|(?P<since>\d+)\s*:)\s*\]"),
    late(
        rf"\b(?:\w+\.)?(?:environ\[{_NAMED}\s*\]"
        rf"|(?:environ\.get|getenv)\({_NAMED.replace('name', 'other')}\s*(?:,[^()]*)?\))"
    ),
    repr,
    1,
    "__import__('os').environ['{}']",
    holes=True,
)
_EXPRESSIONS: dict[str, LiteralSyntax] = {
    "python": _PYTHON,
    "javascript": LiteralSyntax(
        late(
            r"\b(?:process|Bun)\.argv(?:\[\s*(?P<at>\d+)\s*\]|\.at\(\s*(?P<other>-?\d+)\s*\)|\.slice\(\s*(?P<since>\d+)\s*\))"
        ),
        late(rf"\b(?:process|Bun)\.env(?:\.(?P<other>\w+)|\[{_NAMED}\s*\])"),
        json.dumps,
        1,
        "process.env.{}",
    ),
    "ruby": LiteralSyntax(
        late(r"\bARGV(?:\[\s*(?P<at>-?\d+)\s*\]|\.(?P<first>first|shift)\b)"),
        late(rf"\bENV(?:\[{_NAMED}\s*\]|\.fetch\({_NAMED.replace('name', 'other')}\s*\))"),
        _in_single_quotes,
        0,
        "ENV['{}']",
    ),
    "perl": LiteralSyntax(
        late(r"\$ARGV\[\s*(?P<at>-?\d+)\s*\]|(?P<first>\bshift\b)(?=\s*(?:@ARGV\b)?\s*[;,)}]|\s*$)"),
        late(r"""\$ENV\{\s*["']?(?P<name>\w+)["']?\s*\}"""),
        _in_single_quotes,
        0,
        "$ENV{{{}}}",
    ),
    "php": LiteralSyntax(
        late(r"\$argv\[\s*(?P<at>\d+)\s*\]"),
        late(rf"\bgetenv\({_NAMED}\s*\)|\$_(?:ENV|SERVER)\[{_NAMED.replace('name', 'other')}\s*\]"),
        _in_single_quotes,
        1,
        "getenv('{}')",
    ),
    "lua": LiteralSyntax(
        late(r"\barg\[\s*(?P<at>\d+)\s*\]"),
        late(rf"\bos\.getenv\(?{_NAMED}\s*\)?"),
        json.dumps,
        1,
        "os.getenv('{}')",
    ),
}


def insert_given_values(text: str, language: str, arguments: Sequence[str], scope: ShellScope) -> str:
    """Return code with the arguments and variables that it is given in place of the expressions for them."""
    known = _EXPRESSIONS.get(language)
    if known is None:
        return text
    if arguments and known.argument.search(text):
        given = ["-"] * known.before + [word for word in arguments if word != "--"]
        for word in given:
            if is_hole(word) and known.holes:  # what its name tells stays with it
                marks = scope.reading.marks(word)
                if marks:
                    scope.reading.taints.setdefault(word.strip(HOLE), marks)
        text = known.argument.sub(lambda found: _argument(found, given, known), text)
    if scope.variables and known.variable.search(text):
        text = known.variable.sub(lambda found: _variable(found, scope, known), text)
    return text


def _argument(found: re.Match[str], given: list[str], known: LiteralSyntax) -> str:
    """Return one argument as a text of the language, all from one on as a list, or the expression as it was."""
    groups = found.groupdict()
    since = groups.get("since")
    if since is not None:
        written = [_format_literal(word, known) for word in given[int(since[:4]) :]]
        return f"[{', '.join(written)}]" if None not in written else found[0]  # type: ignore[arg-type]
    at = 0 if groups.get("first") else int((groups.get("at") or groups.get("other") or "0")[:4])
    return (_format_literal(given[at], known) if -len(given) <= at < len(given) else None) or found[0]


def _variable(found: re.Match[str], scope: ShellScope, known: LiteralSyntax) -> str:
    """Return the value of a variable as a text of the language, or the expression as it was."""
    groups = found.groupdict()
    held = scope.variables.get(groups.get("name") or groups.get("other") or "")
    return (_format_literal(held, known) if isinstance(held, str) else None) or found[0]


def _format_literal(value: str, known: LiteralSyntax) -> str | None:
    """Return a value as the language writes it, or None if it is not known."""
    if len(value) > MAX_GIVEN:
        return None
    secret = next((name for name in holes(value) if shows_secret(name)), None) if HOLE in value else None
    if secret is not None:
        return known.environment.format(secret)  # a secret under another name, or with something around it
    if HOLE in value:
        return value if known.holes and is_hole(value) else None
    return known.quote(value)
