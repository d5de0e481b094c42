"""Runs: agent sessions, with a record of each start, pause, resumption and end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry
from interlock.audit.rows import ROW_RECORDS, check_row, newest_record, write_row
from interlock.audit.run_state import count_actions, decode_details, encode_details, load_run_state
from interlock.errors import ConflictError, ForbiddenError, MissingError, TamperedError
from interlock.memory.state import RunState
from interlock.model import RunDetails, Struct
from interlock.sanitise import plain
from interlock.store.clock import now
from interlock.store.connection import Connection, Query, sql_list
from interlock.store.tables import runs
from interlock.store.where import Where

if TYPE_CHECKING:
    from interlock.store.paging import PageCursor

MAX_PATH = 4_096
#: How many runs a message names if an id is ambiguous.
MAX_NAMED = 5
OPEN, PAUSED, ENDED, FAILED = "open", "paused", "ended", "failed"
CLOSED = (ENDED, FAILED)
_BY_ID = "SELECT * FROM interlock_runs WHERE run_id = :run_id"
_KINDS = sql_list(ROW_RECORDS["runs"].all_kinds)
_STEPS = f"SELECT seq, kind FROM interlock_records WHERE run_id = :run_id AND kind IN {_KINDS}"


class Run(Struct, frozen=True, kw_only=True):
    """One agent session. It acts for `user` and `tenant`; `metadata` comes from its program."""

    run_id: str
    agent_id: str | None
    started_by: str
    workspace: str | None
    state: str
    started_at: int
    ended_at: int | None = None
    user: str | None = None
    tenant: str | None = None
    metadata: Mapping[str, Any] = {}

    @property
    def details(self) -> RunDetails:
        """The user, tenant and metadata of the run."""
        return RunDetails(user=self.user, tenant=self.tenant, metadata=self.metadata)


def find_run(connection: Connection, run_id: str) -> Run | None:
    """Return the run with an id, or None."""
    row = connection.row(_BY_ID, run_id=run_id)
    return None if row is None else read_run(row)


def is_open(connection: Connection, run_id: str) -> bool:
    """Whether a run is open by the chain: its row could have been changed."""
    steps = connection.tuples(_STEPS, run_id=run_id)  # few, and found by an index
    return max(steps, default=(0, ""))[1] in ("run.started", "run.resumed")


def has_open_run(transaction: Transaction, run: Run) -> bool:
    """Whether a run is open; the answer is remembered for the rest of the transaction."""
    transaction.lock_run(run.run_id)
    if run.run_id in transaction.open_runs:
        return True
    if run.run_id in transaction.newest_of_runs:
        return False  # its steps were read with its newest record
    if not is_open(transaction.connection, run.run_id):
        return False
    transaction.open_runs.add(run.run_id)
    return True


def is_own(owner: str, agent: str | None, started_by: str, agent_id: str | None) -> bool:
    """Whether a run or request belongs to a caller: it was started by its owner, and by its agent or one below that.

    >>> is_own("ann", "coder", "ann", "coder/tester"), is_own("ann", "coder", "ann", "deployer")
    (True, False)
    """
    below = agent is None or agent_id == agent or str(agent_id).startswith(f"{agent}/")
    return started_by == owner and below


def check_owner(connection: Connection, run_id: str, started_by: str, agent: str | None = None) -> None:
    """Raise if a run exists and belongs to another caller."""
    run = find_run(connection, run_id)
    if run is not None and not is_own(started_by, agent, run.started_by, run.agent_id):
        raise ForbiddenError(f"run `{plain(run_id)[:80]}` was started by another user or agent; choose another id")


def start_run(transaction: Transaction, run: Run) -> Run:
    """Start a run. One that exists is returned as it is, or resumed if it has ended."""
    transaction.lock_run(run.run_id)
    row = transaction.connection.row(_BY_ID, run_id=run.run_id)
    if row is not None:
        check_row(transaction, runs, row)
        known = read_run(row)
        return _move(transaction, known, OPEN, "run.resumed", run.started_by, "") if known.state in CLOSED else known
    write_row(transaction, runs, _row(run), _entry("run.started", run, run.started_by, ""), new=True)
    transaction.open_runs.add(run.run_id)
    return run


def run_queries(run_id: str) -> list[Query]:
    """Return the queries for a run and the record that vouches for it."""
    row = {"run_id": run_id}
    return [(_BY_ID, row), newest_record(runs, row)]


def check_run(transaction: Transaction, run_id: str) -> None:
    """Raise if the row of a run was changed outside Interlock."""
    transaction.lock_run(run_id)
    row = transaction.connection.row(_BY_ID, run_id=run_id)
    if row is not None:
        check_row(transaction, runs, row)


def pause_run(transaction: Transaction, run_id: str, why: str) -> None:
    """Pause an open run: none of its actions are allowed until a person resumes it."""
    transaction.lock_run(run_id)
    run = find_run(transaction.connection, run_id)
    if run is not None and run.state == OPEN:
        _move(transaction, run, PAUSED, "run.paused", "interlock", why)


def end_run(transaction: Transaction, run_id: str, actor: str, why: str | None = None) -> Run | None:
    """End an open run, or with `why`, mark it as failed; return the run as it is afterwards."""
    transaction.lock_run(run_id)
    run = find_run(transaction.connection, run_id)
    if run is None or run.state != OPEN:
        return run
    state, kind = (ENDED, "run.ended") if why is None else (FAILED, "run.failed")
    return _move(transaction, run, state, kind, actor, mask_text(why or ""))


class Runs:
    """The runs of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(
        self,
        limit: int = 50,
        *,
        after: PageCursor | None = None,
        agent_id: str | None = None,
        state: str | None = None,
        started_by: str | None = None,
        begins: str | None = None,
    ) -> list[tuple[Run, int]]:
        """Return runs and their numbers of actions, the newest first; `begins` is the beginning of their id."""
        where = Where().equals(agent_id=agent_id, state=state, started_by=started_by)
        if after is not None:
            after.narrow(where, "started_at", "run_id")
        if begins is not None:
            where.starts_with("run_id", begins)
        query = f"SELECT * FROM interlock_runs {where} ORDER BY started_at DESC, run_id DESC LIMIT :most"

        def read(connection: Connection) -> Sequence[tuple[Run, int]]:
            found = [read_run(row) for row in connection.rows(query, most=limit, **where.given)]
            return [(run, count_actions(connection, run.run_id)) for run in found]

        return [*self._journal.database.read_with_retry(read)]

    def get(self, run_id: str) -> Run:
        """Return the run with an id, or with an id that starts like this, or raise."""
        where = Where().starts_with("run_id", run_id)
        with self._journal.database.read() as connection:
            exact = find_run(connection, run_id)
            query = f"SELECT * FROM interlock_runs {where} ORDER BY started_at DESC LIMIT {MAX_NAMED + 1}"
            found = connection.rows(query, **where.given) if run_id else []
        if exact is not None:
            return exact
        if not found:
            raise MissingError(f"there is no run `{plain(run_id)[:80]}`; `interlock runs` lists them")
        if len(found) > 1:
            raise MissingError(_describe_ambiguity(run_id, [row["run_id"] for row in found]))
        return read_run(found[0])

    def complete_id(self, begins: str) -> str:
        """Return the run id that begins with a text; the text itself if no id or several ids do."""
        try:
            return self.get(begins).run_id
        except MissingError:
            return begins

    def actions(self, run_id: str) -> int:
        """Return how many actions of a run were decided."""
        with self._journal.database.read() as connection:
            return count_actions(connection, run_id)

    def resume(self, run_id: str, actor: str) -> Run:
        """Resume a paused run, or raise if it is not paused."""
        found = self.get(run_id).run_id

        def operation(transaction: Transaction) -> Run:
            run = find_run(transaction.connection, found)
            if run is None or run.state != PAUSED:
                state = run.state if run else "gone"
                raise ConflictError(f"run `{plain(found)}` is {state}, not paused; nothing was changed")
            return _move(transaction, run, OPEN, "run.resumed", actor, "")

        return self._journal.commit(operation)

    def end(self, run_id: str, actor: str) -> None:
        """End a run. A paused run stays paused, so that restarting it does not lift the pause."""
        self._journal.commit(Concurrent(lambda transaction: end_run(transaction, run_id, actor), run_id))

    def end_later(self, run_id: str, actor: str) -> None:
        """End a run without waiting for the store. If that fails, the run stays open until it is idle."""

        def operation(transaction: Transaction) -> None:
            end_run(transaction, run_id, actor)

        self._journal.commit_later(Concurrent(operation, run_id), lambda _error: None)

    def state(self, run_id: str) -> RunState:
        """Return the state of a run, including the writes of all processes."""
        with self._journal.database.read() as connection:
            return load_run_state(connection, run_id, self._journal.content).state


