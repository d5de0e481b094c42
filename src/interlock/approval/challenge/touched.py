"""What an action would touch, in words: `deletes /srv/data`, `sends to files.example.com`. The gravest come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.analyse.hosts import host_of
from interlock.effects import KINDS, READS
from interlock.sanitise import plain

# The gravest first; a kind that is not here is called by its category and comes after these.
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


class Touch(msgspec.Struct, frozen=True):
    """One thing that would be touched. `name` is as the effect has it; `shown` is what a person sees."""

    kind: str
    verb: str
    type: str
    name: str
    flags: frozenset[str] = frozenset()
    place: str = ""

    @property
    def reads(self) -> bool:
        """Whether the thing is as it was afterwards."""
        return self.kind in READS

    @property
    def shown(self) -> str:
        """The name on one line, or what is meant where there is none."""
        return middle_cut(plain(self.name)) if self.name.strip() else f"the {self.type}"

    @property
    def host(self) -> str:
        """The host of an address, or the whole name where none can be told."""
        return host_of(self.name) or self.name if self.type in ("url", "host") else self.name

    @property
    def notes(self) -> str:
        """What else is worth a word."""
        said = [text for (kind, flag), text in NOTES.items() if kind == self.kind and flag in self.flags]
        return ", ".join([*said, PLACES[self.place]] if self.place in PLACES else said)


def touched(decision: Mapping[str, Any]) -> tuple[Touch, ...]:
    """Return what a decision's effects would touch: each thing once, what is lost or leaves before what is read."""
    found: dict[tuple[str, str], Touch] = {}
    for effect in decision.get("effects") or ():
        touch = _touch(effect)
        if touch.kind != "out.print":
            found.setdefault((touch.verb, touch.name), touch)
    return tuple(sorted(found.values(), key=lambda touch: _RANKS.get(touch.kind, len(_RANKS) + touch.reads)))


def _touch(effect: Mapping[str, Any]) -> Touch:
    kind = str(effect.get("kind") or "")
    type_, _, name = str(effect.get("resource") or "").partition(":")
    known = KINDS.get(kind)
    if known is not None and known.resource == "machine":
        name = ""  # what it is given, such as `now`, is no name of a machine
    verb = VERBS.get(kind) or CATEGORY_VERBS.get(known.category if known else "", "changes")
    return Touch(
        kind=kind,
        verb=verb,
        type=type_ or (known.resource if known else "thing"),
        name=name,
        flags=frozenset(effect.get("flags") or ()),
        place=str(effect.get("place") or ""),
    )


def middle_cut(text: str, limit: int = MAX_NAME) -> str:
    """Return a text of at most `limit` characters; what is too long loses its middle.

    >>> middle_cut("/home/sam/shop/build/cache", 17)
    '/home/sa…ld/cache'
    """
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[len(text) - (limit - 1 - half) :]}"
