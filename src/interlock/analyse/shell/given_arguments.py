"""The arguments of a call as conditions see them: which options are given, with which values, and which operands.

An effect depends on a condition, so what could be an option, a value or an operand counts as one. What lifts a
condition (`without`) has to be there exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from interlock.knowledge.command import Option, Program, When
from interlock.knowledge.values import group_values, value_pattern

#: Makes a search of a regular expression.
MakeSearch = Callable[[str], Callable[[str], object]]
#: The fewest letters of a long option that may stand for it.
_SHORTEST = 5
_OFF = frozenset({"false", "no", "off", "0", "none"})


class GivenArguments:
    """The arguments of a call of a described program."""

    __slots__ = ("_table", "_windows", "operands", "words")

    def __init__(self, words: Sequence[str], program: Program) -> None:
        self.words = list(words[1:])
        self._table = program.option_table
        self._windows = program.syntax == "windows"
        self.operands = [word for word in self.words if not self._is_option(word)]

    def has_exactly(self, options: Collection[str]) -> bool:
        """Whether one of several options is given in exactly this spelling, and not switched off."""
        for word in self.words:
            name, equals, value = word.partition("=")
            if name in options and not (equals and value.lower() in _OFF):
                return True
        return False

    def begins_with(self, patterns: Collection[str], search: MakeSearch) -> bool:
        """Whether the call begins with words that match one of several patterns, after described switches only."""
        start = 0
        while self._table.get("".join(self.words[start : start + 1]), _VALUED).value == "":
            start += 1
        return any(_match_in_row(self.words[start : start + size], same, search) for size, same in _by_size(patterns))

    def has_words(self, patterns: Collection[str], search: MakeSearch) -> bool:
        """Whether an argument, or as many words in a row as a pattern has, match one of several patterns."""
        is_match = search(value_pattern(tuple(patterns)))
        return any(map(is_match, self.words)) or _match_in_row(" ".join(self.words).split(), patterns, search)

    def has_arguments(self, patterns: Collection[str], search: MakeSearch) -> bool:
        """Whether exactly as many arguments in a row as a pattern has words match one of several patterns."""
        return _match_in_row(self.words, patterns, search)

    def after_command(self, commands: Sequence[str]) -> list[str] | None:
        """Return the operands after one of several commands, or None if the call has another one.

        A word after an option may be its value, or the command.
        """
        certain = list(self._certain_operands())
        for command in commands:
            words = command.split()
            for operands in (self.operands, certain):
                if [self._fold(one) for one in operands[: len(words)]] == words:
                    return operands[len(words) :]
        return None

    def values_of(self, options: Collection[str]) -> list[str] | None:
        """Return what may be the values of several options, or None if none of them is given."""
        found = [value for option in options for value in self._find(option)]
        return found or None

    def _certain_operands(self) -> Iterator[str]:
        """Yield the operands without the values of described options."""
        is_value = False
        for word in self.words:
            if self._is_option(word):
                option = self._table.get(word, _SWITCH)
                is_value = bool(option.value) and not option.optional
            elif is_value:
                is_value = False
            else:
                yield word

    def _find(self, option: str) -> Iterator[str]:
        for at, word in enumerate(self.words):
            value = self._value_in(word, option)
            if value is not None:
                yield value or "".join(self.words[at + 1 : at + 2])

    def _value_in(self, word: str, option: str) -> str | None:
        """Return the value that an argument gives to an option, empty if there is none, or None for another option."""
        if self._windows and word[:1] in ("-", "/") and option[:1] in ("-", "/"):
            name, _, value = word[1:].replace(":", "=", 1).partition("=")
            return value if name.lower() == option[1:].lower() else None
        if word == option:
            return ""
        if word.startswith(f"{option}="):
            return word[len(option) + 1 :]
        if option[:2] == "--":
            name, _, value = word.partition("=")
            known = name in self._table or len(name) < _SHORTEST
            return value if option.startswith(name) and not known else None
        if len(option) == 2 and option[0] == "-" and word[:1] == "-" and word[1:2] != "-" and word not in self._table:
            return self._value_in_cluster(word, option)
        return None

    def _value_in_cluster(self, word: str, option: str) -> str | None:
        """Return the value of a short option among others: `-xf` gives `-f`, and `-xfa` gives it `a`."""
        for at, letter in enumerate(word[1:], 1):
            if letter == option[1]:
                return word[at + 1 :].removeprefix("=")
            known = self._table.get(f"-{letter}")
            if known is not None and known.value:
                return None
        return None

    def _is_option(self, word: str) -> bool:
        return len(word) > 1 and (word[0] == "-" or (self._windows and word[0] == "/"))

    def _fold(self, word: str) -> str:
        return word.lower() if self._windows else word


_SWITCH = Option()
_VALUED = Option(value="data")


def _by_size(patterns: Collection[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each number of words that patterns have, with these patterns."""
    for size in {len(pattern.split()) for pattern in patterns}:
        yield size, tuple(pattern for pattern in patterns if len(pattern.split()) == size)


def _match_in_row(words: Sequence[str], patterns: Collection[str], search: MakeSearch) -> bool:
    """Whether several words in a row match a pattern of as many words. Of more than one, none may hold a space."""
    for size, same in _by_size(patterns):
        rows = (words[at : at + size] for at in range(len(words) - size + 1))
        plain = (row for row in rows if size == 1 or not any(" " in word for word in row))
        if any(map(search(value_pattern(same)), map(" ".join, plain))):
            return True
    return False


def holds(condition: When, given: GivenArguments, search: MakeSearch) -> bool:
    """Whether every condition holds for the arguments of a call."""
    if _is_lifted(condition, given, search):
        return False
    if condition.words and not given.has_words(condition.words, search):
        return False
    after = given.after_command(condition.commands) if condition.commands else given.operands
    if after is None:
        return False
    if condition.operand_in and not any(map(search(value_pattern(group_values(condition.operand_in))), after)):
        return False
    values = given.values_of(condition.options) if condition.options else after
    return values is not None and _has_value(condition, values, search)


def _is_lifted(condition: When, given: GivenArguments, search: MakeSearch) -> bool:
    return (
        (bool(condition.without) and given.has_exactly(condition.without))
        or (bool(condition.without_commands) and given.begins_with(condition.without_commands, search))
        or (bool(condition.without_words) and given.has_arguments(condition.without_words, search))
    )


def _has_value(condition: When, values: list[str], search: MakeSearch) -> bool:
    wanted = (*condition.values, *group_values(condition.value_in))
    unwanted = (*condition.not_values, *group_values(condition.not_in))
    if unwanted:
        is_unwanted = search(value_pattern(unwanted))
        values = [value for value in values if not is_unwanted(value)]
        if not wanted:
            return bool(values)
    return not wanted or any(map(search(value_pattern(wanted)), values))
