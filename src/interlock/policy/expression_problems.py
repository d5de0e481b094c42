"""Errors in CEL expressions: line, column, a caret, and a suggestion."""

from __future__ import annotations

import re

import msgspec

from interlock.errors import ConfigError, near_miss
from interlock.patterns import late
from interlock.policy.conditions import FIELDS, OPEN_FIELDS

_PLACE = late(r"(\d+):(\d+): (.*)")
_UNDECLARED = late(r"undeclared reference to '([^']+)'")
_OVERLOAD = late(r"found no matching overload for '([^']+)' applied to '\((.*)\)'")
#: The messages of CEL's parser, and what they mean.
_PARSER = (
    (late(r"Syntax error: missing '(.*)' at .*"), r"`\1` is missing here"),
    (late(r"Syntax error: .*'<EOF>'.*"), "the expression ends too early"),
    (late(r"Syntax error: token recognition error at: '=[^=]?'"), "to compare, write `==`"),
    (late(r"Syntax error: (?:mismatched|extraneous) input '(.*?)' expecting .*"), r"unexpected `\1`"),
    (late(r"Syntax error: no viable alternative at input '(.*)'"), r"unexpected `\1`"),
    (late(r"Syntax error: token recognition error at: '(.*)'"), r"`\1` is not valid here; check the quotes"),
)
_FUNCTIONS = (
    "all exists exists_one filter map has size contains startsWith endsWith matches in lowerAscii upperAscii trim "
    "split join replace substring indexOf lastIndexOf charAt format int double string bool timestamp duration "
    "getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds"
).split()
_NAMES = (*FIELDS, *OPEN_FIELDS, *_FUNCTIONS, "effects", "now")
MAX_EXCERPT = 120


class ExpressionProblem(msgspec.Struct, frozen=True, rename="camel"):
    """An error in an expression, and its place. `excerpt` is the line, and `caret` the position of the error in it."""

    message: str
    line: int = 0
    column: int = 0
    excerpt: str = ""
    caret: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.message
        pointer = f"\n | {self.excerpt}\n | {'.' * self.caret}^" if self.excerpt else ""
        return f"{self.line}:{self.column}: {self.message}{pointer}"


def find_expression_problem(text: str) -> ExpressionProblem | None:
    """Return what is wrong with an expression, or None if it compiles."""
    from interlock.policy.expression import compile_expression

    try:
        check_growth(text)
        compile_expression(text)
    except ExpressionInvalidError as error:
        return error.problem
    except ConfigError as error:
        return ExpressionProblem(error.message)
    return None


class ExpressionInvalidError(ConfigError):
    """An expression does not compile."""

    def __init__(self, problem: ExpressionProblem) -> None:
        self.problem = problem
        super().__init__(f"the expression does not compile: {problem}")


def explain_compiler(text: str, message: str) -> ExpressionProblem:
    """Return the first problem that CEL's compiler reports about an expression."""
    found = _PLACE.search(message)
    if found is None:
        return ExpressionProblem(message.splitlines()[0] if message else "it is not an expression")
    line, column, words = int(found[1]), int(found[2]), _explain(found[3])
    lines = re.split(r"\r\n|\r|\n", text)
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    start = max(0, column - 1 - MAX_EXCERPT // 2)
    return ExpressionProblem(words, line, column, shown[start : start + MAX_EXCERPT], max(0, column - 1 - start))


def _explain(words: str) -> str:
    for pattern, meaning in _PARSER:
        if found := pattern.match(words):
            return found.expand(meaning)
    if found := _UNDECLARED.search(words):
        return f"unknown name `{found[1]}`{near_miss(found[1], _NAMES)}"
    if found := _OVERLOAD.search(words):
        sign = found[1].removeprefix("_").removesuffix("_") or found[1]
        return f"`{sign}` does not apply to {found[2]}"
    return words.replace(" (in container '')", "")


LITERAL = late(
    r"//[^\n]*"
    r"|(?:[rR][bB]?|[bB][rR])(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"[^\"\n]*\"|'[^'\n]*')"
    r"|[bB]?(?:\"\"\"(?:[^\\]|\\[\s\S])*?\"\"\"|'''(?:[^\\]|\\[\s\S])*?'''|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
)
_LENGTHENS = late(r"\.\s*(?:replace|join|format)\s*\(")
_LOOPS = late(r"\.\s*(?:map|filter|all|exists|exists_one)\s*\(")
MAX_GROWTH = 2


def check_growth(text: str) -> None:
    """Raise for an expression that could build texts of any length: each such step can multiply the one before.

    >>> check_growth("inputPayload.path.replace('/', '-') == toolName")
    """
    code = LITERAL.sub("''", text)
    loops = len(_LOOPS.findall(code)) if "+" in code else 0
    if len(_LENGTHENS.findall(code)) + loops > MAX_GROWTH:
        raise ConfigError(
            "the expression could build very long texts; use `replace`, `join`, `format`, and loops together with `+`, "
            f"at most {MAX_GROWTH} times"
        )
