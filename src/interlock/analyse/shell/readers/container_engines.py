"""Container engines: whether the engine of a call is this machine's own, and where images are pushed to."""

from __future__ import annotations

from interlock.analyse.loading import report_endpoint
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.services.local_systems import is_local_context, is_this_machine
from interlock.knowledge.arguments import find_values

#: The engine that `docker context use` selected. No variable has such a name.
ENGINE = "\0engine"
_ADDRESS_OPTIONS = frozenset({"-H", "--host", "--url"})
_CONTEXT_OPTIONS = frozenset({"-c", "--context", "--connection"})
_ADDRESS_VARIABLES = ("DOCKER_HOST", "CONTAINER_HOST")
_CONTEXT_VARIABLES = ("DOCKER_CONTEXT", "CONTAINER_CONNECTION")
_CHANGING = {
    "container.run": "infra.change",
    "container.change": "infra.change",
    "container.delete": "infra.destroy",
}
_REMOTE = frozenset({"remote"})
#: Transports of images that stay on this machine.
_FILES = ("dir:", "oci:", "oci-archive:", "docker-archive:", "docker-daemon:", "containers-storage:", "ocidir://")


def report_remote_engine(call: ShellCall, first: int, group: int) -> None:
    """Report changes in containers of another machine's engine, from the effect at `first` on.

    `group` is the position of the subcommand: options before it choose the engine.
    """
    if not _is_remote(call, group):
        return
    reading = call.scope.reading
    for effect in reading.effects[first:]:
        if effect.kind in _CHANGING and effect.via == call.scope.via:
            reading.emit(_CHANGING[effect.kind], call.site, " ".join(call.words[:4]), _REMOTE)
            return
    for name, value in zip(call.words[:group], call.words[1:], strict=False):
        if name in _ADDRESS_OPTIONS:
            report_endpoint(reading, call.site, value)


def _is_remote(call: ShellCall, group: int) -> bool:
    """Whether the engine is another machine's: by the options, else the variables, else the selected context."""
    words = call.words[:group]
    for name, text in find_values(words, (*_ADDRESS_OPTIONS, *_CONTEXT_OPTIONS)):
        return not (is_own_engine(text) if name in _ADDRESS_OPTIONS else _is_own_context(text))
    known = call.scope.variables
    for name in _ADDRESS_VARIABLES:
        if known.get(name):
            return not is_own_engine(call.scope.value(name))
    for name in (*_CONTEXT_VARIABLES, ENGINE):
        if known.get(name):
            return not _is_own_context(call.scope.value(name))
    return False


def is_own_engine(address: str) -> bool:
    """Whether the address of an engine leads to this machine.

    >>> is_own_engine("unix:///run/docker.sock"), is_own_engine("ssh://deploy@prod-1.acme.io")
    (True, False)
    """
    return address.startswith(("unix:", "npipe:", "fd:", "/")) or is_this_machine(address.replace("tcp:", "http:"))


def _is_own_context(name: str) -> bool:
    return name == "default" or is_local_context(name)


def select_engine(call: ShellCall) -> None:
    """Remember the context of `docker context use NAME`."""
    words = call.words
    if words[1:3] == ["context", "use"] and len(words) > 3:
        call.scope.variables[ENGINE] = words[3]


def stays_local(call: ShellCall) -> bool:
    """Whether the images that a call pushes or copies stay on this machine: in a file, or in a local registry.

    >>> is_local_image("localhost:5000/api:dev"), is_local_image("acme/api"), is_local_image("dir:./out")
    (True, False, True)
    """
    names = [word for word in call.words[1:] if word[:1] != "-"]
    return bool(names) and is_local_image(names[-1])


def is_local_image(name: str) -> bool:
    """Whether a reference names a file, or an image in a registry of this machine."""
    if name.startswith(_FILES) and not name.startswith("oci://"):
        return True
    place = name.removeprefix("docker://").removeprefix("oci://")
    host, slash, _ = place.partition("/")
    if "://" in place:
        return False
    return bool(slash) and (host == "localhost" or ":" in host or "." in host) and is_this_machine(f"https://{host}/")
