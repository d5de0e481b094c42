"""Actions that come at the same time are decided one after the other, and recorded together."""

from __future__ import annotations

import asyncio

from interlock.audit.journal import Journal
from interlock.audit.pending_write import ReservedWrite
from interlock.errors import StoreError
from interlock.gate.passage import Step
from interlock.gate.session import Decided, Session
from interlock.model import Action

#: So many are decided in one turn at most: the others of the loop wait meanwhile.
MAX_TURN = 64


class _Waiting:
    """An action that waits for its turn, and what was decided of it then."""

    __slots__ = ("action", "decided", "place", "quick", "session")

    def __init__(self, session: Session, action: Action) -> None:
        self.session, self.action = session, action
        self.place: ReservedWrite[Step] = ReservedWrite()
        self.decided: Decided | None = None
        self.quick = True


class Together:
    """Decides in turns: a turn comes once nobody new has come in while the loop went round.

    Reading several actions in a row takes less than reading each between two network packets: what the analyser
    needs stays at hand. And they are flushed to the disk together.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[_Waiting] = []
        self._seen = 0  # of those who wait, when the loop last came by

    async def pass_on(self, session: Session, action: Action) -> Step:
        """Decide and record; open a request where that takes one, and wait for nobody."""
        if not session.is_quick(action):
            return await session.pass_on(action)
        one = _Waiting(session, action)
        if not self._waiting:
            one.place.loop.call_soon(self._come_by, one.place.loop)
        self._waiting.append(one)
        try:
            step = await self._journal.wait_for(one.place)
        except StoreError as error:
            if one.decided is None:
                raise
            return await asyncio.to_thread(session.spooled, one.decided, error)
        if not one.quick:
            return await session.pass_on(action)
        session.noted(step)
        return await session.settled(action, step, self._journal)

    def _come_by(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._seen < len(self._waiting) < MAX_TURN:
            self._seen = len(self._waiting)
            loop.call_soon(self._come_by, loop)
            return
        waiting, self._waiting, self._seen = self._waiting[:MAX_TURN], self._waiting[MAX_TURN:], 0
        if self._waiting:
            loop.call_soon(self._come_by, loop)
        self._journal.write_now([one.place for one in waiting if self._is_decided(one)])

    def _is_decided(self, one: _Waiting) -> bool:
        """Decide, unless whoever asked has left, or it has become slow meanwhile; whatever that raises is theirs."""
        if one.place.future.cancelled():
            return False
        one.quick = one.session.is_quick(one.action)
        if not one.quick:
            one.place.resolve()
            return False
        try:
            one.decided = one.session.decided(one.action, follow=False)
            one.place.operation = one.session.recording(one.decided)
        except Exception as error:
            one.place.fail(error)
            return False
        return True
