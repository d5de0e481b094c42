"""The chain: what is written is proved, and whatever is done to it is found."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, AnswerVerdict, ChallengeResult, GrantScope
from interlock.approval.requester import Requester
from interlock.approval.rules import ApprovalRules
from interlock.approval.transitions import use_approval
from interlock.audit.anchor import anchor_path, list_anchors
from interlock.audit.chain import Transaction, read_head
from interlock.audit.checkpoint import checkpoint
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey, format_key, parse_key
from interlock.audit.prune import count_prunable, prune
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.record import Entry, canonical, hash_of
from interlock.audit.rows import ROW_RECORDS, row_digest, short_name
from interlock.audit.verify import Proof, verify
from interlock.errors import StoreError, TamperedError
from interlock.model import Action
from interlock.policies.repository import PolicyRepository
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy
from interlock.store.backup import back_up
from interlock.store.clock import now
from interlock.store.connection import Connection, Row
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.tables import (
    TABLES,
    DatabaseTable,
    access,
    answers,
    approvals,
    checkpoints,
    grants,
    head,
    keys,
    people,
    policies,
    records,
    runs,
)
from interlock.store.where import Where
from tests.world.requests import put, request_approval, yes

ASKER = Requester("run-1", "bot", "ann")


def append(journal: Journal, count: int, **fields: object) -> None:
    for number in range(count):
        entry = Entry(kind="decision", at=now().wall, actor="x", name=f"tool {number}", **fields)  # type: ignore[arg-type]
        put(journal, entry)


def prove(journal: Journal, own: Path | None) -> Proof:
    return verify(journal.database, KeyRing([journal.key.public]), folder=own)


def test_a_chain_verifies(journal: Journal, own: Path) -> None:
    append(journal, 30)
    proof = prove(journal, own)
    assert proof.good, proof.faults
    assert (proof.records, proof.first, proof.last) == (31, 1, 31)


def test_an_empty_chain_verifies(journal: Journal, own: Path) -> None:
    assert prove(journal, own).good


def test_canonical_json_has_one_form() -> None:
    assert canonical({"b": 1, "a": {"d": "é", "c": None}}) == '{"a":{"c":null,"d":"é"},"b":1}'.encode()


def test_the_chain_can_be_recomputed_from_its_records(journal: Journal) -> None:
    append(journal, 5)
    last = "0" * 64
    with journal.database.read() as connection:
        for body, kept in connection.tuples("SELECT body, hash FROM interlock_records ORDER BY seq"):
            last = hash_of(last, body.encode())
            assert last == kept


def _edit(connection: Connection, **values: object) -> None:
    connection.update(records, {"seq": 10}, **values)


def _swap(connection: Connection) -> None:
    for number, to in ((10, 9_010), (11, 10), (9_010, 11)):
        connection.update(records, {"seq": number}, seq=to)


REPLACED = "UPDATE interlock_records SET body = replace(body, 'tool 8', 'tool 9') WHERE seq = 10"
TAMPERED: dict[str, Callable[[Connection], object]] = {
    "body": lambda c: c.run(REPLACED),
    "column": lambda c: _edit(c, name="another"),
    "time": lambda c: _edit(c, at=1),
    "kind": lambda c: _edit(c, kind="risk"),
    "run": lambda c: _edit(c, run_id="another"),
    "approval": lambda c: _edit(c, approval_id="another"),
    "id": lambda c: _edit(c, record_id="another"),
    "hash": lambda c: _edit(c, hash="0" * 64),
    "deletion": lambda c: c.run("DELETE FROM interlock_records WHERE seq = 10"),
    "order": _swap,
}


@pytest.mark.parametrize("how", TAMPERED)
def test_the_first_broken_record_is_named(journal: Journal, own: Path, how: str) -> None:
    append(journal, 20)
    with journal.database.write() as connection:
        TAMPERED[how](connection)
    proof = prove(journal, own)
    assert not proof.good
    assert proof.faults[0].seq == 10, proof.faults


def test_an_inserted_record_is_detected(journal: Journal, own: Path) -> None:
    append(journal, 5)
    with journal.database.write() as connection:
        (row,) = connection.rows("SELECT * FROM interlock_records WHERE seq = 6")
        connection.insert(records, {**row, "seq": 7, "record_id": "new"})
    assert [fault.seq for fault in prove(journal, own).faults][:1] == [7]


def cut(journal: Journal, to: int) -> None:
    """Remove the newest records, as an attacker would who knows the schema but has no key."""
    with journal.database.write() as connection:
        connection.run("DELETE FROM interlock_records WHERE seq > :last", last=to)
        connection.run("DELETE FROM interlock_checkpoints WHERE point > :last", last=to)


def test_the_signed_end_reveals_a_cut_tail(journal: Journal, own: Path) -> None:
    append(journal, 20)
    cut(journal, 15)
    assert "the tail is cut off" in str(prove(journal, None).faults[0])


def test_the_anchor_reveals_a_cut_tail_with_an_older_end(journal: Journal, own: Path) -> None:
    append(journal, 10)
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 10)
    cut(journal, older.seq)
    with journal.database.write() as connection:  # an end that was signed once, put back
        connection.update(head, {"id": 1}, **msgspec.structs.asdict(older))
    assert prove(journal, None).good  # nothing inside tells
    fault = prove(journal, own).faults[0]
    assert "the anchor of this machine refers to record 21" in str(fault)


def test_a_kept_checkpoint_reveals_a_cut_tail(journal: Journal, own: Path) -> None:
    append(journal, 20)
    with journal.database.read() as connection:
        assert read_head(connection).seq == 21
    kept = journal.commit(checkpoint)
    assert kept is not None
    ring = KeyRing([journal.key.public])
    assert verify(journal.database, ring, kept=kept).good
    for wrong, why in (
        (msgspec.structs.replace(kept, seq=10), "the signature of the checkpoint kept elsewhere is wrong"),
        (msgspec.structs.replace(kept, hash="0" * 64), "has another hash"),
        (msgspec.structs.replace(kept, store_id="another"), "belongs to another chain"),
    ):
        assert any(why in str(fault) for fault in verify(journal.database, ring, kept=wrong).faults)
    cut(journal, 15)
    faults = verify(journal.database, KeyRing([journal.key.public]), kept=kept).faults
    assert any("kept elsewhere" in str(fault) for fault in faults)


def test_a_rewritten_and_resigned_history_is_detected(journal: Journal, own: Path, tmp_path: Path) -> None:
    append(journal, 10)
    with journal.database.write() as connection:
        for table in TABLES:
            if table is not head:
                connection.run(f"DELETE FROM {table.name}")
        connection.update(head, {"id": 1}, seq=0, hash="0" * 64, key_id="", signature="")
    forger = Journal(journal.database, SigningKey.at(tmp_path / "forger"), tmp_path / "forger")
    append(forger, 10)
    told = " ".join(map(str, prove(journal, own).faults))
    assert "unknown key" in told
    assert "history was rewritten" in told


def test_a_replaced_store_is_detected(store: str, own: Path, journal: Journal) -> None:
    append(journal, 10)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, store_id="another")
    told = " ".join(map(str, prove(journal, own).faults))
    assert "another chain of 11 records was here before" in told


def test_the_end_is_checked_before_appending(journal: Journal, own: Path) -> None:
    append(journal, 5)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, hash="f" * 64)
    with pytest.raises(StoreError, match="changed outside Interlock"):
        append(journal, 1)


def test_an_end_signed_by_an_unknown_key_is_not_continued(journal: Journal) -> None:
    """A history that was rehashed, and signed with an unknown key."""
    append(journal, 5)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, hash="f" * 64, key_id="feedfacefeedface", signature="00")
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        append(journal, 1)


def test_an_older_copy_is_not_continued(journal: Journal, own: Path) -> None:
    """The newest records cut off, and an end put back that was signed once: a running gate sees it, and a new one."""
    append(journal, 5)
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 5)
    cut(journal, older.seq)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, **msgspec.structs.asdict(older))
    for one in (journal, Journal(journal.database, journal.key, own)):
        with pytest.raises(TamperedError, match="cut or replaced outside Interlock"):
            append(one, 1)


def test_a_store_verifies_while_others_write(journal: Journal, own: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            append(journal, 1)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(20):
            proof = prove(journal, own)
            assert proof.good, proof.faults
    finally:
        stop.set()
        thread.join(30)


def test_a_backup_that_is_written_to_leaves_the_original_s_anchor_alone(
    journal: Journal, own: Path, tmp_path: Path
) -> None:
    append(journal, 5)
    back_up(journal.database, tmp_path / "backup.db")
    copy = Journal(Database(f"sqlite:///{tmp_path / 'backup.db'}"), journal.key, own)
    append(copy, 20)
    assert prove(journal, own).good
    assert prove(copy, own).good
    copy.close()


def test_a_commit_stands_if_its_anchor_cannot_be_moved(
    journal: Journal, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_head: object) -> None:
        raise StoreError("the anchor cannot be written")

    append(journal, 1)
    monkeypatch.setattr(journal._anchor, "move", fail)
    append(journal, 1)  # it is committed, so it is not reported as failed
    with pytest.raises(StoreError, match="the anchor cannot be written"):
        append(journal, 1)  # but nothing more is written without it
    monkeypatch.undo()
    append(journal, 1)
    assert prove(journal, own).good


def test_a_signature_by_another_key_is_named(journal: Journal, tmp_path: Path) -> None:
    append(journal, 5)
    other = SigningKey.at(tmp_path / "other")
    faults = verify(journal.database, KeyRing([other.public])).faults
    assert f"the unknown key `{journal.key.key_id}` has signed records" in str(faults[0])
    assert verify(journal.database, KeyRing([other.public, parse_key(format_key(journal.key.public))])).good


def test_checkpoints_are_signed_at_intervals(journal: Journal, own: Path) -> None:
    entries = [Entry(kind="decision", at=1, actor="x") for _ in range(2_500)]
    for part in (entries[:1_200], entries[1_200:]):
        put(journal, *part)
    with journal.database.read() as connection:
        assert connection.value("SELECT count(*) FROM interlock_checkpoints") == 2
    assert prove(journal, own).good
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_checkpoints SET hash = :other", other="0" * 64)
    assert not prove(journal, own).good


def test_a_pruned_chain_verifies(journal: Journal, own: Path) -> None:
    still_open = request_approval(journal)
    append(journal, 20)
    middle = now().wall
    append(journal, 20)
    assert count_prunable(journal, middle) > 20
    removed = prune(journal, middle, "ann")
    assert removed == count_prunable(journal, middle) + removed
    proof = prove(journal, own)
    assert proof.good, proof.faults
    assert proof.first == removed + 1
    assert ApprovalRepository(journal, ApprovalRules()).get(still_open.approval_id).state.value == "pending"
    assert prune(journal, middle, "ann") == 0
    with journal.database.write() as connection:  # the checkpoint speaks for what is gone
        connection.run("DELETE FROM interlock_checkpoints")
    assert "there is no checkpoint for them" in " ".join(map(str, prove(journal, own).faults))


def full(journal: Journal) -> None:
    """Fill every table."""
    register = ApprovalRepository(journal, ApprovalRules(one_person=True))
    for number in range(6):
        approval = request_approval(
            journal, Action.shell(f"git push --force origin branch-{number}"), terms=ApprovalRules(one_person=True)
        )
        if number:
            taken = ChallengeResult(kind=approval.needs.challenge, passed=True, seconds=9)
            answer = Answer(approver="ann", verdict=AnswerVerdict.APPROVE, scope=GrantScope.RUN, challenge=taken)
            register.answer(approval.approval_id, answer)
    policy = Policy("p", conditions=(Condition("toolName", "equals", "x"),))
    for note in ("first", "second"):
        PolicyRepository(journal).save(policy, "ann", known=None, note=note)
    People(journal).add("bob", Role.REVIEWER, "ann")
    AccessKeys(journal).create("agent", Role.AGENT, owner="bob", actor="ann")
    append(journal, 30, run_id="r", data={"text": "ls"})
    journal.commit(checkpoint)


PROVED = (records, head, checkpoints, keys, runs, approvals, answers, grants, policies, people, access)
KEYS = {"interlock_records": ("seq",), "interlock_head": ("id",)}
UNIQUE = {"interlock_records": ("record_id",), "interlock_access": ("hash",)}
NUMBERS = frozenset(
    "seq at base_seq point started_at ended_at created_at created_ticks lasts used_at expires_at revoked_at uses "
    "version removed changed_at revision sequence issued_at".split()
)
#: A number that no record has, and for which a new store has a partition: PostgreSQL refuses others.
FREE = 90_000
#: How many edits are tried: with PostgreSQL each takes ten times as long, and the same code finds it.
EDITS_SQLITE, EDITS_POSTGRES = 1_000, 200


class UndoneError(Exception):
    """Raised so that nothing is committed."""


def keys_of(table: DatabaseTable) -> tuple[str, ...]:
    """Return the columns that name a row of a table."""
    return KEYS.get(table.name) or ROW_RECORDS[short_name(table)].row_key


def test_random_edits_are_detected(journal: Journal, own: Path) -> None:
    full(journal)
    assert prove(journal, own).good
    chance = random.Random(7)
    with journal.database.read() as connection:
        held = {table: connection.rows(f"SELECT * FROM {table.name}") for table in PROVED}
    for number in range(EDITS_SQLITE if journal.database.is_sqlite else EDITS_POSTGRES):
        with contextlib.suppress(UndoneError), journal.database.write() as connection:
            told = _random_edit(connection, held, chance)
            proof = _prove_inside(journal, own, connection)
            raise UndoneError
        assert not proof.good, f"edit {number} was not found: {told}"
    assert prove(journal, own).good


def _random_edit(connection: Connection, held: dict[DatabaseTable, list[Row]], chance: random.Random) -> str:
    """Change, remove or double a random one of the rows, or change one column of it; return what was done."""
    table = chance.choice([table for table in PROVED if held[table]])
    row = chance.choice(held[table])
    same = {name: row[name] for name in keys_of(table)}
    how = chance.random()
    if how < 0.35 and how >= 0.2:
        other = _copied(table, row, chance)
        connection.insert(table, other)
        return f"{table.name}: {other} put in"
    name = chance.choice([column for column in table.columns if column != "id"])
    value = _another(row[name], chance, numeric=name in NUMBERS)
    taken = name in same and any(all(one[key] == {**same, name: value}[key] for key in same) for one in held[table])
    if how < 0.2 or taken:
        where = Where().equals(**same)
        connection.run(f"DELETE FROM {table.name} {where}", **where.given)
        return f"{table.name}: {row} removed"
    connection.update(table, same, **{name: value})
    return f"{table.name}: {name} of {row} changed to {value!r}"


def _copied(table: DatabaseTable, row: dict[str, object], chance: random.Random) -> dict[str, object]:
    """Return a copy of a row with another key, which refers to some record or none."""
    other = dict(row)
    for column in (*keys_of(table), *UNIQUE.get(table.name, ())):
        other[column] = FREE if isinstance(row[column], int) else f"{row[column]}x"[-60:]
    if "seq" in other and "seq" not in keys_of(table):
        other["seq"] = chance.choice([0, 1, row["seq"]])
    return other


def _another(value: object, chance: random.Random, *, numeric: bool) -> object:
    if isinstance(value, int):
        return value + chance.choice([1, -1, 1_000, 60_000])
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        other = chance.choice([letter for letter in "0123456789abcdef" if letter != value[at]])
        return value[:at] + other + value[at + 1 :]
    return 5 if numeric else "x"


def _prove_inside(journal: Journal, own: Path, connection: Connection) -> Proof:
    """Verify what a transaction sees that is not committed."""

    class Inside(Database):
        def __init__(self) -> None:
            self.is_sqlite, self.shown = journal.database.is_sqlite, journal.database.shown

        def read(self):  # type: ignore[no-untyped-def]
            from contextlib import nullcontext

            return nullcontext(connection)

    return verify(Inside(), KeyRing([journal.key.public]), folder=own)


def test_a_moved_base_is_detected(journal: Journal, own: Path) -> None:
    """Older records are removed without pruning, and the chain is made to begin at an existing checkpoint."""
    put(journal, *(Entry(kind="decision", at=1, actor="x") for _ in range(2_500)))
    append(journal, 5)
    with journal.database.write() as connection:
        point, last = connection.tuples("SELECT point, hash FROM interlock_checkpoints ORDER BY point")[0]
        connection.run("DELETE FROM interlock_records WHERE seq <= :point", point=point)
        connection.update(head, {"id": 1}, base_seq=point, base_hash=last)
    told = " ".join(map(str, prove(journal, own).faults))
    assert "the signature of the end of the chain is wrong" in told
    assert "no record says that they were pruned" in told


@pytest.mark.parametrize("table", [answers, approvals, grants, runs, checkpoints, keys], ids=lambda table: table.name)
def test_a_row_without_a_record_is_detected(journal: Journal, own: Path, table: DatabaseTable) -> None:
    full(journal)
    with journal.database.write() as connection:
        row = connection.rows(f"SELECT * FROM {table.name}")[0]
        connection.insert(table, {**_copied(table, row, random.Random(1)), "seq": 0})
    assert not prove(journal, own).good


def test_an_answer_written_into_the_table_does_not_count(journal: Journal) -> None:
    register = ApprovalRepository(journal, ApprovalRules())
    approval = request_approval(journal, approvers=2)
    with journal.database.write() as connection:
        ghost = canonical(yes("ghost")).decode()
        row = {"approval_id": approval.approval_id, "approver": "ghost", "answer": ghost, "seq": 0}
        connection.insert(answers, row)
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        register.answer(approval.approval_id, yes("bob"))


def test_a_record_without_a_seal_does_not_vouch_for_a_row(journal: Journal) -> None:
    """A request and its record, both inserted without a key, and removed again."""
    approval = request_approval(journal)
    with journal.database.write() as connection:
        (row,) = connection.rows("SELECT * FROM interlock_approvals")
        forged = {**row, "approval_id": "forged", "state": "approved", "seq": FREE}
        body = canonical(
            {"data": {"table": "approvals", "row": row_digest(forged), "seal": "00", "key": "feed"}}
        ).decode()
        (told,) = connection.rows("SELECT * FROM interlock_records WHERE seq = :seq", seq=row["seq"])
        told |= {"seq": FREE, "record_id": "x", "approval_id": "forged", "body": body}
        connection.insert(records, told)
        connection.insert(approvals, forged)
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        journal.commit(lambda transaction: use_approval(transaction, ASKER, approval.digest, approval.needs))


def test_a_used_approval_cannot_be_reset(journal: Journal) -> None:
    register = ApprovalRepository(journal, ApprovalRules())
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes("bob"))
    with journal.database.read() as connection:
        (unused,) = connection.rows("SELECT * FROM interlock_approvals")
    assert (
        journal.commit(lambda transaction: use_approval(transaction, ASKER, approval.digest, approval.needs))
        is not None
    )
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_approvals SET used_at = NULL, seq = :seq", seq=unused["seq"])
    with pytest.raises(TamperedError, match="reset to an older state outside Interlock"):
        journal.commit(lambda transaction: use_approval(transaction, ASKER, approval.digest, approval.needs))


def test_a_store_with_an_unknown_key_is_not_continued(journal: Journal, own: Path, tmp_path: Path) -> None:
    """On a SQLite store only this machine's key and those in `audit.keys` count; verification names any other."""
    append(journal, 1)
    other = SigningKey.at(tmp_path / "other")
    if journal.database.is_sqlite:
        with pytest.raises(TamperedError, match="signed by the unknown key"):
            append(Journal(journal.database, other, tmp_path / "other"), 1)
        return
    append(Journal(journal.database, other, tmp_path / "other"), 1)
    append(journal, 1)  # on a shared store every registered key counts, until `audit.keys` names some
    assert f"the unknown key `{other.key_id}` has signed records" in " ".join(map(str, prove(journal, own).faults))
    append(Journal(journal.database, other, tmp_path / "other"), 1)
    strict = Journal(journal.database, journal.key, own, [SigningKey.at(tmp_path / "third").public])
    with pytest.raises(TamperedError, match="signed by the unknown key"):
        append(strict, 1)


