"""Requests as tests make them, and, run as a program, a process that asks about one at its own terminal."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from interlock import Action
from interlock.approval.request import Approval
from interlock.approval.terminal.terminal import Terminal
from interlock.audit.summary import mask_decision
from interlock.model import Needs
from tests.reading import ENGINE

NEEDS = Needs(tier="high", human=True, model=False, challenge="quiz", approvers=1, timeout_seconds=300)


def request(action: Action, approval_id: str = "ap_1", **needs: Any) -> Approval:
    """Return a request for approving an action, as the real engine decides on it."""
    decision = ENGINE.decide(action)
    return Approval(
        approval_id=approval_id,
        run_id="run_7f3a",
        agent_id="claude",
        started_by="sam",
        digest="0" * 64,
        action=action.to_dict(),
        decision=json.loads(msgspec.json.encode(mask_decision(decision))),
        needs=msgspec.structs.replace(NEEDS, **needs),
        expires_at=295_000_000,
    )


def _waiting() -> int:
    """Return how many characters were typed and not read."""
    return int(struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"\0" * 4))[0])


def _poll(ended: bool, typed: int) -> Callable[[], bool]:
    """Return a poll that holds the prompt up until so much was typed: then no test depends on who is faster."""

    def poll() -> bool:
        nonlocal typed
        while _waiting() < typed:
            pass
        typed = 0
        return ended

    return poll


def _seconds_left(calls: int | None) -> Callable[[], float | None]:
    def seconds_left() -> float | None:
        nonlocal calls
        if calls is None:
            return None
        calls -= 1
        return max(0.0, float(calls))

    return seconds_left


def _available(background: bool) -> bool:
    if not background:
        return Terminal.available()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os._exit(Terminal.available())
    return bool(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def main(wish: dict[str, Any], result: Path) -> None:
    """Do what the test wishes and write down what came out."""
    if os.isatty(1):
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)
    if wish.get("hangup"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if "available" in wish:
        result.write_text(json.dumps(_available(wish["available"] == "background")))
        return
    answer = Terminal(reading_seconds=wish.get("reading", 0)).ask(
        request(msgspec.convert(wish["action"], Action), **wish.get("needs", {})),
        "sam",
        poll=_poll(wish.get("ended", False), wish.get("typed", 0)),
        seconds_left=_seconds_left(wish.get("calls")),
        remember=wish.get("remember", True),
    )
    result.write_text(json.dumps(answer.to_dict() if answer else None))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
