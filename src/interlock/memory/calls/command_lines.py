"""The programs of an action, with their arguments parsed by the descriptions that the analysis uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

import msgspec

from interlock.knowledge.arguments import parse
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Command
from interlock.model import Analysis, ProgramCall
from interlock.patterns import late

_UNDESCRIBED = Command()
MAX_DEPTH = 6  # subcommands of subcommands
#: Programs that set a variable to their next word.
_SETTERS = frozenset({"setx", "setenv"})
_ENDS = late(r"[\n;|&]+")
_WINDOWS_OPTION = late(r"/[A-Za-z]")


class Operand(msgspec.Struct, frozen=True):
    """An operand; `doubtful` if it may be the value of the option before it, which is not described."""

    text: str
    doubtful: bool = False


class CommandLine(msgspec.Struct, frozen=True):
    """A program with its operands and the values of its options, which are empty for switches."""

    program: str
    operands: tuple[Operand, ...]
    options: Mapping[str, str]
    call: ProgramCall

    @property
    def text(self) -> str:
        """The words of the command."""
        return " ".join(self.call.words)

    @property
    def plain_operands(self) -> tuple[str, ...]:
        """The texts of the operands."""
        return tuple(one.text for one in self.operands)

    def begins_with(self, *patterns: str) -> bool:
        """Whether the first operands match patterns."""
        left = list(patterns)
        for operand in self.operands:
            if not left:
                break
            if fnmatchcase(operand.text.lower(), left[0]):
                del left[0]
            elif not operand.doubtful:
                return False
        return not left


def name_of(call: ProgramCall) -> str:
    """Return the name of a program without its folder.

    >>> name_of(ProgramCall(("/usr/bin/git", "push"))), name_of(ProgramCall(("KUBECTL.EXE",)))
    ('git', 'kubectl')
    """
    name = call.words[0].rpartition("/")[2].rpartition("\\")[2]
    return name if name.islower() else name.lower().removesuffix(".exe")


def find_respelled(analysis: Analysis) -> tuple[tuple[str, ProgramCall], ...]:
    """Return the programs of an action that its text spells in another way, as plain words with quotes around spaces.

    So what is looked for in a text is found however the text is written: `"cu"rl`, `sh -c '…'`, `subprocess.run([…])`.
    """
    return _find_respelled(analysis.commands, analysis.text)


@lru_cache(maxsize=8)
def _find_respelled(calls: tuple[ProgramCall, ...], text: str) -> tuple[tuple[str, ProgramCall], ...]:
    written = {part.strip() for part in _ENDS.split(text)}  # which is faster to look up than the text
    spelled = {" ".join(f"'{word}'" if " " in word else word for word in call.words): call for call in reversed(calls)}
    found = ((line, call) for line, call in reversed(spelled.items()) if line not in written)
    return tuple((line, call) for line, call in found if line not in text and "\n" not in line)


def spell_out(analysis: Analysis) -> str:
    """Return the text of an action, and a line for each of its programs that it spells in another way."""
    return "\n".join((analysis.text, *(text for text, _ in find_respelled(analysis))))


@lru_cache(maxsize=64)
def read_command_line(call: ProgramCall) -> CommandLine:
    """Return a program with its arguments parsed, by the description of its subcommand if it has one."""
    words, program = list(call.words), name_of(call)
    spec = PROGRAMS.find(program) or _UNDESCRIBED
    operands: list[Operand] = []
    options: dict[str, str] = {}
    start = 1
    for _ in range(MAX_DEPTH):
        parsed = parse(words, spec, start)
        options |= parsed.options
        operands += (Operand(one.text, _is_doubtful(words[one.at - 1], spec)) for one in parsed.operands)
        if not spec.has_subcommands or not parsed.operands:
            break
        spec = spec.subcommands.get(parsed.operands[0].text) or spec.otherwise or Command(options=spec.options)
        start = parsed.rest
    return CommandLine(program, tuple(operands), options, call)


def _is_doubtful(before: str, spec: Command) -> bool:
    """Whether a word may be the value of the word before it: an option that is not described."""
    return before[:1] == "-" and before.strip("-") != "" and "=" not in before and before not in spec.option_table


def find_exports(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the variables that an action sets for later programs, with their values."""
    for call in analysis.commands:
        yield from exported_variables(call)


def exported_variables(call: ProgramCall) -> Iterator[tuple[str, str]]:
    """Yield the variables that a program sets for later ones, with their values.

    >>> list(exported_variables(ProgramCall(("set", "-gx", "STAGE", "prod"))))
    [('STAGE', 'prod')]
    """
    program, words = name_of(call), call.words[1:]
    if program == "export":
        for word in words:
            name, equals, value = word.partition("=")
            if equals:
                yield name, value
    elif program in _SETTERS or (program == "set" and words and words[0][:1] == "-" and "x" in words[0]):
        plain = [word for word in words if word[:1] != "-" and not _WINDOWS_OPTION.fullmatch(word)]
        if len(plain) > 1:
            yield plain[0], " ".join(plain[1:])
