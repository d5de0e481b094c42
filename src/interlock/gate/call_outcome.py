"""The outcome of an allowed call: whether it returned or raised, its duration, and the size of its result.

Results and error messages are never stored.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry
from interlock.audit.runs import Run, find_run, has_open_run, start_run
from interlock.errors import StoreError, TamperedError
from interlock.ids import new_id
from interlock.sanitise import storable_name
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.audit.chain import Transaction
    from interlock.audit.journal import Journal
    from interlock.audit.spool import Spool

COMPLETED, FAILED = "tool.completed", "tool.failed"
#: How many values of a result are measured, and up to how many characters are counted as bytes.
MAX_VALUES, MAX_TEXT = 10_000, 1_000_000


class CallOutcome(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The outcome of a call. `error` is the type of the exception; `result_bytes` is the size of the result.

    With `result_cut`, the result is larger, or has parts that cannot be measured.
    """

    failed: bool = False
    error: str | None = None
    duration_ms: float | None = None
    result_bytes: int | None = None
    result_cut: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the data of the record."""
        data: dict[str, Any] = msgspec.to_builtins(self)
        data.pop("failed", None)
        return data


def record_outcome(
    journal: Journal,
    spool: Spool | None,
    run: Run,
    tool: str,
    outcome: CallOutcome,
    *,
    decision_id: str = "",
    event_id: str = "",
    record_id: str | None = None,
) -> None:
    """Record the outcome of a call, next to its decision, without waiting for the store. It never raises `StoreError`.

    A record that cannot be written is spooled, or logged if there is no spool. One `record_id` is recorded once.
    """
    ids = {"decisionId": decision_id, "eventId": event_id}
    entry = _make_entry(run, tool, outcome, ids, record_id or new_id())

    def write(transaction: Transaction) -> None:
        if transaction.has(entry.record_id):
            return
        if not has_open_run(transaction, run) and find_run(transaction.connection, run.run_id) is None:
            start_run(transaction, run)  # the decision was made elsewhere; a run that has ended stays ended
        transaction.append(entry)

    def keep(error: BaseException) -> None:
        try:
            if spool is None or not isinstance(error, StoreError) or isinstance(error, TamperedError):
                raise error
            spool.append([entry], back_off=False)
        except Exception as failed:
            import logging  # slow to load, and rarely needed

            logging.getLogger("interlock.gate").warning("could not record the outcome of `%s`: %s", tool, failed)

    try:
        journal.commit_later(Concurrent(write, run.run_id, record_id=entry.record_id), keep)
    except StoreError as error:  # the store is closed
        keep(error)


def _make_entry(run: Run, tool: str, outcome: CallOutcome, ids: Mapping[str, str], record_id: str) -> Entry:
    """Return the record of an outcome."""
    kind = FAILED if outcome.failed else COMPLETED
    known = {name: storable_name(value) for name, value in ids.items() if value}
    return Entry(
        kind="event",
        at=now().wall,
        actor=run.agent_id or run.started_by,
        name=kind,
        run_id=run.run_id,
        agent_id=run.agent_id,
        outcome=kind.rpartition(".")[2],
        data={"text": storable_name(tool), **known, **outcome.to_data()},
        record_id=record_id,
    )


class WatchedCall:
    """Measures a call inside a `with` block, and reports its outcome."""

    def __init__(self, record: Callable[[CallOutcome], None]) -> None:
        self._record, self._began = record, time.perf_counter()
        self._size: int | None = None
        self._cut = self._failed = self._stopped = False

    def stop(self) -> None:
        """Mark a generator as closed by its caller; an exception after that is not a failure."""
        self._stopped = True

    def measure_result(self, result: Any, *, failed: bool = False) -> Any:
        """Measure a result, or a part of it, and return it; with `failed`, the result is an error."""
        size, cut = measure_size(result)
        if size is not None:
            self._size = (self._size or 0) + size
        self._cut, self._failed = self._cut or cut, self._failed or failed
        return result

    def __enter__(self) -> WatchedCall:
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        raised = kind is not None and not self._stopped
        outcome = CallOutcome(
            failed=raised or self._failed,
            error=error_name(kind) if raised and kind is not None else None,
            duration_ms=round((time.perf_counter() - self._began) * 1_000, 3),
            result_bytes=self._size,
            result_cut=self._cut,
        )
        try:
            self._record(outcome)
        except Exception as error:  # the call has ended, and its caller gets what it returned or raised
            import logging

            logging.getLogger("interlock.gate").error("could not record the outcome of a call", exc_info=error)


def error_name(kind: type[BaseException]) -> str:
    """Return the name of a type of errors.

    >>> error_name(TimeoutError), error_name(StoreError)
    ('TimeoutError', 'interlock.errors.StoreError')
    """
    module = getattr(kind, "__module__", "builtins")
    return storable_name(kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}")


def measure_size(result: Any) -> tuple[int | None, bool]:
    """Return the size of a result in bytes, and whether some of it was not measured.

    Only plain values are measured: calling methods of a result could be slow or have effects.

    >>> measure_size("grün"), measure_size({"rows": [1, 2]}), measure_size(None), measure_size(object())
    ((5, False), (20, False), (0, False), (None, True))
    """
    total, known, cut = 0, False, False
    left, rest = MAX_VALUES, [result]
    while rest:
        value, left = rest.pop(), left - 1
        if left < 0:
            return total, True
        if type(value) in (dict, list, tuple, set, frozenset):
            rest += itertools.islice(_parts(value), max(0, left - len(rest)) + 1)  # one more, so that it is cut
            known = True
            continue
        size = _size(value)
        known, cut, total = known or size is not None, cut or size is None, total + (size or 0)
    return (total if known else None), cut


def _parts(value: Any) -> Any:
    if type(value) is dict:
        return (part for item in value.items() for part in item)
    return value


def _size(value: Any) -> int | None:
    if value is None:
        return 0
    if type(value) is str:
        if value.isascii() or len(value) > MAX_TEXT:
            return len(value)
        return len(value.encode("utf-8", "surrogatepass"))
    if type(value) in (bytes, bytearray, memoryview):
        return memoryview(value).nbytes
    return 8 if type(value) in (bool, int, float) else None
