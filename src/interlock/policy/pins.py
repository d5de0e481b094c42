"""Pins: what is known about a caller, whatever it claims. A claim can make a verdict stricter, and never looser."""

from __future__ import annotations

import posixpath

import msgspec

from interlock.model import Action, Decision, Struct
from interlock.sanitise import plain
from interlock.scoring.command import environment_points, normalise_environment

MAX_SHOWN = 120


class Pins(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is known about the caller of a key or a run.

    A workspace that an action names has to be one of `workspaces`, or a part of one. If `strict`, a claim that no pin
    covers does not count in the caller's favour. With `asks_user`, the caller may ask its own user where one person's
    answer is enough, instead of the people at the server.
    """

    environment: str | None = None
    workspaces: tuple[str, ...] = ()
    home: str | None = None
    agent_id: str | None = None
    strict: bool = False
    asks_user: bool = False

    def below(self, outer: Pins) -> Pins:
        """Return these pins, completed by those of a wider scope."""
        return Pins(
            environment=self.environment or outer.environment,
            workspaces=self.workspaces or outer.workspaces,
            home=self.home or outer.home,
            agent_id=self.agent_id or outer.agent_id,
            strict=self.strict or outer.strict,
            asks_user=self.asks_user,
        )


NO_PINS = Pins()


class SettledAction(msgspec.Struct, frozen=True):
    """An action whose claims were compared with pins.

    `pinned` is the same action without claims, if there are any: the stricter of the two verdicts counts.
    `overruled` describes the claims that do not count.
    """

    action: Action
    pinned: Action | None = None
    overruled: tuple[str, ...] = ()


def stricter(first: Decision, second: Decision) -> Decision:
    """Return the decision with the stricter verdict, or with the higher score if the verdicts are the same."""
    ranks = [(one.verdict, one.assessment.score) for one in (first, second)]
    return second if ranks[1] > ranks[0] else first


def settle(action: Action, pins: Pins) -> SettledAction:
    """Compare what an action claims with what is known about its caller."""
    kept: dict[str, str | None] = {}
    known: dict[str, str | None] = {}
    for name, (claim, pin) in {
        "environment": _settle_environment(action.environment, pins),
        "workspace": _settle_workspace(action.workspace, pins),
        "home": _settle_home(action.home, pins),
        "agent_id": (action.agent_id or pins.agent_id, pins.agent_id or action.agent_id),
    }.items():
        kept[name], known[name] = claim, pin
    overruled = tuple(
        f"{name} `{plain(given)[:MAX_SHOWN]}` ({_explain(kept[name])})"
        for name in ("environment", "workspace", "home")
        if (given := getattr(action, name)) and kept[name] != given and not _is_same(name, given, kept[name])
    )
    settled = msgspec.structs.replace(action, **kept)
    return SettledAction(settled, None if known == kept else msgspec.structs.replace(action, **known), overruled)


def _settle_environment(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the environment that counts, and the one that is known."""
    pin = pins.environment
    if claim is None or normalise_environment(claim) == normalise_environment(pin):
        return pin, pin
    if pin is None and not pins.strict:
        return claim, claim
    return (pin, pin) if environment_points(claim) < environment_points(pin) else (claim, pin)


def _settle_workspace(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the workspace that counts, and the one that is known."""
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


def _settle_home(claim: str | None, pins: Pins) -> tuple[str | None, str | None]:
    """Return the home folder that counts, and the one that is known."""
    if claim is None or pins.home is not None:
        return pins.home, pins.home
    return claim, None if pins.strict else claim


def _is_same(name: str, claim: str, kept: str | None) -> bool:
    """Whether a claim is only written in another way than what counts."""
    if name == "environment":
        return normalise_environment(claim) == normalise_environment(kept)
    return kept is not None and posixpath.normpath(claim) == posixpath.normpath(kept)


def _explain(kept: str | None) -> str:
    return "none is pinned" if kept is None else f"pinned: `{plain(kept)[:MAX_SHOWN]}`"
