"""Wrappers: programs that run another command with other privileges, in another environment or on another host."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from interlock.analyse.addresses.destinations import host_address
from interlock.analyse.argv import parse
from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.execution import run_flow
from interlock.analyse.shell.output.local_content import input_marks
from interlock.analyse.variables import read_variable
from interlock.effects import KINDS, READS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.model import Effect, Place
from interlock.patterns import late

_ASSIGNMENT = late(r"^[A-Za-z_]\w*=")
_READ_ONLY = frozenset({"reads"})
_DOWNLOAD = frozenset({"download"})
_ENVIRONMENT = frozenset({"environment", "variable"})
_SHOWN = frozenset({"printed", "secret"})
_PLAIN_NAMES = frozenset("HOME PATH TERM LANG LC_ALL USER LOGNAME SHELL PWD TMPDIR TZ DISPLAY".split())


def _raise_privilege(call: ShellCall) -> Flow:
    """`sudo` and similar: analyse the command, and report the privileges with flags that mitigate them."""
    reading = call.scope.reading
    name = call.program
    at = len(reading.effects)
    parsed = parse(call.words, PROGRAMS[name])
    for value in parsed.values:
        if value.role == "directory":
            return _run_in_folder(call, value, name)
    if "-e" in parsed.options or "--edit" in parsed.options:
        for word in call.words[parsed.operands[0].at :] if parsed.operands else ():
            reading.file("fs.write", call.site, word)
    flow = _run_carried_command(call, parsed, name)
    carried = reading.effects[at:]
    user = parsed.options.get("-u") or parsed.options.get("--user") or "root"
    reading.emit("privilege.raise", call.site, user, _mitigating_flags(carried, "asks" in parsed.flags))
    return flow


def _run_carried_command(call: ShellCall, parsed: ParsedArguments, name: str) -> Flow:
    """Analyse the command that `sudo` and similar run: code, operands, or standard input of a shell."""
    code = [value for value in parsed.values if value.role == "code:shell"]
    flow = NOTHING
    for value in code:
        site = call.inner(value.at, value.inner).behind(name)
        flow = call.scope.reading.nest("shell", value.text, site, call.stdin)
    takes_command = name != "su" and (name != "runuser" or "-u" in parsed.options or "--user" in parsed.options)
    if parsed.operands and not code and takes_command:
        return call.tail(_skip_assignments(call.words, parsed.operands[0].at), name, call.stdin)
    if call.stdin is not NOTHING and not code:  # a shell with other privileges reads standard input
        return run_flow(call, call.stdin, "shell", name)
    return flow


def _mitigating_flags(carried: list[Effect], asks: bool) -> frozenset[str]:
    """Return `reads` if a privileged command only reads, `understood` if all its effects are known and ordinary."""
    if (asks and not carried) or (carried and all(effect.kind in READS for effect in carried)):
        return _READ_ONLY
    return _UNDERSTOOD if carried and all(_is_ordinary(effect) for effect in carried) else NONE


def _is_ordinary(effect: Effect) -> bool:
    """Whether an effect is acceptable as root: it is known, and it loses nothing."""
    if KINDS[effect.kind].category in _ORDINARY:
        return True
    place = effect.resource.place if effect.resource else None
    return effect.kind in _OWNERSHIP and place not in _PROTECTED and _DANGEROUS_MODES.isdisjoint(effect.flags)


_ORDINARY = frozenset({"output", "read", "write", "administration", "package", "network"})
_OWNERSHIP = frozenset({"fs.owner", "fs.mode"})
_DANGEROUS_MODES = frozenset({"world_writable", "set_id"})
_PROTECTED = frozenset({Place.SYSTEM, Place.ROOT})
_UNDERSTOOD = frozenset({"understood"})


def _skip_assignments(words: list[str], index: int) -> int:
    """Return the index of the first word that is not an assignment."""
    while index < len(words) and _ASSIGNMENT.match(words[index]):
        index += 1
    return index


def _env(call: ShellCall) -> Flow:
    """`env`: run a command with other variables, or print the environment."""
    parsed = parse(call.words, PROGRAMS["env"])
    for value in parsed.values:
        if value.role == "directory":
            return _run_in_folder(call, value, "env")
        if value.role == "code:shell" and len(call.words) > value.at + 1:  # `env -S 'cmd' args`
            text = " ".join([value.text, *map(shlex.quote, call.words[value.at + 1 :])])
            return call.scope.shell.evaluate(text, call.scope, call.stdin, call.site.behind("env"))
        if value.role == "code:shell":  # `env -S 'cmd args'`
            return call.scope.shell.evaluate(
                value.text, call.scope, call.stdin, call.inner(value.at, value.inner).behind("env")
            )
    index = parsed.operands[0].at if parsed.operands else len(call.words)
    while index < len(call.words) and (call.words[index] == "-" or "=" in call.words[index]):
        index += 1
    if index >= len(call.words):
        call.scope.reading.emit("env.read", call.site)
        cleared = any(word in ("-i", "-", "--ignore-environment") for word in call.words) or call.words[-1] == "-u"
        return Flow(None, _ENVIRONMENT - VALUE if cleared else _ENVIRONMENT)
    before = dict(call.scope.variables)
    for word in call.words[1:index]:
        name, equals, text = word.partition("=")
        if equals and name.partition("%")[0].isidentifier():
            call.scope.variables[name] = text
            read_variable(call.scope.reading, name, text, call.site)
    first = len(call.scope.reading.effects)
    try:
        flow = call.tail(index, "env", call.stdin)
    finally:
        call.scope.variables = before
    return _without_environment(call, first, flow) if _clears(call.words[1:index]) else flow


def _clears(words: list[str]) -> bool:
    """Whether the options of `env` take away all variables, and none that may be secret is set anew."""
    kept = any(HOLE in word and word.partition("=")[0] not in _PLAIN_NAMES for word in words)
    return not kept and any(word in ("-i", "-", "--ignore-environment") for word in words)


def _without_environment(call: ShellCall, first: int, flow: Flow) -> Flow:
    """Take back that the environment was read and shown, in the effects since `first`: it was empty."""
    effects = call.scope.reading.effects
    own = [effect for effect in effects[first:] if effect.kind.endswith(".read")]
    if any(effect.kind != "env.read" and not _is_shown(effect) and "secret" in effect.flags for effect in own):
        return flow
    effects[first:] = [effect for effect in effects[first:] if effect.kind != "env.read" and not _is_shown(effect)]
    return Flow(flow.text, flow.marks - _ENVIRONMENT - VALUE, flow.url)


def _is_shown(effect: Effect) -> bool:
    return effect.kind == "secret.read" and effect.flags == _SHOWN


def _run_in_folder(call: ShellCall, folder: ArgumentValue, wrapper: str) -> Flow:
    """Analyse a wrapper that changes the working folder first, in that folder."""
    scope = call.scope
    before = scope.cwd
    scope.cwd = scope.reading.places.resolve(folder.text, scope.cwd) or hole("cwd")
    drop = 1 if folder.inner else 2
    words = [*call.words[: folder.at + 1 - drop], *call.words[folder.at + 1 :]]
    nodes = [*call.nodes[: folder.at + 1 - drop], *call.nodes[folder.at + 1 :]]
    try:
        return call.with_words(words, nodes).tail(0, wrapper, call.stdin)
    finally:
        scope.cwd = before


_FORWARDS = {"-R": "reverse_tunnel", "-D": "proxy_tunnel", "-w": "network_tunnel", "-L": "tunnel"}
_SSH_COMMANDS = frozenset({"proxycommand", "localcommand", "knownhostscommand"})
_SSH_LIBRARIES = frozenset({"pkcs11provider", "securitykeyprovider"})
_SSH_SETTINGS = {
    "remoteforward": "reverse_tunnel",
    "dynamicforward": "proxy_tunnel",
    "tunnel": "network_tunnel",
    "localforward": "tunnel",
}
_CARRIED = frozenset({"carried"})
_UNCHECKED = frozenset({"stricthostkeychecking no", "stricthostkeychecking off", "userknownhostsfile /dev/null"})


def _ssh(call: ShellCall) -> Flow:
    """`ssh`: analyse the remote command as if it ran here, in the home folder."""
    parsed = parse(call.words, PROGRAMS["ssh"])
    reading = call.scope.reading
    if not parsed.operands:
        ssh_settings(call)
        return UNKNOWN
    for value in parsed.values:
        if value.role == "loaded" and "/.ssh/" not in value.text:  # where its settings belong
            report_loading(reading, call.site.behind("ssh"), value.text)
        elif value.role in KINDS:
            reading.on(value.role, call.site, value.text)
    flags = {flag for option, flag in _FORWARDS.items() if option in parsed.options} | ssh_settings(call)
    marks = input_marks(call.stdin, reading) | reading.marks(" ".join(call.words[2:])) & _CARRIED
    target = parsed.operands[0].text
    reading.url("net.connect", call.site, target, marks | flags, host_address(target))
    if len(parsed.operands) > 1:
        first = parsed.operands[1].at
        text = " ".join(call.words[first:])
        site = call.inner(first) if len(call.words) == first + 1 else call.site
        site = site.replace(cwd=reading.places.home or "~").behind("ssh")
        flow = reading.nest("shell", text, site, call.stdin)
        return Flow(None, flow.marks | _DOWNLOAD, f"ssh://{parsed.operands[0].text}")
    if call.stdin is not NOTHING:
        return run_flow(call, call.stdin, "shell", "ssh")
    return UNKNOWN


_SSH_OPTION = late(r"-[46AaCfGgKkMNnqsTtVvXxYy]*o")  # `-o`, also after switches: `-voName=value`


def ssh_settings(call: ShellCall) -> set[str]:
    """Analyse local commands in `-o Name=value` of `ssh`, `scp` and `sftp`; return the flags of other settings."""
    flags: set[str] = set()
    for at, word in enumerate(call.words[1:], 1):
        option = _SSH_OPTION.match(word)
        if option is None:
            continue
        setting = word[option.end() :] or (call.words[at + 1] if at + 1 < len(call.words) else "")
        name, _, value = setting.strip().replace("=", " ", 1).partition(" ")
        name = name.lower()
        if name in _SSH_COMMANDS and value.strip().lower() != "none":
            call.scope.reading.nest("shell", value, call.site.behind("ssh -o"))
        elif name in _SSH_LIBRARIES:
            report_loading(call.scope.reading, call.site.behind("ssh -o"), value.strip())
        elif name in _SSH_SETTINGS and value.strip().lower() != "no":
            flags.add(_SSH_SETTINGS[name])
        elif f"{name} {value.strip().lower()}" in _UNCHECKED:
            flags.add("unchecked_host")
    return flags


_BWRAP_TWO = frozenset(
    (
        "--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --symlink --setenv --chmod --file "
        "--bind-data --ro-bind-data"
    ).split()
)
_BWRAP_NONE = late(r"--(unshare-.*|share-.*|new-session|die-with-parent|as-pid-1|clearenv|disable-userns|assert.*)")


def _bwrap(call: ShellCall) -> Flow:
    """`bwrap`: skip its options, which take up to two values, and run the command."""
    index = 1
    while index < len(call.words) and call.words[index].startswith("--"):
        word = call.words[index]
        index += 1
        if word == "--":
            break
        index += 0 if _BWRAP_NONE.fullmatch(word) else 2 if word in _BWRAP_TWO else 1
    return call.tail(index, "bwrap", call.stdin)


def _capsh(call: ShellCall) -> Flow:
    """`capsh`: run `bash` with the arguments after `--`."""
    for mark in ("--", "=="):
        if mark in call.words:
            at = call.words.index(mark)
            return call.with_words(["bash", *call.words[at + 1 :]], [None, *call.nodes[at + 1 :]]).tail(
                0, "capsh", call.stdin
            )
    return read(call, PROGRAMS["capsh"])


def _coproc(call: ShellCall) -> Flow:
    """`coproc NAME { command; }`: run the command with unknown input, written elsewhere in the script."""
    at = 3 if call.words[2:3] == ["{"] else 2 if call.words[1:2] == ["{"] else 1
    return call.tail(at, "coproc", Flow(None, frozenset({"disguised"})))


def _start_stop_daemon(call: ShellCall) -> Flow:
    """`start-stop-daemon`: run the program of `--exec` with the arguments after `--`."""
    parsed_words = call.words
    program = ""
    for at, word in enumerate(parsed_words):
        name, equals, value = word.partition("=")
        if name in ("-x", "--exec", "-a", "--startas"):
            program = value if equals else next(iter(parsed_words[at + 1 : at + 2]), "")
    if not program or {"-K", "--stop"} & set(parsed_words):
        call.scope.reading.emit("service.change", call.site, program or None)
        return UNKNOWN
    rest = parsed_words[parsed_words.index("--") + 1 :] if "--" in parsed_words else []
    return call.with_words([program, *rest], [None] * (len(rest) + 1)).tail(0, "start-stop-daemon", call.stdin)


def _nsenter(call: ShellCall) -> Flow:
    """`nsenter`: `-t 1` enters the namespaces of the host and so leaves the agent's container."""
    parsed = parse(call.words, PROGRAMS["nsenter"])
    if (parsed.options.get("-t") or parsed.options.get("--target")) == "1":
        call.scope.reading.emit("privilege.raise", call.site, "host", frozenset({"namespace"}))
    return read(call, PROGRAMS["nsenter"])


WRAPPERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("sudo doas su pkexec runuser run0 please dzdo".split(), _raise_privilege),
    **dict.fromkeys(("env", "genv", "cross-env", "cross-env-shell"), _env),
    "coproc": _coproc,
    "bwrap": _bwrap,
    "capsh": _capsh,
    "nsenter": _nsenter,
    **dict.fromkeys(("ssh", "autossh"), _ssh),
    "start-stop-daemon": _start_stop_daemon,
}
