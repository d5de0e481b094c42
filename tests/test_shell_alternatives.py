"""Shell variables that a branch may have set: every value is read, in work that grows with the length of the text."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from interlock.analyse.shell import walk
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.command import run
from tests.reading import effects, shell

ROOT = "fs.delete file:/ force recursive top"
BRANCH = 'd=/tmp/x; if [ -n "$A" ]; then d=/; fi; '


@pytest.mark.parametrize(
    "command",
    [
        'rm -rf "$d"',
        'rm -rf "$d" > log',
        'rm -rf "${d}" 2>&1 | tee log',
        '(cd /srv && rm -rf "$d") > log',
        'e=$(echo "$d"); rm -rf "$e"',
        'e="$d"; rm -rf "$e"',
        'echo "$(rm -rf "$d")"',
        'x=$(rm -rf "$d")',
        'for i in 1 2 3; do rm -rf "$d"; done > log',
        'while read -r line; do rm -rf "$d"; done < list',
        'f() { rm -rf "$d"; }; f',
        'f() { rm -rf "$d"; }; echo "$(f)"',
        'name=d; rm -rf "${!name}"',
        'true && rm -rf "$d" > log',
        'echo "rm -rf $d" | sh > log',
    ],
)
def test_another_value_is_read(command: str) -> None:
    assert ROOT in effects(shell(f'c=1; d=/; if [ -n "$A" ]; then d=/tmp/x; fi; {command}'))
    assert ROOT in effects(shell(BRANCH + command))


def commands_read(text: str) -> int:
    """Return how many commands are read in a text."""
    count = 0

    def counting(call: ShellCall) -> object:
        nonlocal count
        count += 1
        return run(call)

    with patch.object(walk, "run", counting):
        shell(text)
    return count


def doubtful(count: int) -> str:
    """Return a script with so many variables that a branch sets, used in substitutions, loops and redirections."""
    lines = [f'if [ "$M" = {n} ]; then v{n}_=a{n}; w{n}_=b; else v{n}_=c{n}; w{n}_=d; fi' for n in range(count)]
    lines += [f'x{n}_=$(head -1 "${{v{n}_}}" || echo none)' for n in range(count)]
    lines += [
        f'for i in 1 2; do (cd "${{w{n}_}}" && wc -l "${{x{n}_}}") > "${{v{n}_}}.log"; done' for n in range(count)
    ]
    return "\n".join(lines)


def test_readings_grow_with_the_text() -> None:
    few, many = commands_read(doubtful(4)), commands_read(doubtful(16))
    assert many <= 4 * few + 8
    assert few < 4 * 60


ERASING = [
    'if a; then x="rm -rf /"; else x=ls; fi; $x',
    'if a; then x="rm -rf /"; elif b; then x=pwd; else x=ls; fi; $x',
    'if a; then x=ls; elif b; then x="rm -rf /"; else x=pwd; fi; $x',
    'case $A in a) x="rm -rf /";; b) x=ls;; esac; $x',
    'case $A in a) x=1;; b) x=2;; c) x=3;; d) x=4;; e) x="rm -rf /";; f) x=ls;; esac; $x',
    '[ a ] && x="rm -rf /" || x=ls; $x',
    'a && x="rm -rf /" || x=ls || x=pwd > log; $x',
    "if a; then d=/; elif b; then d=build; else d=dist; fi; rm -rf $d",
    "if a; then cd /; elif b; then cd build; else cd dist; fi; rm -rf *",
    "if a; then f() { rm -rf /; }; else f() { ls; }; fi; f",
    "f() { rm -rf /; }; if a; then f() { ls; }; fi; f",
    "if a; then alias x='rm -rf /'; else alias x=ls; fi; x",
]


@pytest.mark.parametrize("command", ERASING)
def test_what_any_branch_sets_is_read(command: str) -> None:
    found = [effect for effect in shell(command).effects if effect.kind == "fs.delete"]
    assert any(effect.resource and effect.resource.name.rstrip("*") == "/" for effect in found)


@pytest.mark.parametrize("command", ["f() { rm -rf /; }; f() { ls; }; f", 'x="rm -rf /"; x=ls; $x'])
def test_what_is_set_anew_without_a_condition_is_not_read(command: str) -> None:
    assert not [effect for effect in shell(command).effects if effect.kind == "fs.delete"]


@pytest.mark.parametrize(
    "command",
    [
        f'case $A in {" ".join(f"{n}) x={n};;" for n in range(30))} z) x="rm -rf /";; y) x=ls;; esac; $x',
        "if a; then f() { 1; }; f() { 2; }; f() { 3; }; f() { 4; }; f() { rm -rf /; }; f() { ls; }; fi; f",
        "if a; then alias x=1 x=2 x=3 x=4 x='rm -rf /' x=ls; fi; x",
    ],
)
def test_more_values_than_are_read_are_reported(command: str) -> None:
    assert "code.opaque" in {effect.kind for effect in shell(command).effects}
