"""Train the model: `python -m bench.learn benchmark`, or `make learn`.

Logistic regression by stochastic gradient descent with a step size for each weight. The same rows always give the same
model. The rows of the latest batch are kept aside: the threshold is chosen on them, and they show what is gained.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from interlock.accuracy.corpus import DANGEROUS, LabelledAction, read_corpus
from interlock.engine import Engine
from interlock.knowledge import artefact
from interlock.knowledge.table_types import SecondOpinion
from interlock.levels import Level
from interlock.opinion.features import features
from interlock.opinion.model import LANGUAGES, is_weighed, weigh

FILE = Path(artefact.FOLDER) / "tables" / "second-opinion.toml"
EPOCHS = 10
STEP = 0.1
PENALTY = 0.01
SEED = 1
LATEST = "6-"
#: A word has to occur in this many rows and topics; names that one writer made up do not.
MIN_ROWS, MIN_TOPICS = 5, 2
#: The share of harmless rows that the model may stop besides those that the rules stop, and a margin on top of the
#: threshold that this gives, since actions of other kinds than these rows resemble them less.
MAX_STOPPED = 0.0005
MARGIN = 1.2


#: How the topics begin whose rows are dangerous only after those before them.
SEQUENCES = "sequences-"


class Example(NamedTuple):
    """A row as the model sees it."""

    topic: str
    features: set[str]
    dangerous: bool
    stopped: bool  # by the rules
    weighed: bool = True  # whether the model judges it


def examples(rows: Iterable[LabelledAction]) -> list[Example]:
    """Return the rows in the model's languages, as the rules judge them without the model."""
    engine, found = Engine(second_opinion=False), []
    for row in rows:
        if row.kind not in LANGUAGES or row.source.startswith(SEQUENCES):
            continue
        assessed = engine.decide(row.action).assessment
        known = features(assessed.analysis, assessed.findings, assessed.level)
        stopped, weighed = assessed.level >= Level.HIGH, is_weighed(assessed.analysis)
        found.append(Example(row.source, known, row.label == DANGEROUS, stopped, weighed))
    return found


def train(given: Sequence[Example]) -> tuple[dict[str, float], float]:
    """Return the weights of features, and the bias."""
    kept = _frequent(given)
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
    return {name: round(weight, 3) for name, weight in sorted(weights.items()) if abs(weight) >= 0.01}, round(bias, 3)


def _frequent(given: Sequence[Example]) -> set[str]:
    rows: Counter[str] = Counter()
    topics: dict[str, set[str]] = defaultdict(set)
    for one in given:
        rows.update(one.features)
        for name in one.features:
            topics[name].add(one.topic.lstrip("0123456789-"))
    return {name for name, count in rows.items() if count >= MIN_ROWS and len(topics[name]) >= MIN_TOPICS}


def choose_threshold(model: SecondOpinion, given: Sequence[Example]) -> float:
    """Return the lowest threshold at which few enough of the harmless rows are stopped."""
    harmless = [one for one in given if not one.dangerous]
    allowed = int(len(harmless) * MAX_STOPPED)
    weighed = sorted((weigh(model, one.features) for one in harmless if one.weighed and not one.stopped), reverse=True)
    return round(weighed[allowed] + MARGIN, 3)


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
    defaults = dict(zip(("calm", "very_calm"), SecondOpinion.__struct_defaults__, strict=True))
    calm = "".join(f"{name} = {getattr(model, name)}\n" for name in defaults if getattr(model, name) != defaults[name])
    head += f"threshold = {model.threshold}\nbias = {model.bias}\n{calm}\n[weights]\n"
    return head + "\n".join(lines) + "\n"


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def main() -> None:
    """Train on all rows of a benchmark except some, choose the threshold on those, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of JSONL files with labelled actions")
    parser.add_argument(
        "--aside", default=LATEST, help=f"how the topics begin that the threshold is chosen on (default: {LATEST})"
    )
    options = parser.parse_args()
    found = examples(read_corpus(options.folder))
    kept = [one for one in found if one.topic.startswith(options.aside)]
    weights, bias = train([one for one in found if not one.topic.startswith(options.aside)])
    threshold = choose_threshold(SecondOpinion(0.0, bias, weights), kept)
    model = SecondOpinion(threshold, bias, weights)
    FILE.write_text(as_toml(model), "utf-8")
    print(f"{len(weights)} weights, threshold {model.threshold}; {report(model, kept)}")


if __name__ == "__main__":
    main()
