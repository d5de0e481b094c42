"""Convert between a policy and the editor's form: rows and fields, or the policy as text."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.config.schema import Config
from interlock.errors import ConfigError, ConflictError
from interlock.model import Struct
from interlock.policies.policy_input import PolicyInput, compile_policy, policy_input
from interlock.policies.policy_text import format_policy_text, parse_policy_text
from interlock.policy.conditions import Condition, compile_condition
from interlock.policy.expression_problems import find_expression_problem
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.server.pages.condition_rows import ConditionRow, make_row, parse_row

CHALLENGES = ("", "confirm", "quiz", "teach_back", "multi_party")
MAX_ROWS = 50
MAX_TEXT = 50_000


class PolicyForm(Struct, frozen=True, kw_only=True):
    """The fields of the editor as they were typed. With `as_text`, only `text` and `note` count."""

    policy_id: str = ""
    name: str = ""
    description: str = ""
    action: str = "require_approval"
    rows: tuple[ConditionRow, ...] = ()
    when: str = ""
    during: str = ""
    outside: str = ""
    missing: str = ""
    enabled: str = "on"
    approvers: str = ""
    who: str = ""
    reason: str = ""
    model: str = ""
    challenge: str = ""
    timeout: str = ""
    most: str = ""
    per: str = "day"
    of: str = ""
    by: str = "agent"
    note: str = ""
    text: str = ""
    as_text: str = ""


class FormProblem(Struct, frozen=True, kw_only=True):
    """What is wrong with a form, and where: in a `row`, in the expression (`when`), or in the `text`."""

    message: str = ""
    part: str = ""
    row: int | None = None
    line: int = 0
    column: int = 0
    excerpt: str = ""
    caret: int = 0

    def __str__(self) -> str:
        if self.row is not None:
            return f"condition {self.row + 1}: {self.message}"
        if self.part == "when" and self.line:
            return f"expression, line {self.line}, column {self.column}: {self.message}"
        return f"line {self.line}: {self.message}" if self.line else self.message


class FormError(Exception):
    """A form is not a policy."""

    def __init__(self, problem: FormProblem) -> None:
        self.problem = problem
        super().__init__(str(problem))


EMPTY_FORM = PolicyForm(rows=(ConditionRow(),))


def open_form(policy: Policy) -> PolicyForm:
    """Return a policy as rows if they can express it exactly, else as text; raise if neither can."""
    try:
        return form_fields(policy)
    except ConfigError:
        return PolicyForm(policy_id=policy.policy_id, name=policy.name, text=format_policy_text(policy), as_text="on")


def form_fields(policy: Policy) -> PolicyForm:
    """Return a policy as rows and fields of the form, or raise if they cannot express it exactly."""
    form = _fill_form(policy)
    try:
        is_same = msgspec.json.encode(parse_form(form)) == msgspec.json.encode(policy_input(policy))
    except FormError as error:
        raise ConfigError(str(error)) from None
    if not is_same or not _is_shown_whole(form):
        raise ConfigError("this policy can only be shown as text")
    return form


def _fill_form(policy: Policy) -> PolicyForm:
    ask, limit = policy.approval, policy.limit
    return PolicyForm(
        policy_id=policy.policy_id,
        name=policy.name,
        description=policy.description,
        action=policy.action.value,
        rows=tuple(make_row(one) for one in policy.conditions),
        when=policy.when or "",
        during=policy.during or "",
        outside=policy.outside or "",
        missing="on" if policy.missing == "matches" else "",
        enabled="on" if policy.enabled else "",
        approvers=str(ask.approvers) if ask else "",
        who=", ".join(ask.who) if ask else "",
        reason="on" if ask and ask.reason else "",
        model="on" if ask and ask.model else "",
        challenge=ask.challenge if ask and ask.challenge != "auto_approve" else "",
        timeout=str(ask.timeout_seconds) if ask and ask.timeout_seconds else "",
        most=_number(limit.most) if limit else "",
        per=limit.per if limit else "day",
        of=(limit.of or "") if limit else "",
        by=limit.by if limit else "agent",
    )


def _number(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


def _is_shown_whole(form: PolicyForm) -> bool:
    """Whether a page shows every field unchanged: it makes some characters visible, and cuts long texts."""
    texts = [text for text in msgspec.to_builtins(form).values() if isinstance(text, str)]
    return all(len(text) <= MAX_TEXT and all(plain(line) == line for line in text.split("\n")) for text in texts)


def parse_form(form: PolicyForm) -> PolicyInput:
    """Return the policy in a form, or raise `FormError` with what is wrong with it and where."""
    if form.as_text:
        return _parse_text(form)
    policy_id = form.policy_id.strip()
    if not policy_id or "/" in policy_id:
        problem = "a policy needs an id without a `/`, such as `no-deploys-on-friday`"
        raise FormError(FormProblem(message=problem, part="policyId"))
    rows = [(number, row) for number, row in enumerate(form.rows) if not row.is_empty]
    fields: dict[str, Any] = {
        "policyId": policy_id,
        "action": form.action,
        "name": form.name.strip(),
        "description": " ".join(form.description.split()),
        "conditions": [msgspec.to_builtins(_parse_row(number, row)) for number, row in rows],
        "when": _parse_when(form.when.replace("\r\n", "\n").strip()),
        "during": form.during.strip() or None,
        "outside": form.outside.strip() or None,
        "missing": "matches" if form.missing else "differs",
        "enabled": bool(form.enabled),
        "approval": _parse_approval(form),
        "limit": _parse_limit(form),
        "note": form.note.strip(),
    }
    try:
        return msgspec.convert(fields, PolicyInput)
    except (msgspec.ValidationError, ConfigError) as error:
        raise FormError(FormProblem(message=str(error))) from None


def _parse_text(form: PolicyForm) -> PolicyInput:
    if len(form.text) > MAX_TEXT:
        raise FormError(FormProblem(message=f"the text has at most {MAX_TEXT:,} characters", part="text"))
    try:
        given = parse_policy_text(form.text)
        return msgspec.convert({**msgspec.to_builtins(given), "note": form.note.strip()}, PolicyInput)
    except ConfigError as error:
        raise FormError(FormProblem(message=error.message, part="text", line=error.line or 0)) from None
    except msgspec.ValidationError as error:
        raise FormError(FormProblem(message=str(error), part="text")) from None


def _parse_row(number: int, row: ConditionRow) -> Condition:
    try:
        condition = parse_row(row)
        compile_condition(condition)
    except (ConfigError, TypeError) as error:
        raise FormError(FormProblem(message=str(error), part="row", row=number)) from None
    return condition


def _parse_when(text: str) -> str | None:
    problem = find_expression_problem(text) if text else None
    if problem is not None:
        raise FormError(FormProblem(part="when", **msgspec.structs.asdict(problem)))
    return text or None


def parse_number(text: str, name: str) -> int:
    """Parse a whole number, or raise."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ConfigError(f"`{name}` must be a number, found `{plain(text)[:60]}`")
    return int(text)


