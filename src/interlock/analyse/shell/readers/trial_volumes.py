"""Volumes that are made for a trial: of a compose file or a project for tests, or by their own names."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import SCRATCH_POINTS
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.stores.scratch_names import REAL, is_named_as_test, is_scratch_thing
from interlock.knowledge.arguments import find_values
from interlock.model import Place, Resource
from interlock.patterns import late

_FILES = frozenset({"-f", "--file"})
_PROJECTS = frozenset({"-p", "--project-name"})
#: Words in the names of files and projects for suites of tests.
_SUITES = frozenset({"ci", "integration", "acceptance"})
_WORDS = late(r"[a-z]+")
#: Flags of an effect on more than the call names.
_MORE = frozenset({"everything", "all", "machine"})


def mark_trial_volumes(call: ShellCall, first: int, command: str) -> None:
    """Say of the volumes that are removed since `first` that they are scratch data, if all of them are for a trial."""
    effects = call.scope.reading.effects
    found = [at for at in range(first, len(effects)) if "volumes" in effects[at].flags]
    if any(effects[at].kind != "container.delete" or not _MORE.isdisjoint(effects[at].flags) for at in found):
        return
    composed = "compose" in call.program or "compose" in call.words
    names = list(_compose_names(call)) if composed else _operands_of(call, command)
    marks = call.scope.reading.marks
    if not names or not all(_is_trial(name) or "own_process" in marks(name) for name in names):
        return
    for at in found:
        scratch = Resource("container", names[0], Place.SCRATCH, SCRATCH_POINTS)
        effects[at] = msgspec.structs.replace(effects[at], resource=scratch)


def _is_trial(name: str) -> bool:
    """Whether volumes by this name, or of a project or file by this name, are for a trial."""
    words = _WORDS.findall(name.lower())
    return HOLE not in name and (
        is_scratch_thing(name)
        or not _SUITES.isdisjoint(words)
        or (REAL.isdisjoint(words) and any(map(is_named_as_test, words)))
    )


def _folder_and_name(path: str) -> str:
    """Return a file with the folder that it is in, which the project is named after, and without its ending."""
    return "/".join(path.split("/")[-2:]).removesuffix(".yaml").removesuffix(".yml") or HOLE


def _compose_names(call: ShellCall) -> Iterator[str]:
    """Yield what tells a project of compose from others: its name, or else all of its files."""
    words = call.words
    end = next((at for at, word in enumerate(words) if word in ("down", "rm")), len(words))
    options = words[: end + 1]  # the word after an option is its value
    projects = [value for _, value in find_values(options, _PROJECTS)] or _variables(call, "COMPOSE_PROJECT_NAME")
    if projects:
        yield from projects
        return
    files = [value for _, value in find_values(options, _FILES)]
    for value in files or _variables(call, "COMPOSE_FILE"):
        for path in value.split(":"):
            yield _folder_and_name(path)


def _variables(call: ShellCall, name: str) -> list[str]:
    value = call.scope.variables.get(name)
    return [value] if isinstance(value, str) else []


def _operands_of(call: ShellCall, command: str) -> list[str]:
    """Return the volumes of `docker volume rm`, or the containers of `docker rm`."""
    words = [word for word in call.words if word[:1] != "-"]
    count = {"volume": 2, "rm": 1}.get(command)
    return words[words.index(command) + count :] if count else []
