"""The option parser: splits an argument list into options and operands by the description of its program."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from interlock.knowledge.command import Command, Option

# Values that turn a switch off.
_OFF = frozenset({"none", "false", "f", "0"})
_SWITCH = Option()


class ArgumentValue(msgspec.Struct, frozen=True, gc=False):
    """An option's value or an operand: its role, its text and the index of its argument.

    `inner` is the offset of the text in that argument: past the `=` of `--file=x`.
    """

    role: str
    text: str
    at: int
    inner: int = 0

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values in some fields."""
        return replace(self, **changes)


class ParsedArguments:
    """A parsed argument list: options, values with roles, operands, and the flags of the options."""

    __slots__ = ("first", "flags", "kind", "operands", "options", "rest", "spec", "start", "values")

    def __init__(self, spec: Command, start: int) -> None:
        self.spec = spec
        self.start = start  # the first word that was parsed
        self.flags: set[str] = set(spec.effect_flags) if spec.flags else set()
        self.kind: str | None = None
        self.first = False  # whether an option replaces the first operand
        self.values: list[ArgumentValue] = []
        self.operands: list[ArgumentValue] = []
        self.options: dict[str, str] = {}
        self.rest = 0

    def take(self, option: Option, name: str, value: str = "", index: int = 0, inner: int = 0) -> None:
        """Add an option and its value."""
        if option.flags:
            self.flags.update(option.flags)
        self.options[name] = value
        role, makes = option.value, option.makes
        if makes and ((role and not option.optional) or value.lower() not in _OFF):
            self.kind = makes
        elif makes == (self.kind or ""):
            self.kind = None  # an earlier option is revoked: `--dry-run=false`
        if option.replaces_operand:
            self.first = True
        if not role or role == "data":
            return
        if index:
            self.values.append(ArgumentValue(role, value, index, inner))


def parse(words: list[str], spec: Command, start: int = 1) -> ParsedArguments:
    """Parse an argument list from `start` on.

    For a program that wraps another one, parsing stops at the operand where that begins; `rest` is the index after it.
    """
    parsed = ParsedArguments(spec, start)
    operands = parsed.operands
    index, count = start, len(words)
    left = spec.own_operands or count
    while index < count and left:
        word = words[index]
        if not word or word[0] != "-" or word == "-":
            operands.append(ArgumentValue("", word, index))
            index += 1
            left -= 1
        elif word == "--":
            index += 1
            while index < count and left:
                operands.append(ArgumentValue("", words[index], index))
                index, left = index + 1, left - 1
        elif word[1] == "-":
            index = _parse_long(parsed, words, index)
        else:
            index = _parse_short(parsed, words, index)
    parsed.rest = index
    return parsed


def find_values(words: Sequence[str], names: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the values of options, each with its name, wherever they stand: what follows `=`, or else the next word.

    This is for options of several programs, whether or not their descriptions know them.

    >>> list(find_values(["deploy", "--to=a", "--to", "b", "--dry-run"], {"--to"}))
    [('--to', 'a'), ('--to', 'b')]
    """
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            yield name, value if equals else "".join(words[at + 1 : at + 2])


def _parse_long(parsed: ParsedArguments, words: list[str], index: int) -> int:
    """Parse a long option, possibly abbreviated or with `=value`; return the index after it.

    A prefix of a described option may be an abbreviation of it, or an undescribed option without a value. So the next
    word is read both as the value and by itself.
    """
    word = words[index]
    table = parsed.spec.option_table
    if word in table:
        return _take_with_value(parsed, table[word], word, words, index)
    name, equals, value = word.partition("=")
    option = table.get(name)
    if option is None:
        close = [known for known in parsed.spec.long_options if known.startswith(name)]
        option = table[close[0]] if close else _SWITCH
        name = close[0] if close else name
        if close and not equals and option.value and not parsed.spec.own_operands:
            following = words[index + 1] if index + 1 < len(words) else "-"
            parsed.take(option, name, *(() if following[:1] == "-" else (following, index + 1)))
            return index + 1
    if equals:
        parsed.take(option, name, value, index, len(name) + 1)
    else:
        return _take_with_value(parsed, option, name, words, index)
    return index + 1


def _parse_short(parsed: ParsedArguments, words: list[str], index: int) -> int:
    """Parse an argument of short options, `-rf`, `-ofile`, `-name`; return the index after it."""
    word = words[index]
    table = parsed.spec.option_table
    if len(word) > 2:
        if word in table:
            return _take_with_value(parsed, table[word], word, words, index)
        if "=" in word:
            name, _, value = word.partition("=")
            if len(name) > 2 and name in table:  # `-target=x`
                parsed.take(table[name], name, value, index, len(name) + 1)
                return index + 1
    for at in range(1, len(word)):
        name = "-" + word[at]
        option = table.get(name)
        if option is None:
            parsed.options[name] = ""
        elif option.value:
            if at + 1 < len(word):
                parsed.take(option, name, word[at + 1 :].removeprefix("="), index, at + 1)
                return index + 1
            if option.optional:
                parsed.take(option, name)
                return index + 1
            return _take_with_value(parsed, option, name, words, index)
        else:
            parsed.take(option, name)
    return index + 1


def _take_with_value(parsed: ParsedArguments, option: Option, name: str, words: list[str], index: int) -> int:
    """Add an option with the next argument as its value, or the next two; return the index after them."""
    if option.value and not option.optional and index + 1 < len(words):
        parsed.take(option, name, words[index + 1], index + 1)
        if not option.second or index + 2 >= len(words):
            return index + 2
        if option.second != "data":
            parsed.values.append(ArgumentValue(option.second, words[index + 2], index + 2))
        return index + 3
    parsed.take(option, name)
    return index + 1


def assign_roles(operands: list[ArgumentValue], spec: Command, skip: int = 0) -> list[ArgumentValue]:
    """Return the operands with the roles of their positions; `skip` is 1 if an option replaces the first operand."""
    head, star, tail = spec.operands.first[skip:], spec.operands.rest, spec.operands.last
    if not star and not tail:
        return [
            ArgumentValue(role, value.text, value.at, value.inner) for role, value in zip(head, operands, strict=False)
        ]
    if not head and not tail:
        return [ArgumentValue(star, value.text, value.at, value.inner) for value in operands]
    assigned = []
    first_tail = max(len(operands) - len(tail), 0)
    for position, value in enumerate(operands):
        if position >= first_tail:
            role = tail[position - first_tail]
        elif position < len(head):
            role = head[position]
        else:
            role = star or "data"
        assigned.append(ArgumentValue(role, value.text, value.at, value.inner))
    return assigned
