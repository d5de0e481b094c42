"""Options that no description explains, read by their names: commands, files that are written, read or loaded."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.files.traits import traits
from interlock.analyse.loading import report_loading
from interlock.analyse.settings import is_telling, read_setting
from interlock.analyse.shell.call import ShellCall
from interlock.effects import KINDS
from interlock.knowledge.catalogue import PROGRAMS, programs_in, read_table
from interlock.knowledge.table_types.options import CommandWords
from interlock.model import Effect
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell.code_arguments import DescribedOptions

_WORDS = read_table("command-words", CommandWords)

# Names of options by which programs write, read or load the file that is their value.
_WRITES = late(rf"^--?(?:[\w-]+[-_])?(?:{'|'.join(_WORDS.writing_options)})$")
_READS = late(rf"^--?(?:[\w-]+[-_])?(?:{'|'.join(_WORDS.reading_options)})$")
_CONFIGURES = late(
    r"^--?(?:[\w.-]*[-_.])?(?:user|global|run|build|project|yarn|npm|pnpm)?"
    rf"(?:{'|'.join(_WORDS.configuring_options)})(?:[-_]?(?:file|path|location|locations))?$"
)
# Names of options that say that a key is used to sign in.
_USES = late("|".join(_WORDS.signing_in_options))
_LOGS = late("|".join(_WORDS.logging_options))
_CODE = late(rf"\.(?:{'|'.join(_WORDS.code_endings)})$")
# Kinds of effects of clients: what their options name is on another machine, or in a container.
_ELSEWHERE = frozenset(
    kind
    for kind in KINDS
    if kind.startswith(("infra.", "cluster.", "container.", "deploy.", "message.", "secret.", "payment."))
)
# Wrappers whose command sees the files of a container or of another machine.
_AWAY = programs_in("remote-runners")
_SETTING = late(r"^([A-Za-z_][\w.-]*)=([/~].+)$")
_PRINTED = frozenset({"out.print"})


def read_unlisted_options(call: ShellCall, program: str, first: int, described: DescribedOptions, acting: bool) -> None:
    """Read the options of a call that no description explains; `first` is the first effect of the call.

    A program that is not `acting` runs no code by itself, so that only options with telling names count.
    """
    reading = call.scope.reading
    kinds, via = reading.kinds_since(first), call.scope.via
    if kinds <= _PRINTED or not kinds.isdisjoint(_ELSEWHERE) or _carries_command(call, reading.effects[first:]):
        return
    if via and any(wrapper.partition(" ")[0] in _AWAY for wrapper in via):
        return
    for name, value in _options(call.words):
        if name in described.with_role or not value or value[:1] == HOLE:
            continue
        if name in described.explained:
            if acting and value[:1] in ("/", "~") and _CODE.search(value) and not _LOGS.search(name):
                report_loading(reading, call.site.behind(program), value)
            continue
        if not acting and name[:2] == "--" and is_telling(name):
            read_setting(reading, call.site.behind(program), name, value)
        elif "/" in value or value[:1] == "~":
            _read_file(call, name, value, program, acting)


_via_of = attrgetter("via")


def _carries_command(call: ShellCall, effects: list[Effect]) -> bool:
    """Whether a part of the words is a command of its own, whose options are not those of this program."""
    return max(map(len, map(_via_of, effects))) > len(call.scope.via)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield options with what may be their values: after `=`, or the next word.

    >>> list(_options(["x", "--out=a", "-o", "b", "--", "--c=d"]))
    [('--out', 'a'), ('-o', 'b')]
    """
    for at, word in enumerate(words[1:], 1):
        if len(word) < 2 or word[0] != "-":
            continue
        if word == "--":
            return
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
        elif at + 1 < len(words) and words[at + 1][:1] != "-":
            setting = _SETTING.match(words[at + 1])  # `-D html_extra_path=…`
            yield (f"-{setting[1]}", setting[2]) if setting else (name, words[at + 1])


def _read_file(call: ShellCall, name: str, value: str, program: str, acting: bool) -> None:
    """Report a file outside the project that an option names, by what the name says is done to it."""
    reading = call.scope.reading
    if is_url(value) or "\n" in value or value[:1] not in ("/", "~", "."):
        return
    lowered = name.lower()
    if _WRITES.match(lowered):
        if value not in ("/dev/stdout", "/dev/stderr", "/dev/null"):
            reading.file("fs.write", call.site, value)
    elif _READS.match(lowered):
        reading.file("fs.read", call.site, value)
    elif _is_loaded(lowered, value.lower(), program, acting):
        report_loading(reading, call.site.behind(program), value)
    elif acting and "secret" in traits(value) and not _USES.search(lowered):
        reading.file("fs.read", call.site, value)


def _is_loaded(name: str, value: str, program: str, acting: bool) -> bool:
    """Whether a program takes code or settings from the file that an option names."""
    code = _CODE.search(value) is not None
    if _CONFIGURES.match(name):
        return code or (acting and program in PROGRAMS and not _LOGS.search(name))
    return code and acting and program in PROGRAMS and not _LOGS.search(name)
