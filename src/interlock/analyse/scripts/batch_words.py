"""The words of a command of `cmd.exe`: quotes, carets, switches and names."""

from __future__ import annotations

import re

from interlock.patterns import late

#: What stands between quotes, or behind a caret; and signs that are not quoted.
QUOTED = late(r"\"([^\"\n]*)\"?|\^([\s\S])")
OPERATORS = late(r"\"[^\"\n]*\"?|\^.|([&|<>])")
#: Commands that take switches without spaces, and lists with commas.
SPLITTING = frozenset("del erase rd rmdir copy move xcopy attrib".split())
_WORD = late(r"(?:\"[^\"\n]*\"?|\^[\s\S]|[^\s\"^])+")
#: A loop as it is written on a command line, with one sign.
_LINE_LOOP = late(r"(?i)\bfor\b[^\n]*?(?<!%)%([A-Za-z?#])\s+in\b")
#: Commands that switches or a folder may stand right behind: `rd/s/q`, `cd\\`.
_GLUED = late(
    r"(?i)(assoc|attrib|call|cd|chdir|cmd|copy|del|dir|echo|erase|find|findstr|for|format|if|md|mkdir|mklink|more|move"
    r"|popd|powershell|pushd|rd|reg|ren|rename|rmdir|robocopy|schtasks|set|shutdown|start|taskkill|type|xcopy)"
    r"(?:\.exe)?([/,;= ].*)",
    re.DOTALL,
)
_SWITCHES = late(r"(?:/-?[A-Za-z?]{1,4}(?::[^/]*)?){2,}")


def strip_leading(text: str) -> str:
    """Return a text without the signs that may stand before a command and mean nothing."""
    return re.sub(r"(?m)^([ \t@]*)[,;=]+(?=[ \t]*\w)", lambda found: " " * len(found[0]), text)


def double_signs(text: str) -> str:
    """Return a text with the loops of a command line as a batch file has them: `%i` is `%%i` there."""
    for name in {found[1] for found in _LINE_LOOP.finditer(text)}:
        text = re.sub(rf"(?<!%)%(~[a-zA-Z$]*)?{re.escape(name)}(?![\w%])", rf"%%\g<1>{name}", text)
    return text


def separate_switches(words: list[str]) -> list[str]:
    r"""Return words with the switches apart that stand right behind a command, or behind each other.

    >>> separate_switches(["rd/s/q", "C:\\"])
    ['rd', '/s', '/q', 'C:\\']
    """
    found = _GLUED.fullmatch(words[0]) if words else None
    if found is None:
        return words if not words or words[0].lower() not in SPLITTING else [words[0], *_switches(words[1:])]
    rest = [part for part in re.split(r"[,;= ]", found[2]) if part]
    return [found[1], *_switches([*rest, *words[1:]])]


def _switches(words: list[str]) -> list[str]:
    return [part for word in words for part in (re.findall(r"/[^/]+", word) if _SWITCHES.fullmatch(word) else [word])]


def split(text: str) -> list[str]:
    """Return the words of a command, without quotes and carets.

    >>> split('del "a b" ^&c')
    ['del', 'a b', '&c']
    """
    return [QUOTED.sub(lambda one: one[1] or one[2] or "", found[0]) for found in _WORD.finditer(text)]


def count_operators(text: str) -> int:
    return sum(1 for found in OPERATORS.finditer(text) if found[1])


def variable(name: str) -> str:
    """Return a variable's name as a shell could have it."""
    return "_" + re.sub(r"\W", "_", name) if not re.match(r"[A-Za-z_]", name) else re.sub(r"\W", "_", name)


def shell_name(lower: str, name: str) -> str:
    """Return a program's name: in lower case, where that is how it is known."""
    return lower if re.fullmatch(r"[a-z0-9_.+-]+", lower) and "/" not in name else name
