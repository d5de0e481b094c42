"""Stamps: short digests of the set-up of a decision, so that a replay can tell what has changed since."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

import interlock
from interlock.config.home import own_folder
from interlock.config.machine import detect_machine
from interlock.version import VERSION

if TYPE_CHECKING:
    from interlock.config.schema import Config
    from interlock.policy.policies import Policy

#: The fields of a configuration that a decision depends on, besides its policies, its knowledge and its mode, which
#: every decision records.
_DECIDING = (
    "environment workspace home rules rules_off second_opinion memory sensitive_paths trusted_hosts organisation "
    "places tools modes"
).split()
#: The parts that an assessment depends on. The others decide what follows from it.
ASSESSES = ("version", "configuration", "knowledge", "machine")
#: What is different in each version of a policy, and changes no verdict.
_BOOKKEEPING = ("version", "created_at", "updated_at", "createdAt", "updatedAt")
#: The configuration digest of a gate that was created with an engine of its own.
OWN_ENGINE = "engine"
_LENGTH = 8


class SetupStamp(msgspec.Struct, frozen=True):
    """Digests of everything that verdicts depend on besides the action and its run.

    >>> SetupStamp.parse(str(SetupStamp("1.0", "a", "b", "c", "d"))).policies
    'b'
    """

    version: str
    configuration: str
    policies: str
    knowledge: str
    machine: str

    def __str__(self) -> str:
        return " ".join(getattr(self, name) for name in self.__struct_fields__)

    @classmethod
    def parse(cls, text: str) -> SetupStamp | None:
        """Return a stamp from its recorded form, or None if the record has none."""
        parts = text.split(" ")
        return cls(*parts) if len(parts) == len(cls.__struct_fields__) else None

    def differences(self, other: SetupStamp) -> frozenset[str]:
        """Return the parts in which two set-ups differ."""
        return frozenset(name for name in self.__struct_fields__ if getattr(self, name) != getattr(other, name))


def stamp_setup(config: Config, policies: Iterable[Policy], *, own_engine: bool = False) -> SetupStamp:
    """Return the stamp of a configuration and the policies in force."""
    deciding = {name: getattr(config, name) for name in _DECIDING}
    knowledge = [(one.content, one.own) for one in config.knowledge]
    folders = [os.path.dirname(os.path.abspath(interlock.__file__)), os.path.abspath(sys.executable), str(own_folder())]
    return SetupStamp(
        VERSION,
        OWN_ENGINE if own_engine else _digest(deciding),
        _digest([_rules_of(policy) for policy in policies]),
        _digest(knowledge) if knowledge else "-",
        _digest([config.machine or detect_machine(), config.store, *folders]),
    )


def _rules_of(policy: Policy) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(policy)
    return {name: value for name, value in found.items() if name not in _BOOKKEEPING}


def _digest(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, enc_hook=repr, order="sorted")).hexdigest()[:_LENGTH]
