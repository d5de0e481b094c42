"""The states that a shell can be in: taken before a branch, restored for the next one, and joined after all of them.

Every branch is walked from the state in which it begins. Afterwards each variable has the value of one branch, and
those of the others as alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from tree_sitter import Node

from interlock.analyse.files.paths import hole
from interlock.analyse.flow import Flow
from interlock.analyse.shell.scope import CWD, ShellScope, VariableValue

_NO_FILES: dict[str, Flow] = {}
_NO_ARRAYS: dict[str, dict[str, str]] = {}


class BranchState(msgspec.Struct, frozen=True, gc=False):
    """What a branch may change: variables, their alternatives, the working folder, and the contents of files."""

    variables: dict[str, VariableValue]
    keyed: dict[str, dict[str, str]]
    alternatives: dict[str, tuple[VariableValue, ...]]
    cwd: str | None
    files: dict[str, Flow]


def take_state(scope: ShellScope, known: BranchState | None = None) -> BranchState:
    """Return the state of a scope: the `known` one if nothing has changed since."""
    files = scope.reading.files
    if (
        known is not None
        and scope.cwd == known.cwd
        and scope.variables == known.variables
        and scope.keyed == known.keyed
        and scope.alternatives == known.alternatives
        and files == known.files
    ):
        return known
    return BranchState(
        dict(scope.variables),
        dict(scope.keyed) if scope.keyed else _NO_ARRAYS,
        dict(scope.alternatives),
        scope.cwd,
        dict(files) if files else _NO_FILES,
    )


def restore_state(scope: ShellScope, state: BranchState) -> None:
    """Continue in a state that was taken before."""
    scope.variables, scope.alternatives, scope.cwd = dict(state.variables), dict(state.alternatives), state.cwd
    if scope.keyed or state.keyed:
        scope.keyed = dict(state.keyed)
    files = scope.reading.files
    if files != state.files:
        files.clear()
        files.update(state.files)


def join_states(scope: ShellScope, states: Sequence[BranchState], before: BranchState) -> None:
    """Continue in any of several states. Of the values set since `before`, the last one is in force."""
    distinct: list[BranchState] = []
    for state in states:
        for known in distinct:
            if known is state:
                break
        else:
            distinct.append(state)
    restore_state(scope, distinct[-1])
    if len(distinct) > 1:
        for name in _find_changed(distinct):
            _join_values(scope, name, distinct, before)
        for state in distinct[:-1]:
            if state.files:
                _add_files(scope.reading.files, state.files)
            if state.keyed:
                _join_arrays(scope.keyed, state.keyed)


def _find_changed(states: Sequence[BranchState]) -> dict[str, None]:
    """Return the names of variables that do not have the same values in all states."""
    first, *others = states
    names: dict[str, None] = {}
    for state in others:
        if first.variables != state.variables:
            _add_differing(names, first.variables, state.variables)
        if first.alternatives != state.alternatives:
            _add_differing(names, first.alternatives, state.alternatives)
        if state.cwd != first.cwd:
            names[CWD] = None
    return names


def _add_differing(names: dict[str, None], one: Mapping[str, object], other: Mapping[str, object]) -> None:
    """Add the names that do not have the same values in two tables."""
    for name, value in one.items():
        if name not in other or other[name] != value:
            names[name] = None
    if len(one) != len(other) or one.keys() != other.keys():
        for name in other:
            if name not in one:
                names[name] = None


def _join_values(scope: ShellScope, name: str, states: Sequence[BranchState], before: BranchState) -> None:
    """Give a variable the values that it has in any of the states."""
    unknown: VariableValue = hole(name)
    if name == CWD:
        values: list[VariableValue] = [state.cwd or "" for state in states]
        was: VariableValue = before.cwd or ""
    else:
        values = [state.variables.get(name, unknown) for state in states]
        was = before.variables.get(name, unknown)
    chosen = was
    for value in reversed(values):
        if value != was:
            chosen = value
            break
    others: list[VariableValue] = []
    for state, value in zip(states, values, strict=True):
        if value != chosen and value not in others:
            others.append(value)
        for other in state.alternatives.get(name, ()):
            if other != chosen and other not in others:
                others.append(other)
    if name == CWD:
        scope.cwd = str(chosen) or None
    elif chosen != unknown or any(name in state.variables for state in states):
        scope.variables[name] = chosen
    if others:
        scope.alternatives[name] = tuple(others)
    else:
        scope.alternatives.pop(name, None)


def _add_files(files: dict[str, Flow], others: dict[str, Flow]) -> None:
    """Add the contents that files have in another state: either is possible, so both are kept."""
    for path, flow in others.items():
        held = files.get(path)
        if held is None:
            files[path] = flow
        elif held is not flow:
            text = None if held.text is None or flow.text is None else f"{held.text}\n{flow.text}"
            files[path] = Flow(text, held.marks | flow.marks, held.url or flow.url)


def _join_arrays(keyed: dict[str, dict[str, str]], others: dict[str, dict[str, str]]) -> None:
    """Make items of associative arrays unknown that another state has another value of."""
    for name, other in others.items():
        known = keyed.get(name, {})
        if known != other:
            keyed[name] = {
                key: text if known.get(key, text) == other.get(key, text) else hole(name)
                for key, text in (other | known).items()
            }


def walk_possible(node: Node, scope: ShellScope, stdin: Flow) -> None:
    """Walk a statement that may not run: what it changes has the earlier values as alternatives."""
    before = take_state(scope)
    scope.shell.walk(node, scope, stdin)
    after = take_state(scope, before)
    if after is not before:
        join_states(scope, [before, after], before)


class Conditions:
    """The states that a list `a && b || c` can be in, as its commands are walked one after the other."""

    def __init__(self, scope: ShellScope) -> None:
        """Begin after the first command, which always runs."""
        scope.branches += 1
        self._scope, self._before = scope, take_state(scope)
        self._current = self._before  # the state of the scope
        self._met, self._failed = [self._before], [self._before]  # states after which `&&` and `||` go on

    def enter(self, operator: str) -> None:
        """Continue in the states in which the command after an operator runs."""
        states = self._failed if operator == "||" else self._met
        if len(states) > 1:
            join_states(self._scope, states, self._before)
        elif states[0] is not self._current:
            restore_state(self._scope, states[0])

    def leave(self, operator: str) -> None:
        """Take the state after that command."""
        after = self._current = take_state(self._scope, self._before)
        if operator == "||":
            self._met, self._failed = [*self._met, after], [after]
        else:
            self._met, self._failed = [after], [*self._failed, after]

    def finish(self) -> None:
        """Continue in all states that the list can end in."""
        self._scope.branches -= 1
        latest = self._failed[-1]  # either list ends with the state after the last command
        met = [state for state in self._met if state is not latest]
        known = set(map(id, self._met))
        failed = [state for state in self._failed if state is not latest and id(state) not in known]
        if failed or met or latest is not self._current:
            join_states(self._scope, [*failed, *met, latest], self._before)
