"""A shell at a terminal, in which the commands of a page are run one after the other."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

_SECONDS = 120.0
_DONE = re.compile(r"\r?\n?@@ (\d+) @@\r?\n")
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")
_SIZE = struct.pack("HHHH", 50, 100, 0, 0)


class Shell:
    """Bash at a terminal of a hundred columns. Variables and the folder stay from command to command."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, _SIZE)
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "--noediting"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**environment, "PS1": "", "NO_COLOR": "1", "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.run("stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null; PS1= PS2=")

    def run(self, command: str, typed: list[str] | None = None) -> tuple[int, str]:
        """Run a command, and answer its prompts; return its status and what it printed."""
        answers = list(typed or ())
        then = "" if command.endswith("&") else ";"
        os.write(self._ours, f"{command}{then} printf '@@ %d @@\\n' $?\n".encode())
        printed, seen = "", 0
        deadline = time.monotonic() + _SECONDS
        while not (done := _DONE.search(printed)):
            assert time.monotonic() < deadline, f"`{command}` does not end:\n{printed}"
            if select.select([self._ours], [], [], 0.2)[0]:
                printed += os.read(self._ours, 65_536).decode("utf-8", "replace")
            elif answers and _STYLE.sub("", printed[seen:]).rstrip().endswith("›"):
                os.write(self._ours, f"{_key(printed[seen:], answers.pop(0))}\n".encode())
                seen = len(printed)
        return int(done[1]), _STYLE.sub("", printed[: done.start()])

    def close(self) -> None:
        """Close the terminal, as when its window is closed: Bash then hangs up what it has started."""
        os.close(self._ours)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _key(shown: str, answer: str) -> str:
    """Return what to type for an answer: the number of the choice with that text, or the answer itself."""
    found = re.findall(r"^\s+(\d)  (.+)$", _STYLE.sub("", shown), re.MULTILINE)
    choices: dict[str, str] = {text.strip(): number for number, text in found}
    return choices.get(answer, answer)
