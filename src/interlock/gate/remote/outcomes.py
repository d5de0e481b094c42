"""Reports of call outcomes to a server, sent in the background and in order."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable
from queue import Full, Queue
from typing import Any

from interlock.errors import ServerError
from interlock.gate.call_outcome import COMPLETED, FAILED, CallOutcome
from interlock.gate.remote.api import ServerApi
from interlock.ids import new_id
from interlock.model import Struct

#: How many reports are queued. While the server does not answer, later ones are dropped and logged.
MAX_WAITING = 1_000
#: How long one report is retried, and how long the end of a run or of the program waits for those that are left.
REPORT_SECONDS, FLUSH_SECONDS = 10.0, 15.0
_LOG = logging.getLogger("interlock.gate")


class _OutcomeReceipt(Struct, frozen=True, kw_only=True):
    duplicate: bool


class OutcomeReports:
    """A queue of reports, and the thread that sends them, which starts with the first one in each process."""

    def __init__(self, api: ServerApi) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._queue: Queue[Callable[[], object]] = Queue(MAX_WAITING)
        self._process = 0

    def send(self, run_id: str, agent_id: str | None, tool: str, outcome: CallOutcome, decision_id: str) -> None:
        """Queue the report on a call."""
        report: dict[str, Any] = {
            "eventId": new_id(),
            "type": FAILED if outcome.failed else COMPLETED,
            "runId": run_id,
            "summary": tool[:2_000],
            "data": outcome.to_data(),
        }
        ids = {"agentId": agent_id, "decisionId": decision_id}
        self.call(lambda: self._report(report | {name: value for name, value in ids.items() if value}))

    def call(self, function: Callable[[], object]) -> None:
        """Queue a call to the server that follows the reports so far."""
        self._start()
        try:
            self._queue.put_nowait(function)
        except Full:
            _LOG.warning("%d reports are waiting for the server; later ones are dropped", MAX_WAITING)

    def flush(self) -> None:
        """Wait until the reports that are queued were sent, for a while."""
        if self._process != os.getpid():
            return
        sent = threading.Event()
        self.call(sent.set)
        if not sent.wait(FLUSH_SECONDS):
            _LOG.warning("%d outcomes of calls were not reported in time", self._queue.qsize())

    def _report(self, report: dict[str, Any]) -> None:
        try:
            self._api.send("POST", "/v1/events", report, _OutcomeReceipt, total_timeout=REPORT_SECONDS)
        except ServerError as error:
            _LOG.warning("the outcome of `%s` could not be reported: %s", report["summary"], error)

    def _start(self) -> None:
        with self._lock:
            if self._process == os.getpid():
                return
            self._process, self._queue = os.getpid(), Queue(MAX_WAITING)  # a forked process has its own
            threading.Thread(target=self._run, name="interlock-outcomes", daemon=True).start()
            atexit.register(self.flush)

    def _run(self) -> None:
        while True:
            self._queue.get()()
