"""Find the drift facts that a policy uses, and check that they can only make it stricter.

An agent shapes its own baseline, so nothing may be allowed because of it, and more drift must never match less. Facts
stand in conditions as `drift.new_host=true` or `drift.rate>5`, and in expressions as parts of `&&` and `||`.
"""

from __future__ import annotations

from functools import cache

from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.patterns import late
from interlock.policy.conditions import DRIFT_FIELDS, Condition
from interlock.policy.drift import RATE
from interlock.policy.policies import Policy

_TOKEN = late(
    r"(?P<fact>\.?\s*\bdrift\s*\.\s*(?:new_tool|new_host|new_folder|rate)\b)"
    r"|(?P<word>[A-Za-z_]\w*|\d[\w.]*)|(?P<sign>&&|\|\||[<>=!]=|\S)"
)
_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!=", "in"})
_JOINS, _ENDS = frozenset({"", "(", "&&", "||"}), frozenset({"", ")", "&&", "||"})


def find_drift_fields(policy: Policy) -> frozenset[str]:
    """Return the drift facts that a policy uses."""
    fields = {condition.field for condition in policy.conditions if condition.field in DRIFT_FIELDS}
    return frozenset(fields | _fields_in(policy.when or ""))


def check_drift_action(policy: Policy) -> None:
    """Raise for a policy that uses drift facts to allow something."""
    if policy.action is Verdict.ALLOW and find_drift_fields(policy):
        raise ConfigError("a policy that uses `drift` cannot allow anything: agents shape their own baselines")


def check_drift_condition(condition: Condition) -> None:
    """Raise for a condition that would hold because there is less drift."""
    field, operator, value = condition.field, condition.operator, condition.value
    if field == RATE:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if operator not in ("gt", "gte") or not is_number:
            raise ConfigError(f"`{field}` is a number that only counts if it is high; write `{field}>5`")
    elif (operator, value) not in (("equals", True), ("not_equals", False)) or not isinstance(value, bool):
        raise ConfigError(f"`{field}` only counts if it is true; write `{field}=true`")


@cache
def _fields_in(text: str) -> frozenset[str]:
    """Return the facts that an expression uses: those without which it does not compile."""
    if "drift" not in text:
        return frozenset()
    from interlock.policy.expression import compiles_without

    return frozenset(field for field in DRIFT_FIELDS if not compiles_without(text, field))


def check_drift_expression(text: str) -> None:
    """Raise unless every fact of an expression is a part of `&&` and `||`, and a rate is compared as higher."""
    tokens = _read_tokens(text)
    found = set()
    for at, (kind, token) in enumerate(tokens):
        if kind == "fact":
            found.add(token)
            if not _is_positive(tokens, at):
                usage = f"{RATE} > 5.0" if token == RATE else token
                raise ConfigError(f"`{token}` can only make a policy stricter; join `{usage}` with `&&` or `||`")
    if missed := sorted(_fields_in(text) - found):
        raise ConfigError(f"write `{missed[0]}` without anything inside it")


def _read_tokens(text: str) -> list[tuple[str, str]]:
    from interlock.policy.expression_problems import LITERAL

    code = LITERAL.sub(lambda found: " " if found[0].startswith("//") else " 0 ", text)
    tokens: list[tuple[str, str]] = []
    for found in _TOKEN.finditer(code):
        kind, token = str(found.lastgroup), "".join(found[0].split())
        if kind == "fact" and token.startswith(".") and tokens and _ends_value(tokens[-1]):
            kind = "word"  # a field of another object, such as `inputPayload.drift.rate`
        tokens.append((kind, token.lstrip(".") if kind == "fact" else token))
    return tokens


def _ends_value(token: tuple[str, str]) -> bool:
    return token[0] in ("word", "fact") or token[1] in (")", "]", "}")


def _is_positive(tokens: list[tuple[str, str]], at: int) -> bool:
    """Whether a fact is a part of `&&` and `||`, in parentheses or not."""
    start, end = at, at + 1
    if tokens[at][1] == RATE:
        if _at(tokens, end) not in (">", ">="):
            return False
        end += 1
        while _at(tokens, end) not in _ENDS:
            if _at(tokens, end) in _COMPARISONS or _at(tokens, end) in ("(", "[", "{", "?"):
                return False
            end += 1
    while True:
        if _at(tokens, start - 1) not in _JOINS or _at(tokens, end) not in _ENDS:
            return False
        opening, closing = _enclosing_start(tokens, start), _enclosing_end(tokens, end)
        if opening is None or closing is None:
            return opening is None and closing is None and ("sign", "?") not in tokens
        if tokens[opening][1] != "(" or (opening and _ends_value(tokens[opening - 1])):
            return False
        start, end = opening, closing + 1


def _at(tokens: list[tuple[str, str]], index: int) -> str:
    return tokens[index][1] if 0 <= index < len(tokens) else ""


def _enclosing_start(tokens: list[tuple[str, str]], start: int) -> int | None:
    """Return where the innermost brackets around a place open."""
    depth = 0
    for index in range(start - 1, -1, -1):
        depth += (tokens[index][1] in (")", "]", "}")) - (tokens[index][1] in ("(", "[", "{"))
        if depth < 0:
            return index
    return None


def _enclosing_end(tokens: list[tuple[str, str]], end: int) -> int | None:
    """Return where the innermost brackets around a place close."""
    depth = 0
    for index in range(end, len(tokens)):
        depth += (tokens[index][1] in ("(", "[", "{")) - (tokens[index][1] in (")", "]", "}"))
        if depth < 0:
            return index
    return None
