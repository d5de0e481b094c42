"""The last word of a hook: said with nothing but the operating system, so that nothing can keep it from being said.

Imported on every call of a hook, so it imports nothing that takes long: not even `signal`.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]
import os
import time

from interlock.agents import DEADLINE_SECONDS

#: By how much the last word comes after a hook's own deadline.
GRACE_SECONDS = 2.0
#: After how long without a hook the daemon ends, where that is not typed.
IDLE_SECONDS = 1_800.0
_NAMES = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGPIPE")
_SIGNALS = {getattr(signals, name): name for name in _NAMES}
_WATCHED: list[list[str]] = []


def last_word(why: str) -> None:
    """Say why nothing runs. Every agent takes it for a refusal, together with the status 2."""
    say(b"", f"interlock: the hook failed, so nothing runs: {why}\n".encode("utf-8", "replace"))


def say(out: bytes, errors: bytes, status: int = 0) -> int:
    """Write an answer past whatever Python has made of the two streams; return the status, which is 2 if that fails."""
    said = _write(1, out)
    _whisper(errors if said else b"Interlock could not say its answer, so this does not run\n")
    return status if said else 2


def _whisper(text: bytes) -> None:
    """Write to the stream of errors, if that takes it at once: what is said there is not worth being late."""
    import select

    try:
        if text and select.select([], [2], [], 0)[1]:
            os.write(2, text[:4_096])
    except (OSError, ValueError):
        pass


def _write(stream: int, text: bytes) -> bool:
    try:
        while text:
            text = text[os.write(stream, text) :]
    except OSError:
        return False
    return True


def watch(words: list[str]) -> None:
    """See that a hook ends with a refusal if it is stopped, or takes too long."""
    _WATCHED.append(words)
    for number in _SIGNALS:
        signals.signal(number, _stopped)
    signals.pthread_sigmask(signals.SIG_UNBLOCK, set(_SIGNALS))
    signals.setitimer(signals.ITIMER_REAL, left(GRACE_SECONDS))


def watch_closely() -> None:
    """See to it also while something holds the main thread: a signal is heard only between two steps of Python."""
    import threading

    timer = threading.Timer(left(GRACE_SECONDS), _end, ("it took too long",))
    timer.daemon = True
    timer.start()


def _stopped(number: int, _frame: object) -> None:
    name = _SIGNALS[number]
    _end("it took too long" if name == "SIGALRM" else f"it was stopped by {name}")


def _end(why: str) -> None:
    last_word(why)
    os._exit(2)


def left(more: float = 0.0) -> float:
    """Return how many seconds a hook still has to answer; at least a moment, so that a timer can be set to it."""
    words = _WATCHED[-1] if _WATCHED else []
    return max(0.001, deadline_of(words) + more - gone())


def deadline_of(words: list[str]) -> float:
    """Return after how many seconds the answer is no, as it was typed or usual."""
    for word, follows in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name == "--deadline":
            try:
                return min(max(float(value or follows), 0.0), 3_600.0)
            except ValueError:
                break
    return DEADLINE_SECONDS


def gone() -> float:
    """Return for how many seconds this process has run, where it is a hook: whoever waits for it has waited as long."""
    if not _WATCHED:
        return 0.0
    try:
        handle = os.open("/proc/self/stat", os.O_RDONLY)
        try:
            told = os.read(handle, 4_096)
        finally:
            os.close(handle)
        started = int(told.rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()
