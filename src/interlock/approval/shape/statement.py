"""Shapes of SQL: one plain statement, whose condition compares columns with other values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.sql.syntax_tree import is_holder, is_key
from interlock.approval.shape.description import describe_shape
from interlock.approval.shape.holes import Hole
from interlock.approval.shape.pattern import effect_patterns
from interlock.approval.shape.shape import Candidate, Shape, other_arguments, value_digest
from interlock.approval.shape.tool import can_be_shown
from interlock.patterns import late

MAX_TOKENS, MAX_HOLES = 80, 8
_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){0,2}"
#: No quoted names, comments, parameters, operators or escapes: databases differ in how they read those.
_TOKEN = late(rf"[ \t\n]*((?:{_NAME}|[0-9]{{1,18}}|'[A-Za-z0-9 _.@:+-]*')(?![A-Za-z0-9_.'])|[=,()*])")
_COLUMN = late(_NAME)
_STARTS = frozenset({"delete", "update", "select"})
#: Words that are no columns.
_RESERVED = frozenset(
    "and or not in is null true false case when exists between like any all some select from where default "
    "binary interval row current_user current_date current_timestamp".split()
)


def propose_statements(candidate: Candidate) -> Iterator[Shape]:
    """Yield the shapes of a statement: with other keys of rows, then also with other values of other columns."""
    tokens = split_statement(candidate.decision.assessment.analysis.text)
    if tokens is None or not can_be_shown(other_arguments(candidate)):
        return
    for only_keys in (True, False):
        parts = _with_holes(tokens, only_keys=only_keys)
        if 0 < sum(isinstance(part, Hole) for part in parts) <= MAX_HOLES:
            yield _make_shape(candidate, parts)


def _make_shape(candidate: Candidate, parts: tuple[str | Hole, ...]) -> Shape:
    assessed = candidate.decision.assessment
    return Shape(
        text=describe_shape(candidate, parts, other_arguments(candidate)),
        frame=candidate.frame,
        words=parts,
        arguments={},
        fixed={name: value_digest(value) for name, value in other_arguments(candidate).items()},
        effects=effect_patterns(candidate, {}),
        rules=tuple(sorted({finding.rule for finding in assessed.findings})),
        policies=tuple(sorted({match.policy_id for match in candidate.decision.matched_policies})),
        level=assessed.level,
        score=assessed.score,
        reversible=assessed.reversible,
    )


def split_statement(text: str) -> list[str] | None:
    """Return the tokens of one plain statement whose condition is `column = value AND …`, else None.

    >>> split_statement("DELETE FROM orders WHERE id = 5;")
    ['DELETE', 'FROM', 'orders', 'WHERE', 'id', '=', '5']
    >>> split_statement("DELETE FROM orders WHERE id = 5 OR 1 = 1"), split_statement("DELETE FROM orders")
    (None, None)
    """
    body = text.strip(" \t\n").removesuffix(";").rstrip(" \t\n")
    tokens: list[str] = []
    at = 0
    while at < len(body) and len(tokens) <= MAX_TOKENS:
        found = _TOKEN.match(body, at)
        if found is None:
            return None
        tokens.append(found[1])
        at = found.end()
    lower = [token.casefold() for token in tokens]
    if len(tokens) > MAX_TOKENS or lower[:1] == [] or lower[0] not in _STARTS or lower.count("where") != 1:
        return None
    where = lower.index("where")
    is_plain = "(" not in tokens[:where] and not _STARTS & set(lower[1:])
    return tokens if is_plain and _read_condition(tokens[where + 1 :]) is not None else None


def _read_condition(tokens: Sequence[str]) -> list[tuple[str, int, int]] | None:
    """Return the comparisons of a condition as column, and begin and end of the values; None if it is another one."""
    found, at = [], 0
    while True:
        column, operator = (*tokens[at : at + 2], "", "")[:2]
        if _COLUMN.fullmatch(column) is None or column.rpartition(".")[2].casefold() in _RESERVED:
            return None
        end = at + 3 if operator == "=" else _end_of_list(tokens, at + 2) if operator.casefold() == "in" else 0
        values = tokens[at + 2 : end]
        if not values or (operator == "=" and not _is_value(values[0])):
            return None
        found.append((column, at + 2, end))
        if end == len(tokens):
            return found
        if tokens[end].casefold() != "and":
            return None
        at = end + 1


def _end_of_list(tokens: Sequence[str], start: int) -> int:
    """Return where `(1, 2)` ends, or 0 if there is no such list."""
    if ")" not in tokens[start:]:
        return 0
    end = tokens.index(")", start)
    values, commas = tokens[start + 1 : end : 2], tokens[start + 2 : end : 2]
    is_list = tokens[start] == "(" and len(values) == len(commas) + 1
    return end + 1 if is_list and all(map(_is_value, values)) and set(commas) <= {","} else 0


def _is_value(token: str) -> bool:
    return token[0] == "'" or token.isdigit()


def _with_holes(tokens: Sequence[str], *, only_keys: bool) -> tuple[str | Hole, ...]:
    """Return the tokens with holes for values that columns are compared with; a tenant's or project's stays."""
    start = [token.casefold() for token in tokens].index("where") + 1
    parts: list[str | Hole] = list(tokens)
    for column, begin, end in _read_condition(tokens[start:]) or ():
        name = column.rpartition(".")[2]
        if is_holder(name) or (only_keys and not is_key(name)):
            continue
        for at in range(start + begin, start + end):
            parts[at] = _hole_for(tokens[at]) or tokens[at]
    return tuple(parts)


def _hole_for(token: str) -> Hole | None:
    if not _is_value(token):
        return None
    hole = Hole("row_text") if token[0] == "'" else Hole("row_number")
    return hole if hole.takes(token) else None
