"""Convert between a policy and the fields of the editor's form: one condition a line, one field for the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.schema import Config
from interlock.errors import ConfigError
from interlock.patterns import late
from interlock.policies.policy_input import PolicyInput, compile_policy
from interlock.policy.conditions import OPERATORS, Condition, parse_short
from interlock.policy.policies import Policy
from interlock.sanitise import plain

_LINE = late(rf"^(\S+)\s+({'|'.join(OPERATORS)})(?:\s+(.*))?$", re.DOTALL)
FIELDS = (
    "policyId name description action conditions when during outside enabled approvers who reason model challenge "
    "timeout note"
).split()
#: The longest text of a field.
MAX_FIELD = 50_000
CHALLENGES = ("", "confirm", "quiz", "teach_back", "multi_party")


def format_condition(condition: Condition) -> str:
    """Return a condition on one line.

    >>> format_condition(Condition("environment", "in", ["production", "critical"]))
    'environment in ["production", "critical"]'
    """
    text = json.dumps(condition.value, ensure_ascii=False)
    if plain(text) != text:
        text = json.dumps(condition.value)  # as escapes, since a page would change such characters
    value = "" if condition.value is None else f" {text}"
    return f"{condition.field} {condition.operator}{value}"


def parse_condition(line: str) -> Condition:
    """Parse a condition: `field operator value`, or the short form `field=value`.

    >>> parse_condition('toolName equals "deploy"') == parse_condition("toolName=deploy")
    True
    """
    parts = _LINE.match(line.strip())
    if parts is None:
        return parse_short(line.strip())
    field, operator, text = parts[1], parts[2], parts[3]
    if text is None:
        return Condition(field, operator, True if operator == "exists" else None)
    try:
        value: Any = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ConfigError("a value contains an unpaired surrogate") from None
    except (ValueError, RecursionError):
        if text.startswith(('"', "[", "{")):
            raise ConfigError(f"`{text[:60]}` is not valid JSON; check the quotes") from None
        value = text
    return Condition(field, operator, value)


def is_lossless(fields: Mapping[str, str]) -> bool:
    """Whether the form would send the fields back unchanged: pages make some characters visible, which changes them."""
    return all(
        len(text) <= MAX_FIELD and all(plain(line) == line for line in text.split("\n")) for text in fields.values()
    )


def form_fields(policy: Policy) -> dict[str, str]:
    """Return a policy as fields of the form."""
    ask = policy.approval
    return {
        "policyId": policy.policy_id,
        "name": policy.name,
        "description": policy.description,
        "action": policy.action.value,
        "conditions": "\n".join(format_condition(one) for one in policy.conditions),
        "when": policy.when or "",
        "during": policy.during or "",
        "outside": policy.outside or "",
        "enabled": "on" if policy.enabled else "",
        "approvers": str(ask.approvers) if ask else "",
        "who": ", ".join(ask.who) if ask else "",
        "reason": "on" if ask and ask.reason else "",
        "model": "on" if ask and ask.model else "",
        "challenge": ask.challenge if ask and ask.challenge != "auto_approve" else "",
        "timeout": str(ask.timeout_seconds) if ask and ask.timeout_seconds else "",
        "note": "",
    }


EMPTY_FORM = {**dict.fromkeys(FIELDS, ""), "action": "require_approval", "enabled": "on"}


def parse_form(form: Mapping[str, str]) -> PolicyInput:
    """Return the policy in a form, or raise with what is wrong with it."""
    lines = [line for line in form["conditions"].splitlines() if line.strip()]
    fields: dict[str, Any] = {
        "policyId": form["policyId"].strip(),
        "action": form["action"],
        "name": form["name"].strip(),
        "description": " ".join(form["description"].split()),
        "conditions": [msgspec.to_builtins(parse_condition(line)) for line in lines],
        "when": form["when"].strip() or None,
        "during": form["during"].strip() or None,
        "outside": form["outside"].strip() or None,
        "enabled": bool(form["enabled"]),
        "approval": _parse_approval(form),
        "note": form["note"].strip(),
    }
    if not fields["policyId"] or "/" in fields["policyId"]:
        raise ConfigError("a policy needs an id without a `/`, such as `no-deploys-on-friday`")
    try:
        return msgspec.convert(fields, PolicyInput)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error)) from None


def parse_number(text: str, name: str) -> int:
    """Parse a whole number, or raise."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ConfigError(f"`{name}` must be a number, found `{text[:60]}`")
    return int(text)


def _parse_approval(form: Mapping[str, str]) -> dict[str, Any] | None:
    ask: dict[str, Any] = {}
    for name, key in (("approvers", "approvers"), ("timeout", "timeoutSeconds")):
        if form[name].strip():
            ask[key] = parse_number(form[name].strip(), name)
    who = [one.strip() for one in form["who"].split(",") if one.strip()]
    ask |= {"who": who} if who else {}
    ask |= {name: True for name in ("reason", "model") if form[name]}
    ask |= {"challenge": form["challenge"]} if form["challenge"] else {}
    return ask or None


def check_form(form: Mapping[str, str], config: Config, saved: Policy | None = None) -> tuple[PolicyInput | None, str]:
    """Return the policy in a form and no error, or None and the error.

    Fields that the form does not show keep their saved values.
    """
    try:
        given = parse_form(form)
        if saved is not None:
            given = _keep_hidden(given, saved)
        compile_policy(given, config)
    except ConfigError as error:
        return None, str(error)
    return given, ""


def _keep_hidden(given: PolicyInput, saved: Policy) -> PolicyInput:
    approval = given.approval
    if approval is not None and saved.approval is not None:
        approval = msgspec.structs.replace(approval, liftable=saved.approval.liftable)
    return msgspec.structs.replace(given, limit=saved.limit, missing=saved.missing, approval=approval)
