"""Batching: decide actions that arrive at the same time one by one, and record them in one transaction."""

from __future__ import annotations

import asyncio

import msgspec

from interlock.audit.journal import Journal
from interlock.audit.pending_write import ReservedWrite
from interlock.errors import StoreError
from interlock.gate.approval_flow import Submission
from interlock.gate.recorder import UnrecordedDecision
from interlock.gate.session import Session
from interlock.model import Action

#: The most actions in one batch: the event loop does nothing else meanwhile.
MAX_BATCH = 64


class _QueuedAction:
    """An action that waits for its batch, and the decision that the batch made on it."""

    __slots__ = ("action", "decision", "holds", "place", "quick", "session")

    def __init__(self, session: Session, action: Action, *, holds: bool) -> None:
        self.session, self.action, self.holds = session, action, holds
        self.place: ReservedWrite[Submission] = ReservedWrite()
        self.decision: UnrecordedDecision | None = None
        self.quick = True


class DecisionBatcher:
    """Decides in batches. A batch starts after one iteration of the event loop without a new action.

    Analysing several actions in a row is faster than analysing each between two network packets, because the
    analyser's data stays in the processor's cache. A batch is also flushed to disk once.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._queue: list[_QueuedAction] = []
        self._seen = 0  # the length of the queue at the last iteration of the loop

    async def submit(self, session: Session, action: Action, *, holds: bool = False) -> Submission:
        """Decide and record; open a request if an approval is needed, but do not wait for it.

        With `holds`, raise `ActionHeld` while the agent is paused, and record nothing.
        """
        if not session.is_quick(action):
            return await session.asubmit(action, holds=holds)
        queued = _QueuedAction(session, action, holds=holds)
        if not self._queue:
            queued.place.loop.call_soon(self._start_or_wait, queued.place.loop)
        self._queue.append(queued)
        try:
            submission = await self._journal.wait_for(queued.place)
        except StoreError as error:
            if queued.decision is None:
                raise
            return await asyncio.to_thread(session.recorder.spool, queued.decision, error)
        if not queued.quick:
            return await session.asubmit(action, holds=holds)
        session.recorder.remember(submission)
        return await session.recheck(action, submission, self._journal)

    def _start_or_wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a batch, or wait for another iteration of the loop if new actions have arrived."""
        if self._seen < len(self._queue) < MAX_BATCH:
            self._seen = len(self._queue)
            loop.call_soon(self._start_or_wait, loop)
            return
        batch, self._queue, self._seen = self._queue[:MAX_BATCH], self._queue[MAX_BATCH:], 0
        if self._queue:
            loop.call_soon(self._start_or_wait, loop)
        self._journal.write_now([queued.place for queued in batch if self._decide(queued)])

    def _decide(self, queued: _QueuedAction) -> bool:
        """Decide; return whether there is a decision to record.

        There is none if the caller is gone, if deciding has become slow, or if it raises: then the caller
        gets the error.
        """
        if queued.place.future.cancelled():
            return False
        queued.quick = queued.session.is_ready()
        if not queued.quick:
            queued.place.resolve()
            return False
        try:
            decision = queued.session.decide_unrecorded(queued.action, follow=False)
            queued.decision = msgspec.structs.replace(decision, holds=queued.holds)
            queued.place.operation = queued.session.recorder.operation(queued.decision)
        except Exception as error:
            queued.place.fail(error)
            return False
        return True
