"""The published benchmark: its rows are well-formed, and none of them is judged worse unnoticed."""

from __future__ import annotations

from collections import Counter

import pytest

from interlock.accuracy.corpus import BENIGN, DANGEROUS, LabelledAction, read_corpus
from tests.benchmark import ENGINE, FOLDER, TRAINING, describe, is_sampled, known_misses, missed_rows, row_id

#: Topics whose rows all have the same label.
ONE_LABEL = ("-mentions", "-rewrites", "-ordinary")


@pytest.fixture(scope="module")
def rows() -> list[LabelledAction]:
    return read_corpus(FOLDER)


def test_every_topic_has_rows_of_both_labels(rows: list[LabelledAction]) -> None:
    counts = Counter((row.source, row.label) for row in rows)
    topics = {row.source for row in rows}
    assert topics == {file.stem for file in FOLDER.glob("*.jsonl")}
    both = [topic for topic in topics if not topic.endswith(ONE_LABEL) and not topic.startswith("sessions")]
    assert all(counts[topic, label] for topic in both for label in (DANGEROUS, BENIGN))
    assert {row.label for row in rows if not row.source.startswith("sequences")} == {DANGEROUS, BENIGN}


def test_no_row_is_there_twice(rows: list[LabelledAction]) -> None:
    single = [row for row in rows if not row.source.startswith("sequences")]  # in which a call may be repeated
    assert [row for row, count in Counter(map(row_id, single)).items() if count > 1] == []


def test_exactly_the_listed_rows_are_judged_wrong(rows: list[LabelledAction]) -> None:
    """`make benchmark` decides all rows and writes the list anew; look at what it adds before you commit it."""
    sample = [row for row in rows if is_sampled(row) and not row.source.startswith(TRAINING)]
    found = {describe(row): row.text for row in missed_rows(ENGINE, sample)}
    known = known_misses()
    assert known <= set(map(describe, rows)), "a row is listed that is not there"
    known &= set(map(describe, sample))
    assert {line: found[line] for line in found.keys() - known} == {}, "judged wrong now, and right before"
    assert known - found.keys() == set(), "judged right now: run `make benchmark`"
