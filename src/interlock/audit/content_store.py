"""The content store: text that runs have written to files, found by its digest, so that running it can be judged.

The chain has the digests; the texts are in the user's own folder. Text that is missing, or does not match
its digest, counts as unknown.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from interlock.errors import StoreError
from interlock.memory.state import MAX_FILE
from interlock.store.files import make_folder, write_draft

#: How long text is kept after it was last stored.
KEEP_SECONDS = 30 * 86_400
#: How many files there may be before old ones are removed.
_MAX_FILES = 2_000


class ContentStore:
    """Texts by their digests. Processes share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "written"

    def put(self, text: str) -> str:
        """Store a text, and return its digest."""
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        file = self._folder / digest
        try:
            make_folder(self._folder)
            with contextlib.suppress(FileNotFoundError):
                os.utime(file)
                return digest
            os.replace(write_draft(file, data, durable=False), file)
            self._remove_old()
        except OSError as error:
            raise StoreError(f"`{self._folder}` cannot be written: {error.strerror}") from None
        return digest

    def get(self, digest: str) -> str | None:
        """Return the text with a digest, or None if it is missing or was changed."""
        if len(digest) != 64 or not digest.isalnum():
            return None
        try:
            with open(self._folder / digest, "rb") as file:
                data = file.read(4 * MAX_FILE + 1)
        except OSError:
            return None
        return data.decode("utf-8", "surrogatepass") if hashlib.sha256(data).hexdigest() == digest else None

    def _remove_old(self) -> None:
        """Remove files that were not stored again for long, once there are many."""
        names = os.listdir(self._folder)
        if len(names) < _MAX_FILES or len(names) % 100:
            return
        for name in names:
            with contextlib.suppress(OSError):
                if time.time() - os.stat(self._folder / name).st_mtime > KEEP_SECONDS:
                    os.unlink(self._folder / name)
