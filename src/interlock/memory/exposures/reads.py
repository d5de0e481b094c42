"""What an action exposes its run to: the secrets, private data and untrusted content that it reads."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.memory.model import Exposure, ExposureKind
from interlock.model import Effect
from interlock.patterns import late
from interlock.sanitise import quotable

_SECRET_FLAGS = frozenset("secret printed show_secrets environment variable handed_over".split())
_PERSONAL = frozenset(
    "personal mail browser records dump health confidential sensitive screen recording clipboard".split()
)
#: Effects on tables and files, which may be named after people's data.
_OF_RECORDS = frozenset({"db.read", "fs.read"})
_READING = frozenset(
    "fs.read db.read tool.read data.export disk.read infra.read cluster.read container.read env.read".split()
)
#: Effects and words of clients that show what people wrote in a tracker.
_SHOWING = frozenset({"vcs.read", "infra.read", "process.run"})
_VIEWED = late(
    r"(?i)\b(?:issues?|discussions?|comments?|tickets?|threads?)\b.*\b(?:view|show|get|read|list)\b|\bmbox\b"
)
_INTERNAL_FLAGS = frozenset({"local", "private", "trusted", "registry"})


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
        (kind == "net.fetch" and flags.isdisjoint(_INTERNAL_FLAGS))
        or (kind == "db.read" and _shows_conversation(effect))
        or (kind in _SHOWING and effect.resource is not None and _VIEWED.search(effect.resource.name))
    ):
        yield ExposureKind.UNTRUSTED
    if kind == "tool.read":
        yield from _kinds_of_tool(effect)


def _is_private_read(effect: Effect) -> bool:
    """Whether an effect reads data of people or of an organisation. A database on this machine is for development."""
    if effect.kind not in _READING or "names" in effect.flags:
        return False
    if not effect.flags.isdisjoint(_PERSONAL):
        return True
    if effect.kind not in _OF_RECORDS:
        return False
    from interlock.memory.exposures.record_names import is_records_file  # many an action reads neither

    name = effect.resource.name if effect.resource else ""
    if effect.kind == "db.read":
        return "local" not in effect.flags or is_records_file(f"{name}.csv")
    return is_records_file(name)


def _shows_conversation(effect: Effect) -> bool:
    return "local" not in effect.flags and effect.resource is not None and is_conversation(effect.resource.name)


def is_conversation(table: str) -> bool:
    """Whether a table holds messages between people, by its name."""
    from interlock.knowledge.tool_names import split_words  # few runs read such tables
    from interlock.memory.calls.words import memory_words

    return not memory_words().conversations.isdisjoint(split_words(table))


def _kinds_of_tool(effect: Effect) -> Iterable[ExposureKind]:
    """Yield the exposures to the content that a tool reads, by the words in its name."""
    from interlock.knowledge.tool_names import split_words  # few runs call tools
    from interlock.memory.calls.words import memory_words

    name = split_words(effect.resource.name) if effect.resource else ()
    words, known = frozenset(name), memory_words()
    lists_places = name[-2:-1] in (("list",), ("get",)) and name[-1] in known.listed
    if words.isdisjoint(known.public) and not lists_places:
        yield ExposureKind.PRIVATE
    if words.isdisjoint(known.internal):
        yield ExposureKind.UNTRUSTED


def _name_of(effect: Effect) -> str:
    return quotable(effect.resource.name if effect.resource else effect.kind)
