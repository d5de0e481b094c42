"""Draft the description of a program from its calls: commands, options and operands, without values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from interlock.analyse.action import Surroundings
from interlock.analyse.examples import describe_effect, effects_of, show_effects
from interlock.knowledge.command import ExampleEffect, Program
from interlock.knowledge.extension import Extension, KnowledgeFile
from interlock.knowledge.sources import read_description
from interlock.knowledge.tool import ToolFile
from interlock.learning.recorded_calls import ProgramCall
from interlock.model import Effect
from interlock.patterns import late

CAUTIOUS = "process.run"
#: How many commands a draft has, and how many options each of them: the most frequent ones.
MAX_COMMANDS, MAX_OPTIONS, MAX_HINTS = 40, 30, 8
#: Patterns of words that may be written to the file: names, never values.
_COMMAND = late(r"[a-z][a-z0-9:_-]{0,30}")
_LONG = late(r"--[A-Za-z][\w-]{0,40}")
_SHORT = late(r"-[A-Za-z]|-[a-z][a-z-]{1,20}")
_NUMBER = late(r"-?\d+(\.\d+)?")
_FILE = late(r"(\.{0,2}|~)/.*|[^\s:=]*/[^\s:]*|[\w-]+\.[a-z][a-z0-9]{0,5}")


class SeenOption(msgspec.Struct):
    """An option: its number of uses, its values, and whether another word always followed it."""

    count: int = 0
    attached: int = 0
    values: list[str] = msgspec.field(default_factory=list)

    @property
    def takes_value(self) -> bool:
        """Whether the next word is its value: there always is one, and it varies or is not a name."""
        if self.attached:
            return True
        varies = len(set(self.values)) > 1 or all(_is_value(one) for one in self.values)
        return bool(self.values) and len(self.values) == self.count and varies


def _is_value(word: str) -> bool:
    """Whether a word after an option is probably its value and not an operand: a number, a place, a masked secret."""
    return bool(_NUMBER.fullmatch(word)) or "‹" in word or role_of([word]) != "data"


class SeenCommand(msgspec.Struct):
    """A command of a program as it was called: its options and operands."""

    calls: int = 0
    options: dict[str, SeenOption] = msgspec.field(default_factory=dict)
    operands: list[str] = msgspec.field(default_factory=list)
    next_words: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def does(self) -> str:
        """The kind of effect that its words suggest, or the most cautious one."""
        return self.kinds.most_common(1)[0][0] if self.kinds else CAUTIOUS


def draft_program(name: str, calls: Sequence[ProgramCall], days: int) -> str:
    """Return the drafted description of a program, as TOML that is valid and not in force."""
    options = _options(call.words for call in calls)
    whole, commands = _commands(calls, options)
    lines = [*_head(f"{len(calls):,} calls" if len(calls) != 1 else "1 call", days), f'names = ["{name}"]']
    lines += _command_lines("", whole, is_alone=not commands)
    for word, command in commands.items():
        lines += ["", f"[{_key(word)}]", *_command_lines(f"{_key(word)}.", command)]
    return "\n".join([*lines, *_example_lines(name, lines, whole, commands), ""])


def _key(command: str) -> str:
    return f'commands."{command}"' if ":" in command else f"commands.{command}"


def _head(seen: str, days: int) -> list[str]:
    return [
        f"# Drafted from {seen} in {days} {'day' if days == 1 else 'days'}. To put it in force:",
        "# 1. say what each command does (`does`); `interlock knowledge words` lists the kinds of effects,",
        "# 2. compare options and operands with the manual, and correct the examples,",
        "# 3. remove `draft = true`, and move the file to ~/.interlock/knowledge.",
        "draft = true",
    ]


def _options(calls: Iterable[Sequence[str]]) -> dict[str, SeenOption]:
    """Return all options that were seen, wherever they stood."""
    found: dict[str, SeenOption] = defaultdict(SeenOption)
    for words in calls:
        for at, word in enumerate(words):
            name, attached, value = _option(word)
            if not name:
                continue
            one = found[name]
            one.count += 1
            if attached:
                one.attached += 1
                one.values.append(value)
            elif at + 1 < len(words) and not words[at + 1].startswith("-"):
                one.values.append(words[at + 1])
    return dict(found)


def _option(word: str) -> tuple[str, bool, str]:
    """Return the name of an option, whether it has a value attached, and that; or an empty name.

    >>> _option("--region=eu"), _option("-n5"), _option("-verbose"), _option("web")
    (('--region', True, 'eu'), ('-n', True, '5'), ('-verbose', False, ''), ('', False, ''))
    """
    name, joined, value = word.partition("=")
    if _LONG.fullmatch(name) or _SHORT.fullmatch(name):
        return name, bool(joined), value
    if word[:1] == "-" and _SHORT.fullmatch(word[:2]):
        return word[:2], True, word[2:]
    return "", False, ""


def _commands(
    calls: Sequence[ProgramCall], options: dict[str, SeenOption]
) -> tuple[SeenCommand, dict[str, SeenCommand]]:
    """Return the program itself, and its commands, the most frequent first."""
    parsed = [(*_parse(call.words, options), call.kinds) for call in calls]
    first = Counter(operands[0] for operands, _, _ in parsed if operands and _COMMAND.fullmatch(operands[0]))
    enough = 2 if len(calls) > 3 else 1
    names = [word for word, count in first.most_common(MAX_COMMANDS) if count >= enough]
    whole, commands = SeenCommand(calls=len(calls)), {name: SeenCommand() for name in names}
    for operands, given, kinds in parsed:
        command = commands.get(operands[0]) if operands else None
        own = operands[1:] if command else operands
        target = command or whole
        target.kinds.update(kinds)
        target.operands += own
        if command:
            command.calls += 1
            command.next_words.update(word for word in own[:1] if _COMMAND.fullmatch(word))
        for name, at in given:
            place = command if command and at else whole
            place.options[name] = options[name]
    return whole, commands


def _parse(words: Sequence[str], options: dict[str, SeenOption]) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the operands of a call, and its options, each with how many operands stood before it."""
    operands: list[str] = []
    given: list[tuple[str, int]] = []
    skip = False
    for word in words:
        name, attached, _ = _option(word)
        if name:
            given.append((name, len(operands)))
            skip = options[name].takes_value and not attached
        elif skip:
            skip = False
        elif not word.startswith("-"):
            operands.append(word)
    return operands, given


