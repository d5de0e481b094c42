"""The vocabulary of effects: every kind, the type of its resource, what happens, and the base points it scores.

Rules, policies and the catalogue of programs speak only these words; a word that is not here is refused
when it is loaded. Kinds say what happens; `flags.py` has the words that say how.
"""

from __future__ import annotations

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """What is known about one kind of effect: what it is on, how it scores, and a sentence that says what happens."""

    resource: str
    category: str
    says: str = ""


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
    # what is shown, and nothing else
    "out.print": Kind("text", "output", "Text is shown, and nothing else happens."),
    # files
    "fs.read": Kind("file", "read", "A file or folder is read."),
    "fs.write": Kind("file", "write", "A file or folder is created or changed."),
    "fs.move": Kind("file", "write", "A file or folder is moved or renamed."),
    "fs.delete": Kind("file", "delete", "A file or folder is deleted."),
    "fs.mode": Kind("file", "system", "The permissions of a file are changed."),
    "fs.owner": Kind("file", "system", "The owner or group of a file is changed."),
    "fs.attribute": Kind("file", "write", "An attribute or the access list of a file is changed."),
    "fs.grant": Kind("access", "write", "A user, group or program gets additional access to a file."),
    "fs.mount": Kind("file", "system", "A file system or folder is mounted at a path, or unmounted."),
    "fs.attach": Kind("mount", "administration", "A disk, image, swap area or remote folder is attached or detached."),
    "fs.option": Kind("option", "read", "An option of a mount is named, such as `exec` or `ro`."),
    "secret.read": Kind("file", "read", "A file, store or call is read that gives a key, token or password."),
    "env.read": Kind("variable", "read", "Environment variables are read."),
    # disks and the machine
    "disk.read": Kind("device", "read", "A disk or its layout is read."),
    "disk.wipe": Kind("device", "destructive", "A disk or partition is overwritten or formatted."),
    "disk.change": Kind("device", "system", "The layout of disks, volumes or snapshots is changed."),
    "disk.tune": Kind(
        "device", "administration", "A setting of a disk or file system is changed that leaves its data alone."
    ),
    "disk.fill": Kind("device", "destructive", "A disk is filled until no space is left."),
    "machine.halt": Kind("machine", "process", "The machine is shut down, restarted or suspended."),
    "machine.load": Kind("machine", "administration", "The machine is put under load for a test."),
    "machine.exhaust": Kind(
        "machine", "destructive", "Processes or memory of the machine are used up, as by a fork bomb."
    ),
    "system.read": Kind("machine", "read", "Information about the machine, its processes or its users is read."),
    "system.tune": Kind("setting", "administration", "An ordinary setting of the machine or the desktop is changed."),
    "system.change": Kind(
        "setting", "system", "A setting of the machine is changed that other programs or users depend on."
    ),
    "boot.change": Kind(
        "boot", "system", "What the machine starts with is changed: boot loader, boot settings or firmware."
    ),
    "kernel.tune": Kind("setting", "administration", "An ordinary setting of the kernel is changed."),
    "kernel.change": Kind(
        "module", "system", "A kernel module is loaded or removed, or the kernel is changed in another way."
    ),
    # processes, services, schedules, people
    "process.run": Kind("program", "unknown", "A program is run that is not described, or that can do anything."),
    "process.spawn": Kind("program", "write", "A program is started: a build, a test run, a server, a child process."),
    "process.adjust": Kind("process", "administration", "The priority or the limits of a process are changed."),
    "process.attach": Kind("process", "administration", "A debugger or tracer is attached to a process."),
    "process.signal": Kind("process", "process", "A process is ended, stopped or sent another signal."),
    "service.read": Kind("service", "read", "The state of a service is read."),
    "service.start": Kind("service", "administration", "A service is started."),
    "service.change": Kind("service", "process", "A service is stopped, restarted, enabled, disabled or defined."),
    "schedule.change": Kind("schedule", "system", "A job is scheduled, changed or removed."),
    "user.add": Kind("user", "administration", "An account or a group is created."),
    "user.grant": Kind("group", "administration", "An account is added to a group."),
    "user.change": Kind("user", "system", "An account is changed, locked or removed, or its password is set."),
    "privilege.raise": Kind("user", "read", "A command is run as another user, mostly as root."),
    "defence.change": Kind(
        "defence", "administration", "A protection of the machine is adjusted, such as a firewall rule."
    ),
    "defence.disable": Kind("defence", "system", "A protection is turned off or weakened."),
    "trace.erase": Kind("log", "system", "A log or history is erased or no longer kept."),
    # code that is not in the text
    "code.opaque": Kind("code", "opaque", "Code would run that could not be read."),
    "code.eval": Kind("code", "opaque", "Text is run as code."),
    "code.run": Kind("file", "opaque", "A file is run as code."),
    "code.remote": Kind("url", "remote code", "Code from the network is run."),
    # the network
    "net.fetch": Kind("url", "network", "Something is requested from a server."),
    "net.send": Kind("url", "network", "Data is sent to a server."),
    "net.connect": Kind("host", "network", "A connection to another machine is opened."),
    "net.listen": Kind("host", "network", "A port is opened on which others can connect."),
    "message.send": Kind("recipient", "network", "A message is sent to people."),
    # version control
    "vcs.read": Kind("repository", "read", "A repository or its history is read."),
    "vcs.change": Kind("repository", "write", "A repository is changed: branches, tags, the index or its settings."),
    "vcs.commit": Kind("repository", "write", "A commit is made."),
    "vcs.discard": Kind("repository", "delete", "Changes that are not committed are thrown away."),
    "vcs.rewrite": Kind("repository", "delete", "Commits, branches or the record of them are rewritten or deleted."),
    "vcs.push": Kind("repository", "network", "Something is pushed to, or changed on, the server of a repository."),
    # packages
    "package.read": Kind("package", "read", "Information about packages is read."),
    "package.install": Kind("package", "package", "A package is installed or updated, and may run code as it is."),
    "package.remove": Kind("package", "package", "A package is removed."),
    "package.publish": Kind("package", "network", "A package or who may publish it is changed in a public registry."),
    # databases
    "db.read": Kind("table", "read", "Data of a database is read."),
    "db.write": Kind("table", "write", "Rows are inserted or changed."),
    "db.delete": Kind("table", "write", "Rows are deleted."),
    "db.drop": Kind("table", "delete", "A database, a table or another object is dropped."),
    "db.alter": Kind("table", "system", "A table or a setting of a database is changed."),
    "db.grant": Kind("table", "system", "Users or rights of a database are changed."),
    "db.execute": Kind(
        "table",
        "system",
        "A command of the database server is run that is more than data: a procedure, a file, a program.",
    ),
    # containers, clusters, clouds
    "container.read": Kind("container", "read", "Information about containers or images is read."),
    "container.run": Kind("container", "opaque", "A container is run."),
    "container.change": Kind(
        "container", "write", "A container, image or network is changed or can be made again after it is removed."
    ),
    "container.delete": Kind("container", "delete", "A container, a volume or a virtual machine is deleted."),
    "cluster.read": Kind("object", "read", "Objects of a cluster are read."),
    "cluster.change": Kind("object", "write", "Objects of a cluster are created or changed."),
    "cluster.delete": Kind("object", "delete", "Objects of a cluster are deleted."),
    "infra.read": Kind("infrastructure", "read", "Information about a cloud or service is read."),
    "infra.change": Kind("infrastructure", "network", "Something in a cloud or at a service is created or changed."),
    "infra.destroy": Kind("infrastructure", "delete", "Something in a cloud or at a service is deleted."),
    "deploy.release": Kind("release", "network", "A version of an application is released to its users."),
    "local.change": Kind(
        "service",
        "write",
        "A service on this machine or a client's own settings are changed: a local cluster, an emulator, a sign-in.",
    ),
    # what tools do at services
    "order.place": Kind("goods", "network", "Goods or services are ordered, or their prices are changed."),
    "content.publish": Kind("content", "network", "Something is published where everyone can read it."),
    "document.share": Kind("document", "network", "A document is shared with people."),
    "data.export": Kind("records", "network", "Records are exported from a service."),
    "record.change": Kind("record", "write", "A record at a service is created or changed."),
    "record.delete": Kind("record", "write", "A record at a service is deleted."),
    "account.change": Kind("account", "network", "An account or identity is created, changed or removed."),
    "access.grant": Kind("account", "network", "Access, a role or rights are granted."),
    "security.lower": Kind("defence", "network", "A protection at a service is weakened or removed."),
    "device.operate": Kind("device", "write", "A device is operated."),
    "contract.sign": Kind("document", "network", "A document is signed, filed or otherwise made binding."),
    "appointment.make": Kind("appointment", "write", "An appointment is made or changed."),
    "automation.install": Kind("automation", "network", "Something is set up that acts by itself later."),
    # money
    "payment.send": Kind("account", "network", "Money is sent."),
    # any other tool, by its name
    "tool.read": Kind("tool", "read", "A tool is called that, by its name, only reads."),
    "tool.change": Kind("tool", "write", "A tool is called that, by its name, changes something."),
    "tool.destroy": Kind("tool", "write", "A tool is called that, by its name, deletes something."),
    "tool.draft": Kind("tool", "read", "A tool prepares something that only takes effect later."),
    "tool.unknown": Kind("tool", "unknown", "A tool is called whose name does not say what it does."),
}

#: Kinds that leave the world as it was.
READS = frozenset(k for k, entry in KINDS.items() if entry.category in ("read", "output"))

#: Kinds of what a tool does by its name.
TOOL_KINDS = frozenset(kind for kind in KINDS if kind.startswith("tool."))

#: Kinds of effects that cannot be taken back: what was read, sent, paid or published is known to somebody else.
FINAL = frozenset(
    (
        "secret.read net.send message.send payment.send package.publish trace.erase order.place content.publish "
        "document.share data.export contract.sign"
    ).split()
)