def _describe_ambiguity(begins: str, run_ids: list[str]) -> str:
    """Return the message about a prefix that several runs share, with their ids."""
    names = ", ".join(f"`{plain(run_id)}`" for run_id in run_ids[:MAX_NAMED])
    more = ", …" if len(run_ids) > MAX_NAMED else ""
    return f"several runs begin with `{plain(begins)[:80]}`: {names}{more}; type more of the id"


def _move(transaction: Transaction, run: Run, state: str, kind: str, actor: str, why: str) -> Run:
    """Change the state of a run, and record that."""
    transaction.open_runs.discard(run.run_id)
    ended = now().wall if state in CLOSED else None
    moved = msgspec.structs.replace(run, state=state, ended_at=ended)
    write_row(transaction, runs, _row(moved), _entry(kind, moved, actor, why), new=False)
    return moved


def _entry(kind: str, run: Run, actor: str, why: str) -> Entry:
    data: dict[str, Any] = {"why": why} if why else {}
    if kind == "run.started":
        data |= msgspec.to_builtins(run.details)
    return Entry(
        kind=kind, at=now().wall, actor=actor, run_id=run.run_id, agent_id=run.agent_id, outcome=run.state, data=data
    )


def _row(run: Run) -> dict[str, Any]:
    workspace = None if run.workspace is None else mask_text(run.workspace[:MAX_PATH])
    kept = {name: getattr(run, name) for name in _COLUMNS}
    return {**kept, "workspace": workspace, "context": encode_details(run.details)}


_COLUMNS = tuple(name for name in Run.__struct_fields__ if name in runs.columns)


def read_run(row: Mapping[Any, Any]) -> Run:
    """Return the run in a row, or raise if the row cannot be read."""
    details = decode_details(row["context"])
    fields = {name: row[name] for name in _COLUMNS}
    run = Run(**fields, user=details.user, tenant=details.tenant, metadata=details.metadata)
    texts = (run.run_id, run.agent_id or "", run.started_by, run.workspace or "", run.state)
    if not isinstance(run.started_at, int) or not all(isinstance(text, str) for text in texts):
        raise TamperedError("a run cannot be read; run `interlock audit verify`")
    return run
