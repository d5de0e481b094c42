"""Declared actions: the program that makes a call declares what its own function does."""

from __future__ import annotations

from interlock.knowledge.tool import Tool
from interlock.model import Action


class DeclaredAction(Action, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of a function whose author has declared its effect.

    Only code in the same process can create one: JSON is decoded to an `Action`, so that an agent cannot declare a
    tool. A declaration that was sent by a remote gate is `claimed`, and can only add effects.
    """

    declared: Tool
    claimed: bool = False
