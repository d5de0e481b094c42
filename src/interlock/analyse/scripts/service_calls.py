"""Calls of service clients in scripts: what they do by the verb in their name, to what, and with which arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.clients.service_effects import ServiceChange, find_named_arguments, meaning_of, opens_to_all
from interlock.analyse.clients.service_places import FAR, TRIAL
from interlock.analyse.clients.service_words import (
    CHANGE,
    DESTROY,
    PUBLIC_POSTS,
    READ,
    REHEARSING,
    classify_method,
    gives_secret,
    split_name,
)
from interlock.analyse.scripts.library_clients import client_parts, is_client, is_factory, place_of
from interlock.analyse.scripts.sending import find_sent_marks
from interlock.analyse.scripts.values import Ref, as_text
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

ITEM = "[]"
_READING = frozenset({"infra", "cluster", "container"})
_REQUEST = late(r"^(DELETE|PUT|POST|PATCH|GET|HEAD) /")
#: Methods that carry out a command object, or a request that is a text.
_SENDING = frozenset({"send", "request", "execute", "gh"})
_MAX_PATH = 180
#: Words in the name of a method that opens something to all: `drive_share_anyone`, `makePublic`.
_EVERYONE = frozenset({"anyone", "public", "everyone"})


def make_service(script: Script, field: str, name: str, arguments: list[Any], start: Any) -> Ref:
    """Return the client that a function of a library gives; a function that does something at once is read."""
    client = Ref(f"client {field} {place_of(arguments, name)} {name}"[:_MAX_PATH])
    if name.rpartition(".")[2].endswith(_COMMANDS):
        return client._replace(owner=list(arguments))
    if not is_factory(name):
        _read(script, client, arguments, start)
    return client


#: Last words of objects that stand for a call: `new DeleteBucketCommand(…)`.
_COMMANDS = ("Command", "Request", "CommandInput")


def call_service(script: Script, client: Ref, arguments: list[Any], start: Any) -> Any:
    """Emit the effect of calling a member of a client; return what it gives."""
    _, field, place, path = client_parts(client)
    if any(value is True and key in REHEARSING for key, value in find_named_arguments(arguments)):
        client = Ref(f"client {field} {TRIAL} {'.'.join(path)}")
    secret = _read(script, client, arguments, start)
    if secret and place == FAR:
        script.taint("secret", f"what {secret} gives")
        return script.taint("variable", f"what {secret} gives")
    if path[-1] == "then" or len(client.name) > _MAX_PATH:
        return Ref(client.name.removesuffix(".then"))
    return client


def _read(script: Script, client: Ref, arguments: list[Any], start: Any) -> str:
    """Emit the effect of a client's method; return the name of the method if it gives a secret."""
    reading = script.reading
    _, field, place, path = client_parts(client)
    method, given = path[-1], arguments
    done = _verb(script, method, ITEM not in path)
    if method in _SENDING and arguments:
        path, method, given, done = _find_handed_call(path, arguments, done)
    opened = opens_to_all(given) or (done == CHANGE and not _EVERYONE.isdisjoint(split_name(method)))
    if done == READ and field in _READING:
        reading.emit(f"{field}.read", script.where(start), method)
    if done not in (CHANGE, DESTROY) and not opened and method not in PUBLIC_POSTS:
        return method if gives_secret(method) else ""
    if place != FAR:
        return ""
    words = [word for part in path[1:] for word in split_name(part)]
    names = {name for value in given if isinstance(value, dict) for name in value}
    kind, flags = meaning_of(field, ServiceChange(method, words, done == DESTROY, names, script.loops > 0), opened)
    marks = find_sent_marks(script, given)
    if kind == "net.send":
        if marks:
            reading.emit(kind, script.where(start), method, marks | {"copy", "account_store"})
    elif kind:
        flags |= marks | {"elsewhere"} if kind == "message.send" and marks else frozenset()
        reading.emit(kind, script.where(start), ".".join(path[-3:])[:200], flags)
    return ""


def _verb(script: Script, method: str, direct: bool) -> int | None:
    """Return what a method does; in some languages the short name of a package stands before the verb."""
    done = classify_method(method, direct)
    if done is None and script.syntax.name in (
        "r",
        "julia",
    ):
        done = classify_method(method.partition("_")[2], direct)
    return done


def _find_handed_call(
    path: list[str], arguments: list[Any], done: int | None
) -> tuple[list[str], str, list[Any], int | None]:
    """Return the path, method, arguments and verb of a call that a client is handed as an object or a text."""
    first = arguments[0]
    if is_client(first):
        method = client_parts(first)[3][-1]
        for ending in _COMMANDS:
            method = method.removesuffix(ending)
        given = first.owner if isinstance(first.owner, list) else []
        return [*path[:-1], method], method, given, classify_method(_camel(method), direct=True)
    request = _REQUEST.match(as_text(first)[:200])
    if request:
        words = [part for part in as_text(first)[:200].partition(" ")[2].split("/") if part.isalnum()]
        done = {"DELETE": DESTROY, "GET": READ, "HEAD": READ}.get(request[1], CHANGE)
        return [*path[:-1], *words[-3:]], path[-1], arguments, done
    return path, path[-1], arguments, done if path[-1] == "send" else None


def _camel(name: str) -> str:
    return name[:1].lower() + name[1:]
