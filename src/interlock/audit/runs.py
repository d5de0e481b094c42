"""Runs: one agent session each, started, paused, resumed and ended on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.masking import mask_text
from interlock.audit.record import Entry
from interlock.audit.rows import TELLING, must_be_told, write_row
from interlock.audit.shelf import Shelf
from interlock.errors import ConflictError, ForbiddenError, MissingError, TamperedError
from interlock.levels import Verdict
from interlock.model import MAX_FILES, RunState, Struct, Written, trim_written
from interlock.sanitise import plain
from interlock.store.clock import now
from interlock.store.connection import Connection, listed
from interlock.store.paging import Cursor
from interlock.store.tables import runs
from interlock.store.where import Where

MAX_PATH = 4_096
OPEN, PAUSED, ENDED, FAILED = "open", "paused", "ended", "failed"
CLOSED = (ENDED, FAILED)
_ONE = "SELECT * FROM interlock_runs WHERE run_id = :run_id"
_OF_KIND = "FROM interlock_records WHERE run_id = :run_id AND kind ="


class Run(Struct, frozen=True, kw_only=True):
    """One agent session."""

    run_id: str
    agent_id: str | None
    started_by: str
    workspace: str | None
    state: str
    started_at: int
    ended_at: int | None = None


def find_run(connection: Connection, run_id: str) -> Run | None:
    """Return a run, or None where there is none by that id."""
    row = connection.row(_ONE, run_id=run_id)
    return None if row is None else _run(row)


def is_own(owner: str, agent: str | None, started_by: str, agent_id: str | None) -> bool:
    """Whether something is somebody's own. An agent's is what it began itself, or what goes by a name below its own.

    >>> is_own("ann", "coder", "ann", "coder/tester"), is_own("ann", "coder", "ann", "deployer")
    (True, False)
    """
    below = agent is None or agent_id == agent or str(agent_id).startswith(f"{agent}/")
    return started_by == owner and below


def check_starter(connection: Connection, run_id: str, started_by: str, agent: str | None = None) -> None:
    """Raise where a run is somebody else's."""
    run = find_run(connection, run_id)
    if run is not None and not is_own(started_by, agent, run.started_by, run.agent_id):
        raise ForbiddenError(f"run `{plain(run_id)[:80]}` was started by somebody else; use an id of your own")


_STEPS = listed(TELLING["runs"].all_kinds)
_TOLD = f"SELECT seq, kind FROM interlock_records WHERE run_id = :run_id AND kind IN {_STEPS}"


def goes_on(transaction: Transaction, run: Run) -> bool:
    """Whether a run is there and open, so that nothing has to be noted."""
    if run.run_id in transaction.open_runs:
        return True
    if not is_open(transaction.connection, run.run_id):
        return False
    transaction.open_runs.add(run.run_id)
    return True


def start_run(transaction: Transaction, run: Run) -> Run:
    """Note that a run began; one that is there already goes on, unless it has ended."""
    row = transaction.connection.row(_ONE, run_id=run.run_id)
    if row is not None:
        must_be_told(transaction, runs, row)
        known = _run(row)
        return (
            known if known.state not in CLOSED else _moved(transaction, known, OPEN, "run.resumed", run.started_by, "")
        )
    write_row(transaction, runs, _row(run), _entry("run.started", run, run.started_by, ""), new=True)
    transaction.open_runs.add(run.run_id)
    return run


def pause_run(transaction: Transaction, run_id: str, why: str) -> None:
    """Pause a run that is open: nothing of it is allowed until somebody resumes it."""
    run = find_run(transaction.connection, run_id)
    if run is not None and run.state == OPEN:
        _moved(transaction, run, PAUSED, "run.paused", "interlock", why)


def end_run(transaction: Transaction, run_id: str, actor: str, why: str | None = None) -> Run | None:
    """Note that an open run has ended, or, with `why`, that it failed; return the run as it then stands."""
    run = find_run(transaction.connection, run_id)
    if run is None or run.state != OPEN:
        return run
    state, kind = (ENDED, "run.ended") if why is None else (FAILED, "run.failed")
    return _moved(transaction, run, state, kind, actor, mask_text(why or ""))


