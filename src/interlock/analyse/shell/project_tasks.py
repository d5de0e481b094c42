"""Project tasks: tasks and scripts of a project whose own words say that they change a shared system.

A task has a name (`make deploy`, `npm run db:reset`, `./scripts/rollback.sh`), and its arguments and variables may name
an environment (`ENV=prod`, `--env production`). The words are in `knowledge/tables/project-tasks.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from interlock.analyse.shell.call import Call
from interlock.analyse.shell.readers import GROUPS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import ProjectTasks
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
_TARGETS = frozenset("bazel bazelisk buck2 buck pants please plz mill".split())
#: Words of tasks that push an image to a registry.
_IMAGES = frozenset("image images docker container containers oci ecr gcr ghcr registry".split())
#: Options of task runners that only list or print tasks.
_LISTING = frozenset({"-n", "--dry-run", "--dryrun", "-m", "--list", "-l", "-T", "--tasks", "--just-print"})
MAX_OPERANDS = 3  # operands of a script in which a subcommand is looked for


def read_project_task(call: Call, program: str, *, script: bool) -> None:
    """Report a task or a script that publishes or deploys the project, or changes a system that is in use."""
    if program in _RUNNERS:
        if _LISTING.isdisjoint(call.words):
            for task in _target_names(call.words) if program in _TARGETS else _task_names(call.words):
                _read_task(call, task, _split(task), publishes=program in _PUBLISHERS)
    elif script:
        named = _script_name(call, program)
        if named is not None:
            task, folder, operands = named
            words = _split(task)
            if words <= _IN_USE | _PRACTICE:  # `deploy/prod.sh`
                words |= _split(folder)
            for operand in operands:
                words |= _split(operand)
            _read_task(call, task, words, publishes=_PUBLISHES.match(task) is not None)


def _read_task(call: Call, task: str, words: frozenset[str], *, publishes: bool) -> None:
    """Report what a task does, by its words and by the environment that it is for."""
    emit = call.scope.reading.emit
    if not _REHEARSES.isdisjoint(call.words):
        return
    if _CERTAIN.search(task) or _pushes_image(words):
        emit("package.publish", call.site, task)
        return
    if not words.isdisjoint(_HARMLESS):
        return
    if words.isdisjoint(_ACTING) and not publishes and _UNATTENDED.isdisjoint(call.words):
        return
    environment = _environment_words(call, words)
    if not words.isdisjoint(_MAILINGS) and not _told(call).isdisjoint(_EVERYONE):
        emit("message.send", call.site, task, _MANY)
        return
    in_use = not environment.isdisjoint(_IN_USE)
    if not in_use and not environment.isdisjoint(_PRACTICE):
        return
    if not words.isdisjoint(_DEPLOYS):
        emit("deploy.release", call.site, task, _RELEASE)
    elif publishes and _PUBLISHES.search(task):
        emit("package.publish", call.site, task)
    elif in_use or not (words.isdisjoint(_INFRASTRUCTURE) or words.isdisjoint(_APPLIES)):
        if not words.isdisjoint(_DESTROYS):
            emit("infra.destroy", call.site, task, _TASK)
        elif not words.isdisjoint(_CHANGES | _APPLIES) or not _UNATTENDED.isdisjoint(call.words):
            emit("infra.change", call.site, task, _TASK)


def _pushes_image(words: frozenset[str]) -> bool:
    """Whether a task pushes an image to a registry: `image_push`, `docker-push`."""
    return "push" in words and not words.isdisjoint(_IMAGES) and words.isdisjoint(_PRACTICE | _DRY)


def _told(call: Call) -> frozenset[str]:
    """Return the words of a task's options and arguments: `--list=all --live`."""
    return frozenset(part for word in call.words[1:] for part in _split(word))


_MANY = frozenset({"many"})


def is_practice(call: Call) -> bool:
    """Whether a call names an environment for trying things out, and none that is in use."""
    found = _environment_words(call, frozenset())
    return found.isdisjoint(_IN_USE) and not found.isdisjoint(_PRACTICE)


def _environment_words(call: Call, words: frozenset[str]) -> frozenset[str]:
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


def _script_name(call: Call, program: str) -> tuple[str, str, list[str]] | None:
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
