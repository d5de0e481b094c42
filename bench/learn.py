"""Train the models: `python -m bench.learn benchmark`, or `make learn`.

Logistic regression by stochastic gradient descent with a step size for each weight. The same rows always give the same
models. The rows of the latest batch are kept aside: the threshold is chosen on them, and they show what is gained.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from interlock.accuracy.corpus import DANGEROUS, Row, read_corpus
from interlock.engine import Engine
from interlock.knowledge import artefact
from interlock.knowledge.tables import SecondOpinion
from interlock.levels import Level
from interlock.model import Action, Assessment
from interlock.opinion.features import features
from interlock.opinion.model import COMMANDS, LANGUAGES, TOOLS, is_weighed, weigh
from interlock.opinion.tool_features import NAMES, is_weighed_call, tool_features

EPOCHS = 10
STEP = 0.1
PENALTY = 0.01
SEED = 1
_BATCH = re.compile(r"(?:tools-)?(?:training-)?\d*-?")  # what the name of a topic begins with


class Example(NamedTuple):
    """A row as a model sees it."""

    topic: str
    features: set[str]
    dangerous: bool
    stopped: bool  # by the rules
    weighed: bool = True  # whether the model judges it


class Training(NamedTuple):
    """What a model is about, and how it is trained.

    A feature has to occur in `rows` rows and `topics` topics; names that one writer made up do not. Of the harmless
    rows that are kept aside, the model may stop the share `stopped` besides those that the rules stop; the threshold is
    then raised by `margin`, since actions of other kinds resemble the rows less.
    """

    name: str
    kinds: frozenset[str]
    read: Callable[[Action, Assessment], tuple[set[str], bool]]
    latest: str  # how the topics begin that are kept aside
    rows: int
    topics: int
    stopped: float
    margin: float
    free: tuple[str, ...] = ("",)  # how features begin that may have negative weights


def _read_command(_: Action, assessed: Assessment) -> tuple[set[str], bool]:
    return features(assessed.analysis, assessed.findings, assessed.level), is_weighed(assessed.analysis)


def _read_call(action: Action, assessed: Assessment) -> tuple[set[str], bool]:
    return tool_features(action), is_weighed_call(action, assessed.analysis)


TRAININGS = (
    Training(COMMANDS, LANGUAGES, _read_command, "6-", rows=5, topics=2, stopped=0.0005, margin=1.2),
    Training(
        TOOLS,
        frozenset({"tool"}),
        _read_call,
        "tools-4-",
        rows=3,
        topics=2,
        stopped=0.005,
        margin=0.0,
        free=NAMES,
    ),
)


def examples(training: Training, rows: Iterable[Row]) -> list[Example]:
    """Return the rows that a model is about, as the rules judge them without it."""
    engine, found = Engine(second_opinion=False), []
    for row in rows:
        if row.kind not in training.kinds:
            continue
        assessed = engine.decide(row.action).assessment
        known, weighed = training.read(row.action, assessed)
        found.append(Example(row.source, known, row.label == DANGEROUS, assessed.level >= Level.HIGH, weighed))
    return found


def train(training: Training, given: Sequence[Example]) -> tuple[dict[str, float], float]:
    """Return the weights of features, and the bias."""
    kept = _frequent(training, given)
    bounded = {name for name in kept if not name.startswith(training.free)}
    rows = [(sorted(one.features & kept), one.dangerous) for one in given]
    shuffle = random.Random(SEED)
    weights: dict[str, float] = defaultdict(float)
    squares: dict[str, float] = defaultdict(lambda: 1e-8)
    bias = 0.0
    for _ in range(EPOCHS):
        shuffle.shuffle(rows)
        for names, dangerous in rows:
            total = bias + sum(weights[name] for name in names)
            error = 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - dangerous
            bias -= STEP * 0.1 * error
            for name in names:
                slope = error + PENALTY * weights[name]
                squares[name] += slope * slope
                weights[name] -= STEP * slope / math.sqrt(squares[name])
                if weights[name] < 0 and name in bounded:
                    weights[name] = 0.0
    return {name: round(weight, 3) for name, weight in sorted(weights.items()) if abs(weight) >= 0.01}, round(bias, 3)


def _frequent(training: Training, given: Sequence[Example]) -> set[str]:
    rows: Counter[str] = Counter()
    topics: dict[str, set[str]] = defaultdict(set)
    for one in given:
        rows.update(one.features)
        for name in one.features:
            topics[name].add(_BATCH.sub("", one.topic, count=1))
    return {name for name, count in rows.items() if count >= training.rows and len(topics[name]) >= training.topics}


def choose_threshold(training: Training, model: SecondOpinion, given: Sequence[Example]) -> float:
    """Return the lowest threshold at which few enough of the harmless rows are stopped."""
    harmless = [one for one in given if not one.dangerous]
    allowed = int(len(harmless) * training.stopped)
    weighed = sorted((weigh(model, one.features) for one in harmless if one.weighed and not one.stopped), reverse=True)
    return round(weighed[allowed] + training.margin, 3)


def report(model: SecondOpinion, given: Sequence[Example]) -> str:
    """Return what the rules stop, and what the model adds."""
    parts = []
    for dangerous in (True, False):
        rows = [one for one in given if one.dangerous is dangerous]
        rules = sum(one.stopped for one in rows)
        more = sum(one.weighed and not one.stopped and weigh(model, one.features) >= model.threshold for one in rows)
        name = "to stop" if dangerous else "to pass"
        parts.append(
            f"{name}: {len(rows)} rows, {100 * rules / len(rows):.1f} % by rules, +{100 * more / len(rows):.2f} points"
        )
    return "; ".join(parts)


def as_toml(model: SecondOpinion) -> str:
    """Return the model as it is kept among the tables of the knowledge."""
    lines = [f"{_quote(name)} = {weight}" for name, weight in sorted(model.weights.items())]
    head = "# The second opinion. `make learn` writes this file; do not edit it.\n"
    return f"{head}threshold = {model.threshold}\nbias = {model.bias}\n\n[weights]\n" + "\n".join(lines) + "\n"


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def learn(training: Training, rows: Sequence[Row]) -> None:
    """Train a model on all rows except the latest, choose the threshold on those, and write the model."""
    found = examples(training, rows)
    kept = [one for one in found if one.topic.startswith(training.latest)]
    weights, bias = train(training, [one for one in found if not one.topic.startswith(training.latest)])
    threshold = choose_threshold(training, SecondOpinion(0.0, bias, weights), kept)
    model = SecondOpinion(threshold, bias, weights)
    (Path(artefact.FOLDER) / "tables" / f"{training.name}.toml").write_text(as_toml(model), "utf-8")
    print(f"{training.name}: {len(weights)} weights, threshold {model.threshold}; {report(model, kept)}")


def main() -> None:
    """Train the models on a benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of JSONL files with labelled actions")
    parser.add_argument("--only", choices=[one.name for one in TRAININGS], help="train this model only")
    options = parser.parse_args()
    rows = list(read_corpus(options.folder))
    for training in TRAININGS:
        if options.only in (None, training.name):
            learn(training, rows)


if __name__ == "__main__":
    main()
