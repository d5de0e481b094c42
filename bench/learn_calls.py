"""Train the opinion on tool calls: `python -m bench.learn_calls benchmark`, or `make learn`.

Logistic regression on the features of calls, fitted by gradient descent with a step size for each weight. The first
rounds add up all words of a call; in those that follow, a value weighs as much as its heaviest sentence, an argument at
least nothing, and harmless words take only so much from their sentence, as in the model that is used. The same rows
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
from interlock.accuracy.corpus import DANGEROUS, Row, read_corpus
from interlock.analyse.action import NOWHERE, is_described
from interlock.engine import Engine
from interlock.knowledge import artefact
from interlock.knowledge.tables import SecondOpinion
from interlock.levels import Level
from interlock.opinion.call_features import CallFeatures, call_features
from interlock.opinion.call_model import MAX_CALMING, is_judged_by_name, is_known_name, is_weighed_call, weigh_call

FILE = Path(artefact.FOLDER) / "tables" / "second-opinion-calls.toml"
FREE_EPOCHS, EPOCHS, STEP, PENALTY, SEED = 4, 6, 0.1, 0.03, 1
MIN_ROWS = 2
#: Lighter words are left out, except those of names: a call is eased only if they are known.
MIN_WEIGHT = 0.1
FOLDS = 5
#: How the topics begin that the rules were not written beside.
FRESH = ("tools-pairs-", "tools-bare-")
#: The share of harmful ones among the calls that the model stops besides those that the rules stop.
RIGHT = 0.85
#: The share of harmless ones among the calls that the model lets run although the rules stop them.
RIGHT_TO_EASE = 0.83


class Example(NamedTuple):
    """A call as the model sees it, and what the rules say."""

    topic: str
    call: CallFeatures
    dangerous: bool
    weighed: bool  # whether the rules would let it run, and the model judges it
    eased: bool = False  # whether the rules stop it, and the model may ease that


def examples(rows: Iterable[Row]) -> list[Example]:
    """Return the tool calls among rows, as the rules judge them without the model."""
    engine, found = Engine(second_opinion=False), []
    for row in rows:
        if row.kind != "tool" or row.source.startswith(SEQUENCES):
            continue
        assessed = engine.decide(row.action).assessment
        weighed = eased = False
        if not is_described(row.action, NOWHERE):
            weighed = assessed.level < Level.HIGH and is_weighed_call(row.action, assessed.analysis)
            eased = assessed.level is Level.HIGH and is_judged_by_name(row.action, assessed.analysis)
        found.append(Example(row.source, call_features(row.action), row.label == DANGEROUS, weighed, eased))
    return found


class _Trainer:
    """The weights while they are fitted. Features are numbers here."""

    def __init__(self, given: Sequence[Example]) -> None:
        counts = Counter[str]()
        for one in given:
            counts.update(sorted(one.call.all()))
        self.names = [name for name, count in counts.items() if count >= MIN_ROWS]
        numbers = {name: number for number, name in enumerate(self.names)}
        self.rows = [(_numbered(one.call, numbers), float(one.dangerous)) for one in given]
        self.weights = [0.0] * len(self.names)
        self.squares = [1e-3] * len(self.names)
        self.bias = 0.0

    def run(self, order: list[int], *, free: bool) -> None:
        """Go through all rows once."""
        for number in order:
            (named, arguments), wanted = self.rows[number]
            total = self.bias + sum([self.weights[one] for one in named])
            counted = [(named, False)]
            for parts in arguments:
                weight, part, calmed = max(map(self._weigh, parts))
                if free or weight > 0.0:
                    total += weight
                    counted.append((part, calmed and not free))
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - wanted
            self.bias -= STEP * 0.1 * error
            for part, calmed in counted:
                self._step(part, error, calmed=calmed)

    def _weigh(self, part: list[int]) -> tuple[float, list[int], bool]:
        """Return the weight of a sentence, and whether its harmless words have taken as much from it as they can."""
        found = [self.weights[one] for one in part]
        calming = sum([one for one in found if one < 0.0])
        return sum(found) - min(calming + MAX_CALMING, 0.0), part, calming <= -MAX_CALMING

    def _step(self, part: list[int], error: float, *, calmed: bool) -> None:
        weights, squares = self.weights, self.squares
        for one in part:
            weight = weights[one]
            slope = PENALTY * weight + (0.0 if calmed and weight < 0.0 else error)
            squares[one] += slope * slope
            weights[one] = weight - STEP * slope / math.sqrt(squares[one])


def _numbered(call: CallFeatures, numbers: dict[str, int]) -> tuple[list[int], list[list[list[int]]]]:
    """Return the features of a call as numbers, without those that are too rare."""
    named = [numbers[one] for one in call.name if one in numbers]
    arguments = [
        [[numbers[one] for one in sorted(part) if one in numbers] for part in parts]
        for parts in call.arguments.values()
    ]
    return named, [parts for parts in arguments if parts]


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
    """A fresh row, how much it weighs, and whether the model knows all words of the tool's name."""

    row: Example
    weight: float
    known: bool


