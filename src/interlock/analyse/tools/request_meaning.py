"""The meaning of a request, by its method, its path and its service."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.tools.arguments import VALUES
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.operation_names import operation_meaning
from interlock.analyse.tools.vocabulary import group_of, object_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ServiceHosts, ToolObject
from interlock.knowledge.table_types.tool_content_words import RequestWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-requests", RequestWords)

_SERVICES = read_table("service-hosts", ServiceHosts).services
_BY_HOST = {host: one for one in _SERVICES for host in one.hosts}
BY_NAME = {name: one for one in _SERVICES for name in one.names}
_DESTROYING = {
    "infra.change": "infra.destroy",
    **dict.fromkeys(("record.change", "content.publish", "message.send"), "record.delete"),
}
_DEFAULTS = {
    one.field: ToolObject(
        name=one.field,
        words=(),
        any=one.effect,
        read="tool.read",
        draft="tool.draft",
        remove=_DESTROYING.get(one.effect, ""),
    )
    for one in _SERVICES
}
#: Methods of HTTP → the verb that stands for them.
METHODS = {
    "GET": "get",
    "HEAD": "get",
    "OPTIONS": "get",
    "TRACE": "get",
    "PROPFIND": "get",
    "REPORT": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "update",
    "MERGE": "update",
    "DELETE": "delete",
    "PURGE": "delete",
}


class ServiceRequest(NamedTuple):
    """One request: its method in capitals, its address, and the name of a service where an argument names it."""

    method: str
    address: str
    service: str = ""

    @property
    def is_read(self) -> bool:
        """Whether the request changes nothing."""
        return meaning_of_request(self).verb in ("read", "draft")


def service_of(address: str) -> str:
    """Return the field of the well-known service that an address belongs to, or an empty text.

    >>> service_of("https://api.stripe.com/v1/refunds"), service_of("https://acme.okta.com/"), service_of("https://x.example")
    ('money', 'identity', '')
    """
    host = host_of(address)
    if "/webhooks/" in address or host.startswith(("hooks.", "webhook")):
        return ""  # anybody's
    while host:
        if host in _BY_HOST:
            return _BY_HOST[host].field
        host = host.partition(".")[2]
    return ""


def request_flags(request: ServiceRequest) -> frozenset[str]:
    """Return the flags of where a request goes: a sandbox of the service, or this machine, is for practice."""
    if "://" not in request.address:
        return frozenset()
    labels = split_words(host_of(request.address))
    if not _LIVE.isdisjoint(labels):
        return frozenset()
    if not {"local", "private", "echo"}.isdisjoint(host_flags(request.address)):
        return frozenset({"practice"})
    return frozenset({"practice"}) if not VALUES["practice"].isdisjoint(labels) else frozenset()


_LIVE = frozenset({"prod", "production", "live", "prd"})


@lru_cache(maxsize=512)
def meaning_of_request(request: ServiceRequest) -> Meaning:
    """Return the meaning of a request: `POST /v1/refunds` makes a refund, `?Action=CreateUser` creates a user."""
    address = request.address
    path, _, query = _ORIGIN.sub("", address).partition("#")[0].partition("?")
    action = next(
        (pair.partition("=")[2] for pair in query.split("&") if pair.lower().startswith(_WORDS.action_parameters)), ""
    )
    meaning = operation_meaning(unquote(action)) if action else _by_path(request.method, path)
    field = service_of(address) if "://" in address else ""
    if not field and request.service:
        field = BY_NAME[request.service].field
    if field == "identity" and meaning.verb == "change" and request.method != "PATCH":
        meaning = meaning._replace(verb="run")  # a group gets a member, a factor is reset
    if meaning.things or not field:
        return meaning
    verb = meaning.verb
    return meaning._replace(verb=verb, things=(_DEFAULTS[field],))


_ORIGIN = late(r"^[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)
_ESCAPED = late(r"%([0-7][0-9A-Fa-f])")


def unquote(text: str) -> str:
    """Return a part of an address as text: `a%20b` is `a b`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _by_path(method: str, path: str) -> Meaning:
    """Return the meaning of a request by its method and the segments of its path."""
    verb = METHODS[method]
    steps = [step for step in unquote(path).replace(":", "/").split("/") if step and not _is_identifier(step)]
    steps = [step.removesuffix(".json").lstrip("$") for step in steps]
    last = steps[-1].lower() if steps else ""
    if verb == "get" or last in _WORDS.asking_steps or last.rpartition(".")[2] in _WORDS.asking_steps:
        return meaning_of("_".join(["get", *steps[-2:]]), "")
    if verb == "delete" and len(steps) == _OWNED and steps[0] in ("repos", "repositories"):
        return meaning_of("delete_repository", "")  # `DELETE /repos/acme/booking`
    if verb == "delete" and steps and path.rstrip("/").endswith(f"/{steps[-1]}") and _is_collection(steps[-1]):
        return meaning_of(f"delete_all_{steps[-1]}", "")  # no step names one of them
    if verb == "update" and len(steps) > 1 and len(split_words(last)) > 1 and operation_meaning(last).verb in _GRAVE:
        return operation_meaning(last)  # `PUT /users/1/grant_admin`
    if verb == "update" and len(steps) > 1 and group_of(last) in _LETTING_GO and _is_collection(steps[-2]):
        done = operation_meaning(f"{last}_{steps[-2]}")  # `PUT /campaigns/12/schedule`
        if done.things and getattr(done.things[0], done.verb or "any"):
            return done
    if verb != "create" and len(steps) > 1 and last[-1:] != "s" and _is_collection(steps[-2]):
        return meaning_of(f"{verb}_{steps[-2]}", "")
    own = operation_meaning(steps[-1]) if steps else None
    if verb == "create" and own and own.verb not in ("", "draft") and not (own.verb == "read" and own.things):
        if own.verb == "read" and _WORDS.plain_looks.isdisjoint(own.words[:1]):
            return meaning_of("_".join([verb, *steps[-2:]]), "")
        whole = operation_meaning("_".join([*steps[-1:], *steps[-2:-1]]))
        return whole if own.verb == "read" or whole.things else own
    found = meaning_of("_".join([verb, *steps[-1:]]), "")
    if not found.things and last.endswith("s"):
        found = meaning_of(f"{verb}_{steps[-1][:-1]}", "")
    return found if found.things else meaning_of("_".join([verb, *steps[-2:]]), "")


_GRAVE = frozenset({"grant", "remove", "pay", "transfer", "publish", "share", "sign", "trade"})
#: Groups of verbs that release something prepared.
_LETTING_GO = frozenset({"send", "publish", "book", "approve", "submit", "sign", "pay", "transfer"})
_OWNED = 3  # segments of a path such as `/repos/OWNER/NAME`


def _is_collection(step: str) -> bool:
    """Whether a step names things of a kind, so that the next one names a thing: `secrets/DEPLOY_KEY`."""
    words = split_words(step)
    return step[-1:] == "s" and bool(words) and object_of(words[-1]) is not None


def _is_identifier(step: str) -> bool:
    """Whether a step of a path names one thing, or a version of the interface."""
    digits = sum(letter.isdigit() for letter in step)
    return (
        digits * 3 > len(step)
        or (step[:1] == "v" and step[1:2].isdigit())
        or step.lower() in _WORDS.empty_steps
        or step[:1] in "{<"
        or (step[:1] == "$" and step[1:].lower() not in _WORDS.asking_steps)
        or len(step) > 40
    )
