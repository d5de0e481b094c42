"""Train the opinion on tool calls: `python -m bench.learn_calls benchmark`, or `make learn`.

Logistic regression on the features of calls, fitted by gradient descent with a step size for each weight. The first
rounds add up all words of a call; in those that follow, words and arguments are combined as in the model that is used
(`weigh_call`), as if each tool had the arguments that it is given. Flags of effects keep their signs. The same rows
always give the same model. Both thresholds are chosen on rows that the rules were not written beside, each weighed by a
model that has not seen it.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from bench.learn import SEQUENCES, as_toml
from interlock.accuracy.corpus import DANGEROUS, LabelledAction, read_corpus
from interlock.analyse.action import NOWHERE, is_described
from interlock.engine import Engine
from interlock.knowledge import artefact
from interlock.knowledge.table_types import SecondOpinion
from interlock.levels import Level
from interlock.model import Action, Analysis
from interlock.opinion.call_features import CallFeatures, call_features, sign_of
from interlock.opinion.call_model import (
    MAX_RELIEF,
    MAX_SENTENCE_RELIEF,
    is_known_name,
    is_weighed_call,
    make_routine,
    may_ease,
    weigh_call,
)
from interlock.rules import RuleIndex, all_rules, rules_requiring
from interlock.rules.examples import action_of
from interlock.rules.findings import find
from interlock.scoring.combine import assess

FILE = Path(artefact.FOLDER) / "tables" / "second-opinion-calls.toml"
FREE_EPOCHS, EPOCHS, STEP, PENALTY, SEED = 4, 6, 0.05, 0.03, 1
MIN_ROWS = 2
#: Lighter words are left out, except those of names: a call is eased only if they are known.
MIN_WEIGHT = 0.1
FOLDS = 5
#: The topic of the examples that rules give, and how often each counts.
CURATED, REPEATED = "curated", 10
#: How the topics begin that the rules were not written beside.
FRESH = (*(f"tools-{number}-" for number in range(10, 21)), *(f"tools-pairs-{number}-" for number in range(5, 12)))
#: How the topics begin whose harmless calls change something too, and how many rows one of theirs counts for.
LATER, IMPORTANCE = (*FRESH, *(f"tools-{number}-" for number in range(4, 10)), "tools-hard-", "tools-bare-"), 2.0
#: How many missed calls a needless question is worth, at equal numbers of harmful and harmless calls.
COST_OF_QUESTION = 2.5
#: How many needless questions a call is worth that the rules stop and the model lets run.
COST_OF_EASING = 4.0
#: The same where much is at stake.
COST_OF_GRAVE_EASING = 6.0


class Example(NamedTuple):
    """A call as the model sees it, and what the rules say."""

    topic: str
    call: CallFeatures
    dangerous: bool
    stopped: bool  # by the rules
    judged: bool  # whether the model has a say: it may stop what the rules let run, or ease what they stop
    grave: bool = False  # whether the model eases it only if its weight is very low


def examples(rows: Iterable[LabelledAction]) -> list[Example]:
    """Return the tool calls among rows, as the rules judge them without the model."""
    calls = [row for row in rows if row.kind == "tool" and not row.source.startswith(SEQUENCES)]
    return [make_example(row.source, row.action, dangerous=row.label == DANGEROUS) for row in calls]


def make_example(topic: str, action: Action, *, dangerous: bool) -> Example:
    """Return a call as the model sees it."""
    decided = _RULES.decide(action)
    level, analysis = decided.assessment.level, decided.assessment.analysis
    grave = False
    if level >= Level.HIGH:
        grave = not _may_run(action, analysis, grave=False)
        judged = level is Level.HIGH and (not grave or _may_run(action, analysis, grave=True))
    else:
        judged = decided.allowed and not is_described(action, NOWHERE) and is_weighed_call(action, analysis)
    return Example(topic, call_features(action, analysis.effects), dangerous, not decided.allowed, judged, grave)


def _may_run(action: Action, analysis: Analysis, *, grave: bool) -> bool:
    """Whether nothing else stops a call if what the tool does counts as routine, and whether it may count so."""
    if not may_ease(action, analysis, grave=grave):
        return False
    eased = make_routine(action, analysis, grave=grave)
    return not analysis.written and assess(action, eased, find(eased.effects, _INDEX), None).level < Level.HIGH


_INDEX = RuleIndex(rules_requiring)
_RULES = Engine(second_opinion=False)


def curated() -> list[Example]:
    """Return the calls that rules give as examples, several times each."""
    found = [
        make_example(CURATED, action_of(text), dangerous=text in rule.match)
        for rule in all_rules()
        if rule.family == "tool_calls"
        for text in (*rule.match, *rule.no_match)
    ]
    return found * REPEATED


class _Numbered(NamedTuple):
    """The features of a call as numbers, without those that are too rare."""

    name: list[int]
    arguments: list[list[list[int]]]
    effects: list[list[int]]
    wanted: float
    importance: float


class _Trainer:
    """The weights while they are fitted. Features are numbers here."""

    def __init__(self, given: Sequence[Example]) -> None:
        counts = Counter[str]()
        for one in given:
            counts.update(sorted(one.call.all()))
        self.names = [name for name, count in counts.items() if count >= MIN_ROWS]
        self.signs = [sign_of(name) for name in self.names]
        numbers = {name: number for number, name in enumerate(self.names)}
        self.rows = [_number(one, numbers) for one in given]
        self.weights = [0.0] * len(self.names)
        self.squares = [1e-3] * len(self.names)
        self.bias = 0.0

    def run(self, order: list[int], *, free: bool) -> None:
        """Go through all rows once."""
        for number in order:
            row = self.rows[number]
            total = self.bias + self._sum(row.name)
            counted, relieving, relief = [(row.name, False)], [], 0.0
            for parts in row.arguments:
                weight, part, calmed = max(map(self._weigh, parts))
                if free or weight > 0.0:
                    total += weight
                    counted.append((part, calmed and not free))
                else:
                    relief -= weight
                    relieving.append((part, calmed))
            if relief < MAX_RELIEF:
                counted += relieving
            total -= min(relief, MAX_RELIEF)
            if row.effects:
                weight, part = max((self._sum(part), part) for part in row.effects)
                total += weight
                counted.append((part, False))
            error = row.importance * (1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - row.wanted)
            self.bias -= STEP * 0.1 * error
            for part, calmed in counted:
                self._step(part, error, calmed=calmed)

    def _sum(self, part: list[int]) -> float:
        return sum([self.weights[one] for one in part])

    def _weigh(self, part: list[int]) -> tuple[float, list[int], bool]:
        """Return the weight of a sentence, and whether its harmless words have taken as much from it as they can."""
        found = [self.weights[one] for one in part]
        calming = sum([one for one in found if one < 0.0])
        return sum(found) - min(calming + MAX_SENTENCE_RELIEF, 0.0), part, calming <= -MAX_SENTENCE_RELIEF

    def _step(self, part: list[int], error: float, *, calmed: bool) -> None:
        weights, squares, signs = self.weights, self.squares, self.signs
        for one in part:
            weight = weights[one]
            slope = PENALTY * weight + (0.0 if calmed and weight < 0.0 else error)
            squares[one] += slope * slope
            weight -= STEP * slope / math.sqrt(squares[one])
            weights[one] = 0.0 if signs[one] * weight < 0.0 else weight


def _number(one: Example, numbers: dict[str, int]) -> _Numbered:
    def known(features: Iterable[str]) -> list[int]:
        return [numbers[feature] for feature in features if feature in numbers]

    arguments = [[known(sorted(part)) for part in parts] for parts in one.call.arguments.values() if parts]
    effects = [known(effect) for effect in one.call.effects]
    importance = IMPORTANCE if one.topic.startswith(LATER) else 1.0
    return _Numbered(known(one.call.name), arguments, effects, float(one.dangerous), importance)


def train(given: Sequence[Example]) -> tuple[dict[str, float], float]:
    """Return the weights of features, and the bias."""
    trainer, shuffle = _Trainer(given), random.Random(SEED)
    order = list(range(len(given)))
    for epoch in range(FREE_EPOCHS + EPOCHS):
        shuffle.shuffle(order)
        trainer.run(order, free=epoch < FREE_EPOCHS)
    kept = {
        name: round(weight, 2)
        for name, weight in sorted(zip(trainer.names, trainer.weights, strict=True))
        if abs(weight) >= MIN_WEIGHT or name.startswith("name ")
    }
    return kept, round(trainer.bias, 3)


class Weighed(NamedTuple):
    """A row, how much it weighs, and whether the model knows all words of the tool's name."""

    row: Example
    weight: float
    known: bool

    def is_stopped(self, model: SecondOpinion) -> bool:
        """Whether the call is stopped by the rules and a model with these thresholds."""
        if not self.row.judged:
            return self.row.stopped
        if not self.row.stopped:
            return self.weight >= model.threshold
        return not self.known or self.weight >= (model.very_calm if self.row.grave else model.calm)