def weigh_unseen(found: Sequence[Example]) -> list[Weighed]:
    """Return the fresh rows with their weights, each by a model that was trained without it and its neighbour."""
    with Pool(2) as workers:
        return [one for fold in workers.starmap(_weigh_fold, [(found, fold) for fold in range(FOLDS)]) for one in fold]


def _weigh_fold(found: Sequence[Example], fold: int) -> list[Weighed]:
    fresh = [one for one in found if one.topic.startswith(FRESH)]
    seen = [one for one in found if not one.topic.startswith(FRESH)]
    kept = [part == fold for part in _folds(fresh)]
    weights, bias = train(seen + [one for one, is_kept in zip(fresh, kept, strict=True) if not is_kept])
    model = SecondOpinion(0.0, bias, weights)
    return [
        Weighed(one, weigh_call(model, one.call), is_known_name(model, one.call))
        for one, is_kept in zip(fresh, kept, strict=True)
        if is_kept
    ]


def _folds(fresh: Sequence[Example]) -> list[int]:
    """Return the fold of each row. Rows of a topic that stand side by side resemble each other, and stay together."""
    numbers: dict[str, int] = defaultdict(int)
    folds = []
    for one in fresh:
        folds.append(numbers[one.topic] // 2 % FOLDS)
        numbers[one.topic] += 1
    return folds


def choose_threshold(weighed: Sequence[Weighed]) -> float:
    """Return the lowest weight above which enough calls are harmful."""
    return round(-_limit([(-one.weight, one.row.dangerous) for one in weighed if one.row.weighed], RIGHT), 2)


def choose_calm(weighed: Sequence[Weighed]) -> float:
    """Return the highest weight below which enough calls are harmless."""
    rows = [(one.weight, not one.row.dangerous) for one in weighed if one.row.eased and one.known]
    return round(_limit(rows, RIGHT_TO_EASE), 2)


def _limit(rows: list[tuple[float, bool]], share: float) -> float:
    """Return the last of the ordered places up to which a share of the rows is right, of at least twenty."""
    ordered = sorted(rows)
    right, last = 0, ordered[0][0] - 1.0
    for number, (place, is_right) in enumerate(ordered, start=1):
        right += is_right
        if number >= 20 and right >= share * number:
            last = place
    return last


def report(threshold: float, calm: float, weighed: Sequence[Weighed]) -> str:
    """Return what the model adds to the rules and takes from them, on rows that it had not seen."""
    parts = []
    for dangerous in (True, False):
        rows = [one for one in weighed if one.row.dangerous is dangerous]
        more = sum(one.row.weighed and one.weight >= threshold for one in rows)
        less = sum(one.row.eased and one.known and one.weight < calm for one in rows)
        name = "to stop" if dangerous else "to pass"
        share = 100 / len(rows)
        parts.append(f"{name}: {len(rows)} rows, +{more * share:.1f} and -{less * share:.1f} points")
    return "; ".join(parts)


def main(say: Callable[[str], None] = print) -> None:
    """Choose the thresholds on rows that each model has not seen, train on all rows, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of JSONL files with labelled actions")
    options = parser.parse_args()
    found = examples(read_corpus(options.folder))
    weighed = weigh_unseen(found)
    threshold, calm = choose_threshold(weighed), choose_calm(weighed)
    weights, bias = train(found)
    FILE.write_text(as_toml(SecondOpinion(threshold, bias, weights, calm)), "utf-8")
    say(f"{len(weights)} weights, threshold {threshold}, calm {calm}; {report(threshold, calm, weighed)}")


if __name__ == "__main__":
    main()
