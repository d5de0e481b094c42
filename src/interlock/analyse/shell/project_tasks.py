"""Project tasks: tasks and scripts of a project whose own words say that they change a shared system.

A task has a name (`make deploy`, `npm run db:reset`, `./scripts/rollback.sh`), and its arguments and variables may name
an environment (`ENV=prod`, `--env production`). The words are in `knowledge/tables/project-tasks.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.code_arguments import TOOLCHAINS
from interlock.analyse.shell.readers import GROUPS
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.table_types.commands import ProjectTasks
from interlock.patterns import late

_TABLE = read_table("project-tasks", ProjectTasks)
_RUNNERS = frozenset(_TABLE.runners)
_PUBLISHERS = frozenset(_TABLE.publishers)
_INTERPRETERS = frozenset(GROUPS["interpreters:INTERPRETERS"]) | {"deno", "bun", "npx", "tsx", "dotnet", "source", "."}
_DEPLOYS = frozenset(_TABLE.deploys)
_DESTROYS, _CHANGES = frozenset(_TABLE.destroys), frozenset(_TABLE.changes)
_INFRASTRUCTURE, _APPLIES = frozenset(_TABLE.infrastructure), frozenset(_TABLE.applies)
_HARMLESS, _IN_USE, _PRACTICE = frozenset(_TABLE.harmless), frozenset(_TABLE.in_use), frozenset(_TABLE.practice)
_UNATTENDED, _REHEARSES = frozenset(_TABLE.unattended), frozenset(_TABLE.rehearses)
_MAILINGS, _EVERYONE = frozenset(_TABLE.mailings), frozenset(_TABLE.everyone)
_ACTING = _DEPLOYS | _DESTROYS | _CHANGES | _APPLIES | _MAILINGS
_SPLIT = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_CERTAIN = late(r"(?i)release(?:sonatype|\w*repositor)|^publish\w*(?:central|sonatype|npm|pypi)")
_PUBLISHES = late(r"(?:^|[:/._-])(?:publish|release|semantic-release|upload)(?=$|[:/._A-Z-])")
_PUBLISHES_BY_NAME = late(r"(?:^|[:/._-])publish(?=$|[:/._A-Z-])")
_UPLOADS, _REGISTRIES = frozenset(_TABLE.uploads), frozenset(_TABLE.registries)
_ENDING = late(r"\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|bat|cmd|fish|exs?|lua)$")
_RELEASE, _TASK = frozenset({"release_task"}), frozenset({"project_task"})
#: Words of a package manager before the name of a script.
_RUN = frozenset("run run-script exec x build test".split())
_VALUED = frozenset(
    (
        "-C -f -p -x -D -P --file --directory --prefix --filter --workspace -w --configuration --tests --exclude-task "
        "--dependency --console --task --project-dir --scope --config --tag"
    ).split()
)
#: Runners whose tasks are targets in folders, and may have dots in their names: `//deploy:prod.apply`.
_TARGETS = programs_in("target-builders")
#: Words of tasks that push an image to a registry.
_IMAGES = frozenset("image images docker container containers oci ecr gcr ghcr registry".split())
#: Options of task runners that only list or print tasks.
_LISTING = frozenset({"-n", "--dry-run", "--dryrun", "-m", "--list", "-l", "-T", "--tasks", "--just-print"})
MAX_OPERANDS = 3  # operands of a script in which a subcommand is looked for


def read_project_task(call: ShellCall, program: str, *, script: bool) -> None:
    """Report a task or a script that publishes or deploys the project, or changes a system that is in use."""
    if program in _RUNNERS and _LISTING.isdisjoint(call.words) and not _runs_described(call.words):
        told = not _FOR_REAL.isdisjoint(call.words) or _is_set(call, _PUSHING, on=True)
        for task in _tasks(call.words, program):
            publishes = told or program in _PUBLISHERS or _PUBLISHES_BY_NAME.search(task) is not None
            _read_task(call, task, _split(task), publishes=publishes)
    is_run = program in TOOLCHAINS and "run" in call.words
    if is_run or (script and program not in _RUNNERS):
        named = _program_name(call) if is_run else _script_name(call, program)
        if named is not None:
            task, folder, operands = named
            words = _split(task)
            if words <= _IN_USE | _PRACTICE:  # `deploy/prod.sh`
                words |= _split(folder)
            for operand in operands:
                words |= _split(operand)
            _read_task(call, task, words, publishes=_PUBLISHES.match(task) is not None)


_EXECUTORS = frozenset({"npx", "pnpx", "bunx"})
_EXECUTE = frozenset({"exec", "dlx", "x"})


def _runs_described(words: list[str]) -> bool:
    """Whether a package manager runs a program that has a description of its own: `npx prisma migrate deploy`."""
    executes = words[0].rpartition("/")[2] in _EXECUTORS or not _EXECUTE.isdisjoint(words[1:2])
    name = next((word for word in words[1:] if word[:1] != "-" and word not in _EXECUTE), "") if executes else ""
    return bool(name) and name.partition("@")[0] in PROGRAMS


def _read_task(call: ShellCall, task: str, words: frozenset[str], *, publishes: bool) -> None:
    """Report what a task does, by its words and by the environment that it is for."""
    emit = call.scope.reading.emit
    certain = _CERTAIN.search(task) is not None or _pushes_image(words)
    acts = publishes or not words.isdisjoint(_ACTING) or not _UNATTENDED.isdisjoint(call.words)
    if not certain and (not acts or not words.isdisjoint(_HARMLESS)):
        return
    if not _REHEARSES.isdisjoint(call.words) or _is_set(call, _DRY, on=True) or _is_set(call, _PUSHING, on=False):
        return
    if certain:
        emit("package.publish", call.site, task)
        return
    environment = _environment_words(call, words)
    if not words.isdisjoint(_MAILINGS) and not _option_words(call).isdisjoint(_EVERYONE):
        emit("message.send", call.site, task, _MANY)
        return
    in_use = not environment.isdisjoint(_IN_USE)
    if not in_use and not environment.isdisjoint(_PRACTICE):
        return
    if not words.isdisjoint(_DEPLOYS):
        emit("deploy.release", call.site, task, _RELEASE)
    elif (publishes and _PUBLISHES.search(task)) or not (words.isdisjoint(_UPLOADS) or words.isdisjoint(_REGISTRIES)):
        emit("package.publish", call.site, task)
    elif in_use or not (words.isdisjoint(_INFRASTRUCTURE) or words.isdisjoint(_APPLIES)):
        if not words.isdisjoint(_DESTROYS):
            emit("infra.destroy", call.site, task, _TASK)
        elif not words.isdisjoint(_CHANGES | _APPLIES) or not _UNATTENDED.isdisjoint(call.words):
            emit("infra.change", call.site, task, _TASK)


def _pushes_image(words: frozenset[str]) -> bool:
    """Whether a task pushes an image to a registry: `image_push`, `docker-push`."""
    return "push" in words and not words.isdisjoint(_IMAGES) and words.isdisjoint(_PRACTICE | _DRY)


def _is_set(call: ShellCall, names: frozenset[str], *, on: bool) -> bool:
    """Whether a variable with one of some words in its name is on, or off: `DRY_RUN=1`, `PUSH=false`."""
    given = [word.lstrip("-").partition("=")[::2] for word in call.words[1:] if "=" in word]
    for name, held in call.scope.variables.items():
        if name.isupper() and isinstance(held, str):
            given.append((name, held))
    return any((value.lower() not in _OFF) is on for name, value in given if not names.isdisjoint(_split(name)))


#: Options with which a release is more than a build.
_FOR_REAL = frozenset("--execute --no-confirm --yes -y --push --publish --upload --no-dry-run".split())
_OFF = frozenset({"", "0", "false", "no", "n", "off", "never"})
_PUSHING = frozenset({"push", "publish", "upload"})


def _option_words(call: ShellCall) -> frozenset[str]:
    """Return the words of a task's options and arguments: `--list=all --live`."""
    return frozenset(part for word in call.words[1:] for part in _split(word))


