"""The knowledge that Interlock ships with: programs, functions, tables. Each part is decoded when it is first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from interlock.knowledge.artefact import ArtefactIndex, Stale, load_artefact, renew
from interlock.knowledge.command import Program
from interlock.knowledge.table_types import Table
from interlock.knowledge.table_types.commands import ProgramGroups

if TYPE_CHECKING:  # a shell command needs neither
    from interlock.knowledge.cmdlet import Cmdlet
    from interlock.knowledge.function import Function
    from interlock.knowledge.tool import ToolFile

SomeTable = TypeVar("SomeTable", bound=Table)


class Programs(Mapping[str, Program]):
    """Programs by any of their names."""

    def __init__(self) -> None:
        self._artefact = load_artefact()
        self._numbers = self._artefact.programs
        self._decoded: dict[int, Program] = {}  # shared by all names of a program
        self._by_name: dict[str, Program] = {}  # those that were looked up
        self._tables: dict[str, Table] = {}
        self._functions: dict[str, dict[str, Function]] = {}  # language → name → function
        self._cmdlets: dict[str, Cmdlet] = {}

    @property
    def index(self) -> ArtefactIndex:
        """The index: all files, and which programs are service clients, have conditions, or use Windows syntax."""
        return self._artefact.index

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each program's file."""
        return self._numbers

    @property
    def services(self) -> Mapping[str, int]:
        """The number of each service's file."""
        return self._artefact.services

    def find(self, name: str) -> Program | None:
        """Return a program's description, or None if it has none."""
        found = self._by_name.get(name)
        if found is None:
            number = self._numbers.get(name)
            if number is not None:
                found = self._by_name[name] = self._decode(name, number)
        return found

    def table(self, name: str, kind: type[SomeTable]) -> SomeTable:
        """Return a table of names."""
        found = self._tables.get(name)
        if found is None:
            try:
                found = self._tables[name] = self._artefact.table(name)
            except Stale:
                self._renew()
                return self.table(name, kind)
        if not isinstance(found, kind):
            raise TypeError(f"the table `{name}` is a `{type(found).__name__}`")
        return found

    def functions(self, language: str) -> Mapping[str, Function]:
        """Return the functions of a language by each of their names."""
        found = self._functions.get(language)
        if found is None:
            from interlock.knowledge.function import index_functions

            try:
                found = index_functions(self._artefact.functions(language), language)
            except Stale:
                self._renew()
                return self.functions(language)
            self._functions[language] = found
        return found

    @contextmanager
    def swap_function(self, language: str, function: Function) -> Iterator[None]:
        """Replace the description of a function within a `with` block, to try it."""
        from interlock.knowledge.function import lookup_name

        self.functions(language)
        table = self._functions[language]
        names = [lookup_name(name, language) for name in function.names]
        before = {name: table[name] for name in names}
        try:
            table.update(dict.fromkeys(names, function))
            yield
        finally:
            table.update(before)

    def cmdlets(self) -> Mapping[str, Cmdlet]:
        """Return the cmdlets of PowerShell by their names in lower case."""
        if not self._cmdlets:
            try:
                found = self._artefact.cmdlets()
            except Stale:
                self._renew()
                return self.cmdlets()
            self._cmdlets.update((name.lower(), cmdlet) for cmdlet in found for name in cmdlet.names)
        return self._cmdlets

    def service(self, number: int) -> ToolFile:
        """Return the tools of a service."""
        try:
            return self._artefact.service(number)
        except Stale:
            self._renew()
            return self.service(number)

    @contextmanager
    def swap_cmdlet(self, cmdlet: Cmdlet) -> Iterator[None]:
        """Replace the description of a cmdlet within a `with` block, to try it."""
        self.cmdlets()
        before = {name.lower(): self._cmdlets[name.lower()] for name in cmdlet.names}
        try:
            self._cmdlets.update(dict.fromkeys(before, cmdlet))
            yield
        finally:
            self._cmdlets.update(before)

    @contextmanager
    def swap(self, program: Program) -> Iterator[None]:
        """Replace the description of a program within a `with` block, to try it."""
        numbers = {self._numbers[name] for name in program.names}
        before = {number: self._decoded.get(number) for number in numbers}
        try:
            self._decoded.update(dict.fromkeys(numbers, program))
            self._by_name.clear()
            yield
        finally:
            self._by_name.clear()
            for number, found in before.items():
                if found is None:
                    self._decoded.pop(number, None)
                else:
                    self._decoded[number] = found

    def _renew(self) -> None:
        """Discard the artefact and reload from the sources, after one of them was edited."""
        self._artefact = renew()
        self._numbers = self._artefact.programs
        self._decoded.clear()
        self._by_name.clear()
        self._tables.clear()
        held, self._functions = self._functions, {}
        for language, table in held.items():  # callers that hold a table see its new content
            table.clear()
            table.update(self.functions(language))
            self._functions[language] = table
        if self._cmdlets:
            self._cmdlets.clear()
            self.cmdlets()

    def __getitem__(self, name: str) -> Program:
        found = self._by_name.get(name) or self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def _decode(self, name: str, number: int) -> Program:
        found = self._decoded.get(number)
        if found is None:
            try:
                found = self._artefact.program(name)
            except Stale:
                self._renew()
                return self[name]
            self._decoded[number] = found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._by_name or name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


PROGRAMS = Programs()
read_table = PROGRAMS.table
read_functions = PROGRAMS.functions
read_cmdlets = PROGRAMS.cmdlets


def programs_in(group: str) -> frozenset[str]:
    """Return the programs of a group in `tables/program-groups.toml`."""
    return frozenset(read_table("program-groups", ProgramGroups).groups[group].programs)
