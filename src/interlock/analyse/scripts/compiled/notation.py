"""How compiled languages are written, beyond what scripts need: types, labels, macros, lists in braces."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, cast

from interlock.analyse.scripts.syntax import Syntax
from interlock.knowledge.catalogue import read_functions

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from interlock.knowledge.function import Function


class Notation(Syntax, frozen=True, dict=True):
    """The notation of a compiled language."""

    libraries: tuple[str, ...] = ()  # languages whose library it uses as well
    modules: bool = False  # functions are called with or without the module that they belong to
    applied: bool = False  # arguments stand behind a function, without brackets or commas
    macros: bool = False  # `name!(…)` is a call
    labels: bool = False  # arguments have labels: `move(from: a, to: b)`
    directives: bool = False  # lines that begin with `#` are for the preprocessor
    initialised: bool = False  # `= { … }` is a list
    noise: frozenset[str] = frozenset()  # words that change nothing about what happens
    declarations: frozenset[str] = frozenset()  # words before a name that may have a type: `let x: T`

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions of its library and of those that it shares, by each of their names."""
        own = read_functions(self.name)
        if not self.libraries:
            return own
        return ChainMap(*(cast("MutableMapping[str, Function]", read_functions(name)) for name in self.languages))

    @property
    def languages(self) -> tuple[str, ...]:
        """The language, and those whose library it shares."""
        return (self.name, *self.libraries)