class Runs:
    """The runs of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(
        self,
        limit: int = 50,
        *,
        after: Cursor | None = None,
        agent_id: str | None = None,
        state: str | None = None,
        started_by: str | None = None,
        begins: str | None = None,
    ) -> list[tuple[Run, int]]:
        """Return runs with the number of their actions, the newest first; `after` is where the page before ended."""
        where = Where().same(agent_id=agent_id, state=state, started_by=started_by)
        if after is not None:
            after.narrow(where, "started_at", "run_id")
        if begins is not None:
            where.begins("run_id", begins)
        query = f"SELECT * FROM interlock_runs {where} ORDER BY started_at DESC, run_id DESC LIMIT :most"
        with self._journal.database.read() as connection:
            found = [_run(row) for row in connection.rows(query, most=limit, **where.given)]
            return [(run, _actions(connection, run.run_id)) for run in found]

    def get(self, run_id: str) -> Run:
        """Return a run by its id, or by how its id begins, or raise."""
        where = Where().begins("run_id", run_id)
        with self._journal.database.read() as connection:
            exact = find_run(connection, run_id)
            found = connection.rows(f"SELECT * FROM interlock_runs {where} LIMIT 2", **where.given) if run_id else []
        if exact is not None:
            return exact
        if len(found) != 1:
            what = "there is no run" if not found else "there are several runs"
            raise MissingError(f"{what} `{plain(run_id)[:80]}`; `interlock runs` lists them")
        return _run(found[0])

    def actions(self, run_id: str) -> int:
        """Return how many actions a run has."""
        with self._journal.database.read() as connection:
            return _actions(connection, run_id)

    def resume(self, run_id: str, actor: str) -> Run:
        """Let a paused run go on, or raise if it is not paused."""
        found = self.get(run_id).run_id

        def operation(transaction: Transaction) -> Run:
            run = find_run(transaction.connection, found)
            if run is None or run.state != PAUSED:
                state = run.state if run else "gone"
                raise ConflictError(f"run `{plain(found)}` is {state}, not paused; nothing was changed")
            return _moved(transaction, run, OPEN, "run.resumed", actor, "")

        return self._journal.commit(operation)

    def end(self, run_id: str, actor: str) -> None:
        """Note that a run has ended. A paused one stays paused: ending it is not a way to go on."""
        self._journal.commit(lambda transaction: end_run(transaction, run_id, actor))

    def state(self, run_id: str) -> RunState:
        """Return what a run has done so far, by whichever process."""
        with self._journal.database.read() as connection:
            return run_state(connection, run_id, self._journal.shelf)


def run_state(connection: Connection, run_id: str, shelf: Shelf) -> RunState:
    """Return what a run has done so far: how often it called what, and what it has fetched and written."""
    counted = connection.tuples(f"SELECT name, count(*) {_OF_KIND} 'decision' GROUP BY name", run_id=run_id)
    calls = {str(name): int(times) for name, times in counted}
    downloaded = frozenset(connection.values(f"SELECT name {_OF_KIND} 'download'", run_id=run_id))
    return RunState(calls=calls, downloaded=downloaded, written=_written(connection, run_id, shelf))


_WAYS = listed(("decision", "asked", "approval.used", "grant.used"))
_LAST = (
    f"SELECT kind, body FROM interlock_records WHERE run_id = :run_id AND kind IN {_WAYS} AND at >= :since "
    "ORDER BY seq DESC LIMIT 50"
)


class LetThrough(NamedTuple):
    """How an action was let through: by which record, and what was decided of it."""

    way: str
    verdict: Verdict
    rules: frozenset[str]


def let_through(connection: Connection, run_id: str, digests: Sequence[str], since: int) -> LetThrough | None:
    """Return how an action was let through since a time, if that is the newest on record of it.

    Of several forms of an action the first counts that anything is on record of. A run that does not go on lets
    nothing through.
    """
    if not is_open(connection, run_id):
        return None
    told = [(kind, msgspec.json.decode(body)) for kind, body in connection.tuples(_LAST, run_id=run_id, since=since)]
    for digest in digests:
        ways = [(kind, one) for kind, one in told if one["digest"] == digest]
        decided = next((one for kind, one in ways if kind == "decision"), None)
        if decided is None:
            continue
        way, verdict = ways[0][0], Verdict(decided["outcome"])
        passed = way != "decision" or verdict in (Verdict.ALLOW, Verdict.WARN)
        return LetThrough(way, verdict, frozenset(decided["data"]["rules"])) if passed else None
    return None


def is_open(connection: Connection, run_id: str) -> bool:
    """Whether a run goes on; the chain counts, not a row that somebody could set back."""
    told = connection.tuples(_TOLD, run_id=run_id)  # few, and found by an index
    return max(told, default=(0, ""))[1] in ("run.started", "run.resumed")


def _written(connection: Connection, run_id: str, shelf: Shelf) -> dict[str, Written]:
    """Return what a run has written, each file as it was left last."""
    last: dict[str, Mapping[str, Any]] = {}
    for body in connection.values(f"SELECT body {_OF_KIND} 'written' ORDER BY seq", run_id=run_id):
        data = msgspec.json.decode(body)["data"]
        last.pop(data["path"], None)
        last[data["path"]] = data
    newest = list(last.items())[-MAX_FILES:]
    return trim_written({path: _kept_text(data, shelf) for path, data in newest})


def _kept_text(data: Mapping[str, Any], shelf: Shelf) -> Written:
    if not data["digest"]:
        return Written(None, data["state"])
    text = shelf.get(data["digest"])
    return Written(text, data["state"] if text is not None else "changed")


def _actions(connection: Connection, run_id: str) -> int:
    return int(connection.value(f"SELECT count(*) {_OF_KIND} 'decision'", run_id=run_id))


def _moved(transaction: Transaction, run: Run, state: str, kind: str, actor: str, why: str) -> Run:
    transaction.open_runs.discard(run.run_id)
    ended = now().wall if state in CLOSED else None
    moved = msgspec.structs.replace(run, state=state, ended_at=ended)
    write_row(transaction, runs, _row(moved), _entry(kind, moved, actor, why), new=False)
    return moved


def _entry(kind: str, run: Run, actor: str, why: str) -> Entry:
    data = {"why": why} if why else {}
    return Entry(
        kind=kind, at=now().wall, actor=actor, run_id=run.run_id, agent_id=run.agent_id, outcome=run.state, data=data
    )


def _row(run: Run) -> dict[str, Any]:
    workspace = None if run.workspace is None else mask_text(run.workspace[:MAX_PATH])
    return {**{name: getattr(run, name) for name in run.__struct_fields__}, "workspace": workspace}


def _run(row: Mapping[Any, Any]) -> Run:
    run = Run(**{name: row[name] for name in Run.__struct_fields__})
    texts = (run.run_id, run.agent_id or "", run.started_by, run.workspace or "", run.state)
    if not isinstance(run.started_at, int) or not all(isinstance(text, str) for text in texts):
        raise TamperedError("a run cannot be read; `interlock audit verify` says which")
    return run
