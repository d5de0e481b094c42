"""`interlock hook`: standard input to standard output, in time."""

from __future__ import annotations

import os
import sys
import threading

from interlock.agents.agent import Said, failed
from interlock.agents.heard import MAX_CALL
from interlock.agents.hook import Terms, answered, refused
from interlock.cli.typed.options import Store
from interlock.gate import Gate
from interlock.levels import Level


def hook(agent: str, store: Store, *, event: str | None, auto_approve: str | None, wait: float, deadline: float) -> int:
    """Answer one call of an agent."""
    once = threading.Lock()
    late = threading.Timer(deadline, _too_late, (once, agent, event, deadline))
    late.daemon = True
    late.start()
    terms = Terms(None if auto_approve is None else Level(auto_approve), min(wait, max(0.0, deadline - 5)))
    raw = sys.stdin.buffer.read(MAX_CALL + 1)
    said = answered(
        agent,
        raw,
        lambda: Gate(store.config, store=store.store),
        event=event,
        environment=os.environ,
        terms=terms,
    )
    once.acquire()  # whoever answers first answers alone
    late.cancel()
    return _say(said)


def _too_late(once: threading.Lock, agent: str, event: str | None, deadline: float) -> None:
    """Refuse in time: an agent whose hook takes too long lets the action run."""
    if once.acquire(blocking=False):
        os._exit(_say(refused(agent, event, f"deciding took longer than {deadline:g} seconds")))


def _say(said: Said) -> int:
    try:
        sys.stdout.buffer.write(said.out)
        sys.stdout.buffer.flush()
        sys.stderr.buffer.write(said.errors)
        sys.stderr.buffer.flush()
    except OSError as error:
        return failed(str(error)).status
    return said.status
