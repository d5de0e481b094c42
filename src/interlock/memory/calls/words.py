"""The words by which calls of tools are told apart, from `run-memory.toml`."""

from __future__ import annotations

from functools import cache

import msgspec

from interlock.knowledge.catalogue import read_table


class MemoryWords(msgspec.Struct, frozen=True):
    """The words of `run-memory.toml`, as sets."""

    public: frozenset[str]
    internal: frozenset[str]
    outside: frozenset[str]
    opening: frozenset[str]
    closing: frozenset[str]
    answering: frozenset[str]
    team: frozenset[str]
    inside: frozenset[str]
    conversations: frozenset[str]
    open_platforms: frozenset[str]
    timers: frozenset[str]
    browsers: frozenset[str]
    copying: frozenset[str]
    pasting: frozenset[str]
    inner_hosts: frozenset[str]
    typing: frozenset[str]
    chats: frozenset[str]
    rooms: frozenset[str]
    readers: frozenset[str]
    customers: frozenset[str]
    outward: frozenset[str]
    preparing: frozenset[str]
    triggering: frozenset[str]
    defining: frozenset[str]
    definitions: frozenset[str]
    naming: frozenset[str]
    standing: frozenset[str]
    states: frozenset[str]
    looking: frozenset[str]


@cache
def memory_words() -> MemoryWords:
    """Return the words by which tools and arguments are told apart."""
    from interlock.knowledge.tool_tables import RunMemory  # few runs call tools

    table = read_table("run-memory", RunMemory)
    return MemoryWords(*(frozenset(getattr(table, name)) for name in MemoryWords.__struct_fields__))
