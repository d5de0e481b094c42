"""Containers and clusters: options that give a container access to the host, and the objects a call names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from interlock.analyse.argv import parse
from interlock.analyse.disposable_machines import mark_contained
from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.readers.container_engines import report_remote_engine, select_engine
from interlock.analyse.shell.readers.container_sources import report_build, report_instructions
from interlock.analyse.shell.readers.secret_handovers import report_build_arguments, report_handed_over
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.command import Command
from interlock.knowledge.table_types.clients import Containers, Kubernetes
from interlock.model import Place
from interlock.patterns import late

_HOST_ACCESS = {
    name: ({value.upper() for value in entry.values}, frozenset(entry.flags))
    for entry in read_table("containers", Containers).host_access
    for name in entry.options
}
_IMAGE_PROGRAMS = read_table("containers", Containers).image_programs
#: Images of systems and servers, whose first argument is a command or an option of a server.
_BASES = frozenset(read_table("containers", Containers).base_images)
_OBJECTS = {
    word: "".join(entry.flags) for entry in read_table("kubernetes", Kubernetes).objects for word in entry.words
}

_RUNNING = frozenset({"run", "create", "exec"})
_BUILDING = frozenset({"build", "buildx", "bud", "image", "builder"})
_DESCRIBED = frozenset({"load", "import", "kube", "play", "stack"})
_GROUPS = frozenset({"container", "compose", "pod"})
_SOCKETS = ("docker.sock", "containerd.sock", "crio.sock", "podman.sock")
_DISK = late(r"^/dev/(sd|hd|vd|xvd|nvme|mmcblk|dm-|mapper|mem|kmem|port|disk)")


def docker(call: ShellCall) -> Flow:
    """`docker` and similar: flag containers with access to the host."""
    spec: Command = PROGRAMS[call.program]
    start = 1
    parsed = parse(call.words, spec)
    name = parsed.operands[0].text if parsed.operands else ""
    while name in _GROUPS and name in spec.subcommands:
        spec, start = spec.subcommands[name], parsed.rest
        parsed = parse(call.words, spec, start)
        name = parsed.operands[0].text if parsed.operands else ""
    _read_sign_in(call, name)
    if name == "context":
        select_engine(call)
    if name == "cp":
        _read_copy(call, [value.text for value in parse(call.words, spec.subcommands["cp"], parsed.rest).operands])
    if name in ("rm", "update") and _is_foreign(call, parsed.rest):
        _report_unnamed(call, name)
    flags: set[str] = set()
    options: list[tuple[str, str]] = []
    if name in _RUNNING and name in spec.subcommands:
        first = parsed.rest
        inner = parse(call.words, spec.subcommands[name], first)
        end = inner.operands[0].at if inner.operands else len(call.words)
        options = list(_option_values(call.words[first:end]))
        for option, value in options:
            flags |= _host_access(call, option, value)
        if name != "exec":
            _read_image_program(call, [value.at for value in inner.operands], "--entrypoint" in inner.options)
            report_handed_over(call, options, inner.operands[0].text if inner.operands else "")
            _read_lasting(call, options, flags, inner.operands[0].text if inner.operands else "")
    elif name in _BUILDING:
        report_build_arguments(call, _option_values(call.words))
        report_build(call, _option_values(call.words), _host_access)
    if "compose" in call.program or name in _DESCRIBED or "compose" in call.words:
        report_instructions(call)
    at = len(call.scope.reading.effects)
    flow = _read_inside(call, options, frozenset(flags))
    if name == "run" and not flags and call.program != "buildah":
        targets = list(_mount_targets(options))
        known = "compose" not in call.words[0] and "compose" not in call.words[1:start]
        mark_contained(call.scope.reading.effects, at, len(call.scope.via), targets if known else None)
    _mark_trial_volumes(call, at, name)
    if name != "context":
        report_remote_engine(call, at, start if start > 1 else parsed.rest)
    return flow


def _read_inside(call: ShellCall, options: list[tuple[str, str]], flags: frozenset[str]) -> Flow:
    """Analyse a call with the variables that it sets in the container: `-e RAILS_ENV=test`."""
    given = dict(value.partition("=")[::2] for option, value in options if option in ("-e", "--env") and "=" in value)
    if not given:
        return read(call, PROGRAMS[call.program], inherited=flags)
    before = call.scope.variables
    call.scope.variables = {**before, **given}
    try:
        return read(call, PROGRAMS[call.program], inherited=flags)
    finally:
        call.scope.variables = before


def _mark_trial_volumes(call: ShellCall, first: int, name: str) -> None:
    """Tell volumes that are for a trial from others, among those that a call removes."""
    if any("volumes" in effect.flags for effect in call.scope.reading.effects[first:]):
        from interlock.analyse.shell.readers.trial_volumes import mark_trial_volumes

        mark_trial_volumes(call, first, name)


def _read_image_program(call: ShellCall, operands: list[int], replaced: bool) -> None:
    """Analyse the arguments of an image that is named after its program: `docker run hashicorp/terraform apply`."""
    if not operands or replaced:
        return
    at = operands[0]
    rest = call.words[at + 1 :]
    name = call.words[at].rpartition("/")[2].partition("@")[0].partition(":")[0]
    name = _IMAGE_PROGRAMS.get(name, name)
    if not rest or name in _BASES or not _is_program(name) or _is_program(rest[0].rpartition("/")[2]):
        return
    call.with_words([name, *rest], [None, *call.nodes[at + 1 :]]).tail(0, call.program)


def _is_program(name: str) -> bool:
    from interlock.analyse.shell.readers import READERS

    return name in PROGRAMS or name in READERS


def _read_sign_in(call: ShellCall, name: str) -> None:
    """Take the token of a registry as not shown if it goes straight into a sign-in: `… | docker login`."""
    if name == "login":
        _read_written_password(call)
    if name != "login" or "--password-stdin" not in call.words:
        return
    effects = call.scope.reading.effects
    for at, effect in enumerate(effects):
        if {"session", "registry"} <= effect.flags:
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags - {"session"})


def _report_unnamed(call: ShellCall, command: str) -> None:
    """Report containers that a call removes, or lets start by themselves, without naming them."""
    if command == "rm":
        call.scope.reading.emit("container.delete", call.site, "containers", frozenset({"all"}))
    elif any(value in ("always", "unless-stopped") for _, value in _option_values(call.words)):
        call.scope.reading.emit("service.change", call.site, "containers", frozenset({"defined"}))


def _read_written_password(call: ShellCall) -> None:
    """Report a password in plain text on the command line, where histories and other users see it."""
    for option, value in _option_values(call.words):
        if option in ("-p", "--password") and value and HOLE not in value and value[0] not in "-$<":
            call.scope.reading.emit("fs.write", call.site, f"the settings of {call.program}", frozenset({"secret"}))


def _read_lasting(call: ShellCall, options: list[tuple[str, str]], flags: set[str], image: str) -> None:
    """Report a container that starts by itself on the machine's network, and one that offers a shell to others."""
    restarts = any(option == "--restart" and value in ("always", "unless-stopped") for option, value in options)
    if restarts and "host_network" in flags and "/" in image:
        call.scope.reading.emit("service.change", call.site, image, frozenset({"defined"}))
    published = [value for option, value in options if option in ("-p", "--publish")]
    if any(_SIGN_IN.search(value) for value in published) and not _OWN_SSH.search(image):
        call.scope.reading.emit("net.listen", call.site, image, frozenset({"shell_shared"}))


