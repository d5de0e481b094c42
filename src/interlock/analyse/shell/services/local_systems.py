"""Local systems: whether a client works on a cluster, an emulator or a service of this machine, or on a shared one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.reading import Reading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.scope import ShellScope
from interlock.analyse.shell.services.object_aliases import CLIENTS, brings_here, is_local_store, keep_alias
from interlock.analyse.stores.scratch import DatabaseTarget, mark_connection
from interlock.knowledge.arguments import find_values
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.clients import Clients, Endpoint
from interlock.patterns import late

_TABLE = read_table("clients", Clients)
#: Kinds of effects that reach a shared system, unless the system is local.
SHARED = frozenset(
    (
        "infra.change infra.destroy deploy.release cluster.change cluster.delete message.send package.publish "
        "payment.send"
    ).split()
)
_PROGRAMS = frozenset(_TABLE.local_programs)
_SWITCHES = frozenset(_TABLE.local_switches)
_OPTIONS = {
    name: [entry for entry in _TABLE.endpoints if name in entry.options]
    for name in {name for entry in _TABLE.endpoints for name in entry.options}
}
_VARIABLES = [(name, entry) for entry in _TABLE.endpoints for name in entry.variables]
_BUCKET = late(r"^(?:s3|gs|az|oss|cos|r2|b2|minio)://")
_AZURITE = late(r"(?i)UseDevelopmentStorage=true|AccountName=devstoreaccount1|Endpoint=https?://(?:127\.|localhost)")
_CLUSTER_FILE = late(r"^\.?(?:kind|k3d|k3s|minikube|microk8s|colima)\b")
# Programs that push and copy images.
_IMAGE_TOOLS = programs_in("image-tools")
# Endings of names in networks that others use too, and the names of this machine among them.
_NETWORKS = (".local", ".internal", ".lan", ".test", ".corp", ".home")
_OWN_NAMES = (".docker.internal", ".containers.internal", ".localhost")
# Beginnings of keys for tests.
_TEST_KEYS = ("sk_test_", "rk_test_", "pk_test_")
#: The context that a command of this text selected. No variable has such a name.
CONTEXT = "\0context"
#: Programs that select a context or make a local cluster.
SELECTING = (
    CLIENTS
    | {"kubectl", "oc", "k", "kubecolor", "kubectx", "kctx"}
    | {words.partition(" ")[0] for words in _TABLE.cluster_makers}
)


class SystemChoice(msgspec.Struct, frozen=True):
    """One way in which a call names the system that it works on."""

    local: bool
    emulates: bool


def mark_local_effects(call: ShellCall, first: int) -> None:
    """Turn changes of a shared system, from the effect at `first` on, into local changes if the system is local."""
    reading = call.scope.reading
    shared = [at for at in range(first, len(reading.effects)) if _is_shared(reading, at, call)]
    if not shared:
        return
    if is_rehearsal(call.words) or (call.program in CLIENTS and brings_here(call)):
        for at in shared:
            effect = reading.effects[at]
            if effect.kind in _READ_INSTEAD and effect.flags.isdisjoint(_TASKS):
                flags = effect.flags | {"dry_run"} if is_rehearsal(call.words) else effect.flags
                reading.effects[at] = msgspec.structs.replace(effect, kind=_READ_INSTEAD[effect.kind], flags=flags)
        return
    choice = choose_system(call)
    if choice is None and call.program in _IMAGE_TOOLS:
        from interlock.analyse.shell.readers.container_engines import stays_local

        choice = SystemChoice(stays_local(call), emulates=False)
    if choice is None or not choice.local:
        return
    if choice.emulates:
        mark_connection(reading, first, DatabaseTarget("", "test"))  # the data of an emulator
    for at in shared:
        effect = reading.effects[at]
        if effect.kind == "secret.read":  # `awslocal configure` reads the real settings
            kind = "infra.read" if choice.emulates and "configure" not in call.words else effect.kind
        else:
            kind = "local.change"
        reading.effects[at] = msgspec.structs.replace(effect, kind=kind, flags=effect.flags | {"local"})


#: What a client does instead in a dry run. An option that a client does not have is an error, and changes nothing.
_READ_INSTEAD = {
    "infra.change": "infra.read", "infra.destroy": "infra.read", "deploy.release": "infra.read",
    "cluster.change": "cluster.read", "cluster.delete": "cluster.read", "package.publish": "package.read",
}  # fmt: skip
_TASKS = frozenset({"release_task", "project_task"})
_REHEARSES = frozenset(_TABLE.rehearsals)
_UNTRUE = frozenset({"false", "none", "no", "0"})


def is_rehearsal(words: list[str]) -> bool:
    """Whether an option of a client says that it only shows what it would do.

    >>> is_rehearsal(["firebase", "deploy", "--dry-run"]), is_rehearsal(["kubectl", "apply", "--dry-run=none"])
    (True, False)
    """
    rehearses = False
    for word in words:
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if name in _REHEARSES:
            rehearses = not equals or value.lower() not in _UNTRUE
            if not rehearses:
                return False
        elif word.startswith("--no-") and "--" + word[5:] in _REHEARSES:
            return False
    return rehearses


def _is_shared(reading: Reading, at: int, call: ShellCall) -> bool:
    """Whether an effect of the call itself, not of a command inside it, reaches a shared system."""
    effect = reading.effects[at]
    if effect.via != call.scope.via:
        return False
    if effect.kind == "net.send":
        return effect.resource is not None and _BUCKET.match(effect.resource.name) is not None
    return effect.kind in SHARED or (effect.kind == "secret.read" and "store" in effect.flags)


def choose_system(call: ShellCall) -> SystemChoice | None:
    """Return which system a call works on, or None if nothing tells: options first, then variables, then context."""
    if call.program in _PROGRAMS:
        return SystemChoice(local=True, emulates=True)
    words = call.words[: call.words.index("--")] if "--" in call.words else call.words
    if call.program == "stripe" and "--live" not in words and _has_test_key(words):
        return SystemChoice(local=True, emulates=True)
    if call.program == "etcdctl" and "--cert" in words:  # the store of a cluster, whose control plane runs here
        return None
    if call.program in CLIENTS:
        return SystemChoice(is_local_store(call), emulates=False)
    named = list(_find_by_options(call, words))
    if named:
        return SystemChoice(all(one.local for one in named), all(one.emulates for one in named))
    if not _SWITCHES.isdisjoint(words) and call.program != "salt-call":  # there, `--local` is this machine itself
        return SystemChoice(local=True, emulates=True)
    named = list(_find_by_variables(call))
    if named:
        return SystemChoice(all(one.local for one in named), all(one.emulates for one in named))
    return _find_selected_context(call)


def _has_test_key(words: list[str]) -> bool:
    """Whether the key that a call names is one for tests, with which no money moves."""
    keys = [key for _, key in find_values(words, ("--api-key",))]
    return bool(keys) and all(key.startswith(_TEST_KEYS) for key in keys)


def _find_by_options(call: ShellCall, words: list[str]) -> Iterator[SystemChoice]:
    for name, text in find_values(words, _OPTIONS):
        for entry in _OPTIONS[name]:
            if not entry.programs or call.program in entry.programs:
                yield SystemChoice(names_local(entry, text), entry.emulates)


def _find_by_variables(call: ShellCall) -> Iterator[SystemChoice]:
    known = call.scope.variables
    for pattern, entry in _VARIABLES if known else ():
        if entry.programs and call.program not in entry.programs:
            continue
        for name in known if pattern.endswith("*") else (pattern,) if pattern in known else ():
            if name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])):
                yield SystemChoice(names_local(entry, call.scope.value(name)), entry.emulates)


def _find_selected_context(call: ShellCall) -> SystemChoice | None:
    """Return the system of the context that an earlier command selected, for clients that use contexts."""
    found = call.scope.variables.get(CONTEXT)
    if not isinstance(found, str) or CONTEXT in call.scope.alternatives:
        return None
    uses = any(entry.names == "context" and call.program in entry.programs for entry in _TABLE.endpoints)
    return SystemChoice(is_local_context(found), emulates=True) if uses else None


def names_local(entry: Endpoint, text: str) -> bool:
    """Whether the value of an option or variable names a system of this machine."""
    if entry.names == "context":
        return is_local_context(text)
    if entry.names == "profile":
        return text in _TABLE.local_profiles
    if entry.names == "file":
        return all(_CLUSTER_FILE.match(path.rpartition("/")[2]) for path in text.split(":")) and bool(text)
    if _AZURITE.search(text):
        return True
    return bool(text) and all(is_this_machine(one) and (entry.emulates or _is_loopback(one)) for one in text.split(","))


def _is_loopback(address: str) -> bool:
    """Whether an address is a number or a name of this machine, not a bare name that a network may resolve."""
    host = host_of(address)
    return "." in host or ":" in host or host == "localhost"


def is_this_machine(address: str) -> bool:
    """Whether an address is one of this machine or of a container beside it; an internal network is shared.

    >>> is_this_machine("http://localhost:4566"), is_this_machine("https://registry.corp.local")
    (True, False)
    """
    host = host_of(address).rstrip(".")
    return "local" in host_flags(address) and (host.endswith(_OWN_NAMES) or not host.endswith(_NETWORKS))


def is_local_context(name: str) -> bool:
    """Whether a context by this name is one of a local cluster or container engine.

    >>> is_local_context("kind-dev"), is_local_context("prod"), is_local_context("kindly")
    (True, False, False)
    """
    return any(name.startswith(known[:-1]) if known.endswith("*") else name == known for known in _TABLE.local_contexts)


def select_context(call: ShellCall) -> None:
    """Remember the context that a command selects: `kubectl config use-context`, `kind create cluster`."""
    words, scope = call.words, call.scope
    if call.program in CLIENTS:
        keep_alias(call)
    elif "use-context" in words:
        at = words.index("use-context")
        _set(scope, "".join(words[at + 1 : at + 2]))
    elif call.program in ("kubectx", "kctx") and len(words) == 2:
        _set(scope, words[1])
    else:
        plain = " ".join([call.program, *(word for word in words[1:] if word[:1] != "-")])
        for made, context in _TABLE.cluster_makers.items():
            if plain.startswith(made):
                _set(scope, context)


def _set(scope: ShellScope, name: str) -> None:
    scope.variables[CONTEXT] = name
