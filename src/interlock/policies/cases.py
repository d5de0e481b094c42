"""Tests of policies: a file of cases, each an action and the expected decision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from interlock.config.load import load, load_policies, read
from interlock.config.schema import Config
from interlock.documents import Document
from interlock.engine import Engine
from interlock.errors import nearest
from interlock.memory.state import RunState
from interlock.model import Action, Decision
from interlock.policy.drift import GivenDrift

Expected = Literal["allow", "warn", "require_approval", "block"]
#: The keys for the action. A case has exactly one.
_ACTIONS = ("tool", "shell", "python", "sql")
_TOP = ("policies", "defaults", "cases")


class RunCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The run of a case: its metadata, and the requests of the person behind it."""

    metadata: dict[str, Any] = {}
    requests: tuple[str, ...] = ()


class PolicyCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action and its expected verdict, and optionally a matching policy and the number of approvers."""

    name: str
    expect: Expected
    tool: str | None = None
    input: dict[str, Any] = {}
    shell: str | None = None
    python: str | None = None
    sql: str | None = None
    agent: str | None = None
    user: str | None = None
    tenant: str | None = None
    run: RunCase = RunCase()
    drift: GivenDrift | None = None
    now: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    environment: str | None = None
    workspace: str | None = None
    cwd: str | None = None
    home: str | None = None
    metadata: dict[str, Any] = {}
    policy: str | None = None
    approvers: int | None = None

    @property
    def action(self) -> Action:
        """The action of this case."""
        names = ("user", "tenant", "environment", "workspace", "cwd", "home", "metadata")
        where = {name: getattr(self, name) for name in names}
        where = {**where, "agent_id": self.agent, "cwd": self.cwd or self.workspace}
        for kind in ("shell", "python", "sql"):
            text = getattr(self, kind)
            if text is not None:
                made: Action = getattr(Action, kind)(text, **where)
                return made
        return Action(tool_name=self.tool or "", input_payload=self.input, **where)

    @property
    def state(self) -> RunState | None:
        """The state of the run of this case."""
        return RunState(metadata=self.run.metadata, requests=self.run.requests) if self.run != RunCase() else None


class CaseResult(msgspec.Struct, frozen=True):
    """The result of a case: its decision, and the differences from the expected one."""

    case: PolicyCase
    line: int | None
    decision: Decision
    differences: tuple[str, ...]


class CaseFile:
    """A file of cases, and the engine that decides them."""

    def __init__(self, path: Path, config: Config | None = None) -> None:
        self.path, self._document = path, read(path)
        values = self._document.values
        for key in values:
            if key not in _TOP:
                raise self._document.error(f"unknown key `{key}`{nearest(key, _TOP)}", key)
        self._engine = _make_engine(self._document, path, config)

    def run(self) -> Iterator[CaseResult]:
        """Decide the cases one by one."""
        values = self._document.values
        for at, item in enumerate(values["cases"]):
            case = _read_case(self._document, {**values.get("defaults", {}), **item}, at)
            decision = self._engine.decide(case.action, case.state, case.now, case.drift)
            line = self._document.line(("cases", at))
            yield CaseResult(case, line, decision, tuple(_compare(case, decision)))


def is_case_file(path: Path) -> bool:
    """Whether a file holds cases rather than policies."""
    return path.suffix == ".toml" and bool(read(path).values.get("cases"))


def _make_engine(document: Document, path: Path, config: Config | None) -> Engine:
    """Return the engine of the policies that a file names, or of the configuration that applies here."""
    named = document.values.get("policies")
    if named is None:
        return (config or load(trusting=True)).engine()
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        raise document.error('`policies` is a list of files: `policies = ["policies.toml"]`', "policies")
    policies = tuple(policy for one in named for policy in load_policies(path.parent / one))
    return (config or load(trusting=True)).engine(policies=policies)


def _read_case(document: Document, item: dict[str, Any], at: int) -> PolicyCase:
    known = PolicyCase.__struct_fields__
    for key in item:
        if key not in known:
            raise document.error(f"unknown key `{key}` in a case{nearest(key, known)}", "cases", at, key)
    given = [name for name in _ACTIONS if name in item]
    if len(given) != 1:
        raise document.error(f"a case has one of {', '.join(f'`{name}`' for name in _ACTIONS)}", "cases", at)
    if item.get("expect") not in get_args(Expected):
        given_verdict = str(item.get("expect", ""))
        message = f"`expect` is one of {', '.join(get_args(Expected))}; found `{given_verdict}`"
        raise document.error(f"{message}{nearest(given_verdict, get_args(Expected))}", "cases", at)
    for key in item["drift"] if isinstance(item.get("drift"), dict) else ():
        if key not in GivenDrift.__struct_fields__:
            message = f"unknown fact `drift.{key}`{nearest(key, GivenDrift.__struct_fields__)}"
            raise document.error(message, "cases", at, "drift", key)
    now = item.get("now")
    if isinstance(now, datetime) and now.tzinfo is None:
        raise document.error(f"`now` needs a zone: `{now.isoformat()}+01:00`", "cases", at, "now")
    try:
        return msgspec.convert(item, PolicyCase)
    except msgspec.ValidationError as error:
        raise document.error(f"this is not a case: {error}", "cases", at) from None


def _compare(case: PolicyCase, decision: Decision) -> Iterator[str]:
    """Yield each difference between a decision and the expected one."""
    if decision.verdict.value != case.expect:
        yield f"expected {case.expect}, got {decision.verdict.value} ({decision.because})"
    matched = [match.policy_id for match in decision.matched_policies]
    if case.policy is not None and case.policy not in matched:
        yield f"expected policy `{case.policy}`, matched {', '.join(f'`{one}`' for one in matched) or 'none'}"
    approvers = decision.needs.approvers if decision.needs else 0
    if case.approvers is not None and case.approvers != approvers:
        yield f"expected {case.approvers} approvers, got {approvers}"
