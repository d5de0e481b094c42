"""Disposable machines: which effects stay on a machine that is thrown away after its work."""

from __future__ import annotations

import msgspec

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
HERE = frozenset(
    "sudo doas su env bash sh zsh dash ash ksh fish time nice ionice nohup setsid timeout stdbuf xargs find fd watch "
    "eval command exec builtin subprocess os.system os.popen make npm npx yarn pnpm just task".split()
)


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
