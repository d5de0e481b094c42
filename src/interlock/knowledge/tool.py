"""How a tool is described: what a call of it does, and what its arguments are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.knowledge.command import ExampleEffect


class ToolExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The arguments of a call, and all the effects that it must have."""

    call: dict[str, Any]
    effects: tuple[ExampleEffect, ...]


class Tool(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is known about a tool."""

    does: str
    also: tuple[str, ...] = ()  # other names of the tool
    flags: tuple[str, ...] = ()
    arguments: Mapping[str, str] = {}  # argument → its role; others are read by the shape of what they hold
    examples: tuple[ToolExample, ...] = ()


class ToolFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that describes the tools of one service."""

    tools: Mapping[str, Tool]
    service: str = ""
    docs: str = ""
