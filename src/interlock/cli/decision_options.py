"""Create an action, a configuration and an engine from command line options."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.config.load import load
from interlock.config.schema import Config
from interlock.config.settings import ObserveSettings
from interlock.engine import Engine
from interlock.errors import InterlockError, nearest
from interlock.levels import Verdict
from interlock.model import Action, Decision
from interlock.policy.modes import MODES
from interlock.policy.policies import Policy, parse_line
from interlock.scoring.command import environment_name

if TYPE_CHECKING:
    from datetime import datetime

    from interlock.cli.commands.context_options import ContextOptions, Input

STATUS = {Verdict.ALLOW: 0, Verdict.WARN: 0, Verdict.BLOCK: 2, Verdict.REQUIRE_APPROVAL: 3}


def action_from(text: str | None, given: Input, context: ContextOptions) -> Action:
    """Return the action that the arguments describe, or raise and name the missing argument."""
    if given.tool is not None:
        if text is not None or given.python or given.sql:
            raise InterlockError("give either a text or `--tool`, not both")
        return Action(tool_name=given.tool, input_payload=_payload(given.input), **where(context))
    if given.input is not None:
        raise InterlockError("`--input` belongs to a tool; add `--tool NAME`")
    if given.python and given.sql:
        raise InterlockError("a text is Python or SQL, not both")
    if text is None or not text.strip():
        raise InterlockError("nothing to decide; give a command in quotes, or `--tool NAME --input JSON`")
    if text.startswith("--"):
        raise InterlockError(f"unknown option `{text}`; `--help` lists them")
    if text == "-":
        text = _read_standard_input()
    if given.python:
        return Action.python(text, **where(context))
    return Action.sql(text, **where(context)) if given.sql else Action.shell(text, **where(context))


def _read_standard_input() -> str:
    """Return all of standard input as text; invalid UTF-8 is replaced."""
    data: Any = sys.stdin.buffer.read()
    return str(data.decode("utf-8", "replace"))


def _payload(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InterlockError(f"`--input` is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InterlockError(f"`--input` must be a JSON object, found `{text[:40]}`")
    return value


def where(context: ContextOptions) -> dict[str, Any]:
    """Return the options about where the action runs, as fields of an action."""
    here = {"cwd": os.getcwd(), "workspace": os.getcwd(), "home": os.path.expanduser("~")} if context.here else {}
    typed = {
        "cwd": context.cwd,
        "workspace": context.workspace,
        "home": context.home,
        "agent_id": context.agent,
        "user": context.user,
        "tenant": context.tenant,
    }
    named = {name: value for name, value in typed.items() if value is not None}
    if context.environment is not None:
        named["environment"] = environment_name(context.environment) or ""
    return {**here, **named}


def config_from(context: ContextOptions) -> Config:
    """Return the configuration that applies, with the options on top."""
    config = load(context.config, workspace=context.workspace)
    if context.mode is not None:
        if context.mode not in MODES and context.mode not in config.modes:
            raise InterlockError(f"unknown mode `{context.mode}`{nearest(context.mode, [*MODES, *config.modes])}")
        config = msgspec.structs.replace(config, mode=context.mode)
    typed = read_typed_policies(context, {policy.policy_id for policy in config.policies})
    return msgspec.structs.replace(config, policies=(*config.policies, *typed)) if typed else config


def read_typed_policies(context: ContextOptions, taken: Collection[str] = ()) -> tuple[Policy, ...]:
    """Return the policies given as options, with ids that are not in use."""
    numbers = (number for number in itertools.count(1) if f"typed-{number}" not in taken)
    return tuple(parse_line(line, number) for line, number in zip(context.policy, numbers, strict=False))


def engine_from(context: ContextOptions) -> Engine:
    """Return the engine that decides."""
    return config_from(context).engine()


Decide = Callable[[Action], Decision]


def decide_from(context: ContextOptions) -> Decide:
    """Return the function that decides: at the time that the options name, and observing where that is configured."""
    config = config_from(context)
    engine = config.engine()

    def decide(action: Action) -> Decision:
        decision = engine.decide(action, now=time_of(engine, context))
        if config.observe == ObserveSettings():
            return decision
        from interlock.policy.observe import observe
        from interlock.store.clock import now

        return observe(decision) if config.observe.covers((action.agent_id,), now().wall) else decision

    return decide


def decide_at(engine: Engine, action: Action, context: ContextOptions) -> Decision:
    """Return the decision on an action, at the time that the options name."""
    return engine.decide(action, now=time_of(engine, context))


def time_of(engine: Engine, context: ContextOptions) -> datetime | None:
    """Return the time that the options name, or the current one; None if no policy depends on it."""
    if not engine.reads_time and context.at is None:
        return None
    from datetime import UTC, datetime

    if context.at is None:
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(context.at)
    except ValueError:
        raise InterlockError(f"`--at` is a time such as `2026-03-29T09:30+02:00`, found `{context.at}`") from None
    if found.tzinfo is None:
        raise InterlockError(f"`--at` needs a zone: write `{context.at}Z` for UTC, or `{context.at}+02:00`")
    return found
