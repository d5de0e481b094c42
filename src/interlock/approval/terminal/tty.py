"""The terminal itself: opened for one prompt, read key by key, and left as it was found."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
from types import FrameType, TracebackType
from typing import TextIO

from interlock.approval.terminal.keys import PASTE_OFF, PASTE_ON
from interlock.errors import InterlockError

DEVICE = "/dev/tty"
DEADLY = (signal.SIGTERM, signal.SIGHUP)


def available() -> bool:
    """Whether somebody sits at this process's terminal and may be asked there."""
    try:
        seen = sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or none at all
        return False
    wanted = os.environ.get("INTERLOCK_PROMPT", "").strip().lower() != "never"
    return seen and wanted and os.environ.get("TERM", "") != "dumb" and _in_front(sys.stdin.fileno())


def _in_front(descriptor: int) -> bool:
    """Whether this process has the terminal; one in the background would be stopped as soon as it asked."""
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:  # a terminal that controls nobody stops nobody
        return True


class Tty:
    """An open terminal. Inside `with`, keys come one by one and unechoed, and Ctrl-C is a key like any other."""

    def __init__(self) -> None:
        try:
            self.descriptor = os.open(DEVICE, os.O_RDWR | os.O_NOCTTY)
            shown = os.dup(self.descriptor)
        except OSError:  # no terminal controls this process, but it was given one
            self.descriptor, shown = os.dup(sys.stdin.fileno()), os.dup(sys.stderr.fileno())
        self.out: TextIO = os.fdopen(shown, "w", encoding="utf-8", errors="replace")
        try:
            self._found = termios.tcgetattr(self.descriptor)
        except termios.error:
            self._close()
            raise InterlockError("there is no terminal to ask at") from None
        self._caught: list[int] = []

    def __enter__(self) -> Tty:
        changed = termios.tcgetattr(self.descriptor)
        changed[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
        changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
        self._catch()
        try:
            termios.tcsetattr(self.descriptor, termios.TCSANOW, changed)
            self.write(PASTE_ON)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._leave()

    def _leave(self) -> None:
        self._restore()
        for number in self._caught:
            signal.signal(number, signal.SIG_DFL)
        self._close()

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self.out.close()
        os.close(self.descriptor)

    def _catch(self) -> None:
        """Have what would end the process put the terminal in order first, unless somebody else sees to it."""
        if threading.current_thread() is threading.main_thread():  # no other may set handlers
            self._caught = [number for number in DEADLY if signal.getsignal(number) is signal.SIG_DFL]
        for number in self._caught:
            signal.signal(number, self._die)

    def _restore(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self.out.fileno(), PASTE_OFF.encode())  # past the buffer, which a signal may have caught busy
        self.forget()  # what was typed to the prompt is not for whoever reads next
        with contextlib.suppress(termios.error):  # nothing to restore on a line that was hung up
            termios.tcsetattr(self.descriptor, termios.TCSANOW, self._found)

    def _die(self, number: int, _frame: FrameType | None) -> None:
        """Leave the terminal in order, then end as the signal wants."""
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def write(self, text: str) -> None:
        """Write to the terminal at once."""
        self.out.write(text)
        self.out.flush()

    def forget(self) -> None:
        """Throw away what was typed before it was asked for."""
        with contextlib.suppress(termios.error):
            termios.tcflush(self.descriptor, termios.TCIFLUSH)

    def keys(self, seconds: float) -> bytes | None:
        """Return what was typed, None if nothing came in time, or nothing at all at the end of input."""
        if not select.select([self.descriptor], [], [], max(0.0, seconds))[0]:
            return None
        try:
            return os.read(self.descriptor, 4096)
        except OSError:  # hung up
            return b""
