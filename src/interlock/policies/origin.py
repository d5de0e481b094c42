"""Where stored policies come from: a folder of a repository, and its commit."""

from __future__ import annotations

from typing import Annotated

import msgspec

from interlock.audit.masking import mask_text
from interlock.model import Struct
from interlock.sanitise import plain

_OriginText = Annotated[str, msgspec.Meta(max_length=300)]


class PolicyOrigin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The folder that policies were applied from. `name` says which policies belong together.

    `dirty` says that the folder had changes that were not committed.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    repository: _OriginText = ""
    path: _OriginText = ""
    commit: Annotated[str, msgspec.Meta(max_length=100)] = ""
    author: _OriginText = ""
    dirty: bool = False

    def __str__(self) -> str:
        at = f" at {self.commit[:12]}" if self.commit else ""
        return f"{self.name}{at}{' with uncommitted changes' if self.dirty else ''}"


def normalise_origin(origin: PolicyOrigin) -> PolicyOrigin:
    """Return an origin as the store keeps it: on one line, and without secrets."""
    texts = {
        name: mask_text(plain(getattr(origin, name))) for name in ("name", "repository", "path", "commit", "author")
    }
    return msgspec.structs.replace(origin, **texts)
