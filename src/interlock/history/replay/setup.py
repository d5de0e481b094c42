"""The set-up of a replay: a configuration and the policies of a store, which can be sent to other processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from interlock.audit.setup_stamp import ASSESSES, SetupStamp, stamp_setup
from interlock.config.knowledge import load_knowledge
from interlock.config.load import load
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.errors import InterlockError, nearest
from interlock.history.replay.unknown_matches import UnknownMatches
from interlock.policy.modes import MODES
from interlock.policy.policies import Policy
from interlock.policy.policy_set import PolicySet
from interlock.policy.stored_policies import StoredPolicies


class ReplaySetup:
    """Decides recorded actions. The engine is made on first use, in whichever process that is.

    >>> ReplaySetup(Config()).engine.mode
    'full'
    """

    def __init__(self, config: Config, stored: StoredPolicies | None = None) -> None:
        self.config, self.stored = config, stored or StoredPolicies()
        self._compared: tuple[str, frozenset[str] | None] = "", None

    def __reduce__(self) -> tuple[type[ReplaySetup], tuple[Config, StoredPolicies]]:
        return ReplaySetup, (self.config, self.stored)

    @cached_property
    def engine(self) -> Engine:
        """The engine that decides."""
        return self.config.engine(self.stored)

    @cached_property
    def stamp(self) -> SetupStamp:
        """The stamp of this set-up, to compare with those in records."""
        return stamp_setup(self.config, self.engine.policies)

    def assesses_as(self, data: Mapping[str, Any]) -> bool:
        """Whether the engine assesses actions like the one that made a recorded decision.

        Only the folders of Interlock itself may be others, as they are on every machine.
        """
        differing = self._find_differences(str(data.get("setup", "")))
        return differing is not None and (differing - {"machine"}).isdisjoint(ASSESSES)

    def decides_as(self, data: Mapping[str, Any]) -> bool:
        """Whether the set-up is the same as that of a recorded decision."""
        differing = self._find_differences(str(data.get("setup", "")))
        return differing is not None and differing <= {"machine"} and data.get("mode") == self.config.mode

    def _find_differences(self, recorded: str) -> frozenset[str] | None:
        """Return the parts in which the set-up of a record differs from this one, or None if it is not known."""
        if recorded != self._compared[0]:  # most records in a row have the same one
            then = SetupStamp.parse(recorded)
            self._compared = recorded, None if then is None else then.differences(self.stamp)
        return self._compared[1]

    @cached_property
    def policies(self) -> PolicySet:
        """The policies, for actions that are decided by their recorded assessment."""
        return PolicySet(self.engine.policies)

    @cached_property
    def unknown(self) -> UnknownMatches:
        """Finds actions that a policy might match, depending on fields that were not recorded."""
        return UnknownMatches(self.engine.policies)


def load_setup(
    config: str | Path | None = None,
    *,
    policies: Iterable[Policy] | None = None,
    stored: StoredPolicies | None = None,
    knowledge: str | Path | None = None,
    mode: str | None = None,
) -> ReplaySetup:
    """Return the set-up of a configuration file, or of the one in force.

    `stored` are the policies of a store, which `policies` replace. `knowledge` is a folder of descriptions that are
    added to the configured ones. Nothing is run in a replay, so the file counts as trusted.
    """
    found = load(config, trusting=config is not None)
    if knowledge is not None:
        found = _add_knowledge(found, Path(knowledge))
    if mode is not None:
        known = [*MODES, *found.modes]
        if mode not in known:
            raise InterlockError(f"unknown mode `{mode}`{nearest(mode, known)}")
        found = msgspec.structs.replace(found, mode=mode)
    kept = stored or StoredPolicies()
    if policies is not None:
        kept = StoredPolicies(tuple(policies), kept.removed)
    return ReplaySetup(found, kept)


def _add_knowledge(config: Config, folder: Path) -> Config:
    files = sorted(folder.rglob("*.toml")) if folder.is_dir() else []
    if not files:
        raise InterlockError(f"there are no descriptions in `{folder}`; a knowledge folder holds TOML files")
    added = tuple(load_knowledge(file, own=True) for file in files)
    return msgspec.structs.replace(config, knowledge=(*config.knowledge, *added))
