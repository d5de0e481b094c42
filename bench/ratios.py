"""How long a decision takes on texts as agents write them, next to a bare parse of the same text.

`make bench` runs it among the rest, `make ratios` alone. Each time is the smallest of several runs in processor time,
so that other programs on the machine disturb it little. A ratio says how many bare parses a decision costs.

A text that is decided again and again finds what it needs in the caches of values. So each is also timed as a text that
was not seen before: once, after the caches were emptied and texts of other groups were decided.
"""

from __future__ import annotations

import ast
import functools
import gc
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import sqlglot

from interlock import Action, Engine
from interlock.analyse.shell.parsing.grammar import ShellSource

FOLDER = Path(__file__).parent / "texts"
SEPARATOR = "\n%%\n"
WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
RUNS = 7
SHORTEST = 500  # microseconds of one run: what takes less is repeated within it
NOTHING_ABOVE = 100
UNSEEN_RUNS = 3
GROUPS = 10  # of texts that are timed together after all others


class Text(NamedTuple):
    """A text to decide on, and by what it is found again."""

    name: str
    text: str


class Language(NamedTuple):
    """The texts of one language, how to parse one, and how many parses a decision may cost: at p50, and at p99."""

    name: str
    texts: list[Text]
    action: Callable[..., Action]
    parse: Callable[[str], object]
    goals: tuple[float, float] | None


class Measured(NamedTuple):
    """How long one text took, in microseconds."""

    text: Text
    decision: float
    parse: float

    @property
    def ratio(self) -> float:
        """How many parses the decision cost."""
        return self.decision / self.parse


def separated(name: str) -> list[Text]:
    """Return the texts of a file that holds one after the other."""
    parts = (FOLDER / name).read_text(encoding="utf-8").strip("\n").split(SEPARATOR)
    return [Text(part.partition("\n")[0][:60], part) for part in parts]


def scripts(folder: str) -> list[Text]:
    """Return the texts of a folder with a file for each."""
    return [Text(path.name, path.read_text(encoding="utf-8")) for path in sorted((FOLDER / folder).iterdir())]


def languages() -> list[Language]:
    """Return what is measured."""
    return [
        Language("shell", separated("shell.txt"), Action.shell, lambda text: ShellSource(text).parse(), (8.0, 10.0)),
        Language("Python", scripts("python"), Action.python, ast.parse, (3.0, 10.0)),
        Language("SQL", separated("sql.txt"), Action.sql, lambda text: sqlglot.parse(text, dialect="postgres"), None),
    ]


def repeats_of(function: Callable[[], object]) -> int:
    """Return how often a call is repeated in one run."""
    start = time.thread_time_ns()
    function()
    return max(1, int(SHORTEST / max((time.thread_time_ns() - start) / 1_000, 1.0)))


def fastest(*functions: Callable[[], object]) -> list[float]:
    """Return the smallest processor time that each of several calls takes, in microseconds; their runs take turns."""
    repeats = [repeats_of(function) for function in functions]
    best = [math.inf] * len(functions)
    for _ in range(RUNS):
        for index, function in enumerate(functions):
            gc.collect(1)  # what the call before has left behind
            start = time.thread_time_ns()
            for _ in range(repeats[index]):
                function()
            best[index] = min(best[index], (time.thread_time_ns() - start) / 1_000 / repeats[index])
    return best


def measure_text(language: Language, text: Text, engine: Engine) -> Measured:
    """Return how long a decision on a text takes, and its parse."""
    action = language.action(text.text, **WHERE)
    engine.decide(action)
    return Measured(text, *fastest(lambda: engine.decide(action), lambda: language.parse(text.text)))


def measure_language(language: Language, engine: Engine) -> list[Measured]:
    """Return the times of every text, by ratio."""
    return sorted((measure_text(language, text, engine) for text in language.texts), key=lambda one: one.ratio)


def clear_value_caches() -> None:
    """Empty the caches of computed values, which are bounded; what was loaded or compiled stays."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and one.cache_parameters()["maxsize"] is not None:
            one.cache_clear()


def measure_unseen(language: Language) -> list[Measured]:
    """Return the times of texts that were not seen before, by ratio. Their parses are timed once as well."""
    actions = [language.action(text.text, **WHERE) for text in language.texts]
    decisions, parses = [math.inf] * len(actions), [math.inf] * len(actions)
    for group in [*range(GROUPS)] * UNSEEN_RUNS:
        clear_value_caches()
        engine = Engine()
        for index, action in enumerate(actions):
            if index % GROUPS != group:
                engine.decide(action)
        for index in range(group, len(actions), GROUPS):
            gc.collect(1)
            start = time.thread_time_ns()
            language.parse(language.texts[index].text)
            between = time.thread_time_ns()
            engine.decide(actions[index])
            decisions[index] = min(decisions[index], (time.thread_time_ns() - between) / 1_000)
            parses[index] = min(parses[index], (between - start) / 1_000)
    return sorted(map(Measured, language.texts, decisions, parses), key=lambda one: one.ratio)


def at(measured: list[Measured], share: float) -> Measured:
    """Return the text at a percentile of the ratios."""
    return measured[min(int(len(measured) * share), len(measured) - 1)]


def show(label: str, one: Measured, goal: float | None) -> None:
    """Print a line of the table."""
    wanted = "" if goal is None else f"goal {goal:g} ×{'' if one.ratio <= goal else ', missed'}"
    print(
        f"    {label:<5}{one.ratio:>7.1f} ×{one.decision:>10.0f} µs{one.parse:>9.0f} µs  {wanted:<20} {one.text.name}"
    )


def measure() -> None:
    """Measure and print every language."""
    engine = Engine()
    for language in languages():
        found = measure_language(language, engine)
        p50, p99 = language.goals or (None, None)
        characters = sum(len(one.text.text) for one in found)
        print(f"\n  {language.name}: {len(found)} texts of {characters / len(found):.0f} characters on average")
        print(f"    {'':<5}{'ratio':>9}{'decision':>13}{'parse':>12}")
        show("p50", at(found, 0.5), p50)
        show("p99", at(found, 0.99), p99)
        show("max", found[-1], NOTHING_ABOVE)
        unseen = measure_unseen(language)
        print("    not seen before:")
        for label, one in (("p50", at(unseen, 0.5)), ("p99", at(unseen, 0.99)), ("max", unseen[-1])):
            show(label, one, None)


if __name__ == "__main__":
    measure()
    print()
