"""A policy as a form writes it: conditions a line each, and everything else in a field of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.schema import Config
from interlock.errors import ConfigError
from interlock.patterns import late
from interlock.policy.conditions import OPERATORS, Condition, parse_short
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.server.drafting import PolicyGiven, policy_from

_LINE = late(rf"^(\S+)\s+({'|'.join(OPERATORS)})(?:\s+(.*))?$", re.DOTALL)
FIELDS = (
    "policyId name description action conditions when enabled approvers who reason model challenge timeout note".split()
)
#: A longer text than a form takes.
MAX_FIELD = 50_000
CHALLENGES = ("", "confirm", "quiz", "teach_back", "multi_party")


def condition_line(condition: Condition) -> str:
    """Return a condition on one line.

    >>> condition_line(Condition("environment", "in", ["production", "critical"]))
    'environment in ["production", "critical"]'
    """
    told = json.dumps(condition.value, ensure_ascii=False)
    if plain(told) != told:
        told = json.dumps(condition.value)  # what a page makes visible is written so that it comes back as it was
    value = "" if condition.value is None else f" {told}"
    return f"{condition.field} {condition.operator}{value}"


def condition_of(line: str) -> Condition:
    """Return the condition of a line: `field operator value`, or the short form `field=value`.

    >>> condition_of('toolName equals "deploy"') == condition_of("toolName=deploy")
    True
    """
    found = _LINE.match(line.strip())
    if found is None:
        return parse_short(line.strip())
    if found[3] is None:
        return Condition(found[1], found[2], True if found[2] == "exists" else None)
    try:
        value: Any = json.loads(found[3])
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ConfigError("a value has half a character in it") from None
    except (ValueError, RecursionError):
        if found[3].startswith(('"', "[", "{")):
            raise ConfigError(f"`{found[3][:60]}` begins like JSON, and is none; mind the quotes") from None
        value = found[3]
    return Condition(found[1], found[2], value)


def is_faithful(fields: Mapping[str, str]) -> bool:
    """Whether a form gives back what it was given: it does not where a page must make characters visible."""
    return all(
        len(text) <= MAX_FIELD and all(plain(line) == line for line in text.split("\n")) for text in fields.values()
    )


def written(policy: Policy) -> dict[str, str]:
    """Return a policy as the fields of a form."""
    ask = policy.approval
    return {
        "policyId": policy.policy_id,
        "name": policy.name,
        "description": policy.description,
        "action": policy.action.value,
        "conditions": "\n".join(condition_line(one) for one in policy.conditions),
        "when": policy.when or "",
        "enabled": "on" if policy.enabled else "",
        "approvers": str(ask.approvers) if ask else "",
        "who": ", ".join(ask.who) if ask else "",
        "reason": "on" if ask and ask.reason else "",
        "model": "on" if ask and ask.model else "",
        "challenge": ask.challenge if ask and ask.challenge != "auto_approve" else "",
        "timeout": str(ask.timeout_seconds) if ask and ask.timeout_seconds else "",
        "note": "",
    }


NOTHING = {**dict.fromkeys(FIELDS, ""), "action": "require_approval", "enabled": "on"}


def given_of(form: Mapping[str, str]) -> PolicyGiven:
    """Return what a form says, or raise with what is wrong in it."""
    lines = [line for line in form["conditions"].splitlines() if line.strip()]
    fields: dict[str, Any] = {
        "policyId": form["policyId"].strip(),
        "action": form["action"],
        "name": form["name"].strip(),
        "description": " ".join(form["description"].split()),
        "conditions": [msgspec.to_builtins(condition_of(line)) for line in lines],
        "when": form["when"].strip() or None,
        "enabled": bool(form["enabled"]),
        "approval": _ask(form),
        "note": form["note"].strip(),
    }
    if not fields["policyId"] or "/" in fields["policyId"]:
        raise ConfigError("a policy needs an id without a `/`, such as `no-deploys-on-friday`")
    try:
        return msgspec.convert(fields, PolicyGiven)
    except msgspec.ValidationError as error:
        raise ConfigError(str(error)) from None


def number(text: str, name: str) -> int:
    """Return a number that somebody has written, or raise."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ConfigError(f"`{name}` is a number, found `{text[:60]}`")
    return int(text)


def _ask(form: Mapping[str, str]) -> dict[str, Any] | None:
    ask: dict[str, Any] = {}
    for name, key in (("approvers", "approvers"), ("timeout", "timeoutSeconds")):
        if form[name].strip():
            ask[key] = number(form[name].strip(), name)
    who = [one.strip() for one in form["who"].split(",") if one.strip()]
    ask |= {"who": who} if who else {}
    ask |= {name: True for name in ("reason", "model") if form[name]}
    ask |= {"challenge": form["challenge"]} if form["challenge"] else {}
    return ask or None


def checked(form: Mapping[str, str], config: Config) -> tuple[PolicyGiven | None, str]:
    """Return what a form says, compiled, or why it cannot be."""
    try:
        given = given_of(form)
        policy_from(given, config)
    except ConfigError as error:
        return None, str(error)
    return given, ""
