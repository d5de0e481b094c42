"""What an action exposes its run to: secrets and private data that it reads, and untrusted content that it lets in.

A run also remembers what its clients were switched to, and the tags that it may have made.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cache

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.memory.exposures.record_names import holds_records
from interlock.model import Effect
from interlock.patterns import late
from interlock.sanitise import plain

MAX_OF_KIND, MAX_TAGS = 12, 50
#: Stands for every tag, once a run has made more than are kept, or one whose name is not known.
ANY_TAG = "*"
MAX_NAME = 120


class ExposureKind(Enum):
    """What a run came into contact with."""

    SECRET = "secret"  # noqa: S105 - a kind, not a password
    PRIVATE = "private"
    UNTRUSTED = "untrusted"
    LIVE = "live"
    CONFIDENTIAL = "confidential"


class Exposure(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """One contact: its kind, what it was, and the number of the call in the run. 0 means that it has no number yet."""

    kind: ExposureKind
    what: str
    call: int = 0


class ClientContext(msgspec.Struct, frozen=True, rename="camel", gc=False, omit_defaults=True):
    """What a client was switched to, and in which call of the run. `name` is a digest; empty if it is not known."""

    client: str
    name: str = ""
    call: int = 0


_SECRET_FLAGS = frozenset("secret printed show_secrets environment variable handed_over".split())
_PERSONAL = frozenset(
    "personal mail browser records dump health confidential sensitive screen recording clipboard".split()
)
_READING = frozenset(
    "fs.read db.read tool.read data.export disk.read infra.read cluster.read container.read env.read".split()
)
#: Effects of clients that show what people wrote in a tracker, and the words by which they do.
_SHOWING = frozenset({"vcs.read", "infra.read", "process.run"})
_VIEWED = late(
    r"(?i)\b(?:issues?|discussions?|comments?|tickets?|threads?)\b.*\b(?:view|show|get|read|list)\b|\bmbox\b"
)
_NEAR = frozenset({"local", "private", "trusted", "registry"})


class MemoryWords(msgspec.Struct, frozen=True):
    """The words of `run-memory.toml`, as sets."""

    public: frozenset[str]
    internal: frozenset[str]
    outside: frozenset[str]
    opening: frozenset[str]
    closing: frozenset[str]
    answering: frozenset[str]
    team: frozenset[str]
    inside: frozenset[str]
    conversations: frozenset[str]
    open_platforms: frozenset[str]
    timers: frozenset[str]
    browsers: frozenset[str]
    copying: frozenset[str]
    pasting: frozenset[str]
    inner_hosts: frozenset[str]
    typing: frozenset[str]
    chats: frozenset[str]
    rooms: frozenset[str]
    readers: frozenset[str]
    customers: frozenset[str]
    outward: frozenset[str]
    preparing: frozenset[str]
    triggering: frozenset[str]
    defining: frozenset[str]
    definitions: frozenset[str]
    naming: frozenset[str]
    standing: frozenset[str]
    states: frozenset[str]
    looking: frozenset[str]


@cache
def memory_words() -> MemoryWords:
    """Return the words by which tools and arguments are told apart."""
    from interlock.knowledge.tool_tables import RunMemory  # few runs call tools

    table = read_table("run-memory", RunMemory)
    return MemoryWords(*(frozenset(getattr(table, name)) for name in MemoryWords.__struct_fields__))


def find_exposures(effects: Iterable[Effect]) -> list[Exposure]:
    """Return what an action exposes its run to."""
    found = dict.fromkeys((kind, _name_of(effect)) for effect in effects for kind in _kinds_of(effect))
    return [Exposure(kind, what) for kind, what in found]


def _kinds_of(effect: Effect) -> Iterable[ExposureKind]:
    kind, flags = effect.kind, effect.flags
    if kind == "secret.read" or (kind == "env.read" and not flags.isdisjoint(_SECRET_FLAGS)):
        yield ExposureKind.SECRET
    elif _is_private_read(effect):
        yield ExposureKind.PRIVATE
    if (
        (kind == "net.fetch" and flags.isdisjoint(_NEAR))
        or (kind == "db.read" and _shows_conversation(effect))
        or (kind in _SHOWING and effect.resource is not None and _VIEWED.search(effect.resource.name))
    ):
        yield ExposureKind.UNTRUSTED
    if kind == "tool.read":
        yield from _kinds_of_tool(effect)


def _is_private_read(effect: Effect) -> bool:
    """Whether data of people or of an organisation is read. A database on this machine is one for development."""
    if effect.kind not in _READING or "names" in effect.flags:
        return False
    if not effect.flags.isdisjoint(_PERSONAL):
        return True
    name = effect.resource.name if effect.resource else ""
    if effect.kind == "db.read":
        return "local" not in effect.flags or holds_records(f"{name}.csv")
    return effect.kind == "fs.read" and holds_records(name)


def _shows_conversation(effect: Effect) -> bool:
    return "local" not in effect.flags and effect.resource is not None and is_conversation(effect.resource.name)


def is_conversation(table: str) -> bool:
    """Whether people write to each other in a table, by its name."""
    from interlock.knowledge.tool_names import split_words  # few runs read such tables

    return not memory_words().conversations.isdisjoint(split_words(table))


def _kinds_of_tool(effect: Effect) -> Iterable[ExposureKind]:
    """Yield what a tool that reads may let in, by the words in its name."""
    from interlock.knowledge.tool_names import split_words  # few runs call tools

    words = frozenset(split_words(effect.resource.name)) if effect.resource else frozenset()
    known = memory_words()
    if words.isdisjoint(known.public):
        yield ExposureKind.PRIVATE
    if words.isdisjoint(known.internal):
        yield ExposureKind.UNTRUSTED


def _name_of(effect: Effect) -> str:
    return quotable(effect.resource.name if effect.resource else effect.kind)


def quotable(text: str) -> str:
    """Return a text that is shown to people between backticks: short, on one line, and without backticks of its own.

    >>> quotable("a`, and is `safe\\n")
    "a', and is 'safe\\\\n"
    """
    return plain(text[:MAX_NAME]).replace("`", "'")


def add_exposures(known: tuple[Exposure, ...], found: Iterable[Exposure], call: int) -> tuple[Exposure, ...]:
    """Return exposures with those of one more call. Each thing stays once; of every kind, the first and the newest.

    Only the newest switch to a live system stays. Switching away does not remove it: that may be about something else.
    """
    kept = list(known)
    for one in found:
        alike = [other for other in kept if other.kind is one.kind]
        if one.kind is ExposureKind.LIVE:
            kept = [other for other in kept if other.kind is not ExposureKind.LIVE]
        elif any(other.what == one.what for other in alike):
            continue
        elif len(alike) >= MAX_OF_KIND:
            kept.remove(alike[MAX_OF_KIND // 2])
        kept.append(Exposure(one.kind, one.what, call))
    return tuple(kept)


def add_contexts(
    known: tuple[ClientContext, ...], found: Iterable[ClientContext], call: int
) -> tuple[ClientContext, ...]:
    """Return contexts with those of one more call: the newest of each client counts."""
    kept = {one.client: one for one in known}
    kept |= {one.client: ClientContext(one.client, one.name, call) for one in found}
    return tuple(kept[client] for client in sorted(kept))


def add_tags(known: tuple[str, ...], found: Iterable[str]) -> tuple[str, ...]:
    """Return tags with some more; if there are too many, one entry stands for all of them."""
    kept = tuple(dict.fromkeys((*known, *found)))
    return (ANY_TAG,) if ANY_TAG in kept or len(kept) > MAX_TAGS else kept
