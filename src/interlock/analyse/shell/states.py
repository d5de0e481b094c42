"""The states that a shell can be in: taken before a branch, restored for the next one, and joined after all of them.

Every branch is walked from the state in which it begins. Afterwards each variable has the value of one branch, and
those of the others as alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    distinct = list({id(state): state for state in states}.values())
    restore_state(scope, distinct[-1])
    if len(distinct) > 1:
        for name in _find_changed(distinct):
            _join_values(scope, name, distinct, before)
        for state in distinct[:-1]:
            _add_files(scope.reading.files, state.files)
            _join_arrays(scope.keyed, state.keyed)


def _find_changed(states: Sequence[BranchState]) -> dict[str, None]:
    """Return the names of variables that do not have the same values in all states."""
    first, *others = states
    names: dict[str, None] = {}
    for state in others:
        for one, other in ((first.variables, state.variables), (first.alternatives, state.alternatives)):
            if one != other:
                names |= dict.fromkeys(name for name in one | other if one.get(name) != other.get(name))
        if state.cwd != first.cwd:
            names[CWD] = None
    return names


def _join_values(scope: ShellScope, name: str, states: Sequence[BranchState], before: BranchState) -> None:
    """Give a variable the values that it has in any of the states."""
    values = [_value_in(state, name) for state in states]
    was = _value_in(before, name)
    chosen = next((value for value in reversed(values) if value != was), was)
    possible = [other for state, value in zip(states, values, strict=True) for other in (value, *_others(state, name))]
    others: list[VariableValue] = []
    for value in possible:
        if value != chosen and value not in others:
            others.append(value)
    if name == CWD:
        scope.cwd = str(chosen) or None
    elif chosen != hole(name) or any(name in state.variables for state in states):
        scope.variables[name] = chosen
    if others:
        scope.alternatives[name] = tuple(others)
    else:
        scope.alternatives.pop(name, None)


def _value_in(state: BranchState, name: str) -> VariableValue:
    """Return the value of a variable, or the working folder, in a state."""
    if name == CWD:
        return state.cwd or ""
    return state.variables.get(name, hole(name))


def _others(state: BranchState, name: str) -> tuple[VariableValue, ...]:
    return state.alternatives.get(name, ())


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
        self._met, self._failed = [self._before], [self._before]  # states after which `&&` and `||` go on

    def enter(self, operator: str) -> None:
        """Continue in the states in which the command after an operator runs."""
        states = self._failed if operator == "||" else self._met
        if len(states) > 1:
            join_states(self._scope, states, self._before)
        elif states[0] is not take_state(self._scope, states[0]):
            restore_state(self._scope, states[0])

    def leave(self, operator: str) -> None:
        """Take the state after that command."""
        after = take_state(self._scope, self._before)
        if operator == "||":
            self._met, self._failed = [*self._met, after], [after]
        else:
            self._met, self._failed = [after], [*self._failed, after]

    def finish(self) -> None:
        """Continue in all states that the list can end in."""
        self._scope.branches -= 1
        met = {id(state) for state in self._met}
        last = [state for state in self._failed if id(state) not in met] + self._met
        latest = self._failed[-1]  # either list ends with the state after the last command
        join_states(self._scope, [state for state in last if state is not latest] + [latest], self._before)
