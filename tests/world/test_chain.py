"""The chain: what is written is proved, and whatever is done to it is found."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.access.roles import Role
from interlock.approval.asker import Asker
from interlock.approval.register import Register, Terms, use
from interlock.approval.request import Answer, Reply, Scope, Taken
from interlock.audit.anchor import anchors, path_of
from interlock.audit.chain import Transaction, read_head
from interlock.audit.checkpoint import checkpoint
from interlock.audit.journal import Journal
from interlock.audit.keys import Key, Ring, parse_key, written
from interlock.audit.prune import prunable, prune
from interlock.audit.read import Wanted, every
from interlock.audit.record import Entry, canonical, hash_of
from interlock.audit.rows import TELLING, row_digest, short
from interlock.audit.verify import Proof, verify
from interlock.errors import StoreError, TamperedError
from interlock.model import Action
from interlock.policies.repository import PolicyRepository
from interlock.policy.conditions import Condition
from interlock.policy.policies import Policy
from interlock.store.backup import back_up
from interlock.store.clock import now
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.tables import (
    TABLES,
    Table,
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
from tests.world.requests import asked, put, yes

ASKER = Asker("run-1", "bot", "ann")


def append(journal: Journal, count: int, **fields: object) -> None:
    for number in range(count):
        entry = Entry(kind="decision", at=now().wall, actor="x", name=f"tool {number}", **fields)  # type: ignore[arg-type]
        put(journal, entry)


def prove(journal: Journal, own: Path | None) -> Proof:
    return verify(journal.database, Ring([journal.key.public]), folder=own)


def test_a_chain_is_proved(journal: Journal, own: Path) -> None:
    append(journal, 30)
    proof = prove(journal, own)
    assert proof.good, proof.faults
    assert (proof.records, proof.first, proof.last) == (31, 1, 31)


def test_an_empty_chain_is_proved(journal: Journal, own: Path) -> None:
    assert prove(journal, own).good


def test_canonical_json_has_one_form() -> None:
    assert canonical({"b": 1, "a": {"d": "é", "c": None}}) == '{"a":{"c":null,"d":"é"},"b":1}'.encode()


def test_the_chain_can_be_recomputed_by_anybody(journal: Journal) -> None:
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
def test_tampering_names_the_first_record_that_is_wrong(journal: Journal, own: Path, how: str) -> None:
    append(journal, 20)
    with journal.database.write() as connection:
        TAMPERED[how](connection)
    proof = prove(journal, own)
    assert not proof.good
    assert proof.faults[0].seq == 10, proof.faults


def test_an_insertion_is_found(journal: Journal, own: Path) -> None:
    append(journal, 5)
    with journal.database.write() as connection:
        (row,) = connection.rows("SELECT * FROM interlock_records WHERE seq = 6")
        connection.insert(records, {**row, "seq": 7, "record_id": "new"})
    assert [fault.seq for fault in prove(journal, own).faults][:1] == [7]


def cut(journal: Journal, to: int) -> None:
    """Cut the newest records off, as somebody would who knows the schema but has no key."""
    with journal.database.write() as connection:
        connection.run("DELETE FROM interlock_records WHERE seq > :last", last=to)
        connection.run("DELETE FROM interlock_checkpoints WHERE point > :last", last=to)


def test_a_cut_tail_is_found_by_the_signed_end(journal: Journal, own: Path) -> None:
    append(journal, 20)
    cut(journal, 15)
    assert "the tail is cut off" in str(prove(journal, None).faults[0])


def test_a_cut_tail_with_an_older_end_is_found_by_the_anchor(journal: Journal, own: Path) -> None:
    append(journal, 10)
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 10)
    cut(journal, older.seq)
    with journal.database.write() as connection:  # an end that was signed once, put back
        connection.update(head, {"id": 1}, **older._asdict())
    assert prove(journal, None).good  # nothing inside tells
    fault = prove(journal, own).faults[0]
    assert "the anchor of this machine knows of record 21" in str(fault)


def test_a_cut_tail_is_found_by_a_checkpoint_that_was_kept_elsewhere(journal: Journal, own: Path) -> None:
    append(journal, 20)
    with journal.database.read() as connection:
        assert read_head(connection).seq == 21
    kept = journal.commit(checkpoint)
    assert kept is not None
    ring = Ring([journal.key.public])
    assert verify(journal.database, ring, kept=kept).good
    for wrong, why in (
        (msgspec.structs.replace(kept, seq=10), "the signature of the checkpoint that was kept elsewhere is wrong"),
        (msgspec.structs.replace(kept, hash="0" * 64), "knows another"),
        (msgspec.structs.replace(kept, store_id="another"), "is of another chain"),
    ):
        assert any(why in str(fault) for fault in verify(journal.database, ring, kept=wrong).faults)
    cut(journal, 15)
    faults = verify(journal.database, Ring([journal.key.public]), kept=kept).faults
    assert any("kept elsewhere" in str(fault) for fault in faults)


def test_history_that_was_rewritten_and_signed_anew_is_found(journal: Journal, own: Path, tmp_path: Path) -> None:
    append(journal, 10)
    with journal.database.write() as connection:
        for table in TABLES:
            if table is not head:
                connection.run(f"DELETE FROM {table.name}")
        connection.update(head, {"id": 1}, seq=0, hash="0" * 64, key_id="", signature="")
    forger = Journal(journal.database, Key.at(tmp_path / "forger"), tmp_path / "forger")
    append(forger, 10)
    told = " ".join(map(str, prove(journal, own).faults))
    assert "whom nobody here knows" in told
    assert "history was rewritten" in told


def test_a_store_that_was_put_in_place_of_another_is_found(store: str, own: Path, journal: Journal) -> None:
    append(journal, 10)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, store_id="another")
    told = " ".join(map(str, prove(journal, own).faults))
    assert "another chain of 11 records stood here before" in told


def test_the_end_is_checked_before_anything_is_built_on_it(journal: Journal, own: Path) -> None:
    append(journal, 5)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, hash="f" * 64)
    with pytest.raises(StoreError, match="changed behind our back"):
        append(journal, 1)


def test_nothing_is_built_on_an_end_that_a_stranger_signed(journal: Journal) -> None:
    """A history that was rehashed, under a key that nobody has."""
    append(journal, 5)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, hash="f" * 64, key_id="feedfacefeedface", signature="00")
    with pytest.raises(TamperedError, match="changed behind our back"):
        append(journal, 1)


def test_nothing_is_built_on_an_older_copy(journal: Journal, own: Path) -> None:
    """The newest records cut off, and an end put back that was signed once: a running gate sees it, and a new one."""
    append(journal, 5)
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 5)
    cut(journal, older.seq)
    with journal.database.write() as connection:
        connection.update(head, {"id": 1}, **older._asdict())
    for one in (journal, Journal(journal.database, journal.key, own)):
        with pytest.raises(TamperedError, match="cut or replaced behind our back"):
            append(one, 1)


def test_a_store_is_proved_while_others_write(journal: Journal, own: Path) -> None:
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


def test_an_answer_counts_although_its_anchor_cannot_be_moved(
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
    other = Key.at(tmp_path / "other")
    faults = verify(journal.database, Ring([other.public])).faults
    assert f"`{journal.key.key_id}` has signed here, whom nobody here knows" in str(faults[0])
    assert verify(journal.database, Ring([other.public, parse_key(written(journal.key.public))])).good


def test_checkpoints_are_signed_on_the_way(journal: Journal, own: Path) -> None:
    entries = [Entry(kind="decision", at=1, actor="x") for _ in range(2_500)]
    for part in (entries[:1_200], entries[1_200:]):
        put(journal, *part)
    with journal.database.read() as connection:
        assert connection.value("SELECT count(*) FROM interlock_checkpoints") == 2
    assert prove(journal, own).good
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_checkpoints SET hash = :other", other="0" * 64)
    assert not prove(journal, own).good


def test_pruning_keeps_the_rest_provable(journal: Journal, own: Path) -> None:
    still_open = asked(journal)
    append(journal, 20)
    middle = now().wall
    append(journal, 20)
    assert prunable(journal, middle) > 20
    removed = prune(journal, middle, "ann")
    assert removed == prunable(journal, middle) + removed
    proof = prove(journal, own)
    assert proof.good, proof.faults
    assert proof.first == removed + 1
    assert Register(journal, Terms()).get(still_open.approval_id).state.value == "pending"
    assert prune(journal, middle, "ann") == 0
    with journal.database.write() as connection:  # the checkpoint speaks for what is gone
        connection.run("DELETE FROM interlock_checkpoints")
    assert "no checkpoint speaks for them" in " ".join(map(str, prove(journal, own).faults))


def full(journal: Journal) -> None:
    """Fill every table."""
    register = Register(journal, Terms(one_person=True))
    for number in range(6):
        approval = asked(
            journal, Action.shell(f"git push --force origin branch-{number}"), terms=Terms(one_person=True)
        )
        if number:
            taken = Taken(kind=approval.needs.challenge, passed=True, seconds=9)
            answer = Answer(approver="ann", verdict=Reply.APPROVE, scope=Scope.RUN, challenge=taken)
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
    "version removed changed_at".split()
)
EDITS = 1_000


class UndoneError(Exception):
    """Raised so that nothing is committed."""


def keys_of(table: Table) -> tuple[str, ...]:
    """Return the columns that name a row of a table."""
    return KEYS.get(table.name) or TELLING[short(table)].row


def test_a_thousand_random_edits_are_all_found(journal: Journal, own: Path) -> None:
    full(journal)
    assert prove(journal, own).good
    chance = random.Random(7)
    for number in range(EDITS):
        with contextlib.suppress(UndoneError), journal.database.write() as connection:
            told = _random_edit(connection, chance)
            proof = _prove_inside(journal, own, connection)
            raise UndoneError
        assert not proof.good, f"edit {number} was not found: {told}"
    assert prove(journal, own).good


def _random_edit(connection: Connection, chance: random.Random) -> str:
    """Change, remove or double a random row, or change one column of it; return what was done."""
    held = {table: connection.rows(f"SELECT * FROM {table.name}") for table in PROVED}
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
        where = Where().same(**same)
        connection.run(f"DELETE FROM {table.name} {where}", **where.given)
        return f"{table.name}: {row} removed"
    connection.update(table, same, **{name: value})
    return f"{table.name}: {name} of {row} changed to {value!r}"


def _copied(table: Table, row: dict[str, object], chance: random.Random) -> dict[str, object]:
    """Return a row like another one, under a name of its own, told of by some record or none."""
    other = dict(row)
    for column in (*keys_of(table), *UNIQUE.get(table.name, ())):
        other[column] = 900_000 if isinstance(row[column], int) else f"{row[column]}x"[-60:]
    if "seq" in other and "seq" not in keys_of(table):
        other["seq"] = chance.choice([0, 1, row["seq"]])
    return other


def _another(value: object, chance: random.Random, *, numeric: bool) -> object:
    if isinstance(value, int):
        return value + chance.choice([1, -1, 1_000, 60_000_000])
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

    return verify(Inside(), Ring([journal.key.public]), folder=own)


def test_a_base_that_was_moved_is_found(journal: Journal, own: Path) -> None:
    """Older records removed, and the chain made to begin at a checkpoint that is there: nobody pruned them."""
    put(journal, *(Entry(kind="decision", at=1, actor="x") for _ in range(2_500)))
    append(journal, 5)
    with journal.database.write() as connection:
        point, last = connection.tuples("SELECT point, hash FROM interlock_checkpoints ORDER BY point")[0]
        connection.run("DELETE FROM interlock_records WHERE seq <= :point", point=point)
        connection.update(head, {"id": 1}, base_seq=point, base_hash=last)
    told = " ".join(map(str, prove(journal, own).faults))
    assert "the signature of the end of the chain is wrong" in told
    assert "no record tells that they were pruned" in told


@pytest.mark.parametrize("table", [answers, approvals, grants, runs, checkpoints, keys], ids=lambda table: table.name)
def test_a_row_that_no_record_tells_of_is_found(journal: Journal, own: Path, table: Table) -> None:
    full(journal)
    with journal.database.write() as connection:
        row = connection.rows(f"SELECT * FROM {table.name}")[0]
        connection.insert(table, {**_copied(table, row, random.Random(1)), "seq": 0})
    assert not prove(journal, own).good


def test_an_answer_that_was_put_into_the_table_does_not_count(journal: Journal) -> None:
    register = Register(journal, Terms())
    approval = asked(journal, approvers=2)
    with journal.database.write() as connection:
        ghost = canonical(yes("ghost")).decode()
        row = {"approval_id": approval.approval_id, "approver": "ghost", "answer": ghost, "seq": 0}
        connection.insert(answers, row)
    with pytest.raises(TamperedError, match="changed behind our back"):
        register.answer(approval.approval_id, yes("bob"))


def test_a_record_that_nobody_sealed_speaks_for_no_row(journal: Journal) -> None:
    """A request and a record that tells of it, both put in by somebody without a key, and taken out again."""
    approval = asked(journal)
    with journal.database.write() as connection:
        (row,) = connection.rows("SELECT * FROM interlock_approvals")
        forged = {**row, "approval_id": "forged", "state": "approved", "seq": 10**9}
        body = canonical(
            {"data": {"table": "approvals", "row": row_digest(forged), "seal": "00", "key": "feed"}}
        ).decode()
        (told,) = connection.rows("SELECT * FROM interlock_records WHERE seq = :seq", seq=row["seq"])
        told |= {"seq": 10**9, "record_id": "x", "approval_id": "forged", "body": body}
        connection.insert(records, told)
        connection.insert(approvals, forged)
    with pytest.raises(TamperedError, match="changed behind our back"):
        journal.commit(lambda transaction: use(transaction, ASKER, approval.digest, approval.needs))


def test_what_was_used_cannot_be_set_back(journal: Journal) -> None:
    register = Register(journal, Terms())
    approval = asked(journal)
    register.answer(approval.approval_id, yes("bob"))
    with journal.database.read() as connection:
        (unused,) = connection.rows("SELECT * FROM interlock_approvals")
    assert journal.commit(lambda transaction: use(transaction, ASKER, approval.digest, approval.needs)) is not None
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_approvals SET used_at = NULL, seq = :seq", seq=unused["seq"])
    with pytest.raises(TamperedError, match="set back behind our back"):
        journal.commit(lambda transaction: use(transaction, ASKER, approval.digest, approval.needs))


def test_a_key_that_nobody_knows_is_not_built_on(journal: Journal, own: Path, tmp_path: Path) -> None:
    """On an embedded store only this machine's key counts, and those that it was told of; verify names any other."""
    append(journal, 1)
    other = Key.at(tmp_path / "other")
    if journal.database.is_sqlite:
        with pytest.raises(TamperedError, match="whom nobody here knows"):
            append(Journal(journal.database, other, tmp_path / "other"), 1)
        return
    append(Journal(journal.database, other, tmp_path / "other"), 1)
    append(journal, 1)  # on a shared one, whoever has introduced themselves, until others are named
    assert f"`{other.key_id}` has signed here, whom nobody here knows" in " ".join(map(str, prove(journal, own).faults))
    append(Journal(journal.database, other, tmp_path / "other"), 1)
    strict = Journal(journal.database, journal.key, own, [Key.at(tmp_path / "third").public])
    with pytest.raises(TamperedError, match="whom nobody here knows"):
        append(strict, 1)