_MANY = frozenset({"many"})


def is_practice(call: ShellCall) -> bool:
    """Whether a call names an environment for trying things out, and none that is in use."""
    found = _environment_words(call, frozenset())
    return found.isdisjoint(_IN_USE) and not found.isdisjoint(_PRACTICE)


def _environment_words(call: ShellCall, words: frozenset[str]) -> frozenset[str]:
    """Return the parts of all words that may name an environment: of the task, its arguments and its variables."""
    found = set(words)
    for word in call.words[1:]:
        if " " in word:  # a text, and not the name of anything
            continue
        name, equals, value = word.partition("=")
        if word[:1] != "-" or equals:
            found |= _split(value if equals else word)
        elif name[2:] in _IN_USE | _PRACTICE:  # `--prod`
            found.add(name[2:])
    for name, held in call.scope.variables.items():
        if isinstance(held, str) and name.upper() == name and len(held) < MAX_VALUE:
            found |= _split(held)
    return frozenset(found)


MAX_VALUE = 40  # of a variable that names an environment
MAX_NAME = 200


@lru_cache(maxsize=1024)
def _split(text: str) -> frozenset[str]:
    """Return the words in a name, in lower case.

    >>> sorted(_split("db:resetProd"))
    ['db', 'prod', 'reset']
    """
    return frozenset(part.lower() for part in _SPLIT.split(text[:MAX_NAME]) if part)


