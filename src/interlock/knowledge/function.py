"""How a function of a language's library is described. These types are the notation of the files in `functions/`.

`docs/knowledge.md` explains every key with examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from interlock.knowledge.command import ExampleEffect

#: Positions of arguments, by name.
ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5}
#: Languages in which upper and lower case are the same in names.
CASELESS = frozenset({"applescript", "php", "powershell"})


class CallResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The result of a call."""

    kind: str = msgspec.field(default="", name="is")  # a class, whose methods have descriptions of their own
    marks: tuple[str, ...] = msgspec.field(default=(), name="from")  # where its data comes from: `download`, `secret`
    computed: str = ""  # how it is computed from the arguments, if they are known


class FunctionExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Code and all the effects that it must have."""

    code: str
    effects: tuple[ExampleEffect, ...]


class Function(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The description of functions that do the same."""

    names: tuple[str, ...]
    arguments: Mapping[str, str] = {}  # argument → its role, in the order of the effects
    effects: tuple[str, ...] = ()  # kinds of effects without a resource
    flags: tuple[str, ...] = ()  # on every effect
    result: CallResult = CallResult()
    reader: str = ""  # the part of Interlock that reads the arguments, where roles cannot tell
    examples: tuple[FunctionExample, ...] = ()

    @cached_property
    def effect_flags(self) -> frozenset[str]:
        """The flags that every effect carries."""
        return frozenset(self.flags)

    @cached_property
    def result_marks(self) -> frozenset[str]:
        """Where the data of the result comes from."""
        return frozenset(self.result.marks)

    @cached_property
    def may_run(self) -> bool:
        """Whether it runs or loads code or programs."""
        words = (*self.arguments.values(), *self.effects)
        return (
            self.reader.startswith("command")
            or self.reader == "send"
            or any(word == "command" or word.startswith("code") for word in words)
        )


class FunctionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that describes functions of one language."""

    language: str
    functions: tuple[Function, ...]
    docs: str = ""


def index_functions(functions: Iterable[Function], language: str) -> dict[str, Function]:
    """Return functions by each of their names, as they are looked up.

    >>> sorted(index_functions([Function(names=("Schema.drop", "unlink"))], "php"))
    ['schema.drop', 'unlink']
    """
    return {lookup_name(name, language): one for one in functions for name in one.names}


def lookup_name(name: str, language: str) -> str:
    """Return a function's name in the form that is compared.

    >>> lookup_name("System.IO.File.Delete", "powershell")
    'io.file.delete'
    """
    if language == "powershell":
        return name.lower().removeprefix("system.")
    return name.lower() if language in CASELESS else name


#: A function that is known to do nothing.
NO_FUNCTION = Function(names=())
