"""The terminal device: opened for one prompt, read key by key, and restored afterwards."""

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

from interlock.approval.terminal.line_editor import PASTE_OFF, PASTE_ON
from interlock.errors import InterlockError

DEVICE = "/dev/tty"
DEADLY = (signal.SIGTERM, signal.SIGHUP)


def available() -> bool:
    """Whether this process has a terminal at which a person can be asked."""
    try:
        attached = sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or none at all
        return False
    wanted = os.environ.get("INTERLOCK_PROMPT", "").strip().lower() != "never"
    return attached and wanted and os.environ.get("TERM", "") != "dumb" and _is_foreground(sys.stdin.fileno())


def _is_foreground(descriptor: int) -> bool:
    """Whether this process is in the foreground; a background process is stopped when it reads the terminal."""
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:  # not a controlling terminal, so it stops no process
        return True


class Tty:
    """An open terminal. Inside `with`, keys are read one by one without echo, and Ctrl-C is an ordinary key."""

    def __init__(self) -> None:
        try:
            self.descriptor = os.open(DEVICE, os.O_RDWR | os.O_NOCTTY)
            shown = os.dup(self.descriptor)
        except OSError:  # no controlling terminal, but stdin is one
            self.descriptor, shown = os.dup(sys.stdin.fileno()), os.dup(sys.stderr.fileno())
        self.out: TextIO = os.fdopen(shown, "w", encoding="utf-8", errors="replace")
        try:
            self._original = termios.tcgetattr(self.descriptor)
        except termios.error:
            self._close()
            raise InterlockError("there is no terminal to show the prompt on") from None
        self._caught: list[int] = []

    def __enter__(self) -> Tty:
        raw = termios.tcgetattr(self.descriptor)
        raw[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        self._catch()
        try:
            termios.tcsetattr(self.descriptor, termios.TCSANOW, raw)
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
        """Restore the terminal before a signal ends the process, unless the program handles that signal itself."""
        if threading.current_thread() is threading.main_thread():  # only the main thread may set handlers
            self._caught = [number for number in DEADLY if signal.getsignal(number) is signal.SIG_DFL]
        for number in self._caught:
            signal.signal(number, self._die)

    def _restore(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self.out.fileno(), PASTE_OFF.encode())  # not through the buffer: a signal may have interrupted it
        self.discard_input()  # what was typed for the prompt must not reach the next program
        with contextlib.suppress(termios.error):  # the terminal was closed
            termios.tcsetattr(self.descriptor, termios.TCSANOW, self._original)

    def _die(self, number: int, _frame: FrameType | None) -> None:
        """Restore the terminal, then let the signal end the process."""
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def write(self, text: str) -> None:
        """Write to the terminal at once."""
        self.out.write(text)
        self.out.flush()

    def discard_input(self) -> None:
        """Discard what was typed but not read yet."""
        with contextlib.suppress(termios.error):
            termios.tcflush(self.descriptor, termios.TCIFLUSH)

    def keys(self, seconds: float) -> bytes | None:
        """Return what is typed, None if nothing is typed in time, or `b""` at the end of input."""
        if not select.select([self.descriptor], [], [], max(0.0, seconds))[0]:
            return None
        try:
            return os.read(self.descriptor, 4096)
        except OSError:  # the terminal was closed
            return b""
