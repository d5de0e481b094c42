"""Processes with a terminal of their own, as a person has one."""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import termios
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class Terminal:
    """A terminal. `options` are for `subprocess`: they make it the standard input of a process."""

    def __init__(self) -> None:
        self._ours, self._theirs = pty.openpty()
        self.options: dict[str, Any] = {
            "stdin": self._theirs,
            "start_new_session": True,
            "preexec_fn": _take_terminal,
        }

    def type(self, lines: Iterable[str]) -> None:
        """Type one line after each prompt. A prompt for a password discards what was typed before it."""
        for line in lines:
            shown = b""
            while not shown.endswith(b": "):
                shown += os.read(self._ours, 1_000)
            os.write(self._ours, f"{line}\n".encode())

    def close(self) -> None:
        """Close the terminal, as when its window is closed."""
        os.close(self._ours)
        os.close(self._theirs)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run_at_terminal(
    command: list[str], environment: dict[str, str], folder: Path, typed: Iterable[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command at a terminal, where lines are typed at its prompts; its output is captured."""
    terminal = Terminal()
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **terminal.options,
        )
        terminal.type(typed)
        out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)
    finally:
        terminal.close()
