"""A dialog at the terminal: prints and reads lines, and ends when the request does."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.text import Text

from interlock.approval.terminal.line_editor import LineEditor, has_interrupt
from interlock.approval.terminal.tty import Tty

TICK_SECONDS = 0.2
NO_ANSWER = "no answer"
INDENT = "  "


class RequestDeclined(Exception):  # noqa: N818 - rejecting a request is not an error
    """The person rejected the request, or closed the prompt."""


class RequestEnded(Exception):  # noqa: N818 - neither is a request that ends
    """The request was answered elsewhere, or has ended."""


class Dialog:
    """A dialog at an open terminal, until `poll` returns True or there are no seconds left."""

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
        """Return the line that is typed from now on."""
        line = LineEditor(pastable=pastable)
        self._tty.discard_input()
        self._out.print(Text(f"{INDENT}{label} › ", "cyan"), end="")
        while not line.done:
            self._tty.write(line.feed(self._keys(TICK_SECONDS)))
            if line.ended:
                raise RequestDeclined(NO_ANSWER)
        self._tty.write("\n")
        if line.refused_paste:
            self.say("Pasted text is not accepted here; please type.", "yellow")
        return line.text.strip()

    def wait(self, seconds: float) -> None:
        """Wait, discarding what is typed, except for Ctrl-C and Ctrl-D."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if has_interrupt(self._keys(left)):
                raise RequestDeclined(NO_ANSWER)

    def _keys(self, seconds: float) -> bytes:
        """Return what is typed within a moment; raise if the request has ended."""
        left = self._seconds_left()
        if left is not None and left <= 0:
            raise RequestEnded("The request has expired.")
        if time.monotonic() - self._polled >= TICK_SECONDS * 0.9:  # a wait may end a little early
            self._polled = time.monotonic()
            if self._poll():
                raise RequestEnded("The request was answered elsewhere, or has ended.")
        keys = self._tty.keys(min(seconds, TICK_SECONDS, TICK_SECONDS if left is None else left))
        if keys == b"":
            raise RequestDeclined(NO_ANSWER)
        return keys or b""
