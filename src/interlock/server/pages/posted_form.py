"""The editor's form as a browser submits it, and the buttons that change it without saving."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.config.schema import Config
from interlock.errors import ConfigError
from interlock.policies.policy_input import compile_policy
from interlock.policies.policy_text import format_policy_text
from interlock.server.pages.condition_rows import ConditionRow
from interlock.server.pages.policy_form import MAX_ROWS, FormError, FormProblem, PolicyForm, form_fields, parse_form

_TEXTS = tuple((field.name, field.encode_name) for field in msgspec.structs.fields(PolicyForm) if field.name != "rows")
#: The id of a policy that has none yet, while it is tested or shown as text.
UNNAMED = "new-policy"
_PARTS = ("field", "path", "operator", "value")


def read_sent_form(sent: Any) -> PolicyForm:
    """Return the form that a browser sent. What is missing is empty."""
    columns = [[str(one) for one in sent.getall(name, [])] for name in _PARTS]
    rows = tuple(ConditionRow(*row) for row in zip(*columns, strict=False))[: MAX_ROWS + 1]
    return PolicyForm(rows=rows, **{name: str(sent.get(key, "")) for name, key in _TEXTS})


def with_id(form: PolicyForm) -> PolicyForm:
    """Return a form that can be tested before its policy has an id."""
    return form if form.as_text or form.policy_id.strip() else msgspec.structs.replace(form, policy_id=UNNAMED)


def change_form(form: PolicyForm, button: str, config: Config) -> tuple[PolicyForm, FormProblem]:
    """Return the form after a button such as `add`, `remove-2` or `text`, and what kept it from changing."""
    name, _, number = button.partition("-")
    if name == "text":
        return _to_text(form)
    if name == "rows":
        return _to_rows(form, config)
    rows = change_rows(form.rows, name, int(number) if number.isascii() and number.isdigit() else 0)
    return msgspec.structs.replace(form, rows=rows), FormProblem()


def change_rows(rows: tuple[ConditionRow, ...], change: str, at: int) -> tuple[ConditionRow, ...]:
    """Return rows with one added at the end, or one removed or moved.

    >>> one, two = ConditionRow("toolName"), ConditionRow("user")
    >>> change_rows((one, two), "up", 1) == (two, one), change_rows((one, two), "remove", 0) == (two,)
    (True, True)
    """
    kept = list(rows)
    if change == "add" and len(kept) < MAX_ROWS:
        kept.append(ConditionRow())
    elif change == "remove" and at < len(kept):
        del kept[at]
    elif change in ("up", "down") and at < len(kept):
        to = at - 1 if change == "up" else at + 1
        if 0 <= to < len(kept):
            kept[at], kept[to] = kept[to], kept[at]
    return tuple(kept)


def _to_text(form: PolicyForm) -> tuple[PolicyForm, FormProblem]:
    """Return a form of rows as text, or unchanged if it is no policy yet."""
    if form.as_text:
        return form, FormProblem()
    try:
        text = format_policy_text(parse_form(with_id(form)))
        return msgspec.structs.replace(form, text=text, as_text="on"), FormProblem()
    except FormError as error:
        return form, error.problem
    except ConfigError as error:
        return form, FormProblem(message=str(error))


def _to_rows(form: PolicyForm, config: Config) -> tuple[PolicyForm, FormProblem]:
    """Return a form of text as rows, or unchanged if it is no policy yet, or rows cannot express it."""
    if not form.as_text:
        return form, FormProblem()
    try:
        fields = form_fields(compile_policy(parse_form(form), config))
    except FormError as error:
        return form, error.problem
    except ConfigError as error:
        return form, FormProblem(message=str(error), part="text")
    return msgspec.structs.replace(fields, note=form.note), FormProblem()
