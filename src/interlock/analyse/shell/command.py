"""Command lookup: functions, aliases, scripts, programs with a reader of their own, the catalogue, unknown programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.loading import is_listed_generator, is_shaped_as_generator
from interlock.analyse.secrets.disclosure import holds_value
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.code_arguments import read_handed_code
from interlock.analyse.shell.execution import EXECUTED, is_in_download, run_file
from interlock.analyse.shell.output.provenance import ENDLESS
from interlock.analyse.shell.output.secret_sources import ASKING, DIAGNOSTICS, REVEALING
from interlock.analyse.shell.output.sends import MOUNTING, SENDERS, read_mount, read_sends, read_unlisted_sends
from interlock.analyse.shell.readers import GROUPS, READERS
from interlock.analyse.shell.readers.conditions import read_program
from interlock.analyse.shell.repeated_commands import BACKGROUND, WAITING
from interlock.analyse.shell.scope import TRACED, ShellScope
from interlock.analyse.shell.states import join_states, take_state
from interlock.effects import KINDS
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.table_types.files import RemoteFiles
from interlock.lazy import LazyModule
from interlock.model import Place
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell import unknown_names
    from interlock.analyse.shell.files import derived_files, remote_files
    from interlock.analyse.shell.services import local_systems, runtime_settings, server_options
    from interlock.knowledge.extension import Extension
else:
    unknown_names = LazyModule("interlock.analyse.shell.unknown_names")
    remote_files = LazyModule("interlock.analyse.shell.files.remote_files")
    derived_files = LazyModule("interlock.analyse.shell.files.derived_files")
    runtime_settings = LazyModule("interlock.analyse.shell.services.runtime_settings")
    server_options = LazyModule("interlock.analyse.shell.services.server_options")
    local_systems = LazyModule("interlock.analyse.shell.services.local_systems")

_VERSION = late(r"(?<=\d)\.\d+$")
_GLOB = frozenset("*?[")
MIN_DERIVING = 3  # words of a command that makes one file from another
MAX_GENERATOR = 8  # words of a command that prints code for a shell
_PASSING_ON = frozenset("fs.read secret.read env.read out.print net.fetch net.connect code.eval code.opaque".split())
_GENERATED = frozenset({"generated"})


def run(call: ShellCall) -> Flow:
    """Analyse one command; return what it prints."""
    words, scope = call.words, call.scope
    if not words:
        return NOTHING
    name = words[0]
    reading = scope.reading
    reading.call += 1
    variables = scope.variables
    if len(words) > 3:
        reading.spend(len(words) // 4)
    if variables and TRACED in variables:
        _report_traced(call)
    if HOLE in name:
        return unknown_names.read_unknown_name(call, name)
    if "/" in name and not _GLOB.isdisjoint(name):
        return unknown_names.read_pattern_name(call, name)
    if scope.functions and name in scope.functions:
        printed = _call_function(call)
        return _read_shadowed_program(call, name, printed)
    if scope.aliases and name in scope.aliases:
        import shlex  # which takes time to load, and few commands are aliases

        meanings, printed = scope.aliases.pop(name), NOTHING  # an alias is not expanded inside itself
        for meaning in meanings:
            text = " ".join([meaning, *(word if HOLE in word else shlex.quote(word) for word in words[1:])])
            printed = scope.shell.evaluate(text, scope, call.stdin, call.site)
        scope.aliases[name] = meanings
        return _read_shadowed_program(call, name, printed)
    if (variables or scope.alternatives) and ("PATH" in variables or "PATH" in scope.alternatives):
        _run_own_program(call, name)
    return run_program(call, name)


def _run_own_program(call: ShellCall, name: str) -> None:
    """Analyse a file that this run put into a folder of `PATH`, which is then run in place of a program."""
    reading, scope = call.scope.reading, call.scope
    if "/" in name or not (reading.files or reading.downloaded):
        return
    values = [scope.variables.get("PATH", ""), *scope.alternatives.get("PATH", ())]
    folders = [folder for value in values for folder in str(value).split(":") if folder and HOLE not in folder]
    for folder in dict.fromkeys(folders):
        full = reading.places.resolve(f"{folder}/{name}", scope.cwd)
        if full is not None and (full in reading.files or full in reading.downloaded or is_in_download(full, reading)):
            run_file(call, full, EXECUTED)


def _report_traced(call: ShellCall) -> None:
    """Report a command that the shell shows with the value of a secret in it: `set -x; curl -u "a:$PASSWORD" …`."""
    for word in call.words[1:]:
        if HOLE in word and (holds_value(word) or "variable" in call.scope.reading.marks(word)):
            call.scope.reading.emit("secret.read", call.site, "a secret", _PRINTED)
            return


_PRINTED = frozenset({"printed", "secret"})


def _read_shadowed_program(call: ShellCall, name: str, printed: Flow) -> Flow:
    """Analyse the program that a function or an alias hides too, since the definition may not be in force."""
    if name not in PROGRAMS and name not in READERS:
        return printed
    real = run_program(call, name)
    return printed if real == printed else Flow(None, printed.marks | real.marks, real.url or printed.url)


def run_program(call: ShellCall, name: str) -> Flow:
    """Analyse a program by its name, and by every description that users added for it."""
    reading, words, program = call.scope.reading, call.words, call.program
    first = len(reading.effects)
    if "/" in name and (glued := _GLUED_SWITCHES.fullmatch(name)):
        words, nodes = ["cmd", glued[1], *words[1:]], [call.nodes[0], None, *call.nodes[1:]]
        return run_program(call.with_words(words, nodes), "cmd")
    reading.add_command(words, call.scope.cwd)
    printed = _run_program(call, name)
    if printed.marks or call.stdin.marks or program in _WATCHED_PROGRAMS or not _WATCHED_WORDS.isdisjoint(words):
        printed = _read_by_words(call, printed, first)
    if reading.knowledge.added_programs:
        for added in reading.knowledge.added_programs.get(name.rpartition("/")[2], ()):
            apart = ShellCall(call.words, call.nodes, call.scope.copy(), call.stdin, call.span)
            read_program(apart, added)  # which only adds effects: the folder and the variables stay as they are
    if len(reading.effects) > first:
        if len(words) >= MIN_DERIVING:  # shorter commands name no output
            derived_files.record_derived(call, first)
        kinds = read_handed_code(call, name, first)
        led = reading.effects[first].kind
        if led in _LED_KINDS:
            _read_by_first_kind(call, led)
            kinds = reading.kinds_since(first)
        if program in _SETTLED_PROGRAMS or not _SETTLED_KINDS.isdisjoint(kinds):
            _adjust_effects(call, first)
    if printed.text is None and len(words) < MAX_GENERATOR and _is_generator(call, first):
        return Flow(None, printed.marks | _GENERATED, printed.url)
    return printed


#: Programs that pick fields out of the files that they are given.
_PICKING = frozenset({"jq", "gojq", "yq"})
#: Clients that bring files of other machines here.
_FETCHING = frozenset(
    program for client in read_table("remote-files", RemoteFiles).clients for program in client.programs
)
#: Programs and words that `_read_by_words` is about.
_WATCHED_PROGRAMS = frozenset((*_FETCHING, *DIAGNOSTICS, *_PICKING))
_WATCHED_WORDS = REVEALING | ENDLESS | ASKING


def _read_by_words(call: ShellCall, printed: Flow, first: int) -> Flow:
    """Report secrets that a command reveals or fetches, and endless input; return what it prints, with their marks."""
    if not REVEALING.isdisjoint(call.words):
        from interlock.analyse.shell.output.secret_verbs import report_reveal

        report_reveal(call, first)
    if "endless" in printed.marks or "endless" in call.stdin.marks or not ENDLESS.isdisjoint(call.words):
        from interlock.analyse.shell.endless import read_endless

        printed = read_endless(call, printed)
    if call.program in _FETCHING:
        remote_files.report_fetched_secrets(call)
    picks = call.program in _PICKING and len(call.words) > 2
    if picks or call.program in DIAGNOSTICS or "diagnostics" in call.stdin.marks or not ASKING.isdisjoint(call.words):
        printed = _read_settings(call, printed, first)
    return printed


def _read_by_first_kind(call: ShellCall, kind: str) -> None:
    """Report what a client of a service, or a package manager, is led to by its arguments."""
    if kind in _PACKAGE_CHANGES:
        _guard_environment(call)
    elif len(call.words) > 2:
        server_options.read_server_options(call)


def _adjust_effects(call: ShellCall, first: int) -> None:
    """Adjust the effects of a command by the system, the disk or the data that it names."""
    reading = call.scope.reading
    if call.program in _CLUSTER_TOOLS or not _SHARED.isdisjoint(reading.kinds_since(first)):
        _mark_local_systems(call, first)
    if not _DISK_KINDS.isdisjoint(reading.kinds_since(first)):
        from interlock.analyse.shell.files.disk_images import mark_image_writes

        mark_image_writes(call, first)
    if reading.effects[-1].kind in _STORE_CHANGES:
        from interlock.analyse.shell.services.trial_things import mark_trial_things

        mark_trial_things(call, first)
    elif call.program in _SERVER_TOOLS:
        from interlock.analyse.shell.services.own_servers import mark_own_servers

        mark_own_servers(call, first)


# Programs that stop a database server of this machine.
_SERVER_TOOLS = frozenset({"pg_ctl", "mysqladmin", "mariadb-admin"})


def _read_settings(call: ShellCall, printed: Flow, first: int) -> Flow:
    """Report a secret setting that is asked for; return what is printed, with the marks of settings."""
    asks = not ASKING.isdisjoint(call.words)
    if asks and not any(effect.kind == "secret.read" for effect in call.scope.reading.effects[first:]):
        runtime_settings.report_setting(call)
    return runtime_settings.trace_settings(call, printed)


# Kinds of effects that depend on which system a client works on.
_SHARED = frozenset(
    "infra.change infra.destroy deploy.release cluster.change cluster.delete message.send package.publish "
    "local.change secret.read payment.send".split()
)
_STORE_CHANGES = frozenset({"db.write", "db.delete", "db.drop", "db.alter"})
# Programs that make a local cluster, or select the one that later commands work on.
_CLUSTER_TOOLS = programs_in("local-cluster-tools")
_DISK_KINDS = frozenset(kind for kind in KINDS if kind.startswith("disk."))
#: Programs and kinds of effects that `_adjust_effects` is about.
_SETTLED_PROGRAMS = _CLUSTER_TOOLS | _SERVER_TOOLS
_SETTLED_KINDS = _SHARED | _DISK_KINDS | _STORE_CHANGES


def _mark_local_systems(call: ShellCall, first: int) -> None:
    """Mark changes of a local cluster or emulator, as opposed to a shared system."""
    local_systems.mark_local_effects(call, first)
    if call.program in ("sf", "sfdx"):
        from interlock.analyse.shell.services.trial_orgs import mark_trial_orgs

        mark_trial_orgs(call, first)
    if not _SETTING.isdisjoint(call.words):
        from interlock.analyse.shell.services.client_settings import read_client_settings

        read_client_settings(call)
    if call.program in local_systems.SELECTING:
        local_systems.select_context(call)


_SETTING = frozenset({"set", "login"})
# Kinds of effects of clients of services. Other effects on the network name their address themselves.
_CLIENT_KINDS = ("infra.", "cluster.", "container.", "vcs.", "local.", "secret.", "deploy.", "db.", "message.")
_PACKAGE_CHANGES = frozenset({"package.install", "package.remove"})
#: Kinds of effects that `_read_by_first_kind` is about.
_LED_KINDS = _PACKAGE_CHANGES | {kind for kind in KINDS if kind.startswith(_CLIENT_KINDS)}
_GUARD = frozenset({"guard_config"})


def _guard_environment(call: ShellCall) -> None:
    """Report a package manager that works on the environment that Interlock runs in."""
    reading = call.scope.reading
    for word in call.words:
        path = word.rpartition("=")[2]
        if "/" in path and "guard_config" in reading.places.resource(path, call.scope.cwd)[1]:
            reading.emit("defence.disable", call.site, path, _GUARD)
            return


def _is_generator(call: ShellCall, first: int) -> bool:
    """Whether a command prints code for a shell that it makes itself, rather than what it was given to read."""
    if is_listed_generator(call.program, call.words):
        return True
    return is_shaped_as_generator(call.words) and _PASSING_ON.isdisjoint(call.scope.reading.kinds_since(first))


#: `cmd` with its switches in the same word.
_GLUED_SWITCHES = late(r"(?i)cmd(?:\.exe)?((?:/{1,2}[a-z](?::\w+)?)+)")


def _run_program(call: ShellCall, name: str) -> Flow:
    """Analyse a program: a script, one that a user or the catalogue describes, or an unknown one."""
    scope = call.scope
    base = name
    if "/" in name:
        base = name.rpartition("/")[2]
        if not _is_installed(name, scope):
            _read_known_copy(call, base)
            return run_file(call, name, EXECUTED)
    if base[:6] == "python":
        base = _VERSION.sub("", base)  # `python3.11`
    own = scope.reading.knowledge.programs
    if own and base in own:
        return read_program(call, own[base])
    first = len(scope.reading.effects)
    reader = READERS.get(base)
    if reader is not None:
        printed = reader(call)
    else:
        spec = PROGRAMS.find(base)
        if spec is None:
            return _read_unlisted_program(call, base, first)
        printed = read(call, spec)
    if len(call.words) == 2 and call.words[1] in _ASKING_HELP:
        return _only_helps(call, base, first)
    if base in _SENDING:
        _read_sent_data(call, base, first)
    return printed


def _read_unlisted_program(call: ShellCall, base: str, first: int) -> Flow:
    """Analyse a program that has neither a reader nor a description by that name."""
    plain = _catalogue_name(base, call.scope.reading.knowledge)
    if plain != base:  # names such as `GIT.EXE` on Windows
        return run_program(call.with_words([plain, *call.words[1:]], call.nodes), plain)
    from interlock.analyse.shell.unknown_programs import read_unknown_program

    printed = read_unknown_program(call, base)
    if base in SENDERS:
        read_sends(call, SENDERS[base], first)
    elif base in MOUNTING:
        read_mount(call)
    else:
        read_unlisted_sends(call)
    return printed


def _read_sent_data(call: ShellCall, base: str, first: int) -> None:
    """Report what a program sends, and the folders of other machines that it mounts."""
    if base in SENDERS:
        read_sends(call, SENDERS[base], first)
    if base in MOUNTING:
        read_mount(call)


#: Programs that send data, or mount folders of other machines.
_SENDING = frozenset((*MOUNTING, *SENDERS))
_ASKING_HELP = frozenset({"--help", "--version"})
_HARMLESS = frozenset("system.read infra.read db.read fs.read vcs.read process.run process.spawn out.print".split())
_SAYING = frozenset({"help", "platform"})


def _only_helps(call: ShellCall, base: str, first: int) -> Flow:
    """Take back what a program would do, which only prints its help or its version."""
    effects = call.scope.reading.effects
    if any(effect.kind not in _HARMLESS or effect.flags - _SAYING for effect in effects[first:]):
        del effects[first:]
        call.scope.reading.emit("system.read", call.site, base)
    return UNKNOWN


def _catalogue_name(base: str, knowledge: Extension) -> str:
    """Return a program's name as the catalogue or a user's description spells it, or the name unchanged.

    It ignores case, folder and `.exe`, and the version of an interpreter or a compiler: `php8.2`, `gcc-12`.
    """
    plain = base.rpartition("\\")[2].lower().removesuffix(".exe").removesuffix(".cmd")
    if plain in PROGRAMS or plain in READERS or plain in knowledge.programs or plain in knowledge.added_programs:
        return plain
    unversioned = _ANY_VERSION.sub("", plain)
    return unversioned if unversioned in _VERSIONED else base


_ANY_VERSION = late(r"[-.]?\d+(?:\.\d+)*[a-z]?$")
#: Programs that are installed in several versions side by side.
_VERSIONED = frozenset(
    name
    for group in ("interpreters:INTERPRETERS", "toolchains:TOOLCHAINS", "package_managers:PACKAGE_MANAGERS")
    for name in GROUPS[group]
) | {"go", "java", "npm", "npx", "pnpm", "yarn"}


def _read_known_copy(call: ShellCall, base: str) -> None:
    """Analyse a local file as the program it is named after, besides as a script: it may be a copy of that program."""
    reader, spec = READERS.get(base), PROGRAMS.find(base)
    own = call.scope.reading.knowledge.programs.get(base)
    if own is not None:
        read_program(call, own)
    if reader is not None:
        reader(call)
    elif spec is not None:
        read(call, spec)
    elif any("stratum+" in word for word in call.words):
        call.scope.reading.emit("net.connect", call.site, base, frozenset({"mining"}))


_WINDOWS_FOLDER = late(r"(?i)(?:[a-z]:|/[a-z]|/mnt/[a-z])/windows/")


def _is_installed(name: str, scope: ShellScope) -> bool:
    """Whether a path names a program that was installed rather than a file that the agent may have written."""
    if _WINDOWS_FOLDER.match(name):
        return True
    place, _, full = scope.reading.places.locate(name, scope.cwd)
    if full is None:
        return "/bin/" in name
    if full in scope.reading.files:
        return False
    if place is Place.WORKSPACE:
        return "/bin/" in name
    return (place is Place.SYSTEM and "/tmp/" not in full) or ("/bin/" in full and place is not Place.SCRATCH)


def _call_function(call: ShellCall) -> Flow:
    """Walk the body of a function with the arguments of this call."""
    scope, name = call.scope, call.words[0]
    function = scope.functions[name]
    if function in scope.calling:
        _report_recursion(call, function.text())
        return UNKNOWN
    if function.earlier is not None:  # of two definitions in branches, either may be in force
        twin = scope.copy()
        twin.functions[name] = function.earlier
        _call_function(ShellCall(call.words, call.nodes, twin, call.stdin, call.span))
    outer = scope.arguments, scope.source, scope.calling, scope.returns
    scope.arguments, scope.source, scope.calling = call.words[1:], function.source, (*scope.calling, function)
    scope.returns = []
    before = take_state(scope)
    try:
        printed = function.walk(scope, call.stdin)
        if scope.returns:
            join_states(scope, [*scope.returns, take_state(scope, before)], before)
        return printed
    finally:
        scope.arguments, scope.source, scope.calling, scope.returns = outer


def _report_recursion(call: ShellCall, body: str) -> None:
    """Report a function that calls itself. In the background and in a pipe, it is a fork bomb."""
    if ("&" in body and "|" in body) or (BACKGROUND.search(body) and not WAITING.search(body)):
        call.scope.reading.emit("machine.exhaust", call.site, call.words[0])
    else:
        call.scope.reading.unread("a function that calls itself", call.site)
