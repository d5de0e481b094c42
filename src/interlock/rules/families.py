"""The families of rules, and the kinds of effects that each is about: a family is imported when one of them occurs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from interlock.lazy import load

if TYPE_CHECKING:
    from interlock.rules.rule import Rule

#: Family, which is the name of its module → the kinds of effects that its rules match. The order is that of the rules.
FAMILIES: dict[str, str] = {
    "filesystem": "fs.delete fs.move fs.read fs.write",
    "system": "fs.delete fs.move fs.write system.change system.tune",
    "disks": (
        "disk.change disk.fill disk.read disk.tune disk.wipe fs.attach fs.delete fs.mount fs.option fs.write "
        "system.change"
    ),
    "permissions": "fs.attribute fs.grant fs.mode fs.owner",
    "git": "code.run vcs.change vcs.commit vcs.discard vcs.push vcs.rewrite",
    "network": (
        "cluster.change code.remote container.change defence.disable fs.read net.connect net.fetch net.listen "
        "net.send package.install system.change vcs.change"
    ),
    "exfiltration": "message.send net.connect net.fetch net.listen net.send process.run",
    "tunnels": "net.connect net.fetch net.listen net.send process.spawn",
    "reconnaissance": "net.connect net.fetch net.listen net.send system.read",
    "attacks": "net.connect process.run",
    "secrets": "container.change container.run env.read fs.delete fs.move fs.read fs.write secret.read system.read",
    "code": "code.eval code.opaque code.remote code.run",
    "disguise": "code.eval code.opaque process.spawn",
    "privacy": (
        "db.read fs.read fs.write infra.read message.send net.connect net.fetch net.listen net.send secret.read "
        "system.read system.tune tool.change"
    ),
    "processes": (
        "cluster.change container.run infra.change machine.exhaust machine.halt machine.load message.send "
        "net.connect net.fetch net.send payment.send process.adjust process.attach process.run process.signal "
        "process.spawn"
    ),
    "services": "local.change process.signal service.change service.start",
    "packages": "defence.disable package.install package.remove system.change",
    "supply": "code.opaque db.write fs.mode fs.write net.connect net.fetch net.listen net.send package.install",
    "publishing": "deploy.release package.publish process.run",
    "databases": "db.alter db.delete db.drop db.execute db.grant db.read db.write",
    "migrations": "db.alter db.delete db.drop db.execute db.write",
    "containers": "container.change container.delete container.run privilege.raise",
    "kubernetes": "cluster.change cluster.delete net.connect net.listen",
    "cloud": "deploy.release infra.change infra.destroy",
    "exposure": "deploy.release infra.change infra.destroy infra.read",
    "aws": "infra.change infra.destroy secret.read",
    "gcloud": "infra.change infra.destroy secret.read",
    "azure": "infra.change infra.destroy secret.read",
    "infrastructure": "deploy.release fs.delete fs.move fs.write infra.change infra.destroy",
    "vaults": "infra.change infra.destroy secret.read",
    "platforms": "infra.change infra.destroy",
    "forges": "infra.change infra.destroy vcs.change vcs.push",
    "tool_calls": (
        "access.grant account.change appointment.make automation.install content.publish contract.sign data.export "
        "device.operate document.share message.send order.place record.change record.delete security.lower"
    ),
    "clients": "cluster.change infra.change message.send",
    "messaging": "message.send",
    "privilege": "fs.attribute fs.delete fs.mode fs.move fs.write privilege.raise process.run",
    "users": "user.add user.change user.grant",
    "kernel": "boot.change fs.delete fs.mode fs.move fs.owner fs.write kernel.change kernel.tune",
    "defence": (
        "defence.change defence.disable fs.attribute fs.delete fs.move fs.write local.change process.signal "
        "service.change system.tune trace.erase"
    ),
    "persistence": "code.run fs.delete fs.mode fs.move fs.write schedule.change",
    "agent": (
        "container.change container.delete db.write defence.disable fs.attribute fs.delete fs.mode fs.move "
        "fs.owner fs.write local.change message.send package.install package.remove process.adjust process.run "
        "process.signal service.change vcs.change"
    ),
    "tools": "fs.read out.print payment.send secret.read tool.change tool.destroy tool.unknown",
}


@cache
def rules_of(family: str) -> tuple[Rule, ...]:
    """Return the rules of a family; raise `ValueError` if one matches a kind of effect that is not listed for it."""
    rules: tuple[Rule, ...] = load(__package__, f"{family}:RULES")
    listed = frozenset(FAMILIES[family].split())
    for rule in rules:
        for kind in {kind for pattern in rule.patterns for kind in pattern.kinds} - listed:
            raise ValueError(f"rule `{rule.name}` is about `{kind}`: list it at `{family}` in `rules/families.py`")
    return rules


@cache
def rules_about(kind: str) -> tuple[Rule, ...]:
    """Return the rules about a kind of effect, in the order of `all_rules`."""
    families = [family for family, kinds in FAMILIES.items() if kind in kinds.split()]
    rules = [rule for family in families for rule in rules_of(family) if any(kind in p.kinds for p in rule.patterns)]
    return tuple(sorted(rules, key=_order))


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule: the strictest level first, and of one level the rule that asks for the most."""
    return tuple(sorted((rule for family in FAMILIES for rule in rules_of(family)), key=_order))


def _order(rule: Rule) -> tuple[int, int]:
    return -rule.level.rank, -rule.narrowness