def _tasks(words: list[str], program: str) -> Iterator[str]:
    """Yield the names of the tasks that a runner runs."""
    if program in _TARGETS:
        yield from _target_names(words)
    elif program in _BY_OPTION:
        yield from (word for at, word in enumerate(words) if words[at - 1] in _TARGET_OPTIONS and word[:1] != "-")
    elif program not in _BELOW:
        yield from _task_names(words)
    elif not _BELOW[program].isdisjoint(words):
        at = next(at for at, word in enumerate(words) if word in _BELOW[program])
        yield from _task_names([word for word in words[at:] if word != "--"])
    attached = (word.partition("=") for word in words if word[:2] == "--" and "=" in word)
    yield from (value for option, _, value in attached if option in _TARGET_OPTIONS)


#: Build systems whose tasks are values of an option: `cmake --build build --target deploy`.
_BY_OPTION = frozenset({"cmake", "ctest"})
_TARGET_OPTIONS = frozenset({"--target", "-t", "--task"})
#: Runner → the subcommands that run tasks of the project.
_BELOW = {"cargo": frozenset({"xtask", "make"}), "meson": frozenset({"compile"})}


def _task_names(words: list[str]) -> Iterator[str]:
    """Yield the names of tasks among the arguments of a runner: neither options, nor settings, nor files."""
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            return
        if (
            word[:1] != "-"
            and "=" not in word
            and "." not in word.rpartition(":")[2][1:]
            and words[at - 1] not in _VALUED
            and " " not in word
            and word not in _RUN
        ):
            yield word


_DRY = frozenset({"dry", "dryrun", "check", "plan"})


def _target_names(words: list[str]) -> Iterator[str]:
    """Yield the targets that a build system runs, rather than builds: `bazel run //deploy:prod.apply`."""
    if words[0].rpartition("/")[2] == "mill":
        yield from (word.rpartition("/")[2] for word in words[1:] if word[:1] != "-")
        return
    at = next((at for at, word in enumerate(words[1:4], 1) if word == "run"), 0)
    for word in words[at + 1 :] if at else ():
        if word == "--":
            return
        if word[:1] != "-":
            yield word


_NAMING = frozenset("--bin --example --project --package -p --target --exe --startup-project".split())


def _program_name(call: ShellCall) -> tuple[str, str, list[str]] | None:
    """Return the program that `cargo run --bin NAME -- …` or `go run ./cmd/NAME …` runs, and its operands."""
    words = call.words
    if "run" not in words[1:4]:
        return None
    at = words.index("run")
    named = [words[i + 1] for i in range(at, len(words) - 1) if words[i] in _NAMING]
    end = words.index("--") if "--" in words else at
    rest = [word for word in words[end + 1 :] if word[:1] != "-" and "=" not in word and word not in named]
    if not named and rest and "--" not in words:
        named, rest = rest[:1], rest[1:]
    folder, _, name = (named[-1] if named else "").rstrip("/").rpartition("/")
    return _ENDING.sub("", name), folder.rpartition("/")[2], [word for word in rest if "/" not in word][:MAX_OPERANDS]


def _script_name(call: ShellCall, program: str) -> tuple[str, str, list[str]] | None:
    """Return the name of the script that a call runs, without its ending, its folder, and its first plain operands."""
    words = call.words
    at = 0
    if program in _INTERPRETERS:
        at = next((at for at, word in enumerate(words[1:], 1) if word[:1] != "-" and word not in _RUN), 0)
        if not at or not ("/" in words[at] or _ENDING.search(words[at])):
            return None
    operands = [
        word
        for before, word in pairwise(words[at:])
        if word[:1] != "-" and "=" not in word and "/" not in word and not (" " in word and before[:1] == "-")
    ]
    folder, _, name = words[at].rpartition("/")
    return _ENDING.sub("", name), folder.rpartition("/")[2], operands[:MAX_OPERANDS]
