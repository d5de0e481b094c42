"""`interlock hook`: standard input to standard output, in time."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

from interlock.agents.agent import Said
from interlock.agents.heard import MAX_CALL
from interlock.agents.hook import Terms, answered, refused
from interlock.cli.lastword import gone
from interlock.cli.typed.options import Store
from interlock.gate import Gate
from interlock.levels import Level

_CHUNK = 1 << 20


def hook(agent: str, store: Store, *, event: str | None, auto_approve: str | None, wait: float, deadline: float) -> int:
    """Answer one call of an agent."""
    once = threading.Lock()
    late = threading.Timer(max(0.0, deadline - gone()), _too_late, (once, agent, event, deadline))
    late.daemon = True
    late.start()
    terms = Terms(None if auto_approve is None else Level(auto_approve), min(wait, max(0.0, deadline - 5)))
    said = answered(
        agent,
        _read(),
        lambda: Gate(store.config, store=store.store),
        event=event,
        environment=os.environ,
        terms=terms,
    )
    once.acquire()  # whoever answers first answers alone
    late.cancel()
    return _say(said)


def _read() -> bytes:
    """Read a call to its end: an agent that cannot say all of it takes the hook for broken, and goes on."""
    kept = bytearray()
    while chunk := sys.stdin.buffer.read(_CHUNK):
        if len(kept) <= MAX_CALL:
            kept += chunk
    return bytes(kept)


def _too_late(once: threading.Lock, agent: str, event: str | None, deadline: float) -> None:
    """Refuse in time: an agent whose hook takes too long lets the action run."""
    if once.acquire(blocking=False):
        status = 2
        try:
            status = _say(refused(agent, event, f"deciding took longer than {deadline:g} seconds"))
        finally:
            os._exit(status)


def _say(said: Said) -> int:
    """Write an answer past whatever Python has made of the two streams; return the status, which is 2 if that fails."""
    with contextlib.suppress(OSError):
        os.write(2, said.errors)
    out = said.out
    try:
        while out:
            out = out[os.write(1, out) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.write(2, b"Interlock could not say its answer, so this does not run\n")
        return 2
    return said.status
