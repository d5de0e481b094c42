"""Calls of service clients: what they do by the verb in their name, to what, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.analyse.python.call import Call
from interlock.analyse.python.container_calls import read_container_call
from interlock.analyse.python.marks import unknown_from
from interlock.analyse.python.sending import content_marks, report_send
from interlock.analyse.python.service_clients import (
    DATA,
    FAR,
    MAX_ARGUMENTS,
    NEAR,
    TRIAL,
    client_parts,
    is_client,
    is_near_text,
    is_trial_text,
    known_texts,
    make_client,
)
from interlock.analyse.python.service_words import (
    CHANGE,
    DESTROY,
    MANY,
    MESSAGES,
    MONEY,
    PUBLIC_POSTS,
    READ,
    REHEARSING,
    SERIOUS,
    TELLING,
    does_what,
    gives_secret,
    split_name,
)
from interlock.analyse.python.values import Instance
from interlock.analyse.shell.client_vocabulary import classes_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import Clients
from interlock.patterns import late

_READING = frozenset({"infra", "cluster", "container"})
_LIBRARY = frozenset({"library"})
_CLASSES = frozenset(flag for entry in read_table("clients", Clients).resources for flag in entry.flags)
#: Arguments by which something is opened to everyone: name → values.
_OPENING: dict[str, set[str | bool]] = {
    "type": {"anyone", "domain"},
    "perm_type": {"anyone"},
    "visibility": {"public"},
    "private": {False},
    "public": {True},
    "acl": {"public-read", "public-read-write"},
    "cidrip": {"0.0.0.0/0", "::/0"},
    "cidrblock": {"0.0.0.0/0", "::/0"},
    "source_address_prefix": {"*", "0.0.0.0/0"},
    "principal": {"*"},
    "member": {"allUsers", "allAuthenticatedUsers"},
    "public_access": {"container", "blob"},
}


def read_library_call(call: Call) -> Instance | None:
    """Emit the effect of a function of a client library; return the client that it gives, or None if it is none."""
    client = make_client(call)
    if client is None:
        return None
    if not call.method[:1].isupper() and not _is_tested(call):
        _read(call, client)
    return client


def read_service_call(call: Call, method: Instance) -> Any:
    """Emit the effect of calling a member of a client; return what it gives."""
    field, path = client_parts(method)
    if _is_tested(call):
        method = method._replace(mode=TRIAL)
    named = call._replace(name=".".join(path), owner=method)
    if field == "container" and method.mode != FAR:
        read_container_call(named, path)
    else:
        _read(named, method)
    if method.mode == FAR and gives_secret(named.method) and not (named.method == "list_keys" and path[0] != "azure"):
        return unknown_from(call.reading, f"what {named.method} gives", "secret", "variable")
    return method


def _is_tested(call: Call) -> bool:
    """Whether a call is rehearsed, or reaches nothing because a test stands in for the service."""
    if call.host.state.mocked or any(call.keywords.get(name) in _REHEARSED for name in REHEARSING):
        return True
    texts = known_texts(call.values)
    if any(_REHEARSAL.search(text) for text in texts) or (call.method in _FLEET and any(map(_LOOKING.match, texts))):
        return True
    return any(is_near_text(text) for text in known_texts(call.keywords.values()) if "://" in text)


def _read(call: Call, client: Instance) -> None:
    """Emit the effect of a client's method."""
    field, path = client_parts(client)
    done = does_what(call.method, DATA not in path)
    opened = opens_to_all(call)
    if done == READ and field in _READING:
        call.reading.emit(f"{field}.read", call.site, call.method)
    if field == "cluster" and call.name == "kubernetes.stream.stream":
        done = CHANGE
    if (done not in (CHANGE, DESTROY) and not opened and call.method not in PUBLIC_POSTS) or client.mode != FAR:
        return
    if call.host.state.summaries is not None and field not in ("infra", "cluster"):
        return  # nobody is known to call it
    words = [word for part in path[1:] for word in split_name(part)]
    kind, flags = _EFFECTS[field](call, words, done == DESTROY)
    if opened and kind != "message.send":
        kind, flags = "infra.change", flags | {"public"} | _LIBRARY
    if kind:
        if kind.startswith("infra."):
            flags |= classes_of(tuple(words)) & _CLASSES
        call.reading.emit(kind, call.site, ".".join(path[-3:])[:200], frozenset(flags))


