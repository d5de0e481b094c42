"""The outputs of a command: files, tables and variables."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.words import command_words
from interlock.memory.exposures.private_names import pattern, source_kind, sources
from interlock.memory.taint.command_paths import (
    MAX_PATH,
    ActionCommand,
    find_quoted_paths,
    has_ending,
    is_file_name,
)
from interlock.memory.taint.propagation import CLIPBOARD
from interlock.memory.taint.tables import find_made_tables
from interlock.model import Analysis
from interlock.patterns import late

_COPIED = late(r"\b(?:xclip|xsel|pbcopy|wl-copy|clip(?:\.exe)?|Set-Clipboard|tmux (?:load|set)-buffer)\b")
_STORED = late(r"store --file[= ](?P<path>[^\s'\";|&]{2,160})")
#: Test runs that record the responses of services, and the folders in which they store them.
_RECORDING = late(r"--record-mode[= ](?!none)\w+")
_CASSETTES = "tests/cassettes"
_OUTPUT = late(
    r"(?:^|\s)(?:-o|-O|-out|--out|--output|--output-file|--outfile|--dest|--save-storage|--trace-ascii|--trace)"
    r"[= ]\s*(?P<path>[^\s;|&<>\"'-][^\s;|&<>\"']{1,160})"
    r"|\bto\s+['\"](?P<copied>[^\s'\"]{3,160})['\"]"
    r"|(?<![0-9&-])>{1,2}\s*(?P<to>[^\s;|&<>()\"'$]{2,160})"
)
_EXTRACTED = late(r"\bx\w*\b[^\n]{0,200} -C ?(?P<folder>[^\s;|&]{2,160})")
_NOTHING_NEW = frozenset({"new", "in_place"})
_FILED = ("fs.read", "fs.write")


def find_outputs(command: ActionCommand, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a command writes, except folders with much other content."""
    action = command.action
    wide = {"/tmp", "/var/tmp", "/dev/null", action.workspace, action.cwd, action.home, "/", "/home"}
    yield from find_made_tables(command.text)
    for path in (*_find_named_outputs(command), *_find_program_outputs(command, words)):
        if path not in wide and not path.startswith("/dev/") and not (action.cwd or "").startswith(f"{path}/"):
            yield path


def records_responses(command: str) -> bool:
    """Whether a command records the responses of services, with the tokens that it sends."""
    return _RECORDING.search(command) is not None


def _find_named_outputs(command: ActionCommand) -> Iterator[str]:
    """Yield the outputs that the text of a command names, whatever program it runs."""
    for found in _OUTPUT.finditer(command.text):
        word = found["path"] or found["to"] or found["copied"]
        if is_file_name(word):
            yield command.full_path(word)
    if records_responses(command.text):
        yield command.full_path(_CASSETTES)
    if _COPIED.search(command.text):
        yield CLIPBOARD
    stored = _STORED.search(command.text)
    if stored:
        yield command.full_path(stored["path"])


def _find_program_outputs(command: ActionCommand, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the outputs that only the program tells, such as the target of a copy."""
    if command.program in command_words().without_output:
        return
    if command.runs_code or not command.is_shell:
        yield from _find_code_outputs(command, words)
    yield from _find_described_outputs(command, words)
    if _may_write_arguments(command):
        keys = "ssh-keygen" in command.text
        yield from (path for path in words if (keys or has_ending(path)) and not source_kind(path, command.action))
    if command.program == "tar" and (into := _EXTRACTED.search(command.text)):
        yield command.full_path(into["folder"])


def _find_code_outputs(command: ActionCommand, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that code names and that are neither private nor only read."""
    read = _find_only_read(command.analysis)
    for path in find_quoted_paths(command):
        if path not in read and not source_kind(path, command.action):
            yield path
    for path in words[1:]:
        if not source_kind(path, command.action) and not path.endswith(sources().script_endings):
            yield path


def _may_write_arguments(command: ActionCommand) -> bool:
    """Whether a program without a description may write the files that it is given."""
    if command.program != "terraform" and pattern("recorders").search(command.text):
        return True
    return any(
        one.kind == "process.run" and one.resource and one.resource.name.split(" ")[0] == command.program
        for one in command.analysis.effects
    )


def _find_only_read(analysis: Analysis) -> frozenset[str]:
    """Return the files that code is known to read and not to write."""
    named = {
        kind: {one.resource.name for one in analysis.effects if one.kind == kind and one.resource} for kind in _FILED
    }
    return frozenset(named["fs.read"] - named["fs.write"])


def _find_described_outputs(command: ActionCommand, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a command writes by its description."""
    in_python, parts = "python" in command.analysis.languages, command.text.split()
    for one in command.analysis.effects:
        if one.kind in ("fs.write", "fs.link") and one.resource and one.flags.isdisjoint(_NOTHING_NEW):
            name = one.resource.name
            if name.startswith("/") and (name in words or name.rpartition("/")[2] in parts or in_python):
                yield name[:MAX_PATH]
