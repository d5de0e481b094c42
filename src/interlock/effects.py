"""The vocabulary of effects: every kind, the type of its resource, and the base points it scores.

Rules, policies and the catalogue of programs use only these words; an unknown word is an error at load time.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of effect: the type of its resource, and its category."""

    resource: str
    category: str


# Category → base points. The first eight are the published table; the rest are ours.
BASES = {
    "output": 0,
    "read": 5,
    "write": 30,
    "unknown": 30,
    "network": 40,
    "administration": 40,
    "package": 45,
    "opaque": 45,
    "delete": 55,
    "system": 60,
    "process": 65,
    "remote code": 70,
    "destructive": 95,
}

CATEGORY_TITLES = {
    "output": "output only",
    "read": "read",
    "write": "write",
    "unknown": "unknown program",
    "network": "network",
    "administration": "administration",
    "package": "package management",
    "opaque": "code that cannot be read",
    "delete": "delete",
    "system": "system modification",
    "process": "process control",
    "remote code": "remote code",
    "destructive": "destructive",
}

KINDS: dict[str, Kind] = {
    # output
    "out.print": Kind("text", "output"),
    # files
    "fs.read": Kind("file", "read"),
    "fs.write": Kind("file", "write"),
    "fs.move": Kind("file", "write"),
    "fs.delete": Kind("file", "delete"),
    "fs.mode": Kind("file", "system"),
    "fs.owner": Kind("file", "system"),
    "fs.attribute": Kind("file", "write"),
    "fs.grant": Kind("access", "write"),
    "fs.mount": Kind("file", "system"),
    "fs.attach": Kind("mount", "administration"),
    "fs.option": Kind("option", "read"),
    "secret.read": Kind("file", "read"),
    "env.read": Kind("variable", "read"),
    # disks and the machine
    "disk.read": Kind("device", "read"),
    "disk.wipe": Kind("device", "destructive"),
    "disk.change": Kind("device", "system"),
    "disk.tune": Kind("device", "administration"),
    "disk.fill": Kind("device", "destructive"),
    "machine.halt": Kind("machine", "process"),
    "machine.load": Kind("machine", "administration"),
    "machine.exhaust": Kind("machine", "destructive"),
    "system.read": Kind("machine", "read"),
    "system.tune": Kind("setting", "administration"),
    "system.change": Kind("setting", "system"),
    "boot.change": Kind("boot", "system"),
    "kernel.tune": Kind("setting", "administration"),
    "kernel.change": Kind("module", "system"),
    # processes, services, schedules, people
    "process.run": Kind("program", "unknown"),
    "process.spawn": Kind("program", "write"),
    "process.adjust": Kind("process", "administration"),
    "process.attach": Kind("process", "administration"),
    "process.signal": Kind("process", "process"),
    "service.read": Kind("service", "read"),
    "service.start": Kind("service", "administration"),
    "service.change": Kind("service", "process"),
    "schedule.change": Kind("schedule", "system"),
    "user.add": Kind("user", "administration"),
    "user.grant": Kind("group", "administration"),
    "user.change": Kind("user", "system"),
    "privilege.raise": Kind("user", "read"),
    "defence.change": Kind("defence", "administration"),
    "defence.disable": Kind("defence", "system"),
    "trace.erase": Kind("log", "system"),
    # code that is not in the text
    "code.opaque": Kind("code", "opaque"),
    "code.eval": Kind("code", "opaque"),
    "code.run": Kind("file", "opaque"),
    "code.remote": Kind("url", "remote code"),
    # the network
    "net.fetch": Kind("url", "network"),
    "net.send": Kind("url", "network"),
    "net.connect": Kind("host", "network"),
    "net.listen": Kind("host", "network"),
    "message.send": Kind("recipient", "network"),
    # version control
    "vcs.read": Kind("repository", "read"),
    "vcs.change": Kind("repository", "write"),
    "vcs.commit": Kind("repository", "write"),
    "vcs.discard": Kind("repository", "delete"),
    "vcs.rewrite": Kind("repository", "delete"),
    "vcs.push": Kind("repository", "network"),
    # packages
    "package.read": Kind("package", "read"),
    "package.install": Kind("package", "package"),
    "package.remove": Kind("package", "package"),
    "package.publish": Kind("package", "network"),
    # databases
    "db.read": Kind("table", "read"),
    "db.write": Kind("table", "write"),
    "db.delete": Kind("table", "write"),
    "db.drop": Kind("table", "delete"),
    "db.alter": Kind("table", "system"),
    "db.grant": Kind("table", "system"),
    "db.execute": Kind("table", "system"),
    # containers, clusters, clouds
    "container.read": Kind("container", "read"),
    "container.run": Kind("container", "opaque"),
    "container.change": Kind("container", "write"),
    "container.delete": Kind("container", "delete"),
    "cluster.read": Kind("object", "read"),
    "cluster.change": Kind("object", "write"),
    "cluster.delete": Kind("object", "delete"),
    "infra.read": Kind("infrastructure", "read"),
    "infra.change": Kind("infrastructure", "network"),
    "infra.destroy": Kind("infrastructure", "delete"),
    "deploy.release": Kind("release", "network"),
    # money
    "payment.send": Kind("account", "network"),
    # any other tool, by its name
    "tool.read": Kind("tool", "read"),
    "tool.change": Kind("tool", "write"),
    "tool.destroy": Kind("tool", "write"),
    "tool.unknown": Kind("tool", "unknown"),
}

#: Kinds that change nothing.
READS = frozenset(k for k, entry in KINDS.items() if entry.category in ("read", "output"))