#: A port of SSH or Telnet in a container that other machines can reach.
_SIGN_IN = late(r"^(?!127\.|localhost|\[::1\])(?:[^:]*:)?[0-9]+:(?:22|23)(?:/tcp)?$")
#: Images of servers that speak SSH for something else than a shell.
_OWN_SSH = late(r"gitea|gitlab|forgejo|gogs|soft-serve|sftp|bitbucket|gerrit")


def _is_foreign(call: ShellCall, first: int) -> bool:
    """Whether a call removes containers that it does not name, or containers of another machine."""
    host = call.scope.variables.get("DOCKER_HOST")
    remote = isinstance(host, str) and host.startswith(("tcp:", "ssh:", "http")) and "localhost" not in host
    remote = remote or any(word.startswith(("tcp://", "ssh://")) for word in call.words)
    marks = call.scope.reading.marks
    return remote or any(HOLE in word and "own_process" not in marks(word) for word in call.words[first:])


def _read_copy(call: ShellCall, names: list[str]) -> None:
    """Report the local files that a copy reads or writes; `name:path` is in a container."""
    if names and ":" in names[0] and "secret" in traits(names[0].partition(":")[2]):
        call.scope.reading.emit("secret.read", call.site, names[0])
    for name, kind in zip(names, ("fs.read", "fs.write"), strict=False):
        if ":" not in name and name != "-":
            call.scope.reading.file(kind, call.site, name)


