"""The layers of a configuration: the documents that it was loaded from, the weakest first."""

from typing import Any

import msgspec

from interlock.documents import Document, Path


class Layer(msgspec.Struct, frozen=True):
    """A document, and what of it is in force: under an outer layer, looser settings are left out."""

    document: Document
    kept: Document
    is_bundle: bool = False

    def has(self, path: Path) -> bool:
        """Whether the document has a value at a path."""
        return _at(self.document, path) is not _MISSING

    def sets(self, path: Path) -> bool:
        """Whether the document has a value at a path, and it was not left out."""
        return self.has(path) and _at(self.kept, path) is not _MISSING

    def completes(self, path: Path) -> bool:
        """Whether an outer layer supplies the value at a path."""
        return not self.has(path) and _at(self.kept, path) is not _MISSING

    def written(self, path: Path) -> Any:
        """Return the value at a path as it is written."""
        return _at(self.document, path)


_MISSING = object()


def _at(document: Document, path: Path) -> Any:
    found: Any = document.values
    for part in path:
        if not isinstance(found, dict) or part not in found:
            return _MISSING
        found = found[part]
    return found
