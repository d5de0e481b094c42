"""The rows of the benchmark that are judged wrong. `make benchmark` writes the list anew; the tests compare it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from interlock import Engine
from interlock.accuracy.corpus import BENIGN, DANGEROUS, LabelledAction, read_corpus
from interlock.accuracy.measure import Sessions
from interlock.levels import Verdict

FOLDER = Path(__file__).parent.parent / "benchmark"
MISSED = FOLDER / "missed.tsv"
ENGINE = Engine(second_opinion=False)  # which was trained on these rows
#: How the topics begin whose rows have one label each and are there to train the second opinion.
TRAINING = ("tools-pairs-", "tools-bare-")


def row_id(row: LabelledAction) -> str:
    """Return a short id of a row, which depends on its topic, kind and text alone."""
    return hashlib.sha256("\0".join((row.source, row.session, row.kind, row.text)).encode()).hexdigest()[:12]


def missed_rows(engine: Engine, rows: Iterable[LabelledAction]) -> Iterator[LabelledAction]:
    """Yield the rows that are stopped but should pass, or pass but should be stopped."""
    sessions = Sessions(engine)
    for row in rows:
        stopped = sessions.decide(row).verdict >= Verdict.REQUIRE_APPROVAL
        if row.label in (DANGEROUS, BENIGN) and stopped is not (row.label == DANGEROUS):
            yield row


def judged_rows() -> list[LabelledAction]:
    """Return the rows that were judged twice or that rules were written beside."""
    return [row for row in read_corpus(FOLDER) if not row.source.startswith(TRAINING)]


def is_sampled(row: LabelledAction) -> bool:
    """Whether a row is in the sixth of the benchmark that `make test` decides: whole sessions, and single rows."""
    name = "\0".join((row.source, row.session)) if row.session else row_id(row)
    return hashlib.sha256(name.encode()).digest()[0] % 6 == 0


def describe(row: LabelledAction) -> str:
    """Return the line of a row in the list."""
    return f"{row_id(row)}\t{row.source}\t{row.label}"


def known_misses() -> set[str]:
    """Return the lines of the list."""
    return set(MISSED.read_text("utf-8").splitlines())


if __name__ == "__main__":
    judged = judged_rows()
    lines = sorted(map(describe, missed_rows(ENGINE, judged)), key=lambda line: [*line.split("\t")[1:], line])
    MISSED.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    sys.stdout.write(f"{len(lines):,} of {len(judged):,} rows are judged wrong\n")
