"""Descriptions of tools: the effect of a call, and the roles of its arguments."""

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
    """The description of a tool."""

    does: str
    also: tuple[str, ...] = ()  # other names of the tool
    flags: tuple[str, ...] = ()
    arguments: Mapping[str, str] = {}  # argument → its role; others are read by their shape
    examples: tuple[ToolExample, ...] = ()


class ToolFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that describes the tools of one service."""

    tools: Mapping[str, Tool]
    service: str = ""
    docs: str = ""
