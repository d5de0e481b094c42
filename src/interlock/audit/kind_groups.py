"""The kinds of records in groups, under the words that people use."""

from __future__ import annotations

from interlock.audit.record import KINDS
from interlock.errors import InterlockError, nearest
from interlock.model import Struct


class KindGroup(Struct, frozen=True):
    """A group: its title, and the kinds in it. A word such as `approval` covers `approval.requested` and the like."""

    title: str
    words: tuple[str, ...]

    def covers(self, kind: str) -> bool:
        """Whether a kind is in the group."""
        return any(kind == word or kind.startswith(f"{word}.") for word in self.words)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds in the group."""
        return tuple(kind for kind in KINDS if self.covers(kind))


#: Every kind is in exactly one group.
GROUPS = {
    "decisions": KindGroup("Decisions", tuple("decision risk override observed bypass refused asked".split())),
    "approvals": KindGroup("Approvals", ("approval", "answer", "view")),
    "grants": KindGroup("Grants", ("grant", "suggestion")),
    "agents": KindGroup("Agent behaviour", ("agent",)),
    "runs": KindGroup("Runs", ("run", "event", "request", "tool")),
    "run-memory": KindGroup("Run memory", ("download", "written", "memory", "budget")),
    "policies": KindGroup("Policies and configuration", ("policy", "configuration", "setting", "bundle")),
    "people": KindGroup("People and access", ("person", "group", "identity", "access", "session")),
    "stops": KindGroup("Stops and pauses", ("stop", "pause")),
    "notifications": KindGroup(
        "Notifications and webhooks", tuple("webhook channel preferences browser push_key chat".split())
    ),
    "system": KindGroup("System", ("start", "key", "checkpoint", "accepted", "spool", "prune", "kept")),
}


def find_kinds(word: str) -> tuple[str, ...]:
    """Return the kinds of a group, a family such as `approval`, or a single kind; raise if there is none.

    >>> find_kinds("stops"), find_kinds("stop.made")
    (('stop.made', 'stop.lifted', 'pause.made', 'pause.lifted', 'pause.ended'), ('stop.made',))
    """
    if word in GROUPS:
        return GROUPS[word].kinds
    kinds = KindGroup("", (word,)).kinds
    if not kinds:
        raise InterlockError(f"there are no records of kind `{word}`{nearest(word, [*GROUPS, *KINDS])}")
    return kinds