def _option_values(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each option among the words with its possible value."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals and name.startswith("-"):
            yield name, value
        elif word.startswith("-"):
            yield word, words[index + 1] if index + 1 < len(words) else ""
            if word[:2] == "-v" and len(word) > 2:
                yield "-v", word[2:]


def _mount_targets(options: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the folders of a container where something that outlives it can be changed."""
    for option, value in options:
        if option in ("-v", "--volume"):
            _, _, rest = value.partition(":")
            target, _, mode = rest.partition(":")
            if "ro" not in mode.split(","):
                yield target or HOLE
        elif option == "--mount":
            parts = dict(part.partition("=")[::2] for part in value.split(","))
            if parts.get("type") != "tmpfs" and "readonly" not in parts and "ro" not in parts:
                yield parts.get("target") or parts.get("destination") or parts.get("dst") or HOLE
        elif option in ("--volumes-from", "--device", "--privileged"):
            yield HOLE


def _host_access(call: ShellCall, option: str, value: str) -> set[str]:
    """Return the flags of an option that gives access to the host, and report the folders that it mounts."""
    if option in ("-v", "--volume"):
        source, _, rest = value.partition(":")
        return _read_mount(call, source, rest.endswith(":ro") or ":ro," in rest) if rest else set()
    if option == "--mount":
        parts = dict(part.partition("=")[::2] for part in value.split(","))
        source = parts.get("source") or parts.get("src") or ""
        read_only = parts.get("readonly", "false") != "false" or "ro" in parts
        return _read_mount(call, source, read_only) if parts.get("type") == "bind" or source[:1] == "/" else set()
    if option == "--device":
        return {"device"} if _DISK.match(value) else set()
    values, flags = _HOST_ACCESS.get(option, (set(), frozenset()))
    return set(flags) if value.upper() in values else set()


def _read_mount(call: ShellCall, source: str, read_only: bool) -> set[str]:
    """Report a folder of the host that is mounted; return the flags of the mount."""
    if source[:1] not in ("/", ".", "~", HOLE):
        return set()  # a named volume
    if "SSH_AUTH_SOCK" in source or "gpg-agent" in source:
        return {"host_secrets"}
    if source.endswith(_SOCKETS):
        return {"socket"}
    if source.strip("/.") == "" and source[0] == "/":
        return {"host_root"}
    place, _, full = call.scope.reading.places.locate(source, call.scope.cwd)
    if place is Place.HOME and full is not None and call.scope.reading.places.is_top(full, place):
        return {"host_secrets"}
    if read_only:  # nothing on the host can be changed
        return {"host_secrets"} if "secret" in traits(source) else set()
    call.scope.reading.file("fs.write", call.site, source, frozenset({"mount"}))
    return {"host_secrets"} if "secret" in traits(source) else set()


_PRINTED = ("yaml", "json", "jsonpath", "go-template", "custom-columns", "template")
_HOST_POD = late(r"(?i)\"?(hostPID|hostNetwork|hostIPC|privileged)\"?\s*:\s*true|\"?hostPath\"?\s*:")
_NO_REPLICAS = late(r"\"replicas\"\s*:\s*0\b")
_RELEASED = late(r"\"finalizers\"\s*:\s*(?:null|\[\s*\])|ReclaimPolicy\"\s*:\s*\"(?:Delete|Recycle)|/finalizers\"")
_RIGHTS = late(r"(?m)(?:^|[{,])\s*\"?kind\"?\s*:\s*\"?(?:Cluster)?RoleBinding\b")
_PRIVILEGED = late(r"^(security\.privileged(=|$)|raw\.lxc|security\.nesting=?$)")
_GRANTING = late(r"add-(cluster-)?(role|scc)-to-")


def kubectl(call: ShellCall) -> Flow:
    """`kubectl` and similar: flag calls by the kinds of objects that they name."""
    words = call.words
    spec: Command = PROGRAMS[words[0].rpartition("/")[2]]
    parsed = parse(words, spec)
    verb = parsed.operands[0].text if parsed.operands else ""
    sub = spec.subcommands.get(verb)
    if sub is None and verb and _only_looks([word for word in words[1:] if word[:1] != "-"]):
        call.scope.reading.emit("cluster.read", call.site, " ".join(words[1:4]))
        return UNKNOWN
    if sub is None or sub.has_subcommands:
        return read(call, spec)
    inner = parse(words, sub, parsed.rest)
    named = [value.text for value in inner.operands]
    if verb in ("cp", "rsync") and len(named) > 1 and ":" in named[0] and ":" not in named[-1]:
        return _copy_from_pod(call, named)
    flags = _object_flags(named) | _verb_flags(verb, words[parsed.rest :], named, inner.options)
    if verb in ("apply", "create", "replace") and call.stdin.text:
        flags |= _manifest_flags(call.stdin.text[:20_000])
    if verb == "get" and "secret" in flags and _prints(inner.options):
        call.scope.reading.emit("secret.read", call.site, " ".join(named[:2]), frozenset({"store", "cluster"}))
        return Flow(None, frozenset({"secret"}))
    at = len(call.scope.reading.effects)
    flow = read(call, spec, inherited=frozenset(flags))
    if verb in ("exec", "rsh", "debug"):
        _report_pod_environment(call, at)
    return flow


def _only_looks(words: list[str]) -> bool:
    """Whether a command of a plug-in reads, by its verb: `kubectl argo rollouts get`."""
    from interlock.analyse.shell.services.client_vocabulary import READ, find_verb

    found = find_verb(words, 0, 4)
    return found is not None and found[1][0] == READ


def _copy_from_pod(call: ShellCall, named: list[str]) -> Flow:
    """Report a file that is copied from a pod to this machine: the cluster stays as it was."""
    path = named[0].partition(":")[2]
    reading = call.scope.reading
    kind = "secret.read" if "secret" in traits(path) else "cluster.read"
    reading.emit(kind, call.site, named[0], frozenset({"cluster"}) if kind == "secret.read" else frozenset())
    reading.file("fs.write", call.site, named[-1])
    return UNKNOWN


def _report_pod_environment(call: ShellCall, first: int) -> None:
    """Report a pod whose environment is printed, which holds the secrets of what runs there."""
    reading = call.scope.reading
    if any(effect.kind == "env.read" and not effect.resource for effect in reading.effects[first:]):
        reading.emit("secret.read", call.site, " ".join(call.words[1:4]), frozenset({"store", "cluster"}))


def _manifest_flags(text: str) -> set[str]:
    """Return the flags of a manifest on standard input: `rights` it grants, a `privileged` pod."""
    return {flag for flag, pattern in (("rights", _RIGHTS), ("privileged", _HOST_POD)) if pattern.search(text)}


def _object_flags(named: list[str]) -> set[str]:
    """Return the flags of the kinds of objects that are named: `pvc/data`, `deploy,secret`, `namespaces prod`."""
    found = set()
    for at, text in enumerate(named):
        for part in text.split(",") if at == 0 or "/" in text else ():
            kind = part.partition("/")[0].partition(".")[0].lower()
            if kind in _OBJECTS:
                found.add(_OBJECTS[kind])
    return found


def _prints(options: dict[str, str]) -> bool:
    """Whether an output format shows the content of objects rather than their names."""
    form = options.get("-o", options.get("--output", ""))
    if _METADATA.fullmatch(form):
        return False
    return form.startswith(_PRINTED) or HOLE in form or "--template" in options


_METADATA = late(
    r"(?:jsonpath|custom-columns|go-template)=(?:(?![^{}]*data\b(?!\.))[^{}]|\{+[^{}]*\.(?:metadata|type|kind)\b[^{}]*\}+)*"
)


def _verb_flags(verb: str, rest: list[str], named: list[str], options: dict[str, str]) -> set[str]:
    """Return the flags that depend on the verb and its options."""
    found = set()
    if verb == "scale" and options.get("--replicas") == "0":
        found.add("to_zero")
    if verb == "patch" and any(_NO_REPLICAS.search(word) for word in rest):
        found.add("to_zero")
    if verb == "patch" and any(_RELEASED.search(word) for word in rest):
        found.add("unguarded")
    if verb == "taint" and any("NoExecute" in word and not word.endswith("-") for word in rest):
        found.add("evicts")
    if verb == "port-forward" and options.get("--address", "localhost").strip("0.:") == "":
        found.add("cluster_port")
    if verb == "proxy" and options.get("--address", "localhost").strip("0.:") == "":  # every address
        found.add("cluster_api")
    if verb == "debug" and any(name.startswith(("node/", "no/", "nodes/")) for name in named):
        found.add("debugged")
    if verb in ("run", "create", "patch", "apply") and any(_HOST_POD.search(word) for word in rest):
        found.add("privileged")
    if verb in ("adm", "policy") and any(_GRANTING.match(word) for word in named):
        found.add("rights")
    return found


def system_container(call: ShellCall) -> Flow:
    """`lxc`, `incus`: flag settings and devices that give the container access to the host."""
    words = call.words
    found = {"privileged"} if any(_PRIVILEGED.match(word) for word in words) and words[-1] != "false" else set()
    if "disk" in words:
        for word in words:
            if word.startswith("source="):
                found |= _read_mount(call, word[7:], read_only=False)
    if found and {"set", "add", "launch", "init"} & set(words):
        call.scope.reading.emit("container.run", call.site, " ".join(words[1:4]), frozenset(found))
    return read(call, PROGRAMS[call.program])


CONTAINERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("docker podman nerdctl finch lima-nerdctl docker-compose podman-compose buildah".split(), docker),
    **dict.fromkeys(("lxc", "incus"), system_container),
    **dict.fromkeys("kubectl oc k kubecolor".split(), kubectl),
}
