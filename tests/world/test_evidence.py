"""Evidence: packed from a store, verified without it, and no change to it stays unnoticed."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.stops import Stops, StopTarget
from interlock.cli import main
from interlock.errors import InterlockError
from interlock.evidence.check import verify_evidence
from interlock.evidence.files import FILES, MANIFEST, README
from interlock.evidence.manifest import Manifest
from interlock.evidence.pack import EvidenceSource, pack_evidence
from interlock.evidence.period import Period, parse_period
from interlock.store.clock import now
from tests.reading import WHERE
from tests.world.postgres import Server

SECRET = "ghp_" + "a1B2c3D4e5" * 4
DAY = 86_400_000_000


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store on SQLite, unless a test asks for PostgreSQL."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    server: Server = request.getfixturevalue("postgres")
    return server.new()


@pytest.fixture
def source(gate: Gate, own: Path) -> EvidenceSource:
    """A store with decisions, an answered request, a person, a key and a stop."""
    for command in (
        "ls",
        f"curl -H 'Authorization: Bearer {SECRET}' https://api.example.com",
        "git push -f",
        "rm -rf /",
    ):
        try:
            gate.check(Action.shell(command, agent_id="claude", run_id="r", **WHERE))
        except ActionRefused:
            continue
    People(gate.journal).add("bob", Role.REVIEWER, "ann")
    AccessKeys(gate.journal).create("shop-agent", Role.AGENT, owner="bob", actor="ann")
    Stops(gate.journal).stop(StopTarget(agent_id="rogue"), "ann", "it deleted a branch")
    key = SigningKey.at(own)
    return EvidenceSource(gate.journal, gate.config, key, KeyRing([key.public]), own)


def pack(source: EvidenceSource, out: Path, period: Period | None = None, at: int = 0) -> Manifest:
    whole = period or Period(0, now().wall + DAY)
    return pack_evidence(source, whole, out, at, lambda _done, _whole: None)


def read(folder: Path, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


@pytest.mark.parametrize("store", ["sqlite", "postgresql"], indirect=True)
def test_a_pack_shows_what_happened(source: EvidenceSource, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    manifest = pack(source, folder)
    assert {one.name for one in manifest.files} == {file.name for file in FILES} | {README}
    assert manifest.verified
    assert len(read(folder, "records.jsonl")) == manifest.records == source.journal.last_seq
    counts = json.loads((folder / "counts.json").read_text())
    assert counts["verdict"]["block"] == 1
    assert counts["owasp"]["ASI02"]["block"] == 1
    assert counts["decisions"] == sum(counts["verdict"].values()) == 4
    pushed = next(one for one in read(folder, "approvals.jsonl") if "git push" in str(one["text"]))
    assert "git_force_push" in pushed["rules"]  # type: ignore[operator]
    assert "T1485" in pushed["standards"]  # type: ignore[operator]
    people = json.loads((folder / "people.json").read_text())
    assert [person["name"] for person in people["people"]] == ["bob"]
    assert [key["name"] for key in people["apiKeys"]] == ["shop-agent"]
    assert [one["kind"] for one in read(folder, "stops.jsonl")] == ["stop.made"]
    assert json.loads((folder / "configuration.json").read_text())["atEnd"]["data"]["mode"] == source.config.mode
    assert "ASI02" not in (folder / README).read_text()  # it is about files and lines, not about findings
    assert "AARM R5" in (folder / README).read_text()


def test_no_secret_is_packed(source: EvidenceSource, tmp_path: Path) -> None:
    People(source.journal).set_password("bob", "correct horse battery", "ann")
    with source.journal.database.read() as connection:
        kept = connection.values("SELECT hash FROM interlock_access UNION SELECT password FROM interlock_people")
    pack(source, tmp_path / "pack")
    for file in (tmp_path / "pack").iterdir():
        text = file.read_text()
        assert [secret for secret in (SECRET, "correct horse", "$argon2", *kept) if secret in text] == [], file.name


def test_equal_content_gives_equal_bytes(source: EvidenceSource, tmp_path: Path) -> None:
    period = Period(0, now().wall + DAY)
    pack(source, tmp_path / "one.zip", period, at=7)
    pack(source, tmp_path / "two.zip", period, at=7)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    before = source.journal.last_seq
    assert before == verify_evidence(tmp_path / "one.zip", source.key_ring)[0].records  # packing writes no record


def test_a_period_takes_its_records_only(source: EvidenceSource, tmp_path: Path) -> None:
    manifest = pack(source, tmp_path / "past", Period(0, 1))
    assert manifest.records == 0
    assert read(tmp_path / "past", "approvals.jsonl") == []
    assert verify_evidence(tmp_path / "past", source.key_ring)[1] == []
    with pytest.raises(InterlockError, match="the period is empty"):
        parse_period("2026-02-01", "2026-01-01", now().wall)
    with pytest.raises(InterlockError, match="`--to` must be a date"):
        parse_period("2026-02-01", "soon", now().wall)


def test_every_change_of_a_pack_is_found(source: EvidenceSource, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    manifest = pack(source, folder)
    assert verify_evidence(folder, source.key_ring)[1] == []
    for listed in manifest.files:
        file = folder / listed.name
        data = file.read_bytes()
        file.write_bytes(data[:-1] + b"!" if data else b"!")
        assert f"`{listed.name}` was changed after it was packed" in verify_evidence(folder, source.key_ring)[1]
        file.unlink()
        assert f"`{listed.name}` is missing" in verify_evidence(folder, source.key_ring)[1]
        file.write_bytes(data)
    (folder / "more.json").write_text("{}")
    assert verify_evidence(folder, source.key_ring)[1] == ["`more.json` is not in the manifest"]
    (folder / "more.json").unlink()
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text.replace('"verified": true', '"verified": false'))
    assert any("signature" in fault for fault in verify_evidence(folder, source.key_ring)[1])
    (folder / MANIFEST).write_text(text)
    assert "unknown key" in verify_evidence(folder, KeyRing([]))[1][0]


def test_a_pack_of_another_is_not_taken_for_it(source: EvidenceSource, tmp_path: Path) -> None:
    """A whole manifest that somebody else has signed counts for nothing."""
    other = SigningKey.at(tmp_path / "other")
    forged = EvidenceSource(source.journal, source.config, other, source.key_ring, source.folder)
    pack(forged, tmp_path / "forged")
    assert any("unknown key" in fault for fault in verify_evidence(tmp_path / "forged", source.key_ring)[1])


def test_a_zip_file_cannot_write_elsewhere_or_fill_the_disk(source: EvidenceSource, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    pack(source, folder)
    file = tmp_path / "bad.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in folder.iterdir():
            data = b"0" * 50_000_000 if one.name == "counts.json" else one.read_bytes()
            archive.writestr(one.name, data)
        archive.writestr("../escaped.txt", "x")
    _, faults = verify_evidence(file, source.key_ring)
    assert set(faults) == {"`../escaped.txt` is not in the manifest", "`counts.json` was changed after it was packed"}
    assert not (tmp_path / "escaped.txt").exists()
    (tmp_path / "not.zip").write_text("PK")
    with pytest.raises(InterlockError, match="is not a pack"):
        verify_evidence(tmp_path / "not.zip", source.key_ring)


def test_a_store_with_faults_is_packed_and_never_passes(source: EvidenceSource, tmp_path: Path) -> None:
    with source.journal.database.write() as connection:
        connection.run("UPDATE interlock_people SET role = 'admin' WHERE name = 'bob'")
    manifest = pack(source, tmp_path / "pack")
    assert not manifest.verified
    assert "checkpoint.json" not in {one.name for one in manifest.files}
    assert any(
        "not verified when this was packed" in fault for fault in verify_evidence(tmp_path / "pack", source.key_ring)[1]
    )


@pytest.mark.usefixtures("source")
def test_the_commands(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, url = tmp_path / "quarter.zip", store
    assert main(["evidence", "--from", "2020-01-01", "--out", str(out), "--store", url]) == 0
    assert "checks it" in capsys.readouterr().out
    assert main(["evidence", "--from", "2020-01-01", "--out", str(out), "--store", url]) == 1
    assert "already exists" in capsys.readouterr().err
    assert main(["evidence", "verify", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["good"]
    shutil.unpack_archive(out, tmp_path / "unpacked")
    (tmp_path / "unpacked" / "counts.json").write_text("{}")
    assert main(["evidence", "verify", str(tmp_path / "unpacked")]) == 2
    assert "`counts.json` was changed" in capsys.readouterr().out
    checkpoint = tmp_path / "unpacked" / "checkpoint.json"
    assert main(["audit", "verify", "--checkpoint", str(checkpoint), "--store", url]) == 0
