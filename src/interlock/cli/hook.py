"""`interlock hook`: what an agent calls is decided here, or by the daemon on behalf of whoever called."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from interlock.agents import DEADLINE_SECONDS
from interlock.agents.agent import Said
from interlock.agents.hook import answered, refused
from interlock.agents.refusal import Terms
from interlock.approval.approver import NoApprover
from interlock.cli import call
from interlock.cli.lastword import gone, say
from interlock.gate import Gate
from interlock.levels import Level

#: A hook that waits for an approval is done so long before its deadline.
SPARE_SECONDS = 5.0


class Asked(NamedTuple):
    """What was typed: which agent asks, and on which terms."""

    agent: str
    event: str | None = None
    auto_approve: str | None = None
    wait: float = 0.0
    deadline: float = DEADLINE_SECONDS
    config: str | None = None
    store: str | None = None
    alone: bool = False

    @property
    def terms(self) -> Terms:
        """How the hook answers."""
        level = None if self.auto_approve is None else Level(self.auto_approve)
        most = max(0.0, self.deadline - SPARE_SECONDS)
        return Terms(level, min(self.wait, most), most)


_TEXTS = ("event", "config", "store")
_NUMBERS = ("wait", "deadline")


def parse(words: list[str]) -> Asked | None:
    """Return what was typed after `hook`, without the parser of the other commands, which takes longer than deciding.

    None: it is not plain what was meant, and the other parser has the words to say so.

    >>> parse(["codex", "--wait=5", "--alone"])
    Asked(agent='codex', event=None, auto_approve=None, wait=5.0, deadline=25, config=None, store=None, alone=True)
    >>> parse(["codex", "--wiat=5"]), parse(["--help"]), parse(["codex", "--auto-approve", "critical"])
    (None, None, None)
    """
    found: dict[str, str | float | bool] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").replace("-", "_").partition("=")
        if word == "--alone":
            found["alone"] = True
            continue
        if not word.startswith("-"):
            name, value = "agent", word
        elif equals:
            value = word.partition("=")[2]
        elif rest:
            value = rest.pop(0)
        typed = _typed(name, value)
        if typed is None or name in found or (name != "agent" and not word.startswith("--")):
            return None
        found[name] = typed
    return Asked(**found) if "agent" in found else None  # type: ignore[arg-type]


def _typed(name: str, value: str) -> str | float | None:
    if name == "agent" or name in _TEXTS:
        return value if value and not value.startswith("-") else None
    if name == "auto_approve":
        return value if value in ("low", "medium") else None
    if name not in _NUMBERS:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= 3_600 else None


Opened = Callable[[], AbstractContextManager[Gate]]


def decided(asked: Asked, raw: bytes, opened: Opened, environment: Mapping[str, str]) -> Said:
    """Return what an agent is answered."""
    return answered(asked.agent, raw, opened, event=asked.event, environment=environment, terms=asked.terms)


def alone(asked: Asked) -> int:
    """Answer one call of an agent in this process."""
    once = threading.Lock()
    late = threading.Timer(max(0.0, asked.deadline - gone()), _too_late, (once, asked))
    late.daemon = True
    late.start()
    said = decided(asked, call.read(), lambda: Gate(asked.config, store=asked.store, desk=NoApprover()), os.environ)
    once.acquire()  # whoever answers first answers alone
    late.cancel()
    return say(said.out, said.errors, said.status)


def _too_late(once: threading.Lock, asked: Asked) -> None:
    """Refuse in time: an agent whose hook takes too long lets the action run."""
    if once.acquire(blocking=False):
        status = 2
        try:
            said = refused(asked.agent, asked.event, f"deciding took longer than {asked.deadline:g} seconds")
            status = say(said.out, said.errors, said.status)
        finally:
            os._exit(status)
