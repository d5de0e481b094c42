"""Drift: how an action differs from what its agent did before. Policies can use these facts only to be stricter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec

from interlock.model import Action, Assessment
from interlock.policy.conditions import DRIFT_FIELDS
from interlock.policy.expression import NoBaselineError
from interlock.sanitise import storable_name

#: The facts about new tools, hosts and folders, and the rate.
NEW = NEW_TOOL, NEW_HOST, NEW_FOLDER = DRIFT_FIELDS[:3]
RATE = DRIFT_FIELDS[3]
_PLACES = {NEW_HOST: "host", NEW_FOLDER: "folder"}


class Drift(Protocol):
    """Compares an action with the earlier actions of its agent."""

    def fact(self, field: str, action: Action, assessment: Assessment) -> bool | float:
        """Return a fact, or raise `LookupError` if it is not known."""


class Baseline(msgspec.Struct, frozen=True, omit_defaults=True):
    """The usage of an agent in previous days, limited to `fields`, and its current rate relative to the usual one.

    If it is not `known`, because the agent has done too little so far, everything is new. `new` are the facts that were
    true of an action, in the part that is recorded with its decision.
    """

    fields: tuple[str, ...]
    known: bool = False
    tools: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    rate: float = 0.0
    new: tuple[str, ...] = ()

    def fact(self, field: str, action: Action, assessment: Assessment) -> bool | float:
        """Return a fact about an action."""
        if field not in self.fields:
            raise NoBaselineError
        if field == RATE:
            return self.rate if self.known else float("inf")
        return self._has_new(field, _find_used_names(field, action, assessment))

    def _usual(self, field: str) -> frozenset[str]:
        return {NEW_TOOL: self.tools, NEW_HOST: self.hosts, NEW_FOLDER: self.folders}[field]

    def knows(self, fields: Iterable[str]) -> bool:
        """Whether these facts are known."""
        return set(fields) <= set(self.fields)

    def part_for(self, views: Iterable[tuple[Action, Assessment]]) -> Baseline:
        """Return the part of the baseline that the views of an action were compared with, for its record."""
        used: dict[str, set[str]] = {field: set() for field in NEW}
        for action, assessment in views:
            for field in NEW:
                used[field].update(_find_used_names(field, action, assessment))
        asked = [field for field in NEW if field in self.fields]
        return msgspec.structs.replace(
            self,
            tools=self.tools & used[NEW_TOOL],
            hosts=self.hosts & used[NEW_HOST],
            folders=self.folders & used[NEW_FOLDER],
            new=tuple(field for field in asked if self._has_new(field, used[field])),
        )

    def _has_new(self, field: str, names: set[str]) -> bool:
        return bool(names - self._usual(field) if self.known else names)


class RecordedDrift(msgspec.Struct, frozen=True):
    """The facts in the record of a decision, for an action of which only the assessment is known."""

    baseline: Baseline

    def fact(self, field: str, action: Action, assessment: Assessment) -> bool | float:
        """Return a fact as it was recorded."""
        if field == RATE or field not in self.baseline.fields:
            return self.baseline.fact(field, action, assessment)
        return field in self.baseline.new


class UnknownDrift:
    """The drift of an unknown agent. Only an action without hosts or folders is known to use no new ones."""

    def fact(self, field: str, action: Action, assessment: Assessment) -> bool | float:
        """Return false if nothing can be new, else raise."""
        if field not in _PLACES or _find_used_names(field, action, assessment):
            raise NoBaselineError
        return False


UNKNOWN_DRIFT = UnknownDrift()


class GivenDrift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts that are given explicitly, as in the cases of a test."""

    new_tool: bool = False
    new_host: bool = False
    new_folder: bool = False
    rate: float = 0.0

    def fact(self, field: str, _action: Action, _assessment: Assessment) -> bool | float:
        """Return a fact."""
        found: bool | float = getattr(self, field.removeprefix("drift."))
        return found


def read_baseline(data: Mapping[str, Any]) -> Baseline | None:
    """Return the baseline in the data of a decision's record, or None if no policy used it."""
    try:
        return msgspec.convert(data["drift"], Baseline)
    except (KeyError, msgspec.ValidationError):
        return None


def read_recorded_drift(data: Mapping[str, Any]) -> RecordedDrift | None:
    """Return the facts in the data of a decision's record, or None if no policy used them."""
    found = read_baseline(data)
    return None if found is None else RecordedDrift(found)


def _find_used_names(field: str, action: Action, assessment: Assessment) -> set[str]:
    """Return the tool, or the hosts or folders, that an action uses."""
    if field == NEW_TOOL:
        return {storable_name(action.tool_name)}
    from interlock.policy.used_places import UNKNOWN_PLACE, find_used_places  # few policies depend on them

    effects = assessment.effects
    places = find_used_places(str(effect.resource) for effect in effects if effect.resource)
    found = {storable_name(name) for what, name in places if what == _PLACES[field]}
    if field == NEW_HOST and any(effect.kind.startswith("net.") and not effect.resource for effect in effects):
        found.add(UNKNOWN_PLACE)
    return found
