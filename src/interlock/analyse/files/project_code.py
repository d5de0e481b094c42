"""Effects of a run's own code that need approval when a build, a test or a task runs it.

Building, testing and running the project is ordinary work, and so is most of what its code does: it reads and writes
project files, queries servers, changes a local database. This module finds the rest: data that leaves the project, and
whatever a rule blocks when a command does it directly.
"""

from __future__ import annotations

from interlock.knowledge.catalogue import programs_in
from interlock.model import Effect, Place
from interlock.patterns import late

#: Kinds of effects that no build, test or task is expected to have.
_GRAVE = frozenset(
    (
        "code.remote package.publish payment.send order.place contract.sign content.publish document.share trace.erase "
        "boot.change kernel.change disk.wipe disk.fill disk.change machine.halt machine.exhaust defence.disable "
        "defence.change user.add user.grant user.change schedule.change service.change infra.destroy infra.change "
        "access.grant account.change security.lower vcs.discard vcs.rewrite deploy.release db.grant cluster.delete "
        "system.change automation.install data.export fs.mode fs.owner fs.mount process.signal"
    ).split()
)
_FILES = frozenset({"fs.write", "fs.delete", "fs.move", "fs.mode", "fs.owner", "fs.grant", "fs.attribute"})
_ELSEWHERE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})
#: Flags of files that others obey, wherever they are.
_OBEYED = frozenset(
    "agent_config agent_rules guard_config startup authorized cron git_hook git_config privileges interpreter unit "
    "desktop remote_config kernel_load".split()
)
#: Flags of data that should not be sent.
_TAKEN = frozenset(
    "secret variable environment personal carried records dump screen recording keys clipboard browser mail "
    "request_headers process_memory workspace".split()
)
_NETWORK = frozenset({"net.send", "net.fetch", "net.connect", "net.listen", "message.send"})
_WIDE = frozenset("many shell tunnel reverse_tunnel attack deceptive metadata flood scan".split())
#: Flags of an ordinary push.
_PLAIN = frozenset({"library", "registry", "uncalled"})
# A path that is known: its first part holds no variable, and what follows begins with none.
_KNOWN = late(r"^(?:~|/)[^$/]*(?:/[^$]|/?$)")
_HIDDEN = frozenset({"decoded", "hidden", "injection", "disguised", "preload", "cap"})
#: Flags of deletions that take a project, its history, a volume or what a copy does not hold.
_WHOLE = frozenset({"top", "git_internal", "subvolume", "delete"})
#: Flags of databases that are dropped as a whole.
_WHOLE_DATABASES = frozenset({"database", "schema"})
#: Effects that remove or stop a guard of agents.
_STOPPING = frozenset({"package.remove", "container.change", "container.delete", "local.change", "process.adjust"})
_GUARDS = programs_in("guards")
_WATCHED = frozenset({"screen", "recording", "keys", "keys_device"})
#: Effects inside an image that is built: nothing of this machine changes.
_INSIDE = _FILES | frozenset(
    "user.add user.grant user.change service.change system.change package.install defence.change defence.disable "
    "kernel.change schedule.change code.remote deploy.release fs.mode fs.owner secret.read trace.erase".split()
)


def is_worth_asking(effect: Effect, *, in_image: bool = False) -> bool:
    """Whether an effect of a run's own code is unexpected in a build, a test or a task."""
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
        whole = (
            kind == "fs.delete" and (not flags.isdisjoint(_WHOLE) or place is Place.OUTSIDE) and "recursive" in flags
        )
        return not flags.isdisjoint(_OBEYED) or (known and (whole or place in _ELSEWHERE))
    if kind == "db.drop":
        return place is not Place.SCRATCH and not flags.isdisjoint(_WHOLE_DATABASES)
    if kind in _STOPPING:
        return effect.resource is not None and any(name in effect.resource.name for name in _GUARDS)
    if kind == "vcs.push":
        return not flags <= _PLAIN
    if kind == "container.run":
        return not flags.isdisjoint({"privileged", "host_root", "host_secrets", "host_processes", "socket"})
    if kind == "code.opaque":
        return not flags.isdisjoint(_HIDDEN)
    return kind in _GRAVE or not flags.isdisjoint(_WATCHED)
