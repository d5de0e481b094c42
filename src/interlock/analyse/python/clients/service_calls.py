"""Calls of service clients: what they do by the verb in their name, to what, and with which arguments."""

from __future__ import annotations

from typing import Any

from interlock.analyse.clients.service_effects import ServiceChange, meaning_of, opens_to_all
from interlock.analyse.clients.service_places import FAR, NEAR, TRIAL, is_near_text, is_trial_text
from interlock.analyse.clients.service_words import (
    CHANGE,
    DESTROY,
    PUBLIC_POSTS,
    READ,
    REHEARSING,
    TELLING,
    classify_method,
    gives_secret,
    split_name,
)
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.sending import content_marks, report_send
from interlock.analyse.python.clients.container_calls import MACHINES, read_container_call
from interlock.analyse.python.clients.service_clients import (
    DATA,
    client_parts,
    find_known_texts,
    is_client,
    is_emulated,
    make_client,
)
from interlock.analyse.python.evaluation.marks import unknown_from
from interlock.analyse.python.evaluation.values import Instance
from interlock.patterns import late

_READING = frozenset({"infra", "cluster", "container"})


def read_library_call(call: PythonCall) -> Instance | None:
    """Emit the effect of a function of a client library; return the client that it gives, or None if it is none."""
    client = make_client(call)
    if client is None:
        return None
    if not call.method[:1].isupper() and not _is_tested(call):
        _read(call, client)
    return client


def read_service_call(call: PythonCall, method: Instance) -> Any:
    """Emit the effect of calling a member of a client; return what it gives."""
    field, path = client_parts(method)
    if _is_tested(call):
        method = method.replace(mode=TRIAL)
    named = call.replace(name=".".join(path), owner=method)
    if field == "container" and (method.mode != FAR or path[0] in MACHINES):
        read_container_call(named, path)
    else:
        _read(named, method)
    if method.mode == FAR and any(call.keywords.get(name) is True for name in _REVEALING):
        return unknown_from(call.reading, f"what {named.method} gives", "secret", "variable")
    if method.mode == FAR and gives_secret(named.method) and not (named.method == "list_keys" and path[0] != "azure"):
        return unknown_from(call.reading, f"what {named.method} gives", "secret", "variable")
    return method


def _is_tested(call: PythonCall) -> bool:
    """Whether a call is rehearsed, or reaches nothing because a test stands in for the service."""
    if call.host.state.mocked or any(call.keywords.get(name) in _REHEARSED for name in REHEARSING):
        return True
    texts = find_known_texts(call.values)
    if any(_REHEARSAL.search(text) for text in texts) or (call.method in _FLEET and any(map(_LOOKING.match, texts))):
        return True
    return any(is_near_text(text) for text in find_known_texts(call.keywords.values()) if "://" in text)


def _read(call: PythonCall, client: Instance) -> None:
    """Emit the effect of a client's method."""
    field, path = client_parts(client)
    done = classify_method(call.method, DATA not in path)
    opened = opens_to_all([call.keywords, *call.arguments])
    if done == READ and field in _READING:
        call.reading.emit(f"{field}.read", call.site, call.method)
    if field == "cluster" and call.name == "kubernetes.stream.stream":
        done = CHANGE
    if (done not in (CHANGE, DESTROY) and not opened and call.method not in PUBLIC_POSTS) or client.mode != FAR:
        return
    if call.host.state.summaries is not None and field not in ("infra", "cluster"):
        return  # nobody is known to call it
    words = [word for part in path[1:] for word in split_name(part)]
    change = ServiceChange(call.method, words, done == DESTROY, call.keywords, bool(call.host.state.loops))
    kind, flags = meaning_of(field, change, opened)
    if kind == "net.send":
        report_send(call, content_marks(call))
    elif kind:
        call.reading.emit(kind, call.site, ".".join(path[-3:])[:200], flags)


#: Arguments by which a call gives secrets in the clear.
_REVEALING = ("WithDecryption", "with_decryption", "decrypt", "show_secrets", "include_secrets", "reveal")
#: Values of arguments that rehearse: `dry_run=True`, and `dry_run="All"` of Kubernetes.
_REHEARSED = (True, "All", ["All"])
_REHEARSAL = late(r"(?:^|\s)--(?:check|dry-run|syntax-check|list-hosts|list-tasks|noop)(?:\s|$)")
#: Methods that run a function on many machines, and the functions that only look.
_FLEET = frozenset({"cmd", "cmd_async", "cmd_iter", "cmd_batch"})
_LOOKING = late(r"(?:test|grains|status|disk|network|sys|manage|jobs)\.")


def read_telling_name(call: PythonCall) -> bool:
    """Emit the effect of a method whose name alone says what it destroys, on any object; return whether it does."""
    meaning = TELLING.get(call.method)
    if meaning is None or call.host.state.summaries is not None or _is_tested(call) or is_emulated(call):
        return False
    spared = (TRIAL,) if meaning.startswith("db.") else (NEAR, TRIAL)  # data on this machine may exist nowhere else
    clients = [value for value in (call.owner, *call.values) if is_client(value)]
    if any(client.mode in spared for client in clients) or any(
        is_trial_text(text) for text in find_known_texts(call.values)
    ):
        return False
    kind, *flags = meaning.split()
    call.reading.emit(kind, call.site, call.method, frozenset(flags))
    return True
