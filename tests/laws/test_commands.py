"""Laws of reading: a wrapper hides nothing, data raises nothing, layout changes nothing, sums add up."""

from __future__ import annotations

import random
import shlex
from itertools import combinations, product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interlock import Action, Level
from interlock.analyse.other_agents.instructions import is_hidden_order
from tests.laws.compositions import CARRIERS, WRAPPERS, dangerous_examples
from tests.reading import ENGINE, WHERE, level

EXAMPLES = dangerous_examples()
COMMANDS = sorted({command for _, command in EXAMPLES})
commands = st.sampled_from(COMMANDS)
examples = st.sampled_from(EXAMPLES)
wrappers = st.lists(st.sampled_from(sorted(WRAPPERS)), min_size=1, max_size=6)


def rules_of(command: str) -> set[str]:
    """Return the names of the rules that fire on a command."""
    return {finding.rule for finding in ENGINE.decide(Action.shell(command, **WHERE)).assessment.findings}


@settings(max_examples=1_500)
@given(examples, wrappers)
def test_wrapping_keeps_the_finding(example: tuple[str, str], names: list[str]) -> None:
    rule, command = example
    for name in names:
        command = WRAPPERS[name](command)
    decision = ENGINE.decide(Action.shell(command, **WHERE))
    found = {finding.rule for finding in decision.assessment.findings}
    assert rule in found, f"{rule} is lost behind {names}: {command}"
    assert not decision.allowed or ENGINE.decide(Action.shell(example[1], **WHERE)).allowed


@settings(max_examples=800)
@given(commands, st.sampled_from(sorted(CARRIERS)))
def test_data_raises_nothing(command: str, carrier: str) -> None:
    assume(not is_hidden_order(command))  # orders to a model do their harm as text
    carried, harmless = CARRIERS[carrier](command), CARRIERS[carrier]("x")
    assert level(Action.shell(carried, **WHERE)) <= level(Action.shell(harmless, **WHERE)), carried


@given(commands, st.sampled_from(["x", "_v", "LONG_NAME", "a1"]))
def test_what_a_variable_is_called_changes_nothing(command: str, name: str) -> None:
    one = f'v={shlex.quote(command)}; bash -c "$v"'
    other = f'{name}={shlex.quote(command)}; bash -c "${{{name}}}"'
    assert rules_of(one) == rules_of(other)


@given(commands, st.sampled_from(["  {}", "{}   ", "\n\n{}\n", "# a note\n{}", "{} # a note", "{} ;", "{};\ntrue"]))
def test_space_and_comments_change_nothing(command: str, layout: str) -> None:
    assume("<<" not in command and "#" not in command and not command.endswith(("\\", "&", ";")))
    quiet = {"print_output"}
    assert rules_of(layout.format(command)) - quiet == rules_of(command) - quiet


@given(st.lists(commands, min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_independent_commands_changes_nothing(several: list[str], chance: random.Random) -> None:
    arguments = [{word for word in command.split()[1:] if word[:1] != "-"} for command in several]
    assume(all(one.isdisjoint(other) for one, other in combinations(arguments, 2)))  # they may name the same file
    apart = [f"({command}\n)" for command in several]
    shuffled = list(apart)
    chance.shuffle(shuffled)
    assert rules_of("\n".join(apart)) == rules_of("\n".join(shuffled))


# Characters that end the line, or that overwrite what stands before them, are more than a comment.
@given(st.text(max_size=60).filter(lambda text: not {"\n", "\r", "\b"}.intersection(text)))
def test_a_comment_never_raises(text: str) -> None:
    assert level(Action.shell(f"ls # {text}", **WHERE)) <= Level.LOW


CONTEXTS = [
    {name: place for name, place in zip(("cwd", "workspace", "home"), places, strict=True) if place}
    for places in product(
        ("", "/home/u/project", "/home/u/project/src", "/tmp"), ("", "/home/u/project"), ("", "/home/u")
    )
]


def test_knowing_where_never_raises() -> None:
    for command in COMMANDS:
        highest = level(Action.shell(command))
        for context in CONTEXTS:
            assert level(Action.shell(command, **context)) <= highest, (command, context)


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
