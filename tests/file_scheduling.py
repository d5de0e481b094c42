"""How `pytest-xdist` gives the files of tests to its processes: as `--dist loadfile` does, in time that stays short.

The scheduler of `pytest-xdist` looks at every test that a process has run whenever a message arrives, and looks every
test up in a list, which takes half a minute with as many tests as there are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class _IndexedList(list[str]):
    """A list of different texts that finds the position of each at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(texts)
        self._positions = {text: position for position, text in enumerate(texts)}

    def index(self, text: str, *_bounds: Any) -> int:
        """Return the position of a text."""
        return self._positions[text]


class FileScheduling(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Gives each process one file after the other, and forgets the files that it has finished."""

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """Store the tests that a process has found."""
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = _IndexedList(collection)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Note that a process has run a test, and forget its file if that was the last one."""
        super().mark_test_complete(node, item_index, duration)
        files = self.assigned_work[node]
        file = self._split_scope(self.registered_collections[node][item_index])
        if all(files[file].values()):
            del files[file]
