"""The arguments of a call as conditions see them: which options are given, with which values, and which operands.

An effect depends on a condition, so what could be an option, a value or an operand counts as one. What lifts a
condition (`without`) has to be there exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from interlock.knowledge.command import Option, Program, When
from interlock.knowledge.values import group_values, value_pattern

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


def holds(condition: When, given: GivenArguments, search: Callable[[str], Callable[[str], object]]) -> bool:
    """Whether every condition holds for the arguments of a call; `search` makes a search of a regular expression."""
    if condition.without and given.has_exactly(condition.without):
        return False
    if condition.words and not any(map(search(value_pattern(condition.words)), given.words)):
        return False
    after = given.after_command(condition.commands) if condition.commands else given.operands
    if after is None:
        return False
    if condition.operand_in and not any(map(search(value_pattern(group_values(condition.operand_in))), after)):
        return False
    values = given.values_of(condition.options) if condition.options else after
    if values is None:
        return False
    wanted = (*condition.values, *group_values(condition.value_in))
    if condition.not_in:
        unwanted = search(value_pattern(group_values(condition.not_in)))
        values = [value for value in values if not unwanted(value)]
        if not wanted:
            return bool(values)
    return not wanted or any(map(search(value_pattern(wanted)), values))