def test_an_older_copy_is_gone_on_with_once_it_is_accepted(tmp_path: Path, own: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    journal = Journal(database, Key.at(own), own)
    append(journal, 5)
    back_up(database, tmp_path / "backup.db")
    append(journal, 5)
    journal.close()
    for left in tmp_path.glob("x.db*"):
        left.unlink()
    (tmp_path / "backup.db").rename(tmp_path / "x.db")
    again = Journal(Database(f"sqlite:///{tmp_path / 'x.db'}"), Key.at(own), own)
    with pytest.raises(TamperedError, match="interlock audit accept"):
        append(again, 1)
    assert again.accept("ann") == 11
    append(again, 1)
    assert prove(again, own).good


def test_pruning_does_not_bless_what_was_changed(journal: Journal) -> None:
    full(journal)
    middle = now().wall + 1
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_grants SET scope = 'always'")
    with pytest.raises(TamperedError, match="changed behind our back"):
        prune(journal, middle, "ann")


def test_a_checkpoint_of_what_was_pruned_says_that_it_cannot_speak(journal: Journal) -> None:
    append(journal, 5)
    kept = journal.commit(checkpoint)
    append(journal, 5)
    prune(journal, now().wall + 1, "ann")
    append(journal, 1)
    assert kept is not None
    faults = verify(journal.database, Ring([journal.key.public]), kept=kept).faults
    assert "were pruned; keep a newer one" in str(faults[0])


def test_an_older_backup_is_proved_where_it_was_made(journal: Journal, own: Path, tmp_path: Path) -> None:
    append(journal, 5)
    back_up(journal.database, tmp_path / "backup.db")
    append(journal, 5)
    copy = Database(f"sqlite:///{tmp_path / 'backup.db'}")
    assert verify(copy, Ring([journal.key.public]), folder=own).good


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
    journal = Journal(database, Key.at(own), own)
    full(journal)
    with database.write() as connection, contextlib.suppress(sqlite3.IntegrityError):
        connection.run(GARBAGE[what].replace("seq = NULL, ", ""))
    assert not prove(journal, own).good
    with contextlib.suppress(TamperedError):  # in one line
        list(every(database, Wanted()))


def test_an_interrupt_hits_nobody_but_whoever_waits(journal: Journal, own: Path) -> None:
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


def test_random_bytes_in_the_file_are_found(tmp_path: Path, own: Path) -> None:
    """Bytes flipped anywhere in a database file: found, or nothing that it holds was changed by them."""
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    journal = Journal(database, Key.at(own), own)
    full(journal)
    append(journal, 100)
    database.close()
    whole = (tmp_path / "x.db").read_bytes()
    held, chance, changed = _held(tmp_path / "x.db"), random.Random(11), 0
    for number in range(400):
        spoiled = bytearray(whole)
        at = chance.randrange(100, len(spoiled))
        spoiled[at] ^= 1 << chance.randrange(8)
        file = tmp_path / "spoiled.db"
        file.write_bytes(spoiled)
        for left in ("spoiled.db-wal", "spoiled.db-shm"):
            (tmp_path / left).unlink(missing_ok=True)
        if _held(file) == held:
            continue  # a byte that nobody reads
        changed += 1
        copy = Database(f"sqlite:///{file}")
        with contextlib.suppress(StoreError):  # it cannot even be opened
            assert not verify(copy, Ring([journal.key.public]), folder=own).good, f"flip {number} at {at}"
        copy.close()
    assert changed > 100


def _held(file: Path) -> list[object] | None:
    """Return everything that a file holds, or None where it cannot be read."""
    database = Database(f"sqlite:///{file}")
    try:
        with database.read() as connection:
            return [connection.tuples(f"SELECT * FROM {table.name} ORDER BY 1, 2") for table in TABLES]
    except (StoreError, ValueError):
        return None
    finally:
        database.close()


def test_those_who_wait_share_a_flush(journal: Journal, own: Path) -> None:
    """While one transaction is held open, everything that comes is written together with the next."""
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
    while journal._queue.qsize() < 20:
        time.sleep(0.001)
    leave.set()
    for thread in threads:
        thread.join(30)
    assert len(batches) == 20
    assert len(set(batches)) == 1, "twenty operations, one transaction"
    assert prove(journal, own).good


def test_one_operation_that_fails_does_not_take_the_others_along(journal: Journal, own: Path) -> None:
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


def test_an_anchor_is_never_set_back(journal: Journal, own: Path) -> None:
    append(journal, 3)
    (_, before), *_ = anchors(own)
    assert before is not None
    with journal.database.read() as connection:
        older = read_head(connection)
    append(journal, 3)
    journal._anchor.move(older)  # by a process that comes late
    (_, after), *_ = anchors(own)
    assert after is not None
    assert after.seq == before.seq + 3
    assert path_of(own, journal.store_id, journal.database.shown).stat().st_mode & 0o77 == 0
