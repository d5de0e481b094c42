"""Commands in settings and task files of any format: YAML, TOML, INI, JSON, HCL, CMake, Dockerfiles.

Such a file contains commands as values (`run: make`), as items of a list, as lists of words, as blocks of indented
lines, or as arguments of a function (`COMMAND sh -c x`). A value is a command if its first word is a program.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import Reading, Site
from interlock.analyse.shell.parsing.grammar import accepts
from interlock.analyse.shell.readers import READERS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

MAX_COMMANDS = 200
#: How long a file, a line and a command may be; what is longer is not read.
MAX_TEXT, MAX_LENGTH = 60_000, 4_000
MAX_ESCAPES = 200  # in one line: more are no text for people
_CAP = frozenset({"cap"})
_COMMENT = late(r"^\s*(?:#(?!!)|//|;|--\s|/\*|\*\s)")
# `key: value`, `key = value`, `- value`, `RUN value`, `recipe value`: the part that may be a command.
_VALUE = late(
    r"^\s*(?:-\s+)?(?:(?:\"[^\"]*\"|'[^']*'|[\w./${}()@*%+-]+)\s*(?::=|\+=|\?=|=>|[:=])\s*|-\s+|"
    r"(?:RUN|CMD|ENTRYPOINT|COMMAND|HEALTHCHECK\s+CMD|SHELL|ONBUILD\s+RUN|sh|bat|exec|system|shell|execute|run)\b[\s(]*)"
    r"(.+)$"
)
_MOUNTED = late(r"^(?:--\w+(?:=\S+)?\s+)+")  # options of `RUN` in a Dockerfile
_BLOCK = late(r"(?:[|>][+-]?\d?|''|'''|\"\"\"|<<[-~]?['\"]?\w+['\"]?)\s*$")
# Words that end a command of CMake, and between which commands stand.
_CALLED = late(
    r"\b(?:COMMAND|ARGS|WORKING_DIRECTORY|DEPENDS|OUTPUT\w*|RESULT\w*|ERROR\w*|COMMENT|VERBATIM|TIMEOUT)\b|\)"
)
_STRING = late(r"\"((?:[^\"\\\n]|\\.){2,800})\"|'((?:[^'\\\n]|\\.){2,800})'")
_QUOTED = r"(?:\"(?:[^\"\\]|\\.){0,3000}\"|'(?:[^'\\]|\\.){0,3000}')"
_LIST = late(rf"(?:[\[(]|\bcommandLine|\bargs|\bcmd)\s{{0,200}}({_QUOTED}(?:\s{{0,200}},\s{{0,200}}{_QUOTED}){{1,40}})")
_ITEM = late(r"\"((?:[^\"\\]|\\.){0,3000})\"|'((?:[^'\\]|\\.){0,3000})'")
_NAMES = late(
    r"(?i)^\s*(?:-\s+)?[\"']?(?:name|description|desc|title|summary|help|id|label|message|comment|doc|image|author|version|key"
    r"|license|homepage|repository|displayname|usage|keywords|about)[\"']?\s*[:=]"
)
_PREFIX = late(r"^(?:[@+!-]+|\$\s+|&&\s*|\|\|\s*|then\s+|do\s+|else\s+)+")
_ASSIGNMENTS = late(r"^(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")


def read_embedded_commands(reading: Reading, text: str, site: Site) -> None:
    """Analyse every command in a text of settings or tasks."""
    if len(text) > MAX_TEXT:
        reading.unread("a file of settings that is too long to be read", site, flags=_CAP)
    for count, command in enumerate(dict.fromkeys(find_commands(text[:MAX_TEXT]))):
        if count >= MAX_COMMANDS:
            reading.unread("more commands than are read in one file", site, flags=_CAP)
            return
        reading.nest("shell", command, site)


def find_commands(text: str) -> Iterator[str]:
    """Yield the commands in a text.

    >>> list(find_commands("lint:\\n  - name: rm is bad\\n  - run: rm -rf build\\n"))
    ['rm -rf build']
    >>> list(find_commands('program = ["bash", "-c", "curl -s x | sh"]'))
    ['curl -s x | sh', "bash -c 'curl -s x | sh'"]
    """
    lines = text.replace("\\\n", " ").split("\n")
    yield from _blocks(lines)
    for line in lines:
        line = line[:MAX_LENGTH]
        if not line.strip() or _COMMENT.match(line) or _NAMES.match(line):
            continue
        for candidate in _candidates(line):
            command = _as_command(candidate)
            if command:
                yield command
    for found in _LIST.finditer(text):
        words = [_unescape(one or two) for one, two in _ITEM.findall(found[1])]
        command = _as_command(shlex.join(words)) if " " not in words[0] else ""
        if command:
            yield command


def _candidates(line: str) -> Iterator[str]:
    """Yield the parts of a line that may be a command."""
    value = _VALUE.match(line)
    if value:
        yield _MOUNTED.sub("", value[1].rstrip(" \t,;)"))
    else:
        yield line.strip()
    for one, two in _STRING.findall(line) if line.count("\\") < MAX_ESCAPES else ():
        yield _unescape(one or two)
    if "COMMAND" in line:
        for part in _CALLED.split(line.partition("COMMAND")[2]):
            yield part.strip(" \t\"'")


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield blocks of indented lines that follow the sign of a multi-line text."""
    at = 0
    while at < len(lines):
        if not _BLOCK.search(lines[at]):
            at += 1
            continue
        indent, end = _indent(lines[at]), at + 1
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
            end += 1
        block = "\n".join(line[indent:] for line in lines[at + 1 : end]).strip("\n")
        if block and accepts(block) and any(_as_command(line) for line in block.split("\n")):
            yield block
        at += 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _unescape(text: str) -> str:
    return text.replace('\\"', '"').replace("\\'", "'").replace("\\\\", "\\").replace("\\n", "\n").replace("\\t", "\t")


def _as_command(text: str) -> str:
    """Return a text as a command if its first word is a program, else an empty text."""
    text = _PREFIX.sub("", text.strip().rstrip(",")).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        text = text[1:-1]
    text = text.replace("$$", "$").replace("{{", "$").replace("}}", "").replace(HOLE, "")
    rest = _ASSIGNMENTS.sub("", text)
    words = rest.split(None, 1)
    if not words or len(text) > MAX_LENGTH:
        return ""
    first = words[0].strip("\"'(").rpartition("/")[2]
    known = (first in PROGRAMS or first in READERS) and (len(words) > 1 or "/" in words[0])
    if not known and not words[0].startswith(("./", "../", "scripts/", "bin/", "tools/")):
        return ""
    return text if accepts(text) else ""
