"""Ask the reviewing model about approval requests, in the background of the HTTP requests that opened them."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from interlock.approval.request import Approval, ApprovalState
from interlock.errors import StoreError
from interlock.gate.gate import Gate
from interlock.server.background import BackgroundTasks

#: How many requests the model is asked about at once.
MAX_REVIEWS = 8
_LOG = logging.getLogger("interlock.server")


class ModelReviews:
    """Reviews in progress. The model is asked about each request only once at a time."""

    def __init__(self, gate: Gate, tasks: BackgroundTasks) -> None:
        self._gate, self._tasks = gate, tasks
        self._threads = ThreadPoolExecutor(MAX_REVIEWS, "interlock-review")  # a slow model blocks no other work
        self._in_progress: set[str] = set()

    def start(self, approval: Approval) -> None:
        """Ask the model about a request that needs a model's answer, unless it is being asked already."""
        if approval.needs.model and approval.reviewer and approval.approval_id not in self._in_progress:
            self._in_progress.add(approval.approval_id)
            self._tasks.start(self._ask(approval))

    async def resume(self) -> None:
        """Ask the model about pending requests that an earlier server left behind."""
        for approval in await asyncio.to_thread(self._gate.approvals.list, ApprovalState.PENDING, 1_000):
            self.start(approval)

    def close(self) -> None:
        """Start no more reviews."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, approval: Approval) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._gate.approval_flow().ask_model, approval)
        except StoreError as error:
            _LOG.warning("the model could not be asked about %s: %s", approval.approval_id, error)
        finally:
            self._in_progress.discard(approval.approval_id)
