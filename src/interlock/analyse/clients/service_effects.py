"""The effects of calls of service clients, by the verb and the field of the service."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from interlock.analyse.clients.service_words import MANY, MESSAGES, MONEY, PUBLIC_POSTS, SERIOUS, TABLE
from interlock.analyse.shell.services.client_vocabulary import classes_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.clients import Clients

ServiceMeaning = tuple[str, frozenset[str]]
_NOTHING: ServiceMeaning = ("", frozenset())
_LIBRARY = frozenset({"library"})
_CLASSES = frozenset(flag for entry in read_table("clients", Clients).resources for flag in entry.flags)
MAX_ARGUMENTS = 32


class ServiceChange(NamedTuple):
    """A call that changes a service: its method, the words of the names that lead to it, and its named arguments."""

    method: str
    words: list[str]
    destroys: bool
    names: Collection[str] = ()
    repeated: bool = False  # in a loop


def meaning_of(field: str, change: ServiceChange, opened: bool) -> ServiceMeaning:
    """Return the effect and the flags of a change in a field of services; `net.send` is an upload."""
    kind, flags = _MEANINGS[field](change)
    if opened and kind != "message.send":
        kind, flags = "infra.change", flags | {"public"} | _LIBRARY
    if kind.startswith("infra."):
        flags |= classes_of(tuple(change.words)) & _CLASSES
    return kind, flags


def _infra(change: ServiceChange) -> ServiceMeaning:
    words = set(change.words)
    if not change.destroys and ("upload" in words or change.method in TABLE.methods.uploading):
        return "net.send", frozenset()
    if not change.destroys and {"send", "publish"} & words and MESSAGES & words:
        return _message(change)
    return ("infra.destroy", frozenset()) if change.destroys else ("infra.change", _LIBRARY)


def _cluster(change: ServiceChange) -> ServiceMeaning:
    return ("cluster.delete", frozenset()) if change.destroys else ("cluster.change", _LIBRARY)


def _message(change: ServiceChange) -> ServiceMeaning:
    if change.destroys:
        return "infra.destroy", frozenset()
    many = change.repeated or MANY & {*change.words, *change.names} or change.method in PUBLIC_POSTS
    return "message.send", frozenset({"many"}) if many else frozenset()


def _payment(change: ServiceChange) -> ServiceMeaning:
    if not change.destroys and MONEY & set(change.words):
        return "payment.send", frozenset()
    return ("infra.destroy", frozenset()) if change.destroys else ("infra.change", _LIBRARY)


def _tool(change: ServiceChange) -> ServiceMeaning:
    if change.destroys:
        return "infra.destroy", frozenset()
    if SERIOUS & set(change.words):
        return "infra.change", _LIBRARY
    return ("tool.change", frozenset()) if change.method else _NOTHING


def _service(change: ServiceChange) -> ServiceMeaning:
    """Return the effect of a method of a library that is not listed."""
    if change.destroys:
        return "infra.destroy", frozenset()
    found = set(change.words[-4:])
    if MONEY & found:
        return "payment.send", frozenset()
    if not found.isdisjoint(TABLE.methods.announcing) and (MANY | MESSAGES) & found:
        return _message(change)
    return ("infra.change", _LIBRARY) if SERIOUS & found else _NOTHING


_MEANINGS = {
    "infra": _infra,
    "cluster": _cluster,
    "container": _infra,
    "message": _message,
    "payment": _payment,
    "store": lambda _change: _NOTHING,
    "tool": _tool,
    "service": _service,
}


def opens_to_all(arguments: Iterable[Any]) -> bool:
    """Whether the arguments of a call open something to everyone: `{visibility: "public"}`, `{"type": "anyone"}`."""
    for name, value in find_named_arguments(arguments):
        wanted = TABLE.opening.get(name.lower())
        if wanted and isinstance(value, (str, bool)) and value in wanted:
            return True
    return False


def find_named_arguments(arguments: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a call's arguments, including those in nested hashes."""
    left = list(arguments)
    for _ in range(4 * MAX_ARGUMENTS):
        if not left:
            return
        value = left.pop()
        if isinstance(value, dict):
            yield from ((str(name), one) for name, one in value.items())
            left += list(value.values())[:MAX_ARGUMENTS]
        elif type(value) in (list, tuple):
            left += list(value)[:MAX_ARGUMENTS]
