"""`when`: a CEL expression over the facts that conditions use, type-checked when it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from interlock.errors import ConfigError
from interlock.patterns import late
from interlock.policy.conditions import NUMBERS

#: How CEL's errors about a missing field begin. It has no error codes, and the rest may quote the agent's text.
_ABSENT = late(r'(NOT_FOUND: Key not found in map|UNKNOWN: No value with name "\w+" found)')
_NO_TIME = late(r'UNKNOWN: No value with name "now" found')
_NO_BASELINE = late(r'UNKNOWN: No value with name "drift\.\w+" found')
#: A zone that is written out in an expression: `now.getHours("Europe/Berlin")`. CEL also takes offsets.
_ZONE = late(r"""\.get[A-Z]\w*\(\s*(?:"([^"]*)"|'([^']*)')\s*\)""")
_OFFSET = late(r"[+-]?\d\d:\d\d")
_ORDERED_LEVEL = late(r"risk\.level\s*[<>]|[<>]=?\s*risk\.level")


@cache
def _environment(without: str = "") -> Any:
    """Return the CEL environment: the names and types of an action's facts, or of all but one."""
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_strings

    kinds = cel.Type
    anything = kinds.Map(kinds.STRING, kinds.DYN)
    variables = {
        "toolName": kinds.STRING,
        "agentId": kinds.STRING,
        "runId": kinds.STRING,
        "user": kinds.STRING,
        "tenant": kinds.STRING,
        "now": kinds.TIMESTAMP,
        "environment": kinds.STRING,
        "inputPayload": anything,
        "metadata": anything,
        "risk.level": kinds.STRING,
        "risk.score": kinds.INT,
        "risk.rules": kinds.List(kinds.STRING),
        "effects": kinds.List(anything),
        "effects.kind": kinds.List(kinds.STRING),
        "effects.changes": kinds.BOOL,
        "resources": kinds.List(kinds.STRING),
        "data.classes": kinds.List(kinds.STRING),
        **dict.fromkeys(sorted(name for name in NUMBERS if name.startswith("run.")), kinds.INT),
        "run.requests": kinds.List(kinds.STRING),
        "run.metadata": anything,
        "drift.new_tool": kinds.BOOL,
        "drift.new_host": kinds.BOOL,
        "drift.new_folder": kinds.BOOL,
        "drift.rate": kinds.DYN,  # comparable with whole numbers as well
    }
    variables.pop(without, None)
    return cel.NewEnv(variables=variables, extensions=[ext_strings.ExtStrings()])


Evaluate = Callable[["Activation"], bool]


class Activation:
    """The facts of one action in CEL's form, built when the first expression needs them.

    `facts` returns them, with or without the slow ones.
    """

    __slots__ = ("_cel", "_facts")

    def __init__(self, facts: Callable[[bool], dict[str, Any]]) -> None:
        self._facts = facts
        self._cel: dict[bool, Any] = {}

    def get(self, *, slow: bool) -> Any:
        """Return the facts in CEL's form; with `slow`, including the slow ones."""
        if slow not in self._cel:
            self._cel[slow] = _environment().Activation(self._facts(slow))
        return self._cel[slow]


MAX_DEPTH = 16
NO_TIME = "it depends on the time, which is not known here"


class NoBaselineError(LookupError):
    """A policy depends on the baseline of the agent, which is not known."""

    def __init__(self) -> None:
        super().__init__("it depends on the baseline of the agent, which is not known here")


def to_cel(value: Any, depth: int = 0) -> Any:
    """Return a payload as values that CEL supports; for any other value, the name of its type."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None or isinstance(value, (bool, float, bytes)):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else float(min(max(value, -(10**300)), 10**300))
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        return {to_cel(str(key)): to_cel(item, depth + 1) for key, item in value.items()}
    if depth < MAX_DEPTH and isinstance(value, (list, tuple)):
        return [to_cel(item, depth + 1) for item in value]
    return type(value).__name__


class ExpressionError(Exception):
    """An expression failed while it was evaluated, for another reason than a missing field."""


def compile_expression(text: str) -> Evaluate:
    """Return a function that says whether an expression holds, or raise with line, column and a caret."""
    if _ORDERED_LEVEL.search(text):
        raise ConfigError("an expression compares levels as strings; write `risk.level in ['high', 'critical']`")
    _check_zones(text)
    try:
        compiled = _environment().compile(text)
    except RuntimeError as error:
        from interlock.policy.expression_problems import ExpressionInvalidError, explain_compiler  # only for errors

        raise ExpressionInvalidError(explain_compiler(text, _tidy(str(error)))) from None
    found = compiled.return_type().name()
    if found not in ("BOOL", "DYN"):
        raise ConfigError(f"the expression `{text}` gives {found.lower()}; write one that gives true or false")

    if "drift" in text:
        from interlock.policy.drift_use import check_drift_expression  # few policies use them

        check_drift_expression(text)
    slow = "classes" in text or "drift" in text

    def evaluate(activation: Activation) -> bool:
        result = compiled.eval(activation.get(slow=slow))
        kind = result.type().name()
        if kind == "BOOL":
            return bool(result.value())
        message = str(result.value())
        if kind == "ERROR" and _ABSENT.match(message) and not _NO_TIME.match(message):
            return False
        if kind == "ERROR" and _NO_BASELINE.match(message):
            raise NoBaselineError
        raise ExpressionError(_explain(message) if kind == "ERROR" else f"it gave {kind.lower()}, not true or false")

    return evaluate


def compiles_without(text: str, field: str) -> bool:
    """Whether an expression compiles without a field, which shows that it does not use it."""
    try:
        _environment(field).compile(text)
    except RuntimeError:
        return False
    return True


def _check_zones(text: str) -> None:
    """Raise if an expression names a time zone that does not exist."""
    for found in _ZONE.finditer(text):
        zone = found[1] or found[2] or ""
        if not _OFFSET.fullmatch(zone):
            from interlock.policy.hours import find_zone  # few policies need the time

            find_zone(zone)


def reads_time(text: str) -> bool:
    """Whether an expression may depend on the time."""
    return _NOW.search(text) is not None


_NOW = late(r"\bnow\b")


def _explain(message: str) -> str:
    """Return why an expression failed. CEL's message about a value of the wrong type is incomplete."""
    if _NO_TIME.match(message):
        return NO_TIME
    if "No matching overloads found" in message:
        return "a value has another type than the expression expects; compare numbers with numbers, texts with texts"
    return message.rstrip(" :")


def _tidy(message: str) -> str:
    text = message.removeprefix("INVALID_ARGUMENT: ").removeprefix("ERROR: ")
    return text.replace("<input>:", "").replace(" [INVALID_ARGUMENT]", "").replace(" (in container '')", "")
