"""The fallback answer of a hook: a refusal, when it is stopped, fails or takes too long.

It uses nothing but the operating system, so that it works whatever state Python is in. Imported on every call of a
hook, so it imports nothing that takes long: not even `signal`.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]
import os

from interlock.cli.deadline import seconds_left, start_clock

#: How long after a hook's own deadline the fallback answers.
GRACE_SECONDS = 2.0
_NAMES = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGPIPE")
_SIGNALS = {getattr(signals, name): name for name in _NAMES}


def refuse(why: str) -> None:
    """Print why nothing runs. Together with exit status 2, every agent takes it for a refusal."""
    write_answer(b"", f"interlock: the hook failed, so the action was denied: {why}\n".encode("utf-8", "replace"))


def write_answer(stdout: bytes, stderr: bytes, status: int = 0) -> int:
    """Write an answer directly to the file descriptors; return the exit status, which is 2 if writing fails."""
    written = _write(1, stdout)
    _try_write(stderr if written else b"Interlock could not write its answer, so this does not run\n")
    return status if written else 2


def _try_write(text: bytes) -> None:
    """Write to standard error if it can be written to at once: an explanation is not worth a late answer."""
    if not text:
        return
    import select

    try:
        if select.select([], [2], [], 0)[1]:
            os.write(2, text[:4_096])
    except (OSError, ValueError):
        pass


def _write(descriptor: int, text: bytes) -> bool:
    try:
        while text:
            text = text[os.write(descriptor, text) :]
    except OSError:
        return False
    return True


def install_handlers(arguments: list[str]) -> None:
    """Make this process, a hook, end with a refusal when a signal stops it or its deadline passes."""
    start_clock(arguments)
    for number in _SIGNALS:
        signals.signal(number, _handle_signal)
    signals.pthread_sigmask(signals.SIG_UNBLOCK, set(_SIGNALS))
    signals.setitimer(signals.ITIMER_REAL, seconds_left(GRACE_SECONDS))


def start_timer() -> None:
    """Refuse at the deadline also while the main thread is busy: Python handles signals between two steps of it."""
    import threading

    timer = threading.Timer(seconds_left(GRACE_SECONDS), _exit, ("it took too long",))
    timer.daemon = True
    timer.start()


def _handle_signal(number: int, _frame: object) -> None:
    name = _SIGNALS[number]
    _exit("it took too long" if name == "SIGALRM" else f"it was stopped by {name}")


def _exit(why: str) -> None:
    refuse(why)
    os._exit(2)
