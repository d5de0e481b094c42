"""Changes in SQL that leave nothing behind: of temporary tables, of scratch objects, and those that are rolled back."""

from __future__ import annotations

import msgspec

from interlock.analyse.reading import SCRATCH_POINTS, Reading
from interlock.analyse.sql.lexer import SqlToken
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.model import Effect, Place, Resource

_CHANGES = frozenset({"db.write", "db.delete", "db.drop", "db.alter"})
#: What a rollback takes back in every database. Some commit before they drop, alter or truncate.
_UNDONE = frozenset({"db.write", "db.delete"})
_TEMPORARY = frozenset({"temp", "temporary"})
#: Schemas whose tables go away with the session.
_SCHEMAS = ("pg_temp.", "pg_temp_", "temp.", "tempdb.", "#", "session.")
_ENDS = frozenset({"commit", "end"})


def mark_scratch(reading: Reading, found: list[list[SqlToken]], ranges: list[int]) -> None:
    """Say of the changes that statements make to scratch objects that they are made to scratch data.

    `ranges` are the numbers of the first effect of each statement.
    """
    if not ranges or len(reading.effects) == ranges[0]:
        return
    temporary = _temporary_tables(found)
    undone = _find_rolled_back(found)
    ends = [*ranges[1:], len(reading.effects)]
    for index, (start, end) in enumerate(zip(ranges, ends, strict=True)):
        words = [token.word for token in found[index][:5]]
        is_temporary = (words[0] == "drop" and not _TEMPORARY.isdisjoint(words[1:3])) or (
            words[0] == "create" and not _TEMPORARY.isdisjoint(words[1:]) and "view" not in words
        )
        drops_scratch = _drops_scratch(found[index], temporary)
        listed = found[index][0].word in _LISTING and any(token.word == "," for token in found[index])
        for at in range(start, end):
            effect = reading.effects[at]
            if effect.kind not in _CHANGES:
                continue
            name = effect.resource.name.lower().rstrip(".") if effect.resource else ""
            rolled_back = index in undone and effect.kind in _UNDONE and "truncate" not in effect.flags
            scratch = name.startswith(_SCHEMAS) or (is_scratch_name(name) if name else drops_scratch)
            if listed and not drops_scratch:
                continue
            if is_temporary or rolled_back or name in temporary or scratch:
                reading.effects[at] = _on_scratch(effect)


#: Statements that may name several things.
_LISTING = frozenset({"drop", "truncate"})
#: Words of a statement between `DROP` and what it drops, and words after that.
_KINDS = frozenset("external virtual foreign materialized dynamic if exists not only".split())
_OPTIONS = frozenset("cascade restrict purge sync async force with delete on restart continue".split())


def _drops_scratch(statement: list[SqlToken], temporary: set[str]) -> bool:
    """Whether a statement drops only things for a trial, of whichever kind: `DROP KEYSPACE shop_test`."""
    words = [token.word for token in statement]
    if words[0] not in _LISTING:
        return False
    rest = [word for word in words[1:] if word not in _KINDS and word != ";"]
    if words[0] == "drop" or rest[:1] == ["table"]:
        rest = rest[1:]
    ends = [at for at, word in enumerate(rest) if word in _OPTIONS]
    names = [word for word in rest[: ends[0] if ends else None] if word != ","]
    return bool(names) and all(
        name in temporary or name.startswith(_SCHEMAS) or is_scratch_name(name) for name in names
    )


def _on_scratch(effect: Effect) -> Effect:
    resource = effect.resource or Resource("table", "temporary")
    return msgspec.structs.replace(
        effect, resource=Resource(resource.type, resource.name, Place.SCRATCH, SCRATCH_POINTS)
    )


def _temporary_tables(found: list[list[SqlToken]]) -> set[str]:
    """Return the names of the temporary tables that a text creates."""
    names = set()
    for statement in found:
        words = [token.word for token in statement]
        for at, word in enumerate(words[:-1]):
            if word == "#":
                names |= {words[at + 1], f"#{words[at + 1]}"}
        if words[0] == "create" and not _TEMPORARY.isdisjoint(words[1:5]) and "table" in words[:6]:
            rest = [word for word in words[words.index("table") + 1 :][:4] if word not in ("if", "not", "exists")]
            names.update(rest[:1])
    return names


def _find_rolled_back(found: list[list[SqlToken]]) -> set[int]:
    """Return the numbers of the statements in transactions that end with a rollback."""
    undone: set[int] = set()
    begun = -1
    for index, statement in enumerate(found):
        first = statement[0].word
        if first in ("begin", "start") and begun < 0:
            begun = index
        elif first in ("rollback", "abort") and "to" not in [token.word for token in statement] and begun >= 0:
            undone.update(range(begun, index))
            begun = -1
        elif first in _ENDS:
            begun = -1
    return undone
