"""What a run's own code does that is worth a question when a build, a test or a task runs it.

Building, testing and running the project is ordinary work, and so is most of what its code does: it reads and writes
files of the project, asks servers, changes a local database. This module tells the rest: what leaves the project.
"""

from __future__ import annotations

from interlock.model import Effect, Place
from interlock.patterns import late

#: Kinds of effects that no build, test or task is expected to have.
_GRAVE = frozenset(
    (
        "code.remote package.publish payment.send order.place contract.sign content.publish document.share trace.erase "
        "boot.change kernel.change disk.wipe disk.fill disk.change machine.halt machine.exhaust defence.disable "
        "defence.change user.add user.grant user.change schedule.change service.change infra.destroy infra.change "
        "access.grant account.change security.lower vcs.discard vcs.rewrite deploy.release db.grant cluster.delete "
        "system.change automation.install data.export fs.mode fs.owner"
    ).split()
)
_FILES = frozenset({"fs.write", "fs.delete", "fs.move", "fs.mode", "fs.owner", "fs.grant", "fs.attribute"})
_ELSEWHERE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})
#: Flags of files that others obey, wherever they are.
_OBEYED = frozenset(
    "agent_config agent_rules guard_config startup authorized cron git_hook git_config privileges interpreter unit "
    "desktop remote_config kernel_load".split()
)
#: Flags of data that should stay where it is.
_TAKEN = frozenset(
    "secret variable environment personal carried records dump screen recording keys clipboard browser mail "
    "request_headers process_memory workspace".split()
)
_NETWORK = frozenset({"net.send", "net.fetch", "net.connect", "net.listen", "message.send"})
_WIDE = frozenset({"many", "shell", "tunnel", "reverse_tunnel", "attack", "deceptive"})
#: Flags of an ordinary push.
_PLAIN = frozenset({"library", "registry", "uncalled"})
_KNOWN = late(r"^(?:~|/[^/$]+)/[^$]")
_HIDDEN = frozenset({"decoded", "hidden", "injection", "disguised", "preload", "cap"})
#: Effects inside an image that is built: nothing of this machine changes.
_INSIDE = _FILES | frozenset(
    "user.add user.grant user.change service.change system.change package.install defence.change defence.disable "
    "kernel.change schedule.change code.remote deploy.release fs.mode fs.owner secret.read trace.erase".split()
)


def is_worth_asking(effect: Effect, *, in_image: bool = False) -> bool:
    """Whether an effect of a run's own code is none that a build, a test or a task is expected to have."""
    kind, flags = effect.kind, effect.flags
    place = effect.resource.place if effect.resource else None
    if in_image and kind in _INSIDE:
        return False
    if kind in _NETWORK:
        return not flags.isdisjoint(_TAKEN if kind != "net.listen" else _WIDE) or not flags.isdisjoint(_WIDE)
    if kind == "secret.read" or kind == "env.read":
        return place in _ELSEWHERE or "printed" in flags
    if kind in _FILES:
        known = effect.resource is not None and _KNOWN.match(effect.resource.name) is not None
        return not flags.isdisjoint(_OBEYED) or (place in _ELSEWHERE and known)
    if kind == "vcs.push":
        return not flags <= _PLAIN
    if kind == "container.run":
        return not flags.isdisjoint({"privileged", "host_root", "host_secrets", "host_processes", "socket"})
    if kind == "code.opaque":
        return not flags.isdisjoint(_HIDDEN)
    return kind in _GRAVE or not flags.isdisjoint({"screen", "recording", "keys"})
