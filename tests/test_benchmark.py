"""The published benchmark: its rows are well-formed, and none of them is judged worse unnoticed."""

from __future__ import annotations

from collections import Counter

from interlock.accuracy.corpus import BENIGN, DANGEROUS, read_corpus
from tests.benchmark import ENGINE, FOLDER, describe, known_misses, missed_rows, row_id

ROWS = read_corpus(FOLDER)
#: Topics whose rows all have the same label.
ONE_LABEL = ("-mentions", "-rewrites", "-ordinary")


def test_every_topic_has_rows_of_both_labels() -> None:
    counts = Counter((row.source, row.label) for row in ROWS)
    topics = {row.source for row in ROWS}
    assert topics == {file.stem for file in FOLDER.glob("*.jsonl")}
    both = [topic for topic in topics if not topic.endswith(ONE_LABEL) and not topic.startswith("sessions")]
    assert all(counts[topic, label] >= 20 for topic in both for label in (DANGEROUS, BENIGN))
    assert {row.label for row in ROWS if not row.source.startswith("sequences")} == {DANGEROUS, BENIGN}


def test_no_row_is_there_twice() -> None:
    rows = [row for row in ROWS if not row.source.startswith("sequences")]  # in which a call may be repeated
    assert [row for row, count in Counter(map(row_id, rows)).items() if count > 1] == []


def test_exactly_the_listed_rows_are_judged_wrong() -> None:
    """`make benchmark` writes the list anew; look at what it adds before you commit it."""
    found, known = {describe(row): row.text for row in missed_rows(ENGINE)}, known_misses()
    assert {line: found[line] for line in found.keys() - known} == {}, "judged wrong now, and right before"
    assert known - found.keys() == set(), "judged right now: run `make benchmark`"
