"""Names of sensitive files, folders, tables and documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.run_memory import PrivateSources
from interlock.memory.exposures.private_words import is_about_people, is_private_document
from interlock.memory.exposures.record_names import is_records_file
from interlock.memory.model import Content
from interlock.model import Action
from interlock.patterns import late

MAX_NAME, MAX_TEXT = 160, 20_000
_WORDS = late(r"[\W_]+")


class Sources(msgspec.Struct, frozen=True):
    """The names and endings of `private-sources.toml`, as sets and tuples."""

    secret_words: frozenset[str]
    key_endings: tuple[str, ...]
    setting_endings: tuple[str, ...]
    networks: frozenset[str]
    private_folders: frozenset[str]
    kept_by_programs: frozenset[str]
    personal_folders: frozenset[str]
    system_folders: tuple[str, ...]
    ambiguous_endings: tuple[str, ...]
    dumps: frozenset[str]
    code_endings: tuple[str, ...]
    script_endings: tuple[str, ...]
    table_endings: tuple[str, ...]


@cache
def sources() -> Sources:
    """Return the names and endings of sensitive files."""
    table = read_table("private-sources", PrivateSources)
    return Sources(
        frozenset(table.secret_words),
        tuple(table.key_endings),
        tuple(table.setting_endings),
        frozenset(table.networks),
        frozenset(table.private_folders),
        frozenset(table.kept_by_programs),
        frozenset(table.personal_folders),
        tuple(table.system_folders),
        tuple(table.ambiguous_endings),
        frozenset(table.dumps),
        tuple(table.code_endings),
        tuple(table.script_endings),
        tuple(table.table_endings),
    )


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one of the patterns of `private-sources.toml`."""
    return re.compile("|".join(read_table("private-sources", PrivateSources).patterns[name]))


def is_confidential(text: str) -> bool:
    """Whether a name says that something is confidential.

    >>> is_confidential("Salaries 2026 (HR only)"), is_confidential("Holiday list")
    (True, False)
    """
    return len(text) <= MAX_NAME and (pattern("confidential").search(text) is not None or is_private_document(text))


def has_internal_information(text: str) -> bool:
    """Whether a text contains internal information: about staff, prices, plans or health."""
    return pattern("telling").search(text[:MAX_TEXT]) is not None


def find_private_texts(values: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the texts of a call that contain internal information, even if the call keeps them hidden."""
    return [value for _, value in values if isinstance(value, str) and has_internal_information(value)]


def is_example(text: str) -> bool:
    """Whether a name says that something was made up."""
    return pattern("examples").search(text) is not None


def source_kind(path: str, action: Action) -> Content | None:
    """Return the kind of sensitive data that a path names, or None."""
    known = sources()
    if path.startswith(known.system_folders) or is_example(path):
        return None
    *folders, name = path.lower().rstrip("/*").split("/")
    words = frozenset(_WORDS.split(name))
    if _is_secret(name, words, folders):
        return Content.SECRET
    if name.endswith(known.table_endings) and (is_about_people(name) or is_private_document(name)):
        return Content.PRIVATE
    made_by_hand = name.endswith(known.ambiguous_endings) and words.isdisjoint(known.dumps)
    if (is_records_file(path) and not made_by_hand) or _is_personal(path, action):
        return Content.PRIVATE
    named = words.union(*(_WORDS.split(folder) for folder in folders[-3:]))
    is_code = name.endswith(known.code_endings)
    return Content.PRIVATE if not is_code and not known.private_folders.isdisjoint(named) else None


def is_people_folder(path: str) -> bool:
    """Whether a folder is named after people or money: `data/clients`."""
    return is_records_file(f"{path.rstrip('/*')}.csv")


def _is_secret(name: str, words: frozenset[str], folders: list[str]) -> bool:
    known = sources()
    if not known.kept_by_programs.isdisjoint((*folders, name)) or name == ".env" or name.startswith(".env."):
        return True
    if name.endswith(known.script_endings):
        return False
    return (
        not known.secret_words.isdisjoint((*words, *folders))
        or (name.endswith(known.key_endings) and "pub" not in words)
        or (name.endswith(known.setting_endings) and not known.networks.isdisjoint((*words, *folders)))
    )


def _is_personal(path: str, action: Action) -> bool:
    home = action.home or ""
    inner = path[len(home) + 1 :] if home and path.startswith(f"{home}/") else ""
    return inner.split("/")[0].lower() in sources().personal_folders


def find_strictest(kinds: Iterable[Content | None]) -> Content | None:
    """Return the strictest of some kinds: a secret before private data."""
    found = set(kinds)
    return next((kind for kind in (Content.SECRET, Content.PRIVATE) if kind in found), None)
