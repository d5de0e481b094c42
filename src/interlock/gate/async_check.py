"""Check actions in an event loop without blocking it on a store, a person, or the start of a thread."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING

from interlock.errors import InterlockError
from interlock.event_loops import run_in_own_thread, run_in_thread, running_loop
from interlock.gate.approval_flow import ActionHeld

if TYPE_CHECKING:
    from interlock.gate.approval_flow import Outcome, Submission
    from interlock.gate.session import Session
    from interlock.model import Action


#: The most checks that are recorded together.
MAX_THREADS = 8


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that check actions. The loop's own pool may be full of calls that wait for a check."""
    return ThreadPoolExecutor(MAX_THREADS, "interlock-check")


os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads are those of the parent


async def check_in_loop(find_session: Callable[[Action], Session], action: Action) -> Outcome:
    """Return once an action may run, or raise, without blocking the event loop.

    A thread of a pool decides and records. Starting a thread blocks the loop until the thread runs, so only a question
    to a person, which may take long, gets its own thread. Cancelling the task cancels the request.
    """
    stop = threading.Event()
    opened: list[tuple[Session, Submission]] = []

    def submit(*, holds: bool) -> tuple[Session, Submission]:
        session = find_session(action)
        opened.append((session, session.submit_check(action, holds=holds)))
        if stop.is_set():
            _cancel(*opened[0])
        return opened[0]

    async def attempt(left: float | None = 0.0) -> tuple[Session, Submission]:
        context = contextvars.copy_context()
        work = partial(submit, holds=left is not None)
        return await running_loop().run_in_executor(_pool(), context.run, work)

    try:
        try:
            session, submission = await attempt()
        except ActionHeld as held:
            from interlock.gate.holds import hold_async  # few agents are paused

            waits = held.submission
            seconds = await run_in_thread(lambda: find_session(action).approvals.hold_seconds(waits))
            session, submission = await hold_async(attempt, seconds)
        if submission.approval is None:
            return session.approvals.finish(submission)
        opened.clear()  # from here on, the thread that asks cancels the request
        return await run_in_own_thread(lambda: session.approvals.finish(submission, stop))
    except BaseException as error:
        stop.set()
        if opened and not isinstance(error, Exception):  # cancelled after it was recorded, before anyone was asked
            threading.Thread(target=_cancel, args=opened[0], daemon=True).start()
        raise


def _cancel(session: Session, submission: Submission) -> None:
    """Cancel the request of a submission, unless it has ended."""
    try:
        session.approvals.cancel(submission)
    except InterlockError as error:
        import logging  # slow to load, and rarely needed

        logging.getLogger("interlock.gate").warning("could not cancel a request: %s", error)
