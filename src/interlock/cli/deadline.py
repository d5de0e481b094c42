"""The deadline of a hook: how long this process has run, and how much time is left to answer.

Imported on every call of a hook, so it imports nothing that takes long.
"""

from __future__ import annotations

import os
import time

from interlock.agents import DEADLINE_SECONDS

#: The arguments of the hook that this process is; empty in any other process.
_HOOKS: list[list[str]] = []


def start_clock(arguments: list[str]) -> None:
    """Make this process a hook with a deadline, which its arguments may set."""
    _HOOKS.append(arguments)


def seconds_left(more: float = 0.0) -> float:
    """Return how many seconds a hook still has to answer; more than 0, so that a timer can be set to it."""
    arguments = _HOOKS[-1] if _HOOKS else []
    return max(0.001, parse_deadline(arguments) + more - seconds_elapsed())


def parse_deadline(arguments: list[str]) -> float:
    """Return the seconds after which the hook refuses: the value of `--deadline`, or the default."""
    for word, follows in zip(arguments, [*arguments[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name == "--deadline":
            try:
                return min(max(float(value or follows), 0.0), 3_600.0)
            except ValueError:
                break
    return DEADLINE_SECONDS


def seconds_elapsed() -> float:
    """Return for how many seconds this process has run, if it is a hook: its caller has waited that long."""
    if not _HOOKS:
        return 0.0
    try:
        handle = os.open("/proc/self/stat", os.O_RDONLY)
        try:
            stat = os.read(handle, 4_096)
        finally:
            os.close(handle)
        started = int(stat.rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()
