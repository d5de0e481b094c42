"""Propagate the current run to other threads; thread pools do not do that on their own."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def carry_run(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that belongs to the current run in every thread that calls it.

    Wrap a function before you pass it to a thread or another thread pool: `pool.map(carry_run(fetch), urls)`.
    """
    context = contextvars.copy_context()

    @functools.wraps(function)
    def wrapper(*given: Parameters.args, **named: Parameters.kwargs) -> Result:
        return context.copy().run(function, *given, **named)

    return wrapper


class RunExecutor(ThreadPoolExecutor):
    """A thread pool that runs work in the run in which it was submitted."""

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Result]:
        """Submit work that belongs to the current run."""
        return super().submit(carry_run(fn), *args, **kwargs)
