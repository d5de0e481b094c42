"""Processes with a terminal of their own, as a person has one."""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import termios
from pathlib import Path
from typing import Any


class Terminal:
    """A terminal. `options` are for `subprocess`: they make it the standard input of a process."""

    def __init__(self, typed: str = "") -> None:
        self._ours, self._theirs = pty.openpty()
        self.options: dict[str, Any] = {
            "stdin": self._theirs,
            "start_new_session": True,
            "preexec_fn": _take_terminal,
        }
        os.write(self._ours, typed.encode())

    def close(self) -> None:
        """Close the terminal, as when its window is closed."""
        os.close(self._ours)
        os.close(self._theirs)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run_at_terminal(
    command: list[str], environment: dict[str, str], folder: Path, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command at a terminal, where a text is typed; its output is captured."""
    terminal = Terminal(typed)
    try:
        return subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False, **terminal.options
        )
    finally:
        terminal.close()
