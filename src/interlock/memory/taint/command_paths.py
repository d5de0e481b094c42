"""The commands of an action, and the paths that each of them names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import msgspec

from interlock.memory.calls.command_lines import find_respelled
from interlock.memory.calls.words import command_words
from interlock.memory.taint.propagation import CLIPBOARD
from interlock.memory.taint.tables import find_read_tables
from interlock.model import Action, Analysis
from interlock.patterns import late

MAX_PATHS, MAX_PATH, MAX_TEXT = 10, 160, 20_000
_PASTED = late(r"\b(?:xclip\b[^\n|]{0,60} -o|xsel -o|pbpaste|wl-paste|Get-Clipboard|tmux (?:show|save|paste)-buffer)\b")
_WORD = late(r"[^\s\"'`;|&<>()=,\[\]]{2,200}")
_QUOTED_PATH = late(r"[\"'`(](?P<path>[^\"'`\s()]{3,160})[\"'`)]")
_PATH = late(r"(?:~|\.{1,2})?/?[\w.@%+*-]+(?:/[\w.@%+*~ -]*)*")
#: A path with spaces between quotes.
_SPACED = late(r"'[\w./~ -]{1,120} [\w./ -]{0,100}\.\w{1,8}'|\"[\w./~ -]{1,120} [\w./ -]{0,100}\.\w{1,8}\"")
_ENDING = late(r"\.[A-Za-z]\w{0,9}\*?$")
_HEREDOC = late(r"(?s)<<-?\s*['\"]?(?P<end>\w+)['\"]?(?P<line>[^\n]*)\n.*?(?:\n[ \t]*(?P=end)\b|$)")
_BOUNDARY = late(r"&&|\|\||;|\n")
_GROUP = late(r"\([^()]{0,2000}\)|\"[^\"]{0,2000}\"|'[^']{0,2000}'")
_VARIABLE = late(r"\$\{?(?P<name>[A-Za-z_]\w*)")
_CODE_ARGUMENT = late(r"\s-(?:c|e|p|m)\s+(?:\"[^\"]*\"|'[^']*')|<<.*")
#: Languages in which a whole text counts as one command.
_WHOLE = frozenset({"python", "sql"})


class ActionCommand(msgspec.Struct, frozen=True):
    """One command with those that it is piped into, or a whole text of code, and its working folder.

    A `respelled` command is one program as the analysis has read it, whatever the text of the action looks like.
    """

    text: str
    folder: str
    action: Action
    analysis: Analysis
    respelled: bool = False

    @property
    def is_shell(self) -> bool:
        """Whether this is a command of a shell."""
        return self.respelled or "shell" in self.analysis.languages

    @property
    def program(self) -> str:
        """The name of the program, without its folder."""
        return self.text.split(None, 1)[0].rpartition("/")[2] if self.text.strip() else ""

    @property
    def runs_code(self) -> bool:
        """Whether the program runs code."""
        return self.program in command_words().interpreters

    def full_path(self, path: str) -> str:
        """Return the absolute path of a path that this command names."""
        return _normal_path(_join_path(path, self.folder), self.action)


def commands_of(action: Action, analysis: Analysis) -> Iterator[ActionCommand]:
    """Yield the commands of an action as they are written, and those that are spelled in another way."""
    yield from _written_commands(action, analysis)
    for text, call in find_respelled(analysis):
        yield ActionCommand(text[:MAX_TEXT], call.folder or action.cwd or "", action, analysis, respelled=True)


def _written_commands(action: Action, analysis: Analysis) -> Iterator[ActionCommand]:
    """Yield the commands in the text of an action; code is one command."""
    text, folder = analysis.text[:MAX_TEXT], action.cwd or ""
    if "shell" not in analysis.languages:
        if not _WHOLE.isdisjoint(analysis.languages):
            yield ActionCommand(text, folder, action, analysis)
        return
    plain = _GROUP.sub(lambda found: _BOUNDARY.sub(" , ", found[0]), _HEREDOC.sub(r"\g<line>", text))
    for part in _BOUNDARY.split(plain):
        command = part.strip()
        if command.startswith("cd "):
            folder = _normal_path(_join_path(command[3:].strip().strip("'\""), folder), action)
        elif command:
            yield ActionCommand(command, folder, action, analysis)


def paths_of(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the paths that an action names: words of its commands, and folders among its effects."""
    for command in commands_of(action, analysis):
        yield from find_inputs(command, tuple(find_words(command)))


def find_inputs(command: ActionCommand, words: tuple[str, ...]) -> Iterator[str]:
    """Yield the files, tables and variables that a command may read."""
    yield from words
    if _PASTED.search(command.text):
        yield CLIPBOARD
    yield from find_read_tables(command.text)
    yield from (f"${found['name']}" for found in _VARIABLE.finditer(command.text))
    yield from find_quoted_paths(command)
    for one in command.analysis.effects:  # folders have no slash and no ending
        if one.kind.startswith("fs.") and one.resource and one.resource.name.rpartition("/")[2] in command.text.split():
            yield one.resource.name[:MAX_PATH]


def find_words(command: ActionCommand) -> Iterator[str]:
    """Yield the words of a shell command that are paths. Some programs take folders by bare names."""
    if not command.is_shell:
        return
    text = _CODE_ARGUMENT.sub(" ", command.text) if command.runs_code else command.text
    for quoted in _SPACED.findall(text):
        yield command.full_path(quoted[1:-1])
    bare = command.program in command_words().folder_takers
    for at, found in enumerate(_WORD.findall(text)):
        word = found.lstrip("@").rstrip(".:")
        if word[:1] == "-" or ":" in word or "$" in word or not _PATH.fullmatch(word):
            continue
        if is_file_name(word) or (bare and at > 0 and word not in command_words().no_folders):
            yield command.full_path(word)


def find_quoted_paths(command: ActionCommand) -> Iterator[str]:
    """Yield the texts in quotes or brackets that end like the name of a file."""
    for found in _QUOTED_PATH.finditer(command.text):
        if has_ending(found["path"]) and "://" not in found["path"]:
            yield command.full_path(found["path"])


def has_ending(name: str) -> bool:
    """Whether a name ends like that of a file."""
    return _ENDING.search(name) is not None


def is_file_name(word: str) -> bool:
    """Whether a word is plainly the name of a file or a folder: it has a slash or an ending."""
    return "/" in word or has_ending(word)


def is_path(line: str) -> bool:
    """Whether a line is nothing but a path without spaces."""
    return " " not in line and _PATH.fullmatch(line) is not None


def full_path(path: str, action: Action) -> str:
    """Return the absolute path, as far as it is known."""
    return _normal_path(_join_path(path, action.cwd or ""), action)


def _join_path(path: str, folder: str) -> str:
    return path if path[:1] in "/~" else f"{folder.rstrip('/')}/{path}"


def _normal_path(path: str, action: Action) -> str:
    if path.startswith("~/"):
        path = f"{(action.home or '~').rstrip('/')}/{path[2:]}"
    return posixpath.normpath(path)[:MAX_PATH] if path else path