def role_of(values: Sequence[str]) -> str:
    """Return the most cautious role that values look like: files that are written, addresses that get data, or data.

    >>> role_of(["./a.yaml", "b"]), role_of(["https://x.example"]), role_of(["eu", "us"])
    ('fs.write', 'net.send', 'data')
    """
    if any("://" in value for value in values):
        return "net.send"
    return "fs.write" if any(_FILE.fullmatch(value) for value in values) else "data"


def _command_lines(prefix: str, command: SeenCommand, *, is_alone: bool = False) -> Iterator[str]:
    why = "suggested by its words; check" if command.kinds else "can do anything; say what it does"
    yield f'does = "{command.does}"  # {why}'
    if prefix:
        yield f"# {command.calls:,} {'call' if command.calls == 1 else 'calls'}" + _hint(command)
    if command.operands and (prefix or is_alone):
        yield f'operands = {{ rest = "{role_of(command.operands)}" }}'
    if command.options:
        yield ""
        yield f"[{prefix}options]"
    for name, option in sorted(command.options.items(), key=lambda item: -item[1].count)[:MAX_OPTIONS]:
        value = f'{{ value = "{role_of(option.values)}" }}' if option.takes_value else "{}"
        yield f'"{name}" = {value}'


def _hint(command: SeenCommand) -> str:
    """Return the words that were seen after a command more than once: they may be commands as well."""
    words = [word for word, count in command.next_words.most_common(MAX_HINTS) if count > 1]
    return f"; the next word was often: {', '.join(words)}" if words else ""


def _example_lines(
    name: str, lines: Sequence[str], whole: SeenCommand, commands: dict[str, SeenCommand]
) -> Iterator[str]:
    """Yield an example of each command with the effects that the draft gives it, so that a change of it shows."""
    around = load_draft("\n".join(lines), name)
    for word, command in commands.items() or {"": whole}.items():
        run = " ".join(part for part in (name, word, *_arguments(command)) if part)
        yield ""
        yield f"[[{_key(word)}.examples]]" if word else "[[examples]]"
        yield f'run = "{run}"'
        yield f"effects = {show_effects(map(without_resource, effects_of(run, around)))}"


def load_draft(text: str, name: str) -> Surroundings:
    """Return the knowledge with a draft in force."""
    content = read_description(text, f"{name}.toml")
    if isinstance(content, Program | ToolFile):
        content = msgspec.structs.replace(content, draft=False)
    return Surroundings(knowledge=Extension([KnowledgeFile(f"{name}.toml", content, own=True)]))


def without_resource(effect: Effect) -> ExampleEffect:
    """Return an effect in the notation of examples, on whatever it is."""
    return msgspec.structs.replace(describe_effect(effect), on="")


_PLACEHOLDERS = {"data": "NAME", "fs.write": "./FILE", "net.send": "https://HOST.example"}


def _arguments(command: SeenCommand) -> Iterator[str]:
    """Yield the arguments of an example: an operand if there were any, and the most frequent option."""
    if command.operands:
        yield _PLACEHOLDERS[role_of(command.operands)]
    for name, option in sorted(command.options.items(), key=lambda item: -item[1].count)[:1]:
        yield name
        if option.takes_value:
            yield _PLACEHOLDERS[role_of(option.values)]
