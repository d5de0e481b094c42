"""Texts that a script holds: where it runs something that is not followed, each of them may be what runs.

Values are not followed through every field, closure, generator and exception. So if a command or code is run that is
not known, or if a function that runs some is handed to where it is not followed, the commands and the code among the
constant texts of the script are read as if they ran. Texts that do nothing stay texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.knowledge.function import Function
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

#: What may be run of the texts: commands of a shell, code in the script's language, files to delete or to change.
COMMANDS, CODE, PATHS = "commands", "code", "paths"
EVERYTHING = frozenset({COMMANDS, CODE})
MAX_TEXTS = 256
MAX_CHARS = 4_000
_CAP = frozenset({"cap"})
#: A text of several words with signs that commands have, and that sentences have not.
_COMMAND = late(r"(?s)(?=\s*\S+\s+\S).*(?:[|&;<>$`~]|(?:^|\s)-{1,2}\w|(?:^|[\s=@:])/\w)")
_CODE = late(r"(?s)\s*\S.*(?:\w\s*[(\[{'\"`]|`|\w\s+[\"'\w$@])")
_PATH = late(
    r"(?:~|/(?:home|Users|root|etc|usr|var|opt|boot|srv|mnt|media|dev|proc|sys|Library|Applications|System|private)\b)"
    r"[^\s*?\"<>|]*"
)
#: Kinds of effects that a harmless text has as well, if it is read as a command.
_QUIET = frozenset({"code.opaque", "code.eval", "env.read", "fs.read", "out.print", "process.run", "process.spawn"})
_COST = 40  # steps
_CHANGING = frozenset({"fs.delete", "fs.write"})


class HeldTexts:
    """The constant texts of a script, what it has run of them, and what it runs that is not followed."""

    __slots__ = ("changers", "run", "texts", "unfollowed")

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        self.run: set[str] = set()
        self.unfollowed: set[str] = set()  # what may be run of the texts
        self.changers: dict[str, Function] = {}  # functions that change files and are not followed

    def add(self, value: Any) -> None:
        """Keep a value of the script, if it is a constant text or the words of one."""
        if type(value) is list:
            if not 1 < len(value) <= MAX_TEXTS or any(type(word) is not str for word in value):
                return
            value = " ".join(value)
        if 3 < len(value) <= MAX_CHARS and HOLE not in value:
            self.texts[value] = None


def read_held_texts(script: Script) -> None:
    """Read the texts that a script may run somewhere that is not followed."""
    held = script.held
    if not held.unfollowed:
        return
    texts = [text for text in held.texts if text not in held.run]
    texts += [value for text in texts for value in _values_in(text) if value not in held.run]
    chosen = {
        COMMANDS: [text for text in texts if _COMMAND.match(text)],
        CODE: [text for text in texts if _CODE.match(text)],
        PATHS: [text for text in texts if _PATH.fullmatch(text)],
    }
    for what in sorted(held.unfollowed):
        for text in chosen[what][:MAX_TEXTS]:
            _READERS[what](script, text)
        if len(chosen[what]) > MAX_TEXTS:
            script.reading.unread(f"more than {MAX_TEXTS} texts that may run", script.site, flags=_CAP)


#: A value in a text of data: between quotes, or behind a key at the end of a line.
_VALUE = late(r"\"([^\"\n]*)\"|'([^'\n]*)'|(?m:^[ \t]*(?:-[ \t]+)?[\w.-]+[ \t]*[:=][ \t]+([^\s'\"].*)$)")
_DATA = late(r"\s*(?:[\[{<]|---\s|(?:-[ \t]+)?[\w.-]+[ \t]*[:=])")


def _values_in(text: str) -> list[str]:
    """Return the values of a text that is JSON, YAML or the like, which a script may take out of it.

    >>> _values_in('- run: "ls -l"'), _values_in("rm -rf 'a b'")
    (['ls -l'], [])
    """
    if _DATA.match(text) is None:
        return []
    return [next(filter(None, found.groups()), "") for found in _VALUE.finditer(text)][:MAX_TEXTS]


def _read_command(script: Script, text: str) -> None:
    if does_something(script, "shell", text):
        script.command("a command that is not known", text, script.beginning)


def _read_code(script: Script, text: str) -> None:
    if does_something(script, script.syntax.name, text):
        script.code("code that is not known", script.syntax.name, text, script.beginning)


def _read_path(script: Script, text: str) -> None:
    for name, function in script.held.changers.items():
        script.perform(name, function, None, [text], script.beginning)


_READERS = {COMMANDS: _read_command, CODE: _read_code, PATHS: _read_path}


def does_something(script: Script, language: str, text: str) -> bool:
    """Whether a text, read on its own, has other effects than to read and to print."""
    from interlock.analyse.code import read_code
    from interlock.analyse.languages import LANGUAGES
    from interlock.analyse.reading import Reading

    reading = script.reading
    reading.spend(_COST + len(text) // 16)
    alone = Reading(reading.places, LANGUAGES)
    alone.steps_left, alone.depth = reading.steps_left, reading.depth
    read_code(alone, text, language)
    reading.steps_left = alone.steps_left
    return not {effect.kind for effect in alone.effects} <= _QUIET
