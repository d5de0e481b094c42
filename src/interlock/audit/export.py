"""Exports of the chain: JSON lines that can be verified, CSV for spreadsheets, and OCSF for security systems."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from interlock.audit.ocsf_attacks import attacks_of, owasp_labels
from interlock.audit.outcomes import is_call_event, outcome_text
from interlock.audit.read import StoredRecord
from interlock.audit.record import KINDS, Record
from interlock.levels import Level, Verdict
from interlock.version import VERSION

OCSF_VERSION = "1.6.0"


def as_jsonl(lines: Iterable[StoredRecord]) -> Iterator[str]:
    """Yield each record's canonical JSON with its hash added at the end; the hash covers the text without it."""
    for line in lines:
        yield f'{line.body[:-1]},"hash":"{line.hash}"}}\n'


COLUMNS = "seq at kind actor name run_id agent_id approval_id outcome level score text digest hash".split()


def as_csv(lines: Iterable[StoredRecord]) -> Iterator[str]:
    """Yield rows for a spreadsheet; cells that could be taken for formulas are quoted."""
    yield _row(COLUMNS)
    for line in lines:
        record = line.record
        data = {
            "hash": line.hash,
            "at": iso_time(record.at),
            **{k: record.data.get(k) for k in ("level", "score", "text")},
        }
        if is_call_event(record):
            data["text"] = outcome_text(record)
        yield csv_line(data[name] if name in data else getattr(record, name) for name in COLUMNS)


def csv_line(cells: Iterable[Any]) -> str:
    """Return a row for a spreadsheet; cells that could be taken for formulas are quoted."""
    return _row(map(_cell, cells))


def _row(cells: Iterable[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    begins = text.lstrip(" \t\r\n;,\u3000")[:1]
    return f"'{text}" if (begins and begins in "=+-@＝＋－＠") or text[:1] in ("\t", "\r", "\n") else text


def iso_time(at: int) -> str:
    """Return a time in ISO 8601."""
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(timespec="microseconds")


#: OCSF classes (`class_uid`, `category_uid`) and `activity_id`, by the family of a record's kind.
_API, _FINDING, _LIFECYCLE, _ENTITY, _SIGN_IN = (6003, 6), (2004, 2), (6002, 6), (3004, 3), (3002, 3)
_CLASSES: dict[str, tuple[tuple[int, int], int]] = {
    "decision": (_API, 99),
    "approval": (_API, 99),
    "grant": (_ENTITY, 1),
    "bypass": (_API, 99),
    "override": (_API, 99),
    "download": (_API, 2),
    "risk": (_FINDING, 1),
    "observed": (_FINDING, 1),
    "run": (_LIFECYCLE, 3),
    "start": (_LIFECYCLE, 3),
    "configuration": (_ENTITY, 2),
    "policy": (_ENTITY, 3),
    "key": (_ENTITY, 1),
    "person": (_ENTITY, 3),
    "access": (_ENTITY, 1),
    "stop": (_ENTITY, 3),
    "webhook": (_ENTITY, 3),
    "channel": (_ENTITY, 3),
    "session": (_SIGN_IN, 99),
    "event": (_API, 99),
}
_OTHER = (_LIFECYCLE, 99)
_SEVERITIES = {Level.SAFE: 1, Level.LOW: 2, Level.MEDIUM: 3, Level.HIGH: 4, Level.CRITICAL: 5}
#: Outcomes of decisions that are for information only, whatever the level.
_HARMLESS = frozenset({Verdict.ALLOW.value})
#: OCSF's `action_id` and `disposition_id` by outcome: allowed, blocked, or other while there is no answer.
_DISPOSITIONS = {
    Verdict.ALLOW.value: (1, 1),
    Verdict.WARN.value: (1, 1),
    Verdict.BLOCK.value: (2, 2),
    Verdict.REQUIRE_APPROVAL.value: (2, 99),
    "approved": (1, 1),
    "rejected": (2, 2),
    "expired": (2, 2),
    "cancelled": (2, 2),
}


def as_ocsf(lines: Iterable[StoredRecord]) -> Iterator[str]:
    """Yield events of the Open Cybersecurity Schema Framework."""
    for line in lines:
        yield json.dumps(ocsf_event(line.record, line.hash), separators=(",", ":")) + "\n"


def ocsf_event(record: Record, last: str) -> dict[str, Any]:
    """Return a record as an OCSF event; what OCSF has no field for is under `unmapped`."""
    (number, category), activity = _CLASSES.get(record.kind.partition(".")[0], _OTHER)
    level = record.data.get("severity") or record.data.get("level")
    rules = record.data.get("rules") or () if record.kind == "decision" else ()
    found: dict[str, Any] = {
        "class_uid": number,
        "category_uid": category,
        "activity_id": activity,
        "activity_name": KINDS.get(record.kind, record.kind),
        "type_uid": number * 100 + activity,
        "severity_id": 1 if record.outcome in _HARMLESS else _SEVERITIES.get(Level(level), 1) if level else 1,
        "time": record.at // 1_000,
        "message": (
            outcome_text(record)
            if is_call_event(record)
            else record.data.get("text") or KINDS.get(record.kind, record.kind)
        ),
        "metadata": {
            "version": OCSF_VERSION,
            "uid": record.record_id,
            "sequence": record.seq,
            "event_code": record.kind,
            "correlation_uid": record.run_id,
            "product": {"name": "Interlock", "vendor_name": "Interlock", "version": VERSION},
            "profiles": ["security_control"],
            "labels": owasp_labels(rules) or None,
        },
        "actor": {"user": {"name": record.actor}, "session": {"uid": record.run_id}, "app_name": record.agent_id},
        "status_id": 2 if is_call_event(record) and record.outcome == "failed" else 1,
        "duration": record.data.get("durationMs") and round(record.data["durationMs"]),
        "attacks": attacks_of(rules) or None,
        "unmapped": {"hash": last, "digest": record.digest, "data": record.data},
    }
    if record.outcome in _DISPOSITIONS:
        found["action_id"], found["disposition_id"] = _DISPOSITIONS[record.outcome]
    whole: dict[str, Any] = _without_nulls({**found, **_CLASS_FIELDS[number](record)})
    return whole


_CLASS_FIELDS: dict[int, Callable[[Record], dict[str, Any]]] = {
    6003: lambda record: {
        "api": {"operation": record.name or record.kind, "request": {"uid": record.approval_id or record.record_id}},
        "src_endpoint": {"name": "localhost"},
    },
    2004: lambda record: {
        "finding_info": {"uid": record.record_id, "title": record.data.get("policy") or record.name or record.kind},
        "is_alert": record.outcome in ("block", "require_approval"),
    },
    6002: lambda record: {"app": {"name": record.agent_id or "interlock", "vendor_name": "Interlock"}},
    3002: lambda record: {"user": {"name": record.actor}, "service": {"name": "Interlock"}},
    3004: lambda record: {"entity": {"name": record.name or record.kind, "type": record.kind.partition(".")[0]}},
}


def _without_nulls(value: Any) -> Any:
    """Return a value without nulls and empty objects, which OCSF does not allow."""
    if isinstance(value, dict):
        found = {name: _without_nulls(item) for name, item in value.items()}
        return {name: item for name, item in found.items() if item not in (None, {})}
    return msgspec.to_builtins(value)


FORMATS: dict[str, Callable[[Iterable[StoredRecord]], Iterator[str]]] = {
    "jsonl": as_jsonl,
    "csv": as_csv,
    "ocsf": as_ocsf,
}