#: Values of arguments that rehearse: `dry_run=True`, and `dry_run="All"` of Kubernetes.
_REHEARSED = (True, "All", ["All"])
_REHEARSAL = late(r"(?:^|\s)--(?:check|dry-run|syntax-check|list-hosts|list-tasks|noop)(?:\s|$)")
#: Methods that run a function on many machines, and the functions that only look.
_FLEET = frozenset({"cmd", "cmd_async", "cmd_iter", "cmd_batch"})
_LOOKING = late(r"(?:test|grains|status|disk|network|sys|manage|jobs)\.")
Meaning = tuple[str, frozenset[str]]
_NOTHING: Meaning = ("", frozenset())


_PUTTING = frozenset("put_object put_blob fput_object put_file upload_blob_from_path put_item_from_file".split())


def _infra(call: Call, words: list[str], destroys: bool) -> Meaning:
    if not destroys and ("upload" in words or call.method in _PUTTING):
        report_send(call, content_marks(call))
        return _NOTHING
    if not destroys and {"send", "publish"} & set(words) and MESSAGES & set(words):
        return _message(call, words, destroys)
    return ("infra.destroy", frozenset()) if destroys else ("infra.change", _LIBRARY)


def _cluster(_call: Call, _words: list[str], destroys: bool) -> Meaning:
    return ("cluster.delete", frozenset()) if destroys else ("cluster.change", _LIBRARY)


def _message(call: Call, words: list[str], destroys: bool) -> Meaning:
    if destroys:
        return "infra.destroy", frozenset()
    many = bool(call.host.state.loops or MANY & {*words, *call.keywords} or call.method in PUBLIC_POSTS)
    return "message.send", frozenset({"many"}) if many else frozenset()


def _payment(_call: Call, words: list[str], destroys: bool) -> Meaning:
    if not destroys and MONEY & set(words):
        return "payment.send", frozenset()
    return ("infra.destroy", frozenset()) if destroys else ("infra.change", _LIBRARY)


def _tool(call: Call, words: list[str], destroys: bool) -> Meaning:
    if destroys:
        return "infra.destroy", frozenset()
    if SERIOUS & set(words):
        return "infra.change", _LIBRARY
    return ("tool.change", frozenset()) if call.method else _NOTHING


def _service(call: Call, words: list[str], destroys: bool) -> Meaning:
    """Return the effect of a method of a library that nobody has listed."""
    if destroys:
        return "infra.destroy", frozenset()
    found = set(words[-4:])
    if MONEY & found:
        return "payment.send", frozenset()
    if {"send", "publish", "broadcast", "post", "notify"} & found and (MANY | MESSAGES) & found:
        return _message(call, words, destroys)
    return ("infra.change", _LIBRARY) if SERIOUS & found else _NOTHING


_EFFECTS = {
    "infra": _infra,
    "cluster": _cluster,
    "container": _infra,
    "message": _message,
    "payment": _payment,
    "store": lambda _call, _words, _destroys: _NOTHING,
    "tool": _tool,
    "service": _service,
}


def opens_to_all(call: Call) -> bool:
    """Whether the arguments of a call open something to everyone: `visibility="public"`, `{"type": "anyone"}`."""
    for name, value in _pairs(call):
        wanted = _OPENING.get(name.lower())
        if wanted and isinstance(value, (str, bool)) and value in wanted:
            return True
    return False


def _pairs(call: Call) -> Iterator[tuple[str, Any]]:
    """Yield names and values of a call's arguments, those in nested hashes too."""
    left: list[Any] = [call.keywords, *call.arguments]
    for _ in range(4 * MAX_ARGUMENTS):
        if not left:
            return
        value = left.pop()
        if isinstance(value, dict):
            yield from ((str(name), one) for name, one in value.items())
            left += list(value.values())[:MAX_ARGUMENTS]
        elif type(value) in (list, tuple):
            left += list(value)[:MAX_ARGUMENTS]


def read_telling_name(call: Call) -> bool:
    """Emit the effect of a method whose name alone says what it destroys, on any object; return whether it does."""
    meaning = TELLING.get(call.method)
    if meaning is None or call.host.state.summaries is not None or _is_tested(call):
        return False
    spared = (TRIAL,) if meaning.startswith("db.") else (NEAR, TRIAL)  # data on this machine may exist nowhere else
    clients = [value for value in (call.owner, *call.values) if is_client(value)]
    if any(client.mode in spared for client in clients) or any(
        is_trial_text(text) for text in known_texts(call.values)
    ):
        return False
    kind, *flags = meaning.split()
    call.reading.emit(kind, call.site, call.method, frozenset(flags))
    return True
