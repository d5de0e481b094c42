"""Declared actions: the program that makes a call declares what its own function does."""

from __future__ import annotations

from interlock.knowledge.tool import Tool
from interlock.model import Action


class DeclaredAction(Action, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of a function whose author has declared what it does.

    Only code of the same process can make one. What arrives as JSON is an `Action`, so that no agent declares a tool.
    If the declaration itself arrived from elsewhere, it is `claimed`, and only adds to what is known about the tool.
    """

    declared: Tool
    claimed: bool = False