def weigh_rows(model: SecondOpinion, rows: Iterable[Example]) -> list[Weighed]:
    """Return rows with their weights."""
    return [Weighed(one, weigh_call(model, one.call), is_known_name(model, one.call)) for one in rows]


def weigh_unseen(found: Sequence[Example]) -> list[Weighed]:
    """Return the fresh rows with their weights, each by a model that was trained without it and its neighbour."""
    with Pool(2) as workers:
        return [one for fold in workers.starmap(_weigh_fold, [(found, fold) for fold in range(FOLDS)]) for one in fold]


def _weigh_fold(found: Sequence[Example], fold: int) -> list[Weighed]:
    fresh = [one for one in found if one.topic.startswith(FRESH)]
    seen = [one for one in found if not one.topic.startswith(FRESH)]
    kept = [part == fold for part in _folds(fresh)]
    weights, bias = train(seen + [one for one, is_kept in zip(fresh, kept, strict=True) if not is_kept])
    aside = [one for one, is_kept in zip(fresh, kept, strict=True) if is_kept]
    return weigh_rows(SecondOpinion(0.0, bias, weights), aside)


def _folds(fresh: Sequence[Example]) -> list[int]:
    """Return the fold of each row. Rows of a topic that stand side by side resemble each other, and stay together."""
    numbers: dict[str, int] = defaultdict(int)
    folds = []
    for one in fresh:
        folds.append(numbers[one.topic] // 2 % FOLDS)
        numbers[one.topic] += 1
    return folds


def choose_threshold(weighed: Sequence[Weighed]) -> float:
    """Return the weight from which calls are stopped that the rules let run, so that mistakes cost least."""
    rows = [one for one in weighed if one.row.judged and not one.row.stopped]
    return _cheapest([(one.weight, 1.0 if one.row.dangerous else -COST_OF_QUESTION) for one in rows])


def choose_calm(weighed: Sequence[Weighed], *, grave: bool) -> float:
    """Return the weight below which calls may run that the rules stop, so that mistakes cost least."""
    cost = COST_OF_GRAVE_EASING if grave else COST_OF_EASING
    rows = [one for one in weighed if one.row.judged and one.row.stopped and one.known and one.row.grave is grave]
    return _cheapest([(one.weight, cost if one.row.dangerous else -1.0) for one in rows])


def _cheapest(gains: Sequence[tuple[float, float]]) -> float:
    """Return the limit for which the gains of all rows at or above it add up to most."""

    def gain(limit: float) -> float:
        return sum(gain for weight, gain in gains if weight >= limit)

    return max((step / 20 for step in range(-80, 81)), key=lambda limit: (round(gain(limit), 6), -abs(limit)))


def report(weighed: Sequence[Weighed], model: SecondOpinion) -> str:
    """Return what the rules stop, and what they and the model stop together."""
    parts = []
    for dangerous in (True, False):
        rows = [one for one in weighed if one.row.dangerous is dangerous]
        rules = sum(one.row.stopped for one in rows)
        both = sum(one.is_stopped(model) for one in rows)
        name, share = "to stop" if dangerous else "to pass", 100 / max(len(rows), 1)
        parts.append(f"{name}: {len(rows)} rows, {rules * share:.1f} % by rules, {both * share:.1f} % with the model")
    return "; ".join(parts)


def report_aside(found: Sequence[Example], starts: tuple[str, ...], say: Callable[[str], None]) -> None:
    """Report what a model that was trained without some topics makes of them."""
    seen = [one for one in found if not one.topic.startswith(starts)]
    weighed = weigh_unseen(seen)
    model = fit(seen, weighed)
    for start in starts:
        aside = weigh_rows(model, [one for one in found if one.topic.startswith(start)])
        say(f"{start} threshold {model.threshold}, calm {model.calm} and {model.very_calm}; {report(aside, model)}")


def fit(found: Sequence[Example], weighed: Sequence[Weighed]) -> SecondOpinion:
    """Return a model of all rows, with the thresholds that suit rows which their models had not seen."""
    weights, bias = train(found)
    calm, very_calm = [choose_calm(weighed, grave=grave) for grave in (False, True)]
    return SecondOpinion(choose_threshold(weighed), bias, weights, calm, min(calm, very_calm))


def main(say: Callable[[str], None] = print) -> None:
    """Choose the thresholds on rows that each model has not seen, train on all rows, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of JSONL files with labelled actions")
    parser.add_argument("--aside", nargs="+", metavar="START", help="report on the topics that begin so, write nothing")
    options = parser.parse_args()
    found = examples(read_corpus(options.folder)) + curated()
    if options.aside:
        report_aside(found, tuple(options.aside), say)
        return
    weighed = weigh_unseen(found)
    model = fit(found, weighed)
    FILE.write_text(as_toml(model), "utf-8")
    limits = f"threshold {model.threshold}, calm {model.calm} and {model.very_calm}"
    say(f"{len(model.weights)} weights, {limits}; {report(weighed, model)}")


if __name__ == "__main__":
    main()
