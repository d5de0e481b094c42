"""The last word of a hook: said with nothing but the operating system, so that nothing can keep it from being said."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from types import FrameType

#: By how much the last word comes after a hook's own deadline; and that deadline, where it is not typed.
GRACE_SECONDS, DEADLINE_SECONDS = 2.0, 25.0
_SIGNALS = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGPIPE")


def last_word(why: str) -> None:
    """Say why nothing runs. Every agent takes it for a refusal, together with the status 2."""
    with contextlib.suppress(OSError):
        os.write(2, f"interlock: the hook failed, so nothing runs: {why}\n".encode("utf-8", "replace"))


_WATCHED: list[list[str]] = []


def watch(words: list[str]) -> None:
    """See that a hook ends with a refusal if it is stopped, or takes too long: also to start."""
    _WATCHED.append(words)
    with contextlib.suppress(ValueError):  # only the main thread hears signals
        for name in _SIGNALS:
            signal.signal(getattr(signal, name), _stopped)
    left = _deadline(words) + GRACE_SECONDS - gone()
    timer = threading.Timer(max(0.0, left), _end, ("it took too long",))
    timer.daemon = True
    timer.start()


def _stopped(number: int, _frame: FrameType | None) -> None:
    _end(f"it was stopped by {signal.Signals(number).name}")


def _end(why: str) -> None:
    last_word(why)
    os._exit(2)


def _deadline(words: list[str]) -> float:
    for word, follows in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name == "--deadline":
            with contextlib.suppress(ValueError):
                return min(float(value or follows), 3_600.0)
    return DEADLINE_SECONDS


def gone() -> float:
    """Return for how many seconds this process has run, where it is a hook: whoever waits for it has waited as long."""
    if not _WATCHED:
        return 0.0
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            started = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()
