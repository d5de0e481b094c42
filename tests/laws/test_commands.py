"""Laws of reading: wrapping never lowers, data never raises, knowing more only relaxes, sums add up."""

from __future__ import annotations

import base64
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interlock import RULES, Action, Level
from tests.reading import ENGINE, WHERE, level

# What cannot be seen fools the reader wherever it stands: such a text is never mere data.
COMMANDS = sorted(
    {
        example[2:]
        for rule in RULES
        for example in rule.match
        if example.startswith("$ ") and len(example) < 200 and rule.name != "invisible_characters"
    }
)
commands = st.sampled_from(COMMANDS)

WRAPPERS = {
    "sudo": "sudo sh -c {quoted}",
    "sh -c": "sh -c {quoted}",
    "env": "env X=1 sh -c {quoted}",
    "subshell": "({plain}\n)",
    "group": "{{ {plain}\n}}",
    "pipeline": "true | ({plain}\n)",
    "list": "true && ({plain}\n)",
    "if": "if true; then\n{plain}\nfi",
    "for": "for i in 1 2; do\n{plain}\ndone",
    "timeout": "timeout 9 bash -c {quoted}",
    "eval": "eval {quoted}",
    "function": "f() {{\n{plain}\n}}; f",
    "stdin": "echo {quoted} | sh",
    "heredoc": "bash <<'END_OF_IT'\n{plain}\nEND_OF_IT",
    "base64": "echo {encoded} | base64 -d | sh",
    "background": "({plain}\n) &",
    "substitution": "echo $({plain}\n)",
    "python": "python3 -c {spawned}",
}
wrappers = st.sampled_from(list(WRAPPERS.values()))


def wrap(template: str, command: str) -> str:
    return template.format(
        plain=command,
        quoted=shlex.quote(command),
        encoded=base64.b64encode(command.encode()).decode(),
        spawned=shlex.quote(f"import os; os.system({command!r})"),
    )


@given(commands, st.lists(wrappers, min_size=1, max_size=3))
def test_wrapping_never_lowers(command: str, templates: list[str]) -> None:
    wrapped = command
    for template in templates:
        wrapped = wrap(template, wrapped)
    assert level(Action.shell(wrapped, **WHERE)) >= level(Action.shell(command, **WHERE))


CARRIERS = (
    "echo {quoted}",
    "printf '%s' {quoted}",
    "git commit -m {quoted}",
    "grep -rn {quoted} src",
    "X={quoted}",
    "[ {quoted} = y ]",
    "echo {quoted} > notes.txt",
    "cat > notes.txt <<'END_OF_IT'\n{plain}\nEND_OF_IT",
    "gh issue create --title x --body {quoted}",
    "python3 -c {printed}",
)


@given(commands, st.sampled_from(CARRIERS))
def test_data_never_raises(command: str, carrier: str) -> None:
    carried = carrier.format(plain=command, quoted=shlex.quote(command), printed=shlex.quote(f"x = {command!r}"))
    harmless = carrier.format(plain="x", quoted="x", printed="'x = 1'")
    assert level(Action.shell(carried, **WHERE)) <= level(Action.shell(harmless, **WHERE))


@given(st.text(max_size=60).filter(lambda text: "\n" not in text and "\r" not in text))
def test_a_comment_never_raises(text: str) -> None:
    assert level(Action.shell(f"ls # {text}", **WHERE)) <= Level.LOW


contexts = st.fixed_dictionaries(
    {},
    optional={
        "cwd": st.sampled_from(["/home/u/project", "/home/u/project/src", "/tmp"]),
        "workspace": st.just("/home/u/project"),
        "home": st.just("/home/u"),
    },
)


@given(commands, contexts)
def test_knowing_where_never_raises(command: str, context: dict[str, Any]) -> None:
    assert level(Action.shell(command, **context)) <= level(Action.shell(command))


@given(commands, st.sampled_from([None, "development", "staging", "production", "critical", "unheard-of"]))
def test_every_point_is_a_factor(command: str, environment: str | None) -> None:
    found = ENGINE.decide(Action.shell(command, environment=environment, **WHERE)).assessment
    assert sum(factor.points for factor in found.factors) == found.score
    assert 0 <= found.score <= 100
    assert all(found.level >= finding.level and found.score >= finding.level.floor for finding in found.findings)


@given(commands, commands)
def test_more_commands_are_never_milder(first: str, second: str) -> None:
    both = level(Action.shell(f"({first}\n)\n({second}\n)", **WHERE))
    assert both >= max(level(Action.shell(first, **WHERE)), level(Action.shell(second, **WHERE)))
