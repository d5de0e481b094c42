"""Reports of call outcomes to a server, sent in the background and in order."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from queue import Full, Queue
from typing import Any

from interlock.errors import ServerError
from interlock.gate.call_outcome import COMPLETED, FAILED, CallOutcome
from interlock.gate.remote.api import ServerApi
from interlock.ids import new_id
from interlock.model import Struct

#: How many reports are queued. While the server does not answer, later ones are dropped and logged.
MAX_WAITING = 1_000
#: How long one report is retried, and how long closing waits for the rest.
REPORT_SECONDS, CLOSE_SECONDS = 10.0, 15.0
_LOG = logging.getLogger("interlock.gate")


class _Receipt(Struct, frozen=True, kw_only=True):
    duplicate: bool


class OutcomeReports:
    """A queue of reports, and the thread that sends them, which starts with the first one in each process."""

    def __init__(self, api: ServerApi) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._queue: Queue[Mapping[str, Any] | None] = Queue(MAX_WAITING)
        self._thread: threading.Thread | None = None
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
        ids = {"agentId": agent_id, "decisionId": decision_id or None}
        self._start()
        try:
            self._queue.put_nowait(report | {name: value for name, value in ids.items() if value})
        except Full:
            _LOG.warning("dropped the outcome of `%s`: %d reports are waiting for the server", tool, MAX_WAITING)

    def close(self) -> None:
        """Send the queued reports, within `CLOSE_SECONDS`."""
        thread = self._thread
        if thread is None or self._process != os.getpid():
            return
        self._queue.put(None)
        thread.join(CLOSE_SECONDS)
        if thread.is_alive():
            _LOG.warning("%d outcomes of calls were not reported", self._queue.qsize())

    def _start(self) -> None:
        with self._lock:
            if self._process != os.getpid():  # a forked process has no thread of its own yet
                self._process, self._queue = os.getpid(), Queue(MAX_WAITING)
                self._thread = threading.Thread(target=self._run, name="interlock-outcomes", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (report := self._queue.get()) is not None:
            try:
                self._api.send("POST", "/v1/events", report, _Receipt, patience=REPORT_SECONDS)
            except ServerError as error:
                _LOG.warning("could not report the outcome of `%s`: %s", report["summary"], error)
