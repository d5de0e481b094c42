"""The facts about an action that policies can refer to, and its circumstances."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.effects import READS
from interlock.memory.model import ExposureKind
from interlock.memory.state import RunState
from interlock.model import Action, Assessment, effect_to_wire
from interlock.policy.conditions import ABSENT, DRIFT_FIELDS, FIELDS, look_up, split_field
from interlock.policy.expression import Activation, to_cel

if TYPE_CHECKING:
    from datetime import datetime

    from interlock.policy.drift import Drift


class Circumstances(msgspec.Struct, frozen=True):
    """The context of an action for policies: the state of its run; the time and its agent's baseline, if known."""

    state: RunState = RunState()
    at: datetime | None = None
    drift: Drift | None = None


UNKNOWN = Circumstances()


class Facts:
    """The facts about one action, each computed when the first policy needs it."""

    __slots__ = ("_action", "_around", "_assessment", "_cel", "_known")

    def __init__(
        self, action: Action, assessment: Assessment, environment: str | None, around: Circumstances = UNKNOWN
    ) -> None:
        self._action, self._assessment, self._around = action, assessment, around
        self._known: dict[str, Any] = {"environment": ABSENT if environment is None else environment}
        self._cel: Activation | None = None

    def get(self, field: str) -> Any:
        """Return the value of a field, or `ABSENT`."""
        known = self._known.get(field)
        if known is None:
            known = self._known[field] = self._look_up(field)
        return known

    def _look_up(self, field: str) -> Any:
        direct = _DIRECT.get(field)
        if direct is not None:
            found = direct(self._action, self._assessment)
        elif field in _OF_RUN:
            found = _OF_RUN[field](self._around.state, self._action)
        elif field == "data.classes":
            found = self._data_classes()
        elif field in DRIFT_FIELDS:
            found = self._drift(field)
        else:
            root, path = split_field(field)
            found = look_up(path, self._tables()[root])
        return ABSENT if found is None else found

    def _tables(self) -> dict[str, Any]:
        action = self._action
        return {
            "inputPayload": action.input_payload,
            "metadata": action.metadata,
            "run.metadata": self._around.state.metadata,
        }

    def _data_classes(self) -> list[str]:
        from interlock.policy.data_classes import find_data_classes  # few policies depend on them

        return sorted(find_data_classes(self._action, self._assessment))

    def _drift(self, field: str) -> bool | float:
        from interlock.policy.drift import UNKNOWN_DRIFT  # few policies depend on it

        return (self._around.drift or UNKNOWN_DRIFT).fact(field, self._action, self._assessment)

    @property
    def at(self) -> datetime | None:
        """The time of the action, if it is known."""
        return self._around.at

    def activation(self) -> Activation:
        """Return the facts for expressions, which share them."""
        if self._cel is None:
            self._cel = Activation(self.as_cel)
        return self._cel

    def as_cel(self, slow: bool) -> dict[str, Any]:
        """Return the facts as an expression sees them; fields that the action does not have are left out.

        Without `slow`, so are the classes of its data, which take long to find in a long text, and drift facts.
        """
        names = [name for name in FIELDS if name not in DRIFT_FIELDS and (slow or name != "data.classes")]
        data = {name: value for name in names if (value := self.get(name)) is not ABSENT}
        data |= {name: to_cel(table) for name, table in self._tables().items()}
        if self.at is not None:
            data["now"] = self.at
        for name in DRIFT_FIELDS if slow else ():
            with contextlib.suppress(LookupError):  # an expression that reads it fails
                data[name] = self.get(name)
        data["effects"] = [effect_to_wire(effect) for effect in self._assessment.effects]
        return data


def _count(state: RunState, kind: ExposureKind) -> int:
    return sum(one.kind is kind for one in state.exposures)


#: What the run has done before the action.
_OF_RUN: dict[str, Callable[[RunState, Action], Any]] = {
    "run.calls": lambda state, _: state.count,
    "run.tool_calls": lambda state, action: state.calls.get(action.tool_name, 0),
    "run.secrets_read": lambda state, _: _count(state, ExposureKind.SECRET),
    "run.private_read": lambda state, _: _count(state, ExposureKind.PRIVATE),
    "run.untrusted": lambda state, _: _count(state, ExposureKind.UNTRUSTED),
    "run.requests": lambda state, _: list(state.requests),
}
_DIRECT: dict[str, Callable[[Action, Assessment], Any]] = {
    "toolName": lambda action, _: action.tool_name,
    "agentId": lambda action, _: action.agent_id,
    "runId": lambda action, _: action.run_id,
    "user": lambda action, _: action.user,
    "tenant": lambda action, _: action.tenant,
    "risk.level": lambda _, found: found.level.value,
    "risk.score": lambda _, found: found.score,
    "risk.rules": lambda _, found: [finding.rule for finding in found.findings],
    "effects.kind": lambda _, found: [effect.kind for effect in found.effects],
    "effects.changes": lambda _, found: any(effect.kind not in READS for effect in found.effects),
    "resources": lambda _, found: list(dict.fromkeys(str(e.resource) for e in found.effects if e.resource)),
}
