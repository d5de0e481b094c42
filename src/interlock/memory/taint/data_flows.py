"""The inputs and outputs of each command, document and call of an action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from interlock.effects import TOOL_KINDS
from interlock.memory.exposures.private_names import find_strictest, is_example, pattern, source_kind
from interlock.memory.exposures.private_words import is_about_people
from interlock.memory.exposures.record_names import is_records_file
from interlock.memory.model import Content, DataFlow, Exposure, ExposureKind
from interlock.memory.taint.command_paths import (
    MAX_PATHS,
    ActionCommand,
    commands_of,
    find_inputs,
    find_words,
    full_path,
)
from interlock.memory.taint.outputs import find_outputs, records_responses
from interlock.memory.taint.propagation import BUILD_OUTPUT, COMMITS
from interlock.memory.taint.tables import reads_personal_rows
from interlock.memory.taint.templates import find_templates, renders_template
from interlock.model import Action, Analysis
from interlock.patterns import late

MAX_FLOWS = 8
_PUSH_COMMAND = late(r"\bgit\b[^\n]{0,60} push\b")
_COMMIT_COMMAND = late(r"\bgit\b[^\n]{0,60}\b(?:add|commit|stage)\b")
#: A message of a commit, a tag or a note that is taken from a file.
_MESSAGE_FILE = late(r"\bgit\b[^\n]{0,60}\b(?:notes|tag|commit)\b[^\n]{0,120}\s(?:-F|--file)[ =]")
_ASSIGNMENT = late(r"(?:export |declare -x |local )?(?P<name>[A-Za-z_]\w*)=[^\n]*\$\(")
_OTHER_REPOSITORY = late(r"git -C (?P<folder>\S{1,160}) ")
_ARCHIVE_COMMAND = late(r"\bgit\b[^\n]{0,60}\b(?:bundle create|format-patch|archive)\b")
_TABLE_OPTION = late(
    r"\s--(?:tables?|collections?|entit(?:y|ies)|objects?|datasets?|fields)[= ](?P<names>[\w.,-]{2,200})"
)
_ALL_FILES = late(r"\badd (?:-A|--all|\.)(?:\s|$)|\bcommit\b[^\n]{0,30} -\w*a")
#: Arguments of tools that name the file that is written, and a destination on this machine.
_FILE_KEYS = ("file_path", "path", "notebook_path")
_TARGET_KEYS = ("save_to", "save_as", "output_path", "target_dir", "download_path")


def find_flows(action: Action, analysis: Analysis, exposures: Iterable[Exposure]) -> tuple[DataFlow, ...]:
    """Return the inputs and outputs of the commands of an action."""
    templates = tuple(find_templates(analysis))
    if not analysis.languages:
        from interlock.memory.taint.browser_pages import find_pages  # needed for calls of tools alone

        pages = tuple(find_pages(action))
        if pages:
            return pages
    written = _find_argument(action, _FILE_KEYS)
    if written:
        from interlock.memory.taint.documents import find_document_flow  # few actions write documents

        return (*find_document_flow(action, analysis, written), *templates)
    saved = _find_argument(action, _TARGET_KEYS)
    if saved and "shell" not in analysis.languages:
        private = any(one.kind is ExposureKind.PRIVATE for one in exposures) or "attachment" in action.tool_name
        return (DataFlow((), (full_path(saved, action),), Content.PRIVATE),) if private else ()
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        from interlock.memory.taint.tool_calls import find_call_names  # needed for calls of tools alone

        return tuple(find_call_names(action, analysis))
    found = (_find_command_flow(command, exposures) for command in commands_of(action, analysis))
    return (*(one for one in found if one is not None), *templates)[:MAX_FLOWS]


def _find_argument(action: Action, names: Iterable[str]) -> str:
    """Return the first text among some arguments of a call, or an empty text."""
    given = action.input_payload
    return next((given[name] for name in names if isinstance(given.get(name), str)), "")


def _find_command_flow(command: ActionCommand, exposures: Iterable[Exposure]) -> DataFlow | None:
    """Return the inputs and outputs of one command, if it has both."""
    elsewhere = _OTHER_REPOSITORY.match(command.text)
    if elsewhere:
        command = replace(command, folder=command.full_path(elsewhere["folder"]))
    words = tuple(dict.fromkeys(find_words(command)))[:MAX_PATHS]
    repository = _find_repository_flow(command, words)
    if repository is not None:
        return repository
    if pattern("builds").match(command.text):
        return DataFlow((command.folder,), (BUILD_OUTPUT,))
    outputs = tuple(dict.fromkeys(find_outputs(command, words)))[:MAX_PATHS]
    assigned = _ASSIGNMENT.match(command.text)
    if assigned:
        outputs = (f"${assigned['name']}",)
    if not outputs:
        return None
    only = len(words) == 1
    inputs = tuple(path for path in find_inputs(command, words) if only or path not in outputs[:1])
    holds = find_strictest(_content_kinds(command, inputs, outputs, exposures))
    return DataFlow(inputs, outputs, holds or (Content.RENDERED if renders_template(command.text) else None))


def _find_repository_flow(command: ActionCommand, words: tuple[str, ...]) -> DataFlow | None:
    """Return the flow into commits, or from commits to somewhere else."""
    text, action = command.text, command.action
    if _PUSH_COMMAND.search(text):
        return DataFlow(pushes=True)
    if _ARCHIVE_COMMAND.search(text):
        return DataFlow((COMMITS, *words), words, Content.PRIVATE if "bundle" in text else None)
    if _MESSAGE_FILE.search(text):
        return DataFlow(words, (), find_strictest(source_kind(path, action) for path in words), commits=True)
    if _COMMIT_COMMAND.search(text):
        outer = [path for path in words if not path.startswith(f"{action.workspace or action.cwd}/")]
        holds = find_strictest(source_kind(path, action) for path in outer)
        return DataFlow((command.folder,) if _ALL_FILES.search(text) else words, (), holds, commits=True)
    return None


def _content_kinds(
    command: ActionCommand, inputs: tuple[str, ...], outputs: tuple[str, ...], exposures: Iterable[Exposure]
) -> Iterator[Content | None]:
    """Yield the kinds of sensitive data in the outputs of a command, by its inputs, its words and its reads."""
    yield from (source_kind(path, command.action) for path in inputs)
    if pattern("recorders").search(command.text) or records_responses(command.text):
        yield Content.SECRET
    reads_rows = pattern("rows").search(command.text) or reads_personal_rows(command.text) or _names_rows(command.text)
    if (reads_rows and not is_example(command.text)) or pattern("systems").search(command.text):
        yield Content.PRIVATE
    for one in exposures:
        is_file = one.kind is ExposureKind.SECRET and one.what[:1] == "/" and one.what not in outputs
        if is_file and one.what.rpartition("/")[2] in command.text:
            yield Content.SECRET


def _names_rows(command: str) -> bool:
    """Whether an option names a table or fields about people: `--tables members,donations`."""
    return any(
        is_about_people(name) or is_records_file(f"/{name}.csv")
        for found in _TABLE_OPTION.finditer(command)
        for name in found["names"].lower().split(",")
    )
