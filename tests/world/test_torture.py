"""Torture, in short: `make torture` does the same for longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torture.torture import judge

from interlock import Action, Gate
from interlock.approval.repository import ApprovalRepository
from interlock.approval.rules import ApprovalRules
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.verify import verify
from interlock.errors import ApprovalError
from interlock.store.database import Database
from tests.world.postgres import Server
from tests.world.requests import no, request_approval, yes

ROOT = Path(__file__).parent.parent.parent


def torture(*words: str) -> str:
    command = [sys.executable, "-W", "ignore", "-m", "torture.torture", *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_writers_that_are_killed_lose_nothing(store: str) -> None:
    assert "none lost" in torture("kill", "--kills", "25", "--store", store)


def test_a_full_disk_loses_nothing() -> None:
    assert "none lost" in torture("full")


def test_a_server_that_restarts_loses_nothing() -> None:
    assert "none lost" in torture("restart", "--restarts", "2")


def test_a_lost_answer_is_detected(store: str, tmp_path: Path) -> None:
    with Gate(store=store) as gate:
        gate.check(Action.shell("ls w1-1"))
    notes = tmp_path / "w1.notes"
    notes.write_text("w1-1\n")
    assert judge(store, tmp_path)[0] == 1
    notes.write_text("w1-1\nw1-2\n")
    with pytest.raises(SystemExit, match="1 answers are lost"):
        judge(store, tmp_path)


def _answer_all(store: str, own: Path, ids: list[str], name: str, start: int) -> None:
    """Answer every request in another process; what counted goes into a file."""
    journal = Journal(Database(store), SigningKey.at(own), own)
    register = ApprovalRepository(journal, ApprovalRules())
    os.read(start, 1)
    counted = []
    for one in ids:
        try:
            register.answer(one, yes(name) if name == "bob" else no(name))
            counted.append(one)
        except ApprovalError:
            continue
    (own / f"{name}.counted").write_text("\n".join(counted))


def test_one_answer_of_two_processes_counts(journal: Journal, store: str, own: Path) -> None:
    ids = [request_approval(journal, Action.shell(f"git push -f origin b{n}")).approval_id for n in range(100)]
    start, go = os.pipe()
    children = []
    for name in ("bob", "cid"):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _answer_all(store, own, ids, name, start)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    os.write(go, b"go")
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    counted = [line for name in ("bob", "cid") for line in (own / f"{name}.counted").read_text().split()]
    assert sorted(counted) == sorted(ids)
    assert verify(journal.database, KeyRing([journal.key.public]), folder=own).good


def test_the_server_of_the_tests_is_a_real_one(postgres: Server) -> None:
    import psycopg

    with psycopg.connect(postgres.url) as connection:
        row = connection.execute("SELECT version()").fetchone()
    assert row is not None
    assert row[0].startswith("PostgreSQL")
