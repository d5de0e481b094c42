"""Talking with somebody at a terminal: lines out, lines in, and a watch on whether there is still something to ask."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.text import Text

from interlock.approval.terminal.keys import Line, gives_up
from interlock.approval.terminal.tty import Tty

TICK_SECONDS = 0.2
NO_ANSWER = "no answer"
INDENT = "  "


class Refused(Exception):  # noqa: N818 - a person's no is no error
    """Somebody said no, or gave up."""


class Over(Exception):  # noqa: N818 - nor is an end
    """There is nothing left to answer."""


class Talk:
    """A talk at an open terminal, for as long as `poll` says no and there are seconds left."""

    def __init__(self, tty: Tty, poll: Callable[[], bool], seconds_left: Callable[[], float | None]) -> None:
        self._tty = tty
        self._poll = poll
        self._seconds_left = seconds_left
        self._polled = time.monotonic() - TICK_SECONDS
        self._out = Console(file=tty.out, highlight=False, markup=False, emoji=False)

    def show(self, what: RenderableType) -> None:
        """Print something."""
        self._out.print(what)

    def say(self, text: str, style: str = "") -> None:
        """Print a line."""
        self._out.print(Text(INDENT + text, style))

    def line(self, label: str, *, pastable: bool = False) -> str:
        """Return what is typed from now on, up to Enter."""
        line = Line(pastable=pastable)
        self._tty.forget()
        self._out.print(Text(f"{INDENT}{label} › ", "cyan"), end="")
        while not line.done:
            self._tty.write(line.feed(self._keys(TICK_SECONDS)))
            if line.ended:
                raise Refused(NO_ANSWER)
        self._tty.write("\n")
        if line.refused_paste:
            self.say("Pasted text is not taken here; please type.", "yellow")
        return line.text.strip()

    def wait(self, seconds: float) -> None:
        """Take no answer for a while; whatever is typed is lost, except for giving up."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if gives_up(self._keys(left)):
                raise Refused(NO_ANSWER)

    def _keys(self, seconds: float) -> bytes:
        """Return what was typed within a moment, or raise where there is nothing left to answer."""
        left = self._seconds_left()
        if left is not None and left <= 0:
            raise Over("Time has run out.")
        if time.monotonic() - self._polled >= TICK_SECONDS * 0.9:  # a wait may end a little early
            self._polled = time.monotonic()
            if self._poll():
                raise Over("Somebody else has answered meanwhile, or the request has ended.")
        keys = self._tty.keys(min(seconds, TICK_SECONDS, TICK_SECONDS if left is None else left))
        if keys == b"":
            raise Refused(NO_ANSWER)
        return keys or b""