def test_an_accepted_older_copy_is_continued(tmp_path: Path, own: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    journal = Journal(database, SigningKey.at(own), own)
    append(journal, 5)
    back_up(database, tmp_path / "backup.db")
    append(journal, 5)
    journal.close()
    for left in tmp_path.glob("x.db*"):
        left.unlink()
    (tmp_path / "backup.db").rename(tmp_path / "x.db")
    again = Journal(Database(f"sqlite:///{tmp_path / 'x.db'}"), SigningKey.at(own), own)
    with pytest.raises(TamperedError, match="interlock audit accept"):
        append(again, 1)
    assert again.accept("ann") == 11
    append(again, 1)
    assert prove(again, own).good


def test_pruning_refuses_changed_rows(journal: Journal) -> None:
    full(journal)
    middle = now().wall + 1
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_grants SET scope = 'always'")
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        prune(journal, middle, "ann")


def test_a_kept_checkpoint_of_pruned_records_is_too_old(journal: Journal) -> None:
    append(journal, 5)
    kept = journal.commit(checkpoint)
    append(journal, 5)
    prune(journal, now().wall + 1, "ann")
    append(journal, 1)
    assert kept is not None
    faults = verify(journal.database, KeyRing([journal.key.public]), kept=kept).faults
    assert "were pruned; keep a newer one" in str(faults[0])


def test_an_older_backup_verifies_where_it_was_made(journal: Journal, own: Path, tmp_path: Path) -> None:
    append(journal, 5)
    back_up(journal.database, tmp_path / "backup.db")
    append(journal, 5)
    copy = Database(f"sqlite:///{tmp_path / 'backup.db'}")
    assert verify(copy, KeyRing([journal.key.public]), folder=own).good


GARBAGE = {
    "a body that is no JSON": "UPDATE interlock_records SET body = 'garbage' WHERE seq = 5",
    "a body of bytes": "UPDATE interlock_records SET body = x'ff00' WHERE seq = 5",
    "a number that is none": "UPDATE interlock_approvals SET seq = 'zzz'",
    "a base that is none": "UPDATE interlock_head SET base_seq = 'zzz'",
    "an end that is none": "UPDATE interlock_head SET seq = NULL, hash = x'00'",
    "a key that is none": "UPDATE interlock_keys SET public = 'zz'",
    "a checkpoint that is none": "UPDATE interlock_checkpoints SET hash = x'00', signature = 7",
    "two ends": "INSERT INTO interlock_head SELECT 2, store_id, seq, hash, key_id, signature, base_seq, base_hash "
    "FROM interlock_head",
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_is_a_fault_and_not_a_crash(tmp_path: Path, own: Path, what: str) -> None:
    """SQLite lets anything stand in any column."""
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    journal = Journal(database, SigningKey.at(own), own)
    full(journal)
    with database.write() as connection, contextlib.suppress(sqlite3.IntegrityError):
        connection.run(GARBAGE[what].replace("seq = NULL, ", ""))
    assert not prove(journal, own).good
    with contextlib.suppress(TamperedError):  # in one line
        list(read_all(database, RecordFilter()))


def test_an_interrupt_reaches_only_the_waiting_caller(journal: Journal, own: Path) -> None:
    """Ctrl-C again and again in the main thread, while others write: they go on, and so does everything after."""
    append(journal, 1)
    stop, errors = threading.Event(), list[BaseException]()

    def write() -> None:
        try:
            while not stop.is_set():
                append(journal, 1)
        except BaseException as error:
            errors.append(error)

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in range(60):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.001 + number % 7 / 1_000)
                append(journal, 1_000)
            except KeyboardInterrupt:
                continue
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
        stop.set()
        for thread in threads:
            thread.join(60)
    assert errors == []
    assert not any(thread.is_alive() for thread in threads)
    append(journal, 3)
    assert prove(journal, own).good


def test_random_bytes_in_the_file_are_detected(tmp_path: Path, own: Path) -> None:
    """Flipped bytes anywhere in a database file are detected, or they have changed no data."""
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    journal = Journal(database, SigningKey.at(own), own)
    full(journal)
    append(journal, 260)
    database.close()
    whole = (tmp_path / "x.db").read_bytes()
    used = [at for at, byte in enumerate(whole) if at >= 100 and byte]  # most of a new file is empty pages
    held, proved = _held(tmp_path / "x.db"), _held(tmp_path / "x.db", PROVED)
    chance, changed, flips = random.Random(11), 0, 480
    for number in range(flips):
        spoiled = bytearray(whole)
        at = chance.choice(used)
        spoiled[at] ^= 1 << chance.randrange(8)
        file = tmp_path / "spoiled.db"
        file.write_bytes(spoiled)
        for left in ("spoiled.db-wal", "spoiled.db-shm"):
            (tmp_path / left).unlink(missing_ok=True)
        if _held(file) == held:
            continue  # an unused byte
        changed += 1
        copy = Database(f"sqlite:///{file}")
        with contextlib.suppress(StoreError):  # it cannot even be opened
            is_good = verify(copy, KeyRing([journal.key.public]), folder=own).good
            # Only a derived table may be left unread, and so be found unreadable by those who use it.
            unread = _held(file) is None and _held(file, PROVED) == proved
            assert not is_good or unread, f"flip {number} at {at}"
        copy.close()
    assert changed > flips / 2, "few of the bytes hold data, so little was tried"


def _held(file: Path, tables: Iterable[DatabaseTable] = TABLES) -> list[object] | None:
    """Return the data in tables of a file, or None if it cannot be read."""
    database = Database(f"sqlite:///{file}")
    try:
        with database.read() as connection:
            return [connection.tuples(f"SELECT * FROM {table.name} ORDER BY 1, 2") for table in tables]
    except (StoreError, ValueError):
        return None
    finally:
        database.close()


def test_waiting_operations_share_a_transaction(journal: Journal, own: Path) -> None:
    """Operations that arrive while a transaction is open share the next one."""
    entered, leave = threading.Event(), threading.Event()
    batches: list[int] = []

    def slow(transaction: Transaction) -> None:
        entered.set()
        leave.wait(30)

    def quick(transaction: Transaction) -> None:
        batches.append(transaction.before.seq)
        transaction.append(Entry(kind="decision", at=1, actor="x"))

    threads = [threading.Thread(target=journal.commit, args=(slow,))]
    threads[0].start()
    assert entered.wait(30)
    threads += [threading.Thread(target=journal.commit, args=(quick,)) for _ in range(20)]
    for thread in threads[1:]:
        thread.start()
    while len(journal._queue) < 20:
        time.sleep(0.001)
    leave.set()
    for thread in threads:
        thread.join(30)
    assert len(batches) == 20
    assert len(set(batches)) == 1, "twenty operations, one transaction"
    assert prove(journal, own).good


def test_a_failed_operation_does_not_affect_the_others(journal: Journal, own: Path) -> None:
    results: list[object] = []

    def run(fails: bool) -> None:
        def operation(transaction: Transaction) -> int:
            seq = transaction.append(Entry(kind="decision", at=1, actor="x")).seq
            if fails:
                raise ValueError("no")
            return seq

        try:
            results.append(journal.commit(operation))
        except ValueError as error:
            results.append(str(error))

    threads = [threading.Thread(target=run, args=(number % 3 == 0,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    numbers = sorted(found for found in results if isinstance(found, int))
    assert results.count("no") == 10
    assert len(set(numbers)) == 20
    assert prove(journal, own).records == 21


def test_a_forked_child_writes_to_the_same_chain(journal: Journal, own: Path) -> None:
    append(journal, 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            append(journal, 3)
            status = 0
        finally:
            os._exit(status)
    append(journal, 3)
    assert os.waitpid(child, 0)[1] == 0
    proof = prove(journal, own)
    assert proof.good, proof.faults
    assert proof.records == 10


def test_an_anchor_never_moves_backwards(journal: Journal, own: Path) -> None:
    append(journal, 3)
    (_, before), *_ = list_anchors(own)
    assert before is not None
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 3)
    journal._anchor.move(older)  # by a process that comes late
    (_, after), *_ = list_anchors(own)
    assert after is not None
    assert after.seq == before.seq + 3
    assert anchor_path(own, journal.store_id, journal.database.shown).stat().st_mode & 0o77 == 0
