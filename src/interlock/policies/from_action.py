"""Draft a policy from a recorded decision. It covers actions of the same kind and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from interlock.analyse.addresses.hosts import host_of
from interlock.audit.record import Record
from interlock.audit.summary import MAX_ITEMS, MAX_SHOWN
from interlock.effects import READS
from interlock.errors import InterlockError
from interlock.levels import Verdict
from interlock.policies.policy_input import PolicyInput
from interlock.policy.conditions import Condition
from interlock.scoring.command import normalise_environment

DraftedAction = Literal["allow", "warn", "require_approval", "block"]
#: The verdicts that let an action run. A draft with one of them matches nothing beyond the recorded action.
LOOSE = (Verdict.ALLOW.value, Verdict.WARN.value)
#: Arguments of a command that change nothing about what it does.
_REMARKS = ("description", "timeout")
#: How many resources a record names; with as many, there may have been more.
_MAX_RESOURCES = 10
_WORDS = {"allow": "Allow", "warn": "Warn about", "require_approval": "Require approval for", "block": "Block"}
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_MASKED = re.compile(r"‹[0-9]+ masked›")


def draft_policy(record: Record, action: DraftedAction | None = None) -> PolicyInput:
    """Return a draft of a policy for actions like a recorded one.

    Without an `action`, the draft is as strict as the decision was, and requires approval at least. A strict draft
    matches whatever does the most serious thing that the action did, where it did it. A draft that allows the action
    matches nothing that does anything else, touches anything else, or scores higher; it raises if that is unknown.
    """
    chosen: DraftedAction = action or ("block" if record.outcome == Verdict.BLOCK.value else "require_approval")
    conditions = [Condition("toolName", "equals", record.name or ""), *_where(record.data)]
    subject = _subject(record.data)
    if chosen in LOOSE:
        when: str | None = _exclude_more(record.data)
    else:
        when = None
        conditions += [*_most_serious(record.data), *_hosts(record.data)]
    environment = _environment(record.data)
    place = f" in {environment}" if environment else ""
    words = f"{subject.replace('_', ' ') or record.name or 'this tool'}{place}"
    return PolicyInput(
        policy_id=_make_id(chosen, words),
        action=chosen,
        name=f"{_WORDS[chosen]} {words}"[:200],
        conditions=conditions,
        when=when,
    )


def _environment(data: dict[str, Any]) -> str | None:
    return normalise_environment(str(data["environment"])) if data.get("environment") else None


def _where(data: dict[str, Any]) -> list[Condition]:
    environment = _environment(data)
    return [Condition("environment", "equals", environment)] if environment else []


def _subject(data: dict[str, Any]) -> str:
    """Return the name of the most serious effect of an action: a rule that matched, or else a kind of effect."""
    rules, kinds = _texts(data, "rules"), _texts(data, "effects")
    return next(iter([*rules, *(kind for kind in kinds if kind not in READS), *kinds]), "")


def _most_serious(data: dict[str, Any]) -> list[Condition]:
    subject = _subject(data)
    if not subject:
        return []
    return [Condition("risk.rules" if subject in _texts(data, "rules") else "effects.kind", "equals", subject)]


def _hosts(data: dict[str, Any]) -> list[Condition]:
    """Return the condition that the action reaches the same host, if it reaches exactly one."""
    named = (resource.partition(":") for resource in _texts(data, "resources"))
    hosts = {host_of(name) or name for type_, _, name in named if type_ in ("url", "host")}
    return [Condition("resources", "contains", host) for host in hosts if host] if len(hosts) == 1 else []


def _exclude_more(data: dict[str, Any]) -> str:
    """Return the expression that an action has the input of the recorded one and no further effects, or raise.

    Effects alone are not enough: a larger amount, another cluster or other content has the same effect.
    """
    kinds, resources, same = _texts(data, "effects"), _texts(data, "resources"), _same_input(data)
    is_short = len(kinds) < MAX_ITEMS and len(resources) < _MAX_RESOURCES
    if data.get("coverage") != "full" or not kinds or not is_short or not same:
        raise InterlockError(
            "this action was not recorded in full, so no policy can allow exactly that; require approval or block it"
        )
    parts = (
        same,
        f"effects.all(effect, effect.kind in {_list(kinds)})",
        f"resources.all(resource, resource in {_list(resources)})",
        f"risk.score <= {int(data.get('score') or 0)}",
    )
    return " && ".join(parts)


def _same_input(data: dict[str, Any]) -> str:
    """Return the expression that an action has the input of the recorded one; an empty text if it was not recorded.

    A command may have remarks beside it. A call of a tool is recorded as JSON, which is also how CEL writes it.
    """
    text = str(data.get("text") or "")
    if not text or len(text) > MAX_SHOWN or _MASKED.search(text):
        return ""
    if "fields" in data:
        return _same_arguments(text)
    literal = msgspec.json.encode(text).decode()
    is_same = f"inputPayload[name] == {literal}"
    return f"inputPayload.exists(name, {is_same}) && inputPayload.all(name, name in {_list(_REMARKS)} || {is_same})"


def _same_arguments(text: str) -> str:
    """Return the expression for the arguments of a tool. They are written anew: a text of an agent is never code."""
    try:
        given = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return f"inputPayload == {msgspec.json.encode(given).decode()}"


def _texts(data: dict[str, Any], name: str) -> list[str]:
    return [str(text) for text in data.get(name) or ()]


def _list(texts: Sequence[str]) -> str:
    return msgspec.json.encode(list(texts)).decode()


def _make_id(action: str, words: str) -> str:
    """Return an id for a policy.

    >>> _make_id("block", "namespace delete in production")
    'block-namespace-delete-in-production'
    """
    return _NOT_IN_ID.sub("-", f"{action} {words}".lower()).strip("-")[:80].strip("-")
