"""The words of `run-memory.toml`, `run-commands.toml` and `run-files.toml`, as sets and tuples for fast look-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types import Table, Words


class MemoryWords(msgspec.Struct, frozen=True):
    """The words of `run-memory.toml`, as sets."""

    public: frozenset[str]
    listed: frozenset[str]
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
    secret_naming: tuple[str, ...]
    secret_values: tuple[str, ...]
    texts: frozenset[str]
    place_ids: tuple[str, ...]
    defaults: frozenset[str]
    places: frozenset[str]
    sharing: frozenset[str]
    first_verbs: frozenset[str]
    creating: frozenset[str]
    approving: frozenset[str]
    verdicts: frozenset[str]
    payments: frozenset[str]
    amounts: frozenset[str]
    tracking: frozenset[str]
    parties: frozenset[str]
    claims: frozenset[str]
    writing: frozenset[str]
    owners: frozenset[str]
    visible: frozenset[str]
    hiding: frozenset[str]
    asking: frozenset[str]
    elements: frozenset[str]
    saving: frozenset[str]
    memories: frozenset[str]
    speaking: frozenset[str]
    profiles: frozenset[str]
    selecting: frozenset[str]
    selected: frozenset[str]


class RunCommandWords(msgspec.Struct, frozen=True):
    """The lists of `run-commands.toml`, as sets and tuples."""

    wrappers: frozenset[str]
    runners: frozenset[str]
    applying: frozenset[str]
    signing: frozenset[str]
    plain_options: frozenset[str]
    interpreters: frozenset[str]
    folder_takers: frozenset[str]
    no_folders: frozenset[str]
    without_output: frozenset[str]
    uploading: frozenset[str]
    sending_names: frozenset[str]
    printing: frozenset[str]
    deploying: frozenset[str]
    looking: tuple[str, ...]
    unpacking: frozenset[str]
    inert: frozenset[str]
    readers: frozenset[str]
    scanners: frozenset[str]
    load_testers: frozenset[str]
    guards: tuple[str, ...]
    hooked: frozenset[str]
    families: Mapping[str, str]


class FileWords(msgspec.Struct, frozen=True):
    """The lists of `run-files.toml`, as sets and tuples."""

    domains: tuple[str, ...]
    usual_hosts: frozenset[str]
    store_endings: tuple[str, ...]
    original_endings: tuple[str, ...]
    collected_folders: frozenset[str]
    pushed_files: tuple[str, ...]
    built_folders: tuple[str, ...]
    document_endings: tuple[str, ...]
    list_endings: tuple[str, ...]
    published_schemas: frozenset[str]
    template_endings: tuple[str, ...]
    loaded_endings: tuple[str, ...]
    loaded_folders: frozenset[str]
    followed_endings: tuple[str, ...]
    data_words: frozenset[str]
    analysed_endings: tuple[str, ...]
    log_endings: tuple[str, ...]
    record_words: frozenset[str]
    output_words: frozenset[str]
    carrying_endings: tuple[str, ...]
    media_endings: tuple[str, ...]


@cache
def memory_words() -> MemoryWords:
    """Return the words by which tools and arguments are classified."""
    from interlock.knowledge.table_types.run_memory import RunMemory

    return _collect(read_table("run-memory", RunMemory), MemoryWords)


@cache
def command_words() -> RunCommandWords:
    """Return the programs and the words by which commands are classified."""
    from interlock.knowledge.table_types.run_commands import RunCommands

    table = read_table("run-commands", RunCommands)
    families = {other: program for program, others in table.families.items() for other in others}
    return _collect(table, RunCommandWords, families=families)


@cache
def file_words() -> FileWords:
    """Return the endings and the names by which files are classified."""
    from interlock.knowledge.table_types.run_commands import RunFiles

    return _collect(read_table("run-files", RunFiles), FileWords)


SomeWords = TypeVar("SomeWords", bound=msgspec.Struct)


def _collect(table: Table, kind: type[SomeWords], **ready: object) -> SomeWords:
    """Return the lists of a table as sets, or as tuples if names are compared with them by `endswith`."""
    kinds = {name: text for name, text in kind.__annotations__.items() if name not in ready}
    lists = {name: _KINDS[text](getattr(table, name)) for name, text in kinds.items()}
    return kind(**lists, **ready)


_KINDS: dict[str, Callable[[Words], object]] = {"tuple[str, ...]": tuple, "frozenset[str]": frozenset}