def _parse_approval(form: PolicyForm) -> dict[str, Any] | None:
    ask: dict[str, Any] = {}
    for name, key in (("approvers", "approvers"), ("timeout", "timeoutSeconds")):
        text = getattr(form, name).strip()
        if text:
            try:
                ask[key] = parse_number(text, name)
            except ConfigError as error:
                raise FormError(FormProblem(message=str(error), part=name)) from None
    who = [one.strip() for one in form.who.split(",") if one.strip()]
    ask |= {"who": who} if who else {}
    ask |= {name: True for name in ("reason", "model") if getattr(form, name)}
    ask |= {"challenge": form.challenge} if form.challenge else {}
    return ask or None


def _parse_limit(form: PolicyForm) -> dict[str, Any] | None:
    text = form.most.strip()
    if not text:
        return None
    try:
        most = float(text) if text.isascii() and len(text) < 30 else float("nan")
    except ValueError:
        most = float("nan")
    if not 0 <= most < float("inf"):
        message = f"the limit must be a number, found `{plain(text)[:60]}`"
        raise FormError(FormProblem(message=message, part="most"))
    return {"most": most, "per": form.per, "of": form.of.strip() or None, "by": form.by}


def check_form(form: PolicyForm, config: Config) -> tuple[PolicyInput | None, FormProblem]:
    """Return the policy in a form and an empty problem, or None and the problem."""
    try:
        given = parse_form(form)
        compile_policy(given, config)
    except FormError as error:
        return None, error.problem
    except (ConfigError, ConflictError) as error:
        return None, FormProblem(message=str(error))
    return given, FormProblem()
