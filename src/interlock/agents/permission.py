"""The answer to an agent about a tool call: a permission, and its explanation."""

from __future__ import annotations

from enum import IntEnum

import msgspec

#: The reason where there is no other: some agents ignore a refusal without one.
DEFAULT_REASON = "Interlock refused this"


class Permission(IntEnum):
    """The permission for a call, from the mildest to the strictest."""

    ALLOW = 0  # it runs, and the agent does not ask the person
    NO_OBJECTION = 1  # the agent's own rules decide
    ASK = 2  # the agent asks the person
    DENY = 3


class PermissionText(msgspec.Struct, frozen=True):
    """The words of an answer: a reason for the model, in one line it can act on, and a notice for the person alone."""

    reason: str = ""
    notice: str = ""

    @property
    def in_full(self) -> str:
        """Both texts, for a model that relays them to its user."""
        if not self.reason or not self.notice:
            return self.reason or self.notice
        return f"{self.reason}{'' if self.reason.endswith(('.', '…')) else '.'} {self.notice}"
