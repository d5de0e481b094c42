"""The shelf: what a run has written to files, by its digest, so that whatever runs it later is judged by that.

The chain keeps the digests; the texts stand beside it, in the person's own folder. One that is missing, or is not what
its digest says, counts as not known.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from interlock.errors import StoreError
from interlock.model import MAX_FILE
from interlock.store.files import make_folder, write_draft

#: After so long without a run that needs it, a text is thrown away.
KEEP_SECONDS = 30 * 86_400
#: How many texts may stand there before older ones are looked for.
_CROWD = 2_000


class Shelf:
    """Texts by their digests. Processes share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "written"

    def put(self, text: str) -> str:
        """Keep a text, and return its digest."""
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        file = self._folder / digest
        try:
            make_folder(self._folder)
            with contextlib.suppress(FileNotFoundError):
                os.utime(file)
                return digest
            os.replace(write_draft(file, data, durable=False), file)
            self._tidy()
        except OSError as error:
            raise StoreError(f"what is written cannot be kept in `{self._folder}`: {error.strerror}") from None
        return digest

    def get(self, digest: str) -> str | None:
        """Return the text of a digest; None where it is not there, or is another."""
        if len(digest) != 64 or not digest.isalnum():
            return None
        try:
            with open(self._folder / digest, "rb") as file:
                data = file.read(4 * MAX_FILE + 1)
        except OSError:
            return None
        return data.decode("utf-8", "surrogatepass") if hashlib.sha256(data).hexdigest() == digest else None

    def _tidy(self) -> None:
        """Throw away what nobody has needed for long, once there is a crowd."""
        names = os.listdir(self._folder)
        if len(names) < _CROWD or len(names) % 100:
            return
        for name in names:
            with contextlib.suppress(OSError):
                if time.time() - os.stat(self._folder / name).st_mtime > KEEP_SECONDS:
                    os.unlink(self._folder / name)
