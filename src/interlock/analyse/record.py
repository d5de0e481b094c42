"""The base of the small immutable values that analysers create by the dozen."""

from __future__ import annotations

from typing import Any, Self

import msgspec
from msgspec.structs import replace


class FrozenRecord(msgspec.Struct, frozen=True, gc=False):
    """An immutable value. It is created in a quarter of the time that a named tuple takes."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values in some fields."""
        return replace(self, **changes)
