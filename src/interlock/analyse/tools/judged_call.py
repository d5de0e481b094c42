"""The input of the judges of tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.organisation import NO_ORGANISATION, Organisation
from interlock.knowledge.table_types.tool_calls import ToolObject

#: Flags of people who are not known to be inside.
STRANGERS = frozenset({"outside", "unknown"})
#: Flags of private content.
CARRYING = frozenset({"confidential", "holds_key", "bank_account"})
#: Flags by which any change is more than routine.
GRAVE = frozenset("many final public outside holds_key bank_account deceptive instructions elsewhere admin".split())


class JudgedCall(NamedTuple):
    """A call of a tool: its meaning, its arguments, and the flags that follow from them.

    `names` are those in the arguments (`names_in`): what no key mentions need not be asked of each of them.
    """

    meaning: Meaning
    thing: ToolObject | None
    arguments: list[Argument]
    names: frozenset[str]
    flags: frozenset[str]
    organisation: Organisation = NO_ORGANISATION
    requested: bool = False  # the meaning is that of a request among the arguments

    def has(self, *flags: str) -> bool:
        """Whether the call has one of these flags."""
        return not self.flags.isdisjoint(flags)

    def words(self, words: frozenset[str]) -> bool:
        """Whether the name of the tool has one of these words."""
        return not words.isdisjoint(self.meaning.words)

    def keyed(self, names: frozenset[str]) -> bool:
        """Whether one of these is the key of an argument, or a word of such a key."""
        return not names.isdisjoint(self.names)

    def of_role(self, role: str) -> Iterator[Argument]:
        """Yield the arguments of a role."""
        return (one for one in self.arguments if role in one.roles)


Judge = Callable[[JudgedCall], bool]
