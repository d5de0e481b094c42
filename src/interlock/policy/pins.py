"""Pins: facts about a caller that override its claims. A claim can make a verdict stricter, never looser."""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Sequence

import msgspec

from interlock.levels import Verdict
from interlock.memory.state import RunState
from interlock.model import Action, BudgetUse, Decision, Struct
from interlock.policy.needs import combine
from interlock.sanitise import plain
from interlock.scoring.command import environment_points, normalise_environment

MAX_SHOWN = 120


class Pins(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The known facts about the caller that uses a key or a run.

    The workspace in an action must be one of `workspaces`, or a folder inside one. If `strict`, a claim without a pin
    never makes the verdict looser. With `asks_user`, the caller may ask its own user instead of the reviewers at the
    server, where one person's answer is enough. A key is `trusted` if an operator's program holds it, not the agent:
    its claims count unless a pin contradicts them.
    """

    environment: str | None = None
    workspaces: tuple[str, ...] = ()
    home: str | None = None
    agent_id: str | None = None
    user: str | None = None
    tenant: str | None = None
    strict: bool = False
    asks_user: bool = False
    trusted: bool = False

    def below(self, outer: Pins) -> Pins:
        """Return these pins, completed by those of a wider scope."""
        return Pins(
            environment=self.environment or outer.environment,
            workspaces=self.workspaces or outer.workspaces,
            home=self.home or outer.home,
            agent_id=self.agent_id or outer.agent_id,
            user=self.user or outer.user,
            tenant=self.tenant or outer.tenant,
            strict=self.strict or outer.strict,
            asks_user=self.asks_user,
            trusted=self.trusted,
        )


NO_PINS = Pins()


class ActionView(msgspec.Struct, frozen=True):
    """An action and the state of its run, as one side describes them: the caller, or the pins."""

    action: Action
    state: RunState | None = None


class PinnedAction(msgspec.Struct, frozen=True):
    """An action after its claims were compared with pins.

    `others` are the action as the pins describe it and as the caller describes it, where these differ; the strictest
    verdict counts. `overruled` lists the claims that were ignored.
    """

    action: Action
    others: tuple[ActionView, ...] = ()
    overruled: tuple[str, ...] = ()


def stricter(first: Decision, second: Decision) -> Decision:
    """Return the stricter of two decisions: the one with the stricter verdict, or else with the higher score.

    It has the limits of both, each with the higher amount, the policies of both that do not allow, and, if both require
    an approval, what both require of it.
    """
    ranks = [(one.verdict, one.assessment.score) for one in (first, second)]
    kept, other = (second, first) if ranks[1] > ranks[0] else (first, second)
    needs = kept.needs if kept.needs is None or other.needs is None else combine(kept.needs, other.needs)
    known = {match.policy_id for match in kept.matched_policies if match.action is not Verdict.ALLOW}
    more = [one for one in other.matched_policies if one.action is not Verdict.ALLOW and one.policy_id not in known]
    matches, budgets = (*kept.matched_policies, *more), _join_budgets(kept.budgets, other.budgets)
    return msgspec.structs.replace(kept, needs=needs, matched_policies=matches, budgets=budgets)


def join_views(views: Sequence[Decision], *, observed: bool) -> Decision:
    """Return the strictest decision on the views of an action; if only observed, the part that is still enforced."""
    decision = functools.reduce(stricter, views)
    if not observed:
        return decision
    from interlock.policy.observe import is_always_enforced, observe  # few actions are

    enforced = [observe(view) for view in views if is_always_enforced(view)]
    return functools.reduce(stricter, enforced, observe(decision))


def _join_budgets(first: tuple[BudgetUse, ...], second: tuple[BudgetUse, ...]) -> tuple[BudgetUse, ...]:
    """Return the amount of each limit that an action uses: the larger of both sides. An unknown one is the largest."""
    joined: dict[tuple[str, str], BudgetUse] = {}
    for use in (*first, *second):
        known = joined.setdefault((use.policy.policy_id, use.scope), use)
        if known.amount is not None and (use.amount is None or use.amount > known.amount):
            joined[use.policy.policy_id, use.scope] = use
    return tuple(joined.values())


def apply_pins(action: Action, pins: Pins, state: RunState | None = None) -> PinnedAction:
    """Compare the claims of an action and its run with the pins of the caller."""
    environment, known_environment = _resolve_environment(action.environment, pins)
    workspace, known_workspace = _resolve_workspace(action.workspace, pins)
    home, known_home = _resolve_home(action.home, pins)
    begun = state or RunState()  # a run keeps its user and tenant, even if an action claims another
    user, tenant = pins.user or begun.user or action.user, pins.tenant or begun.tenant or action.tenant
    place = {"environment": environment, "workspace": workspace, "home": home}
    effective = msgspec.structs.replace(
        action, **place, agent_id=action.agent_id or pins.agent_id, user=user, tenant=tenant
    )
    pinned = msgspec.structs.replace(
        effective,
        environment=known_environment,
        workspace=known_workspace,
        home=known_home,
        agent_id=pins.agent_id or action.agent_id,
        user=pins.user if pins.strict else user,
        tenant=pins.tenant if pins.strict else tenant,
        metadata={} if pins.strict else action.metadata,
        input_schema={} if pins.strict else action.input_schema,
    )
    claimed = msgspec.structs.replace(effective, user=action.user or user, tenant=action.tenant or tenant)
    views = (ActionView(pinned, remove_claims(state) if pins.strict else state), ActionView(claimed, state))
    others = tuple(view for view in views if view.state is not state or view.action != effective)
    return PinnedAction(effective, others, _find_overruled(action, effective))


def remove_claims(state: RunState | None) -> RunState | None:
    """Return the state of a run without the metadata and requests that its caller supplied."""
    if state is None or not (state.metadata or state.requests):
        return state
    return msgspec.structs.replace(state, metadata={}, requests=())


def _find_overruled(action: Action, effective: Action) -> tuple[str, ...]:
    """Describe the claims that are ignored."""
    return tuple(
        f"{name} `{plain(given)[:MAX_SHOWN]}` ({_explain(kept)})"
        for name in ("environment", "workspace", "home", "user", "tenant")
        if (given := getattr(action, name))
        and (kept := getattr(effective, name)) != given
        and not _is_same(name, given, kept)
    )


def _resolve_environment(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the effective environment, and the pinned one."""
    pin = pins.environment
    if claim is None or normalise_environment(claim) == normalise_environment(pin):
        return pin, pin
    if pin is None and not pins.strict:
        return claim, claim
    return (pin, pin) if environment_points(claim) < environment_points(pin) else (claim, pin)


def _resolve_workspace(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the effective workspace, and the pinned one."""
    pin = pins.workspaces[0] if pins.workspaces else None
    if claim is None or (pin is None and pins.strict):
        return pin, pin
    if pin is None:
        return claim, claim
    plain_claim = posixpath.normpath(claim)
    for root in pins.workspaces:
        if f"{plain_claim}/".startswith(posixpath.normpath(root).rstrip("/") + "/"):
            return plain_claim, posixpath.normpath(root)
    return pin, pin


def _resolve_home(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the effective home folder, and the pinned one."""
    if claim is None or pins.home is not None:
        return pins.home, pins.home
    return claim, None if pins.strict else claim


def _is_same(name: str, claim: str, kept: str | None) -> bool:
    """Whether a claim and the effective value differ only in spelling."""
    if name == "environment":
        return normalise_environment(claim) == normalise_environment(kept)
    return name in ("workspace", "home") and kept is not None and posixpath.normpath(claim) == posixpath.normpath(kept)


def _explain(kept: str | None) -> str:
    return "none is pinned" if kept is None else f"pinned: `{plain(kept)[:MAX_SHOWN]}`"
