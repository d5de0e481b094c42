"""Calls of container libraries, read as the commands that do the same: `containers.run` is `docker run`."""

from __future__ import annotations

from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.shell_quoting import quote, split_words
from interlock.analyse.python.evaluation.values import as_text, is_list, words_of

_LIBRARY = frozenset({"library"})
#: Argument of `containers.run` → the option that means the same.
_SWITCHES = {"privileged": "--privileged", "remove": "--rm", "detach": "-d", "read_only": "--read-only"}
_OPTIONS = {
    "network_mode": "--network",
    "network": "--network",
    "pid_mode": "--pid",
    "ipc_mode": "--ipc",
    "userns_mode": "--userns",
    "user": "--user",
    "name": "--name",
    "entrypoint": "--entrypoint",
    "working_dir": "--workdir",
}
_LISTED = {"cap_add": "--cap-add", "devices": "--device", "security_opt": "--security-opt", "group_add": "--group-add"}
_KINDS = ("volumes", "containers", "images", "networks", "services", "secrets", "configs", "swarm", "plugins")


def read_container_call(call: PythonCall, path: list[str]) -> None:
    """Emit the effects of a call on containers, volumes or images of this machine."""
    if path[0] in MACHINES:
        if path[-1] in _DISCARDING:
            flags = frozenset({"volumes" if "snapshot" in ".".join(path).lower() else "machine", "library"})
            call.reading.emit("container.delete", call.site, ".".join(path[-2:]), flags)
        return
    method, about = path[-1], next((part for part in reversed(path[:-1]) if part in _KINDS), "")
    command = _command_of(call, method, about)
    if command is not None:
        text = " ".join(quote(word) for word in command)
        call.reading.nest("shell", text, call.site.behind(".".join(path[-2:])))
    elif about in ("services", "secrets", "configs", "swarm") and method in _CHANGING:
        call.reading.emit("infra.change", call.site, f"{about}.{method}", _LIBRARY)


#: Libraries of virtual machines and system containers, and their methods that discard one or its state.
MACHINES = frozenset({"pylxd", "libvirt"})
_DISCARDING = frozenset(
    "delete undefine undefineFlags revertToSnapshot wipe wipePattern restore restore_snapshot".split()
)
_CHANGING = frozenset("update create remove scale force_update leave init join rotate".split())


def _command_of(call: PythonCall, method: str, about: str) -> list[str] | None:
    """Return the command line that does what a call does, or None if there is none."""
    if about == "containers" and method in ("run", "create") and call.arguments:
        return ["docker", "run", *_run_options(call), *_image_and_command(call)]
    if method in ("exec_run", "exec_create"):
        return ["docker", "exec", "container", *_words(call.argument(0))]
    if about == "images" and method == "push":
        return ["docker", "push", call.text(0)]
    if method == "prune" and about:
        return ["docker", about.rstrip("s"), "prune", "-f", *(["-a"] if about == "volumes" else [])]
    if method == "remove" and about == "volumes":
        return ["docker", "volume", "rm", "-f", "volume"]
    if method == "remove" and about in ("containers", "images"):
        volumes = call.keywords.get("v") is True
        word = "rm" if about == "containers" else "rmi"
        return ["docker", word, *(["-v"] if volumes else []), *(["-f"] if call.keywords.get("force") else []), "it"]
    return None


def _run_options(call: PythonCall) -> list[str]:
    words = [option for name, option in _SWITCHES.items() if call.keywords.get(name) is True]
    for name, option in _OPTIONS.items():
        if isinstance(call.keywords.get(name), str):
            words += [option, call.keywords[name]]
    for name, option in _LISTED.items():
        for value in words_of(call.keywords.get(name)) or []:
            words += [option, value]
    for mount in _mounts(call.keywords.get("volumes")):
        words += ["-v", mount]
    return words


def _mounts(volumes: Any) -> list[str]:
    """Return volumes as options of `docker run` have them."""
    if isinstance(volumes, dict):
        found = []
        for source, target in volumes.items():
            bind = as_text(target.get("bind", "/x")) if isinstance(target, dict) else as_text(target)
            mode = as_text(target.get("mode", "rw")) if isinstance(target, dict) else "rw"
            found.append(f"{source}:{bind}:{mode}")
        return found
    return words_of(volumes) or []


def _image_and_command(call: PythonCall) -> list[str]:
    command = call.keywords.get("command", call.arguments[1] if len(call.arguments) > 1 else None)
    return [call.text(0), *([] if command is None else _words(command))]


def _words(value: Any) -> list[str]:
    if is_list(value):
        return words_of(value) or []
    return split_words(as_text(value))
