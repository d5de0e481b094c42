"""The garbage collector of a process that decides for a long time."""

from __future__ import annotations

import gc

#: A decision leaves hundreds of objects, and hardly any cycles: looking for those often costs more than they take.
NEW_OBJECTS, YOUNG, OLD = 20_000, 20, 50


def collect_rarely() -> None:
    """Skip the objects that exist by now, which live as long as the process, and look for garbage less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, YOUNG, OLD)
