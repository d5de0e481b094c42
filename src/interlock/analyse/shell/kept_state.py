"""What a shell keeps between the calls of a run: its folder, variables, aliases, functions, and git's remotes.

Whether an agent's next call runs in the same shell is not known. So what earlier calls left behind is possible and not
certain: variables and the folder become alternatives, and a program that an alias hides is analysed as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NOTHING
from interlock.analyse.reading import Site
from interlock.analyse.shell.scope import CWD, ShellScope
from interlock.model import ShellState

Value = TypeVar("Value")

#: How much is kept: names of each kind, the length of a value, and of all functions together.
MAX_NAMES, MAX_VALUE, MAX_FUNCTIONS = 40, 200, 6_000


def restore_shell(scope: ShellScope, kept: ShellState) -> None:
    """Put what earlier calls left behind into a new scope."""
    reading = scope.reading
    for name, value in kept.variables.items():
        if " " in name:  # an alias of a client, see `stored_aliases.py`
            scope.variables[name] = value
        else:
            scope.alternatives[name] = (value,)
    for name, marks in kept.marks.items():
        reading.taints[name] = frozenset(marks)
    for name, meaning in kept.aliases.items():
        scope.define_alias(name, meaning)
    if kept.functions:
        _define(scope, "\n".join(f"{name}() {text}" for name, text in kept.functions.items()))
    if kept.folder and kept.begun_in == (reading.places.cwd or ""):
        scope.alternatives[CWD] = (kept.folder,)


def _define(scope: ShellScope, text: str) -> None:
    """Define functions in a scope. Their definitions have no effects of their own."""
    first = len(scope.reading.effects)
    scope.shell.evaluate(text, scope, NOTHING, Site((0, 0)))
    del scope.reading.effects[first:]


def capture_shell(scope: ShellScope, kept: ShellState) -> ShellState | None:
    """Return what a scope leaves behind, with what was kept before, or None if nothing has changed."""
    reading = scope.reading
    known = {name: value for name, value in scope.variables.items() if isinstance(value, str) and _is_kept(name)}
    if HOLE in known.get("PATH", ""):  # what is put before and after the value that it had
        known["PATH"] = ":".join(folder for folder in known["PATH"].split(":") if folder and HOLE not in folder)
    plain = {name: value for name, value in known.items() if HOLE not in value and len(value) <= MAX_VALUE}
    marks = {name: tuple(sorted(reading.marks(value))) for name, value in known.items() if HOLE in value}
    aliases = {name: meanings[-1] for name, meanings in scope.aliases.items() if len(meanings[-1]) <= MAX_VALUE}
    functions = {name: one.text() for name, one in scope.functions.items() if "/" not in name}
    folder = _folder(scope, kept)
    found = ShellState(
        folder=folder,
        begun_in=(reading.places.cwd or "") if folder else "",
        variables=_newest({**kept.variables, **plain}),
        marks=_newest({**kept.marks, **{name: found for name, found in marks.items() if found}}),
        aliases=_newest(aliases),
        functions=_within(functions),
        remotes=_newest(reading.remotes),
    )
    return None if found == kept else found


def _is_kept(name: str) -> bool:
    return " " in name or (name.isidentifier() and name not in ("PWD", "OLDPWD"))


def _folder(scope: ShellScope, kept: ShellState) -> str:
    """Return the folder that the shell is in now, if it is another one than the agent named."""
    if scope.cwd is None or HOLE in scope.cwd:
        return kept.folder if kept.begun_in == (scope.reading.places.cwd or "") else ""
    return "" if scope.cwd == scope.reading.places.cwd else scope.cwd


def _newest(values: Mapping[str, Value]) -> dict[str, Value]:
    return dict(islice(values.items(), max(0, len(values) - MAX_NAMES), None))


def _within(functions: Mapping[str, str]) -> dict[str, str]:
    """Return the newest functions whose texts fit."""
    left, found = MAX_FUNCTIONS, {}
    for name, text in reversed(list(functions.items())):
        left -= len(text)
        if left >= 0:
            found[name] = text
    return dict(reversed(found.items()))
