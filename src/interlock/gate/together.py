"""Actions that come at the same time are decided one after the other, and recorded together."""

from __future__ import annotations

from interlock.audit.journal import Journal, Place
from interlock.errors import StoreError
from interlock.gate.passage import Step
from interlock.gate.session import Decided, Session
from interlock.model import Action


class _Waiting:
    """An action that waits for its turn, and what was decided of it then."""

    __slots__ = ("action", "decided", "place", "session")

    def __init__(self, session: Session, action: Action) -> None:
        self.session, self.action = session, action
        self.place: Place[Step] = Place()
        self.decided: Decided | None = None


class Together:
    """Decides in turns: whoever is there when a turn comes is decided in it.

    Reading several actions in a row takes less than reading each between two network packets: what the analyser
    needs stays at hand.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._waiting: list[_Waiting] = []

    async def pass_on(self, session: Session, action: Action) -> Step:
        """Decide and record; open a request where that takes one, and wait for nobody."""
        if not session.is_quick(action, self._journal.foreign):
            return await session.pass_on(action)
        one = _Waiting(session, action)
        if not self._waiting:
            one.place.loop.call_soon(self._turn)
        self._waiting.append(one)
        try:
            step = session.noted(await self._journal.waited(one.place))
        except StoreError as error:
            if one.decided is None:
                raise
            step = session.spooled(one.decided, error)
        return await session.settled(action, step, self._journal)

    def _turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if one.place.future.cancelled():
                continue
            try:
                one.decided = one.session.decided(one.action)
                self._journal.take(one.place, one.session.recording(one.decided))
            except Exception as error:  # it belongs to whoever asked
                one.place.give_up(error)
