"""Carrying a run into other threads: thread pools do not do so by themselves."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def carry_run(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a function that belongs to the current run, whichever thread calls it, and however often.

    Wrap a function before you hand it to a thread or to somebody else's pool: `pool.map(carry_run(fetch), urls)`.
    """
    context = contextvars.copy_context()

    @functools.wraps(function)
    def carried(*given: Given.args, **named: Given.kwargs) -> Result:
        return context.copy().run(function, *given, **named)

    return carried


class RunExecutor(ThreadPoolExecutor):
    """A thread pool whose work belongs to the run in which it was submitted."""

    def submit(self, fn: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Result]:
        """Submit work that belongs to the current run."""
        return super().submit(carry_run(fn), *args, **kwargs)
