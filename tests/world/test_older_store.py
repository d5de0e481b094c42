"""A store that an older version has written: it opens, verifies, and its approvals still count."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Gate
from interlock.approval.request import ApprovalState
from interlock.approval.request_filter import parse_filter
from interlock.approval.request_list import RequestInbox
from interlock.approval.search_backfill import SearchBackfill
from interlock.audit.digest import action_digest
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.verify import verify
from interlock.errors import TamperedError
from interlock.store.database import Database
from interlock.store.migrate import prepare
from tests.world.requests import yes

DUMP = Path(__file__).parent / "stores" / "version_0_1_0.sql"
#: The public key of the machine that wrote it.
PUBLIC = "5551ad2477da21e93119c79518a363df398b213cee2f22365605aba7a820e213"
PLACE: dict[str, Any] = {"cwd": "/home/u/p", "workspace": "/home/u/p", "home": "/home/u"}
ACTIONS = [
    Action.shell("git status", **PLACE),
    Action.shell("git push --force origin main", **PLACE),
    Action(
        tool_name="deploy",
        input_payload={"zone": "eu", "n": 3, "é": [1.5, None, {"x": b"1"}]},
        environment="staging",
        **PLACE,
    ),
    Action.shell("git push --force origin later", **PLACE),
]


@pytest.fixture
def older(tmp_path: Path) -> str:
    """Return the URL of the older store, whose schema was brought up to date."""
    file = tmp_path / "older.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DUMP.read_text("utf-8"))
    url = f"sqlite:///{file}"
    prepare(Database(url))
    return url


@pytest.fixture
def trusting(own: Path) -> None:
    """Trust the key of the older store's machine."""
    own.mkdir()
    text = f'[audit]\nkeys = ["ed25519:{PUBLIC}"]\n[approvals]\nunattended = "queue"\none_person = true\n'
    (own / "interlock.toml").write_text(text)


def test_an_older_store_verifies(older: str) -> None:
    proof = verify(Database(older), KeyRing([PUBLIC]))
    assert proof.good, proof.faults
    assert proof.records


def test_digests_are_computed_as_before(older: str) -> None:
    database = Database(older)
    recorded = [line.record.digest for line in read_all(database, RecordFilter(kind="decision"))]
    store_id = verify(database, KeyRing([PUBLIC])).store_id
    assert recorded == [action_digest(store_id, action) for action in ACTIONS]


@pytest.mark.usefixtures("trusting")
def test_an_older_store_is_continued(older: str, own: Path) -> None:
    """A remembered approval is used, and a pending request is answered."""
    with Gate(store=older) as gate:
        assert gate.check(ACTIONS[1]).by == "remembered"
        (pending,) = gate.approvals.list()
        found = gate.approvals.answer(pending.approval_id, yes("bob"))
        assert found.state is ApprovalState.APPROVED
        with gate.run(agent_id="bot", run_id="run-2"):
            assert gate.check(ACTIONS[3]).by == "approval"
        assert {run.run_id for run, _ in gate.runs.list()} > {"run-1", "run-2"}
    proof = verify(Database(older), KeyRing([PUBLIC, SigningKey.at(own).public]), folder=own)
    assert proof.good, proof.faults


@pytest.mark.usefixtures("trusting")
def test_older_requests_are_found_by_every_filter_once_they_are_indexed(older: str, own: Path) -> None:
    filters = [parse_filter({"state": "approved", **one}) for one in ({"q": "origin main"}, {"tool": "Bash"})]
    with Gate(store=older) as gate:
        requests, backfill = RequestInbox(gate.journal, gate.approvals, "bob"), SearchBackfill(gate.journal)

        def find() -> list[int]:
            return [len(requests.page(wanted, 9)[0]) for wanted in filters]

        def set_reason(text: str) -> str:
            with gate.journal.database.write() as connection:
                before = str(connection.value("SELECT why FROM interlock_approvals WHERE state = 'approved'"))
                connection.run("UPDATE interlock_approvals SET why = :why WHERE state = 'approved'", why=text)
            return before

        assert find() == [0, 0]
        why = set_reason("forged")
        backfill.run_round()
        assert backfill.is_done
        assert find() == [0, 0], "a request that was changed outside is passed over"
        set_reason(why)
        SearchBackfill(gate.journal).run_round()
        assert find() == [1, 1]
    proof = verify(Database(older), KeyRing([PUBLIC, SigningKey.at(own).public]), folder=own)
    assert proof.good, proof.faults


def test_an_older_store_of_an_unknown_machine_is_not_continued(older: str) -> None:
    with pytest.raises(TamperedError, match="signed by the unknown key"):
        Gate(store=older)
