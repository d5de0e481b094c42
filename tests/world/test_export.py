"""Exports: what others read, and can prove."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import msgspec
import pytest

from interlock import Action, ActionRefused, Gate
from interlock.audit.export import FORMATS
from interlock.audit.export_proof import ExportWatch, verify_file
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import FAMILIES, RecordFilter, read_all
from interlock.audit.record import KINDS
from interlock.errors import InterlockError
from tests.reading import WHERE


@pytest.fixture
def filled(gate: Gate) -> Gate:
    """A gate that has seen all sorts of things."""
    for command in (
        "ls",
        "echo é‮ '=1+1'",
        "git push --force origin main",
        "rm -rf /",
        "curl -o x.sh https://x.example/x.sh",
    ):
        try:
            gate.check(Action.shell(command, agent_id="=cmd|' /C calc'!A0", run_id="r", **WHERE))
        except ActionRefused:
            continue
    return gate


def exported(gate: Gate, format_: str) -> str:
    return "".join(FORMATS[format_](read_all(gate.journal.database, RecordFilter())))


def test_exported_json_lines_can_be_verified(filled: Gate) -> None:
    """By nothing but a JSON reader and SHA-256: the text without its hash, after the hash before."""
    before = "0" * 64
    lines = exported(filled, "jsonl").splitlines()
    assert len(lines) == filled.journal.last_seq
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        told = record.pop("hash")
        body = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256((before + body).encode()).hexdigest()
        assert (record["seq"], before) == (number, told)


def test_exported_cells_are_never_formulas(filled: Gate) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(filled, "csv"))))
    assert len(rows) == filled.journal.last_seq
    assert all(not cell or cell[0] not in "=+-@\t\r" for row in rows for cell in row.values())
    assert {row["actor"] for row in rows} >= {"'=cmd|' /C calc'!A0"}
    decided = [row for row in rows if row["kind"] == "decision"]
    assert [(row["outcome"], row["level"]) for row in decided][:1] == [("allow", "low")]


#: What OCSF 1.6 requires of every event, and of each of the classes that we use.
REQUIRED = {"activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid"}
OF_CLASS = {
    6003: {"actor", "api", "src_endpoint"},
    2004: {"finding_info"},
    6002: {"app"},
    3004: {"entity"},
}


def test_ocsf_events_have_what_their_class_requires(filled: Gate) -> None:
    events = [json.loads(line) for line in exported(filled, "ocsf").splitlines()]
    assert len(events) == filled.journal.last_seq
    for event in events:
        assert set(event) >= REQUIRED | OF_CLASS[event["class_uid"]]
        assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
        assert event["category_uid"] == event["class_uid"] // 1_000
        assert event["metadata"]["version"] == "1.6.0"
        assert set(event["metadata"]["product"]) == {"name", "vendor_name", "version"}
        assert 1 <= event["severity_id"] <= 5
        assert "null" not in json.dumps({**event, "unmapped": None}).replace('"unmapped": null', "")
    by_outcome = {event["message"]: event for event in events if event["class_uid"] == 6003}
    assert (by_outcome["rm -rf /"]["action_id"], by_outcome["rm -rf /"]["severity_id"]) == (2, 5)
    assert by_outcome["ls"]["action_id"] == 1


def test_ocsf_events_name_techniques_and_tactics(filled: Gate) -> None:
    """As OCSF 1.6 describes the object `attack`: at least one of the three, each with an id or a name."""
    events = [json.loads(line) for line in exported(filled, "ocsf").splitlines()]
    attacks = [attack for event in events for attack in event.get("attacks", ())]
    assert attacks
    for attack in attacks:
        assert set(attack) <= {"tactic", "technique", "sub_technique", "version"}
        assert {"technique", "version"} <= set(attack)
        assert all({"uid", "name"} <= set(attack[name]) for name in set(attack) - {"version"})
    deleted = next(event for event in events if event["message"] == "rm -rf /")
    found = {attack["technique"]["uid"]: attack["tactic"] for attack in deleted["attacks"]}
    assert found["T1485"] == {"uid": "TA0040", "name": "Impact"}
    assert found["AML.T0101"] == {"uid": "AML.TA0011", "name": "Impact"}
    assert deleted["metadata"]["labels"] == ["owasp:ASI02"]


def test_every_kind_has_a_name_and_a_family() -> None:
    assert all(KINDS.values())
    assert {"approval", "run", "grant", "decision"} <= set(FAMILIES)
    with pytest.raises(InterlockError, match="did you mean `decision`"):
        RecordFilter(kind="decison")


def test_records_are_filtered(filled: Gate, own: Path) -> None:
    database = filled.journal.database
    asked = filled.approvals.list(None)
    steps = ["approval.reviewed", "approval.requested", "approval.cancelled"]
    for one in asked:
        kinds = [line.record.kind for line in read_all(database, RecordFilter(approval_id=one.approval_id))]
        assert kinds == steps
    assert [line.record.kind for line in read_all(database, RecordFilter(kind="approval"))] == steps * len(asked)
    assert [line.record.name for line in read_all(database, RecordFilter(kind="download"))][:1] == [
        "/home/u/project/x.sh"
    ]
    middle = next(iter(read_all(database, RecordFilter(kind="approval")))).record.at
    assert all(line.record.at >= middle for line in read_all(database, RecordFilter(since=middle)))


def test_an_exported_file_is_proved_without_the_store(filled: Gate, tmp_path: Path, own: Path) -> None:
    key, ring = SigningKey.at(own), KeyRing([SigningKey.at(own).public])
    for format_ in FORMATS:
        watch, file = ExportWatch(), tmp_path / f"export.{format_}"
        lines = read_all(filled.journal.database, RecordFilter(), after=3)
        file.write_text("".join(FORMATS[format_](watch.watch(lines))), "utf-8")
        proof = watch.prove(file, format_, filled.journal.store_id, 1, key)
        (tmp_path / f"export.{format_}.proof").write_bytes(msgspec.json.encode(proof))
        found, faults = verify_file(file, ring)
        assert (found.first, found.complete, faults) == (4, True, [])
        file.write_text(file.read_text("utf-8").replace("git push", "git pull"), "utf-8")
        assert "the file was changed after it was exported" in verify_file(file, ring)[1]
    forged = msgspec.structs.replace(proof, last=99)
    (tmp_path / "export.jsonl.proof").write_bytes(msgspec.json.encode(forged))
    assert any("signature" in fault for fault in verify_file(tmp_path / "export.jsonl", ring)[1])
    assert any("unknown key" in fault for fault in verify_file(tmp_path / "export.csv", KeyRing([]))[1])


def test_an_allowed_action_is_for_information_only(filled: Gate) -> None:
    found = [json.loads(line) for line in exported(filled, "ocsf").splitlines()]
    decisions = [one for one in found if one["metadata"]["event_code"] == "decision"]
    assert {one["severity_id"] for one in decisions if one["action_id"] == 1} == {1}
    assert {one["severity_id"] for one in decisions if one["action_id"] == 2} >= {4, 5}
