"""Room for deep recursion in one piece.

CPython keeps the frames of Python functions in chunks of 16 KB, some 70 frames each. When the first frame of a chunk
ends, the chunk goes back to the system. So a recursion that goes up and down across the end of a chunk asks the system
for memory each time, which takes longer than the call itself; how often that is depends on how deep the caller is. A
frame that needs a larger chunk gets one, and the frames of the calls below it use what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

#: Values that a frame has room for on its stack. The size of its chunk is a power of two: nearly as much is left in it,
#: for some 300 frames. The system takes longer to give and to take back a larger one.
SLOTS = 2**13

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def with_stack_room(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that calls another one, below which the frames of hundreds of calls share one chunk.

    Getting the chunk takes about 10 µs, so this is only worth it for long recursions.
    """

    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=SLOTS)
    return wraps(function)(call)
