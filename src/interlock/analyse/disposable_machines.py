"""Disposable machines: which effects stay on a machine that is discarded after its work."""

from __future__ import annotations

import msgspec

from interlock.knowledge.catalogue import programs_in
from interlock.model import Effect, Place

_KINDS = frozenset(
    "package.install package.remove service.start service.change system.tune system.change kernel.tune "
    "privilege.raise".split()
)
_FILES = frozenset("fs.write fs.move fs.delete fs.mode fs.owner fs.attribute".split())
#: What reaches outside the machine, or concerns secrets or the guard, stays as it is.
_FIRM = frozenset(
    "secret guard_config other_guard agent_config agent_rules authorized login_key download index unsigned lookalike "
    "package_source public insecure plain_http raw host_root host_secrets socket mount other_root keys_device "
    "kernel_memory rerouted".split()
)
#: Wrappers that run a command on this machine. Behind any other one it may run elsewhere.
HERE = programs_in("local-wrappers")


def mark_disposable(effects: list[Effect]) -> list[Effect]:
    """Return effects, with a flag on those that only change system folders, packages and services of this machine."""
    return [
        msgspec.structs.replace(effect, flags=effect.flags | {"disposable"}) if stays_here(effect) else effect
        for effect in effects
    ]


def stays_here(effect: Effect) -> bool:
    """Whether an effect goes away with the machine, and touches no secret and no protection of the agent."""
    if not _FIRM.isdisjoint(effect.flags) or not HERE.issuperset(effect.via):
        return False
    if effect.kind in _KINDS:
        return True
    return effect.kind in _FILES and effect.resource is not None and effect.resource.place is Place.SYSTEM


#: What a program inside a container changes of the container itself.
_INSIDE = _KINDS | frozenset("user.add user.change user.grant schedule.change".split())
_OWNED = frozenset({"fs.mode", "fs.owner"})


def mark_contained(effects: list[Effect], first: int, depth: int, targets: list[str] | None) -> None:
    """Mark the effects from `first` on that go away with a container, in place.

    Those behind more than `depth` wrappers happen inside it. `targets` are the folders where something of the host is
    mounted, and None if they are not known.
    """
    for at in range(first, len(effects)):
        effect = effects[at]
        if len(effect.via) > depth and _stays_inside(effect, targets):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | {"disposable"})


def _stays_inside(effect: Effect, targets: list[str] | None) -> bool:
    if not _FIRM.isdisjoint(effect.flags):
        return False
    if effect.kind in _INSIDE:
        return True
    if effect.kind not in _FILES or effect.resource is None:
        return False
    if targets is None:
        return effect.kind in _OWNED and effect.resource.place is not Place.WORKSPACE
    path = effect.resource.name
    if not path.startswith("/") or (targets and effect.resource.place is Place.WORKSPACE):
        return False
    return not any(_overlap(path.rstrip("/"), target.rstrip("/")) for target in targets)


def _overlap(path: str, target: str) -> bool:
    """Whether one of two folders contains the other: deleting `/` also deletes everything mounted below it."""
    return not target.startswith("/") or f"{path}/".startswith(f"{target}/") or f"{target}/".startswith(f"{path}/")
