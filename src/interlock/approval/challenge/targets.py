"""The targets of an action in words, the most serious first: `deletes /srv/data`, `sends to files.example.com`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.analyse.addresses.hosts import host_of
from interlock.approval.request import Approval
from interlock.effects import KINDS, READS
from interlock.sanitise import plain

# The most serious first; other kinds use the verb of their category and come after these.
VERBS = {
    "disk.wipe": "overwrites",
    "code.remote": "runs code from",
    "db.drop": "drops",
    "fs.delete": "deletes",
    "infra.destroy": "destroys",
    "cluster.delete": "deletes",
    "container.delete": "deletes",
    "net.send": "sends to",
    "message.send": "sends to",
    "payment.send": "pays",
    "package.publish": "publishes",
    "vcs.push": "pushes to",
    "vcs.rewrite": "rewrites",
    "vcs.discard": "discards",
    "trace.erase": "erases",
    "defence.disable": "switches off",
    "machine.halt": "halts",
    "process.signal": "signals",
    "db.delete": "deletes from",
    "db.alter": "alters",
    "db.grant": "grants on",
    "privilege.raise": "runs as",
    "deploy.release": "releases",
    "package.install": "installs",
    "package.remove": "removes",
    "fs.mode": "changes",
    "fs.owner": "changes",
    "fs.move": "moves",
    "fs.write": "writes",
    "secret.read": "reads",
    "net.connect": "connects to",
    "net.fetch": "fetches",
    "net.listen": "listens on",
    "code.run": "runs",
    "code.opaque": "runs",
    "code.eval": "runs",
}
CATEGORY_VERBS = {
    "output": "prints",
    "read": "reads",
    "unknown": "runs",
    "opaque": "runs",
    "network": "reaches",
    "delete": "deletes",
    "process": "stops",
    "destructive": "destroys",
}
NOTES = {
    ("fs.delete", "recursive"): "with everything in it",
    ("fs.mode", "world_writable"): "for everyone to write",
    ("vcs.push", "force"): "by force",
    ("net.send", "secret"): "with a secret",
    ("message.send", "secret"): "with a secret",
    ("secret.read", "secret"): "a secret",
}
PLACES = {"root": "the whole machine", "system": "of the system", "home": "in the home folder", "outside": "elsewhere"}
_RANKS = {kind: rank for rank, kind in enumerate(VERBS)}
MAX_NAME = 80


class ActionTarget(msgspec.Struct, frozen=True):
    """Something that an action would affect. `name` is that of the effect; `label` is for display."""

    kind: str
    verb: str
    type: str
    name: str
    flags: frozenset[str] = frozenset()
    place: str = ""

    @property
    def reads(self) -> bool:
        """Whether the target is only read, and not changed."""
        return self.kind in READS

    @property
    def is_unnamed_tool_target(self) -> bool:
        """Whether a tool call affects this target without naming it."""
        return "by_tool" in self.flags and not self.name

    @property
    def label(self) -> str:
        """The name on one line, or the type if there is no name."""
        return truncate_middle(plain(self.name)) if self.name.strip() else f"the {self.type}"

    @property
    def host(self) -> str:
        """The host of an address, or the whole name if it has none."""
        return host_of(self.name) or self.name if self.type in ("url", "host") else self.name

    @property
    def notes(self) -> str:
        """Remarks, such as `with everything in it`."""
        remarks = [text for (kind, flag), text in NOTES.items() if kind == self.kind and flag in self.flags]
        return ", ".join([*remarks, PLACES[self.place]] if self.place in PLACES else remarks)


def list_targets(approval: Approval) -> tuple[ActionTarget, ...]:
    """Return the targets of a request's effects, each once; those that are changed or sent come before those read."""
    found: dict[tuple[str, str], ActionTarget] = {}
    tool = str(approval.action.get("toolName") or "")
    for effect in approval.decision.get("effects") or ():
        target = _target(effect)
        if target.type != "tool" and target.name == tool and "by_tool" in target.flags:
            target = msgspec.structs.replace(target, name="")  # the call names no target, so it has the tool's name
        if target.kind != "out.print":
            found.setdefault((target.verb, target.name), target)
    return tuple(sorted(found.values(), key=lambda target: _RANKS.get(target.kind, len(_RANKS) + target.reads)))


def _target(effect: Mapping[str, Any]) -> ActionTarget:
    kind = str(effect.get("kind") or "")
    type_, _, name = str(effect.get("resource") or "").partition(":")
    known = KINDS.get(kind)
    if known is not None and known.resource == "machine":
        name = ""  # an argument such as `now` is not the name of a machine
    verb = VERBS.get(kind) or CATEGORY_VERBS.get(known.category if known else "", "changes")
    return ActionTarget(
        kind=kind,
        verb=verb,
        type=type_ or (known.resource if known else "thing"),
        name=name,
        flags=frozenset(effect.get("flags") or ()),
        place=str(effect.get("place") or ""),
    )


def truncate_middle(text: str, limit: int = MAX_NAME) -> str:
    """Return a text of at most `limit` characters, leaving out its middle if it is longer.

    >>> truncate_middle("/home/sam/shop/build/cache", 17)
    '/home/sa…ld/cache'
    """
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[len(text) - (limit - 1 - half) :]}"
