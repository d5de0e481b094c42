"""Train the opinion on tool calls: `python -m bench.learn_calls benchmark`, or `make learn`.

Logistic regression on the features of calls. A value weighs as much as its heaviest sentence, an argument at least
nothing. Weights start at how much more often a feature occurs in harmful calls, and are fitted by gradient descent with
a step size for each. The same rows always give the same model. The threshold is chosen on rows that the rules were not
written beside, each weighed by a model that has not seen it.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
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
from interlock.opinion.call_model import is_weighed_call, weigh_call

FILE = Path(artefact.FOLDER) / "tables" / "second-opinion-calls.toml"
EPOCHS, STEP, PENALTY, SEED = 6, 0.1, 0.03, 1
START = 0.5  # the share of its logarithmic odds that a weight starts with
MIN_ROWS = 3
MIN_WEIGHT = 0.1
FOLDS = 5
#: How the topics begin that the rules were not written beside.
FRESH = "tools-pairs-"
#: The share of harmful ones among the calls that the model stops besides those that the rules stop.
RIGHT = 0.85


class Example(NamedTuple):
    """A call as the model sees it, and what the rules say."""

    topic: str
    call: CallFeatures
    dangerous: bool
    weighed: bool  # whether the rules would let it run, and the model judges it


def examples(rows: Iterable[Row]) -> list[Example]:
    """Return the tool calls among rows, as the rules judge them without the model."""
    engine, found = Engine(second_opinion=False), []
    for row in rows:
        if row.kind != "tool" or row.source.startswith(SEQUENCES):
            continue
        assessed = engine.decide(row.action).assessment
        weighed = assessed.level < Level.HIGH and not is_described(row.action, NOWHERE)
        weighed = weighed and is_weighed_call(row.action, assessed.analysis)
        found.append(Example(row.source, call_features(row.action), row.label == DANGEROUS, weighed))
    return found


def train(given: Sequence[Example]) -> tuple[dict[str, float], float]:
    """Return the weights of features, and the bias."""
    weights = _starting_weights(given)
    squares: dict[str, float] = defaultdict(lambda: 1e-3)
    bias, order, shuffle = -1.0, list(given), random.Random(SEED)
    for _ in range(EPOCHS):
        shuffle.shuffle(order)
        for one in order:
            total, counted = _weigh(weights, bias, one.call)
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - one.dangerous
            bias -= STEP * 0.1 * error
            for name in counted:
                if name in weights:
                    slope = error + PENALTY * weights[name]
                    squares[name] += slope * slope
                    weights[name] -= STEP * slope / math.sqrt(squares[name])
    kept = {name: round(weight, 2) for name, weight in sorted(weights.items()) if abs(weight) >= MIN_WEIGHT}
    return kept, round(bias, 3)


def _starting_weights(given: Sequence[Example]) -> dict[str, float]:
    """Return the logarithmic odds of features that are frequent enough."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for one in given:
        counts[one.dangerous].update(sorted(one.call.all()))
    harmful = sum(one.dangerous for one in given) + 2
    harmless = len(given) - harmful + 4
    return {
        name: START * math.log((counts[True][name] + 1) / harmful * harmless / (counts[False][name] + 1))
        for name in {**counts[True], **counts[False]}
        if counts[True][name] + counts[False][name] >= MIN_ROWS
    }


def _weigh(weights: dict[str, float], bias: float, call: CallFeatures) -> tuple[float, list[str]]:
    """Return the weight of a call, and the features that count in it."""
    counted = list(call.name)
    total = bias + sum(weights.get(name, 0.0) for name in counted)
    for parts in call.arguments.values():
        weighed = [(sum(weights.get(name, 0.0) for name in part), number) for number, part in enumerate(parts)]
        heaviest, number = max(weighed, default=(0.0, 0))
        if heaviest > 0.0:
            total += heaviest
            counted += sorted(parts[number])
    return total, counted


def weigh_unseen(found: Sequence[Example]) -> list[tuple[Example, float]]:
    """Return the fresh rows with their weights, each by a model that was trained without it and its neighbour."""
    fresh = [one for one in found if one.topic.startswith(FRESH)]
    seen = [one for one in found if not one.topic.startswith(FRESH)]
    weighed = []
    for fold in range(FOLDS):
        others = [one for number, one in enumerate(fresh) if number // 2 % FOLDS != fold]
        weights, bias = train(seen + others)
        model = SecondOpinion(0.0, bias, weights)
        kept = (one for number, one in enumerate(fresh) if number // 2 % FOLDS == fold)
        weighed += [(one, weigh_call(model, one.call)) for one in kept]
    return weighed


def choose_threshold(weighed: Sequence[tuple[Example, float]]) -> float:
    """Return the lowest weight above which enough calls are harmful, of at least twenty."""
    ordered = sorted(((-weight, one.dangerous) for one, weight in weighed if one.weighed))
    right, lowest = 0, ordered[0][0] - 1.0
    for number, (place, dangerous) in enumerate(ordered, start=1):
        right += dangerous
        if number >= 20 and right >= RIGHT * number:
            lowest = place
    return round(-lowest, 2)


def report(threshold: float, weighed: Sequence[tuple[Example, float]]) -> str:
    """Return what the model adds to the rules, on rows that it had not seen."""
    parts = []
    for dangerous in (True, False):
        rows = [(one, weight) for one, weight in weighed if one.dangerous is dangerous]
        more = sum(one.weighed and weight >= threshold for one, weight in rows)
        name = "to stop" if dangerous else "to pass"
        parts.append(f"{name}: {len(rows)} rows, +{100 * more / len(rows):.1f} points")
    return "; ".join(parts)


def main(say: Callable[[str], None] = print) -> None:
    """Choose the threshold on rows that each model has not seen, train on all rows, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of JSONL files with labelled actions")
    options = parser.parse_args()
    found = examples(read_corpus(options.folder))
    weighed = weigh_unseen(found)
    threshold = choose_threshold(weighed)
    weights, bias = train(found)
    FILE.write_text(as_toml(SecondOpinion(threshold, bias, weights)), "utf-8")
    say(f"{len(weights)} weights, threshold {threshold}; {report(threshold, weighed)}")


if __name__ == "__main__":
    main()
