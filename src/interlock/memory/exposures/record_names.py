"""Names of files and tables that hold people's data, a whole database, or something confidential."""

from __future__ import annotations

from functools import cache

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.patterns import late

MAX_NAME = 300
_WORDS = late(r"[_.\s-]+")


class RecordNameSets(msgspec.Struct, frozen=True):
    """The lists of `record-names.toml`, as sets."""

    packed: frozenset[str]
    stores: frozenset[str]
    data: frozenset[str]
    documents: frozenset[str]
    filed: frozenset[str]
    subjects: frozenset[str]
    confidential: frozenset[str]
    folders: frozenset[str]
    offices: frozenset[str]
    codes: frozenset[str]
    redeemed: frozenset[str]


@cache
def record_names() -> RecordNameSets:
    """Return the endings, words and folders by which such files are recognised."""
    from interlock.knowledge.table_types.run_commands import RecordNames

    table = read_table("record-names", RecordNames)
    return RecordNameSets(*(frozenset(getattr(table, name)) for name in RecordNameSets.__struct_fields__))


def is_records_file(path: str) -> bool:
    """Whether a file holds people's data, a database or something confidential, by its name.

    >>> [is_records_file(path) for path in ("/p/exports/customers_2024.csv", "/p/src/users.py", "/p/a.sql.gz")]
    [True, False, True]
    >>> is_records_file("/home/a/Documents/finance/export.json"), is_records_file("/p/src/board/config.json")
    (True, False)
    """
    *folders, name = path[-MAX_NAME:].lower().split("/")
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return False
    if ending in record_names().packed and "." in stem:
        inner, _, packed = stem.rpartition(".")
        if packed in record_names().stores or packed in record_names().data:
            stem, ending = inner, packed
    if ending in record_names().stores:
        return True
    words = frozenset(_WORDS.split(stem))
    if ending in record_names().data and not (
        words.isdisjoint(record_names().codes) or words.isdisjoint(record_names().redeemed)
    ):
        return True
    if (ending in record_names().data and not words.isdisjoint(record_names().subjects)) or (
        ending in record_names().documents and not words.isdisjoint(record_names().confidential)
    ):
        return True
    if ending in record_names().filed and not record_names().folders.isdisjoint(folders):
        return True
    return ending in record_names().data and not record_names().offices.isdisjoint(folders)
