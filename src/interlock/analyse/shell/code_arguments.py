"""Code that a program is handed: downloads among its arguments, commands in its options, files that it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from interlock.analyse.files.run_files import KEPT_MARKS
from interlock.analyse.loading import CHECKERS, DATA_ENDINGS, is_downloaded, report_loading
from interlock.analyse.reading import Reading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.execution import is_in_download
from interlock.analyse.shell.readers import GROUPS
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.command import Command
from interlock.knowledge.table_types.commands import ProjectTasks
from interlock.knowledge.table_types.files import Loading
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse import settings, variables
    from interlock.analyse.addresses import attack_texts
    from interlock.analyse.other_agents import instructions
    from interlock.analyse.shell import build_settings, package_checks, project_tasks, unlisted_options
    from interlock.analyse.shell.files import generated_files, packed_archives, reached_files
else:
    attack_texts = LazyModule("interlock.analyse.addresses.attack_texts")
    instructions = LazyModule("interlock.analyse.other_agents.instructions")
    settings = LazyModule("interlock.analyse.settings")
    variables = LazyModule("interlock.analyse.variables")
    build_settings = LazyModule("interlock.analyse.shell.build_settings")
    unlisted_options = LazyModule("interlock.analyse.shell.unlisted_options")
    generated_files = LazyModule("interlock.analyse.shell.files.generated_files")
    package_checks = LazyModule("interlock.analyse.shell.package_checks")
    packed_archives = LazyModule("interlock.analyse.shell.files.packed_archives")
    project_tasks = LazyModule("interlock.analyse.shell.project_tasks")
    reached_files = LazyModule("interlock.analyse.shell.files.reached_files")

#: Programs that install packages, or that get them while they build.
PACKAGE_MANAGERS = programs_in("package-managers")

#: Effects of a program that runs or loads code. Programs without any of them only process data.
_ACTING = frozenset(
    "process.run process.spawn process.attach code.run code.eval code.opaque package.install kernel.change "
    "service.start service.change service.read deploy.release".split()
)
#: Commands that build archives, among the words of a package manager.
_PACKING = frozenset({"pack", "build", "wheel", "package"})
#: Toolchains that build a program of the project and run it with the arguments that follow.
TOOLCHAINS = programs_in("toolchains")
_TASK_RUNNERS = frozenset(read_table("project-tasks", ProjectTasks).runners)
INTERPRETERS = frozenset(GROUPS["interpreters:INTERPRETERS"])
_WRAPPERS = (*GROUPS["wrappers:WRAPPERS"], *GROUPS["xargs:XARGS"])
_RUNNING_OTHERS = frozenset((*_WRAPPERS, "find", "fd", "parallel", "watch", "cd", "source", ".", "eval"))
_FOREIGN_SOURCE = frozenset({"index", "url", "package_source", "rerouted"})
_REQUESTS = frozenset({"net.fetch", "net.send", "net.connect"})
_SENDING = _REQUESTS | {"message.send"}
#: Kinds of effects of programs that may run, load or send more than their descriptions say.
_LEADING = _ACTING | _SENDING | {"fs.write"}
MIN_ORDER = 16  # shorter texts give no orders
_SEPARATORS = late(r"[=:,@]")
_ATTACHED = late(r"^-[A-Za-z](?=[./~\w])")


def read_handed_code(call: ShellCall, name: str, first: int) -> set[str]:
    """Report what else a program runs or loads, after it was read by its description from the effect `first` on.

    Return the kinds of its effects.
    """
    reading, words = call.scope.reading, call.words
    base = name.rpartition("/")[2] if "/" in name else name
    if base in _RUNNING_OTHERS:
        if base not in ("env", "."):
            _read_assignments(call, before_command=True)
        if reading.files and reached_files.reads_code(base):
            reached_files.read_reached_files(call, base)
        return reading.kinds_since(first)
    kinds, count = reading.kinds_since(first), len(reading.effects)
    acting = False
    if not kinds.isdisjoint(_LEADING):
        if not kinds.isdisjoint(_SENDING):
            _read_messages(call, base, kinds, first)
        if "fs.write" in kinds and base in _EDITING:
            build_settings.read_edited_manifests(call, first)
        acting = not kinds.isdisjoint(_ACTING)
    if base in _PACKAGERS:
        _read_checks(call, base, first)
    if acting:
        _read_task(call, base, script="code.run" in kinds or "/" in words[0])
    if len(words) > 1:
        _read_line(call, base, first, acting, described=base is name)
    if (reading.files or reading.downloaded) and (acting or reached_files.reads_code(base)):
        _read_files_of_run(call, base, name, kinds, acting=acting)
    return kinds if len(reading.effects) == count else reading.kinds_since(first)


def _read_files_of_run(call: ShellCall, base: str, name: str, kinds: set[str], *, acting: bool) -> None:
    """Read the files that this run wrote or downloaded and that a program runs, loads or takes its settings from."""
    downloads = call.scope.reading.has_downloads
    if "code.remote" in kinds or (downloads and _is_built_in_download(call, base, kinds)):
        return
    wrapper = "/" not in name or base in ("gradlew", "mvnw")
    if downloads and acting and wrapper and (base not in INTERPRETERS or call.words[1:2] == ["CMD"]):
        _read_downloads(call, base)
    reached_files.read_reached_files(call, base)
    build_settings.read_manifests(call, base)


def _read_line(call: ShellCall, program: str, first: int, acting: bool, described: bool) -> None:
    """Read the arguments of a program, and its options that no description explains; report generated files."""
    line = " ".join(call.words)
    if acting:
        _read_arguments(call, program, line, first)
    if described and " -" in line and ("/" in line or "~" in line or "|" in line) and program not in INTERPRETERS:
        unlisted_options.read_unlisted_options(call, program, first, _find_described_options(program), acting)
    if "/tmp/" in line:
        generated_files.report_generated(call, program, first)


#: Programs that build packages, beside package managers.
_BUILDERS = frozenset({"python", "python3", "build", "pyproject-build"})
_PACKAGERS = PACKAGE_MANAGERS | _BUILDERS


def _read_checks(call: ShellCall, program: str, first: int) -> None:
    """Read the checks and settings of a package manager."""
    if program in PACKAGE_MANAGERS and len(call.words) > 1:
        package_checks.read_package_checks(call, program, first)
    if not _PACKING.isdisjoint(call.words[1:4]):
        packed_archives.report_packed(call)


def _read_task(call: ShellCall, program: str, *, script: bool) -> None:
    """Read a task or a script of the project by its name."""
    if script or program in _TASK_RUNNERS or (program in TOOLCHAINS and "run" in call.words):
        project_tasks.read_project_task(call, program, script=script)


def _read_messages(call: ShellCall, program: str, kinds: set[str], first: int) -> None:
    """Report an attack in a request, orders for an agent in a message, and what a message takes with it."""
    reading, line = call.scope.reading, " ".join(call.words)
    if "message.send" in kinds and reading.files:
        _mark_sent_files(call, first)
    if not kinds.isdisjoint(_REQUESTS):
        _read_attacks(call, first)
        if "/v1/runs/" in line and any("/v1/runs/" in word and "/requests" in word for word in call.words):
            reading.emit("defence.disable", call.site, "the person's own words", frozenset({"guard_config"}))
    if "message.send" in kinds:
        _read_sent_text(call, program, line)


def _read_attacks(call: ShellCall, first: int) -> None:
    """Report a parameter, a header or a body that attacks the application to which the command sends it."""
    reading = call.scope.reading
    web = [one for one in reading.effects[first:] if one.kind in _HTTP and one.resource]
    target = next((one.resource.name for one in web if one.resource and one.resource.name.startswith(_WEB)), "")
    if not target or any("attack" in one.flags for one in web) or not attack_texts.is_foreign(target):
        return
    if attack_texts.find_attack(word for word in call.words[1:] if not word.startswith(_FILES)):
        reading.url("net.fetch", call.site, target, _ATTACK)


_FILES = (".", "~", "@", "/")  # beginnings of paths, to which the answer is saved
_HTTP = frozenset({"net.fetch", "net.send"})
_WEB = ("http://", "https://")
_ATTACK = frozenset({"attack"})


def _read_sent_text(call: ShellCall, program: str, line: str) -> None:
    """Report personal data and orders for an agent in a message."""
    if "/" in line:
        from interlock.analyse.shell.output.personal_sends import report_personal_sends

        report_personal_sends(call, call.words[1:], program)
    if program in _FORGES:
        from interlock.analyse.shell.services.bot_orders import read_bot_orders

        read_bot_orders(call)
    if any(len(word) > MIN_ORDER and instructions.is_hidden_order(word) for word in call.words):
        call.scope.reading.emit("message.send", call.site, program, frozenset({"instructions"}))


def _mark_sent_files(call: ShellCall, first: int) -> None:
    """Put the marks of files of this run on a message that has them in its text or attached."""
    reading = call.scope.reading
    found = frozenset[str]()
    for word in call.words[1:]:
        path = word.rpartition("=")[2].lstrip("@")
        full = reading.places.resolve(path, call.scope.cwd) if path and "\n" not in path else None
        if full is not None:
            found |= reading.content_marks(full, below=False) & KEPT_MARKS
    if found:
        reading.mark_effects(first, "message.send", found)


_FORGES = frozenset({"gh", "glab", "hub", "tea"})
#: Programs that change a part of a file.
_EDITING = programs_in("stream-editors")


def _is_built_in_download(call: ShellCall, program: str, kinds: set[str]) -> bool:
    """Report a build in a folder that this action downloaded: `git clone …; cd x; make`."""
    reading, cwd = call.scope.reading, call.scope.cwd
    if cwd is None or kinds.isdisjoint(_BUILDING) or program in CHECKERS or not is_in_download(cwd, reading):
        return False
    reading.emit("code.remote", call.site.behind(program), cwd)
    return True


_BUILDING = frozenset({"process.spawn"})


class DescribedOptions(msgspec.Struct, frozen=True):
    """The options of a program: those that a description explains, and among them those with a role."""

    explained: frozenset[str]
    with_role: frozenset[str]


def _find_described_options(program: str) -> DescribedOptions:
    """Return the options of a program and its subcommands that a description explains."""
    spec = PROGRAMS.find(program)
    if spec is None:
        return _NO_OPTIONS
    known = _OPTIONS.get(program)
    if known is not None and known[0] is spec:
        return known[1]
    explained: set[str] = set()
    with_role: set[str] = set()
    left: list[Command] = [spec]
    while left:
        one = left.pop()
        for name, option in one.option_table.items():
            if option.value != "data":
                with_role.add(name)
            if option.value != "data" or not settings.is_telling(name):
                explained.add(name)
        left += [*one.subcommands.values(), *(other for other in (one.alone, one.otherwise) if other is not None)]
    _OPTIONS[program] = spec, DescribedOptions(frozenset(explained), frozenset(with_role))
    return _OPTIONS[program][1]


_NO_OPTIONS = DescribedOptions(frozenset(), frozenset())
#: Program → its description, and the options that it explains.
_OPTIONS: dict[str, tuple[Command, DescribedOptions]] = {}


def _read_arguments(call: ShellCall, program: str, line: str, first: int) -> None:
    """Read variables, settings, addresses and tasks among the arguments, by their names."""
    reading = call.scope.reading
    if "=" in line:
        _read_assignments(call)
    if "://" in line and not any(effect.flags & _FOREIGN_SOURCE for effect in reading.effects[first:]):
        build_settings.read_addresses(call, first)
    if "/" in line or "~" in line:
        build_settings.read_emptied_folders(call)
        if not _LOADING.isdisjoint(reading.kinds_since(first)):
            _read_modules(call, program)
            if reading.has_kind_since(first, "package.install"):
                build_settings.read_foreign_packages(call, first)
    if "install" in line and "sudo" in call.scope.via:
        build_settings.read_installation(call, program)
    if "\\\\" in line and program in PROGRAMS:
        for word in call.words[1:]:
            if word.startswith("\\\\"):  # a folder that another machine shares
                reading.emit("code.remote", call.site, word)
    if program not in INTERPRETERS and _MARKS.search(line):
        settings.read_options(
            reading, call.site.behind(program), call.words[1:], _find_described_options(program).explained
        )


#: Endings of compiled code, and of files that a build takes its steps from.
_MODULES = read_table("loading", Loading).module_endings


_LOADING = frozenset({"process.spawn", "package.install"})


def _read_modules(call: ShellCall, program: str) -> None:
    """Report compiled code or a build from a foreign place among the operands: `dotnet /tmp/x.dll`."""
    if program in CHECKERS or program not in PROGRAMS:
        return
    for at, word in enumerate(call.words[1:], 1):
        if word[:1] in ("/", "~") and word.endswith(_MODULES) and call.words[at - 1][:1] != "-":
            report_loading(call.scope.reading, call.site.behind(program), word)


_MARKS = late(r"[/~=:|\\]")


def _read_assignments(call: ShellCall, *, before_command: bool = False) -> None:
    """Read variables that are set by arguments: `make CC=…`, `sudo LD_PRELOAD=… ls`, `systemctl set-environment …`."""
    for word in call.words[1:]:
        found = _ASSIGNMENT.match(word) if "=" in word else None
        if found:
            variables.read_variable(call.scope.reading, found[1], word[found.end() :], call.site)
        elif before_command and word[:1] != "-":
            return


_ASSIGNMENT = late(r"([A-Za-z_]\w*)=")


def _read_downloads(call: ShellCall, program: str) -> None:
    """Report downloads among the arguments of a program that runs or loads code."""
    reading, cwd = call.scope.reading, call.scope.cwd
    checks = program in CHECKERS
    for at, word in enumerate(call.words[1:], 1):
        option = word if word[:1] == "-" else call.words[at - 1] if call.words[at - 1][:1] == "-" else ""
        telling = bool(option) and settings.is_telling(option)
        if checks and not option:
            continue
        for path in _paths_in(word):
            if path.endswith(DATA_ENDINGS) and not telling and program != "R":
                continue
            if not option and "/" not in path and "." not in path and not _is_file_of_run(reading, path, cwd):
                continue  # the name of a task, not of a file
            if is_downloaded(reading, path, cwd):
                reading.emit("code.remote", call.site.behind(program), path)
                return


def _is_file_of_run(reading: Reading, name: str, cwd: str | None) -> bool:
    """Whether a word is exactly the name of a file or folder that this run has written or downloaded."""
    full = reading.places.resolve(name, cwd) or name
    return full in reading.files or full in reading.downloaded


def _paths_in(word: str) -> list[str]:
    """Return what may be a path in a word: all of it, and the parts of `--option=value`, `-Ivalue` and `a:b`."""
    found = [word] if word[:1] != "-" else []
    attached = _ATTACHED.match(word)
    if attached:
        found.append(word[2:])
    if "://" not in word and _SEPARATORS.search(word):
        found += [part.strip("\"'") for part in _SEPARATORS.split(word)[1:]]
    return [path for path in found if path and path not in (".", "..", "/")]
