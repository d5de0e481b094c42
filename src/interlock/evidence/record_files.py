"""The files that are made of records, written in one pass over the chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import msgspec

from interlock.audit.export import as_jsonl
from interlock.audit.export_proof import ExportProof, ExportWatch
from interlock.audit.keys import SigningKey
from interlock.audit.read import RecordFilter, StoredRecord, read_all
from interlock.audit.record import Record
from interlock.evidence.files import COPIES, RECORDS, EvidenceFile
from interlock.evidence.period import RecordRange
from interlock.levels import Level, Verdict
from interlock.rules.standards.lists import find_reference
from interlock.rules.standards.rule_ids import OWASP_IDS, owasp_ids_of
from interlock.store.database import Database

#: Called with the number of records that are done, and their total.
Progress = Callable[[int, int], None]
#: How often progress is reported, in records.
_STEP = 500


class Counts:
    """Counts over the records of a period."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._groups: dict[str, Counter[str]] = {name: Counter() for name in ("verdict", "level", "agent", "rule")}
        self._owasp: Counter[tuple[str, str]] = Counter()
        self.removals: list[dict[str, Any]] = []

    def add(self, record: Record) -> None:
        """Count a record."""
        self._kinds[record.kind] += 1
        if record.kind == "prune":
            self.removals.append(msgspec.to_builtins(record))
        if record.kind != "decision":
            return
        rules = [str(name) for name in record.data.get("rules") or ()]
        verdict, level = record.outcome or "", str(record.data.get("level") or "")
        self._groups["verdict"][verdict] += 1
        self._groups["level"][level] += 1
        self._groups["agent"][record.agent_id or ""] += 1
        self._groups["rule"].update(set(rules))
        self._owasp.update((risk, verdict) for risk in owasp_ids_of(rules))

    @property
    def table(self) -> dict[str, Any]:
        """The counts as JSON writes them. An action counts once for each of its OWASP risks."""
        groups = {name: dict(sorted(found.items())) for name, found in self._groups.items()}
        groups["verdict"] = {verdict.value: groups["verdict"].get(verdict.value, 0) for verdict in Verdict}
        groups["level"] = {level.value: groups["level"].get(level.value, 0) for level in Level}
        owasp = {
            risk: {
                "name": find_reference(risk).name,
                **{verdict.value: self._owasp[risk, verdict.value] for verdict in Verdict},
            }
            for risk in OWASP_IDS
        }
        return {
            "decisions": self._kinds["decision"],
            **groups,
            "owasp": owasp,
            "kinds": dict(sorted(self._kinds.items())),
        }


class WrittenRecords(msgspec.Struct, frozen=True):
    """The result of a pass over the records."""

    counts: Counts
    proof: ExportProof


def write_records(
    database: Database, wanted: RecordRange, folder: Path, sign: tuple[str, int, SigningKey], progress: Progress
) -> WrittenRecords:
    """Write `records.jsonl` and the copies of its records by kind; return the counts, and the proof of the file.

    `sign` is the store's id, the time, and the key to sign with.
    """
    counts, watch = Counts(), ExportWatch()
    store_id, at, key = sign
    with ExitStack() as stack:
        whole = stack.enter_context((folder / RECORDS).open("x", encoding="utf-8"))
        copies = [(file, stack.enter_context((folder / file.name).open("x", encoding="utf-8"))) for file in COPIES]
        for line in watch.watch(_read(database, wanted, progress)):
            (text,) = as_jsonl([line])
            whole.write(text)
            if line.record.at in wanted.period:
                counts.add(line.record)
                _copy(line.record.kind, text, copies)
    return WrittenRecords(counts, watch.prove(folder / RECORDS, "jsonl", store_id, at, key))


def _copy(kind: str, text: str, copies: Sequence[tuple[EvidenceFile, TextIO]]) -> None:
    for file, opened in copies:
        if file.includes(kind):
            opened.write(text)


def _read(database: Database, wanted: RecordRange, progress: Progress) -> Iterator[StoredRecord]:
    """Yield the records of a range, a page at a time."""
    whole = max(0, wanted.last - wanted.first + 1)
    if not whole:
        return
    for line in read_all(database, RecordFilter(), after=wanted.first - 1):
        done = line.record.seq - wanted.first
        if done >= whole:
            return
        if not done % _STEP:
            progress(done, whole)
        yield line
