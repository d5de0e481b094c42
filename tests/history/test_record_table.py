"""Records become rows of a table, and rows records."""

from __future__ import annotations

from pathlib import Path

from interlock.audit.read import RecordFilter, read_all
from interlock.gate import Gate
from interlock.history.record_table import SCHEMA, to_records, to_table
from interlock.model import Action


def test_a_table_holds_every_record_unchanged(tmp_path: Path) -> None:
    with Gate(store=f"sqlite:///{tmp_path}/store.db") as gate:
        gate.check(Action.shell("git status"))
        lines = list(read_all(gate.journal.database, RecordFilter()))
    table = to_table(lines)
    assert table.schema == SCHEMA
    assert list(to_records(table)) == lines
    decided = table.to_pylist()[[line.record.kind for line in lines].index("decision")]
    assert (decided["name"], decided["outcome"], decided["at"].tzname()) == ("Bash", "allow", "UTC")
