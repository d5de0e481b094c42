"""Decide an action of a run: compare its claims with the pins, and pass the history of the run to the engine."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

import msgspec

from interlock.audit.digest import action_digest
from interlock.audit.runs import Run
from interlock.config.schema import Config
from interlock.errors import StoreError
from interlock.event_loops import is_in_loop
from interlock.gate.approval_flow import RunContext
from interlock.gate.decision_basis import DecisionBasis
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.recorder import UnrecordedDecision
from interlock.gate.run_history import RunHistory
from interlock.memory.state import RunState
from interlock.model import Action, Decision
from interlock.policy.pins import NO_PINS, PinnedAction, Pins, apply_pins, join_views, stricter
from interlock.sanitise import storable_name
from interlock.store.clock import as_datetime, now, now_in

if TYPE_CHECKING:
    from interlock.policy.drift import Baseline
    from interlock.policy.observe import Observation


class RemoteCaller(msgspec.Struct, frozen=True):
    """A program that sends actions to a server: its API key, and whether its actions are only observed."""

    key_id: str | None = None
    observation: Observation | None = None


class RunDecider(msgspec.Struct, frozen=True, kw_only=True):
    """Decides the actions of one run, and records nothing.

    `key` is the agent whose API key owns the run. `pins` describe the caller, whatever its actions claim.
    `other_forms` are the decisions on other forms of the action: the strictest of all forms counts.
    """

    run: Run
    history: RunHistory
    key: str | None = None
    pins: Pins = NO_PINS
    caller: RemoteCaller | None = None
    other_forms: tuple[Decision, ...] = ()

    def decide(self, context: RunContext, action: Action) -> UnrecordedDecision:
        """Decide an action as its pins describe it, and as it describes itself; the strictest verdict counts."""
        state, wall = self.history.load(context), _find_time(context)
        time = None if wall is None else as_datetime(wall)
        pinned = self.apply_pins(action, context.config, state)
        effective, baseline = pinned.action, self._find_baseline(context, action)
        with context.turns if not is_in_loop() else contextlib.nullcontext():
            views = [context.engine.decide(effective, state, time, baseline)]
            views += [context.engine.decide(view.action, view.state, time, baseline) for view in pinned.others]
        at = now().wall
        decision = join_views(views, observed=self._is_observed(context.config, effective, at))
        decision = functools.reduce(stricter, self.other_forms, decision)
        if pinned.overruled:
            decision = msgspec.structs.replace(decision, overruled=pinned.overruled)
        digest = action_digest(context.journal.store_id, effective)
        key_id = self.caller.key_id if self.caller is not None else None
        basis = DecisionBasis(context.setup(), wall, pinned.others, len(self.other_forms))
        if baseline is not None:
            actions = (effective, *(view.action for view in pinned.others))
            compared = baseline.part_for(zip(actions, (view.assessment for view in views), strict=True))
            basis = msgspec.structs.replace(basis, drift=compared)
        record = DecisionRecord(
            effective,
            decision,
            digest,
            self.run,
            key_id,
            state=state,
            basis=basis,
            find_changes=context.engine.find_changes,
        )
        return UnrecordedDecision(context, record, at)

    def apply_pins(self, action: Action, config: Config, state: RunState) -> PinnedAction:
        """Complete an action with the fields of its run, and compare its claims with the pins."""
        run = self.run
        own = Pins(workspaces=(run.workspace,) if run.workspace else (), agent_id=run.agent_id)
        outer = Pins(
            environment=config.environment,
            workspaces=(config.workspace,) if config.workspace else (),
            home=config.home,
        )
        filled = {"run_id": run.run_id, "agent_id": action.agent_id or run.agent_id, "cwd": action.cwd or run.workspace}
        named = {name: storable_name(text) for name in ("user", "tenant") if (text := getattr(action, name))}
        action = msgspec.structs.replace(action, **filled, **named)
        return apply_pins(action, self.pins.below(own).below(outer), state)

    def _find_baseline(self, context: RunContext, action: Action) -> Baseline | None:
        """Return the baseline that policies use: that of the agent in the key or the run, never a claimed one."""
        fields = context.engine.drift_fields
        if not fields:
            return None
        agent_id = self.pins.agent_id or self.run.agent_id or action.agent_id
        return context.find_baseline(None if agent_id is None else storable_name(agent_id), fields)

    def _is_observed(self, config: Config, action: Action, at: int) -> bool:
        """Whether the operator wants the verdict on an action recorded, and not enforced.

        The agent has to be covered under both names: the one in the action, and the one in its key or in the run that
        the embedding program opened.
        """
        caller = self.caller
        if caller is not None and caller.observation is not None and caller.observation.covers(at):
            return True
        known = self.key if self.key is not None or caller is not None else self.run.agent_id
        return config.observe.covers((action.agent_id, known), at)


def _find_time(context: RunContext) -> int | None:
    """Return the time by the store's clock if a policy needs it, or by this machine's if the store cannot be read."""
    if not context.engine.reads_time:
        return None
    try:
        with context.journal.database.read() as connection:
            return now_in(connection).wall
    except StoreError:
        return now().wall
