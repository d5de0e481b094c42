"""Groups of people: created, filled, emptied and deleted. Every change is a version that can be restored."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import msgspec

from interlock.access.group_history import decode_members, read_version
from interlock.access.keys import check_name
from interlock.approval.groups import ACTIVE, REMOVED, Member, members_of
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_earlier_row, check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.tables import groups

LOCAL = "local"
MAX_MEMBERS = 2_000
_BY_NAME = "SELECT * FROM interlock_groups WHERE name = :name"


class Group(Struct, frozen=True, kw_only=True):
    """A group. A policy requires one of its members with `who = ["@name"]`."""

    name: str
    members: tuple[Member, ...]
    created_at: int
    created_by: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members."""
        return tuple(member.name for member in self.members)


class Groups:
    """The groups of a store. `defined` are the roles of the configuration, whose names are taken."""

    def __init__(self, journal: Journal, defined: Container[str] = ()) -> None:
        self._journal, self._defined = journal, defined

    def list(self) -> list[Group]:
        """Return all groups, sorted by name."""
        query = "SELECT * FROM interlock_groups WHERE state = :state ORDER BY name"
        with self._journal.database.read() as connection:
            return [_group_from_row(row) for row in connection.rows(query, state=ACTIVE)]

    def get(self, name: str) -> Group:
        """Return a group, or raise."""
        with self._journal.database.read() as connection:
            row = connection.row(_BY_NAME, name=name)
        if row is None or row["state"] != ACTIVE:
            raise _missing_error(name)
        return _group_from_row(row)

    def create(self, name: str, actor: str) -> Group:
        """Create an empty group, or raise if the name is taken."""
        check_group_name(name)
        if name in self._defined:
            raise ConflictError(f"`{name}` is defined in `[roles]` of the configuration; use another name")
        return self._journal.commit(lambda transaction: create_in(transaction, name, actor))

    def add(self, name: str, member: str, actor: str) -> Group:
        """Add a person to a group, or raise if they are in it."""
        check_name(member, "a person")

        def change(members: tuple[Member, ...]) -> tuple[Member, ...]:
            if any(one.name == member and one.source == LOCAL for one in members):
                raise ConflictError(f"`{plain(member)}` is in `{plain(name)}` already")
            return (*_without(members, member), Member(member))

        return self._change(name, actor, change)

    def remove(self, name: str, member: str, actor: str) -> Group:
        """Remove a person from a group, or raise if they are not in it."""

        def change(members: tuple[Member, ...]) -> tuple[Member, ...]:
            if all(one.name != member for one in members):
                raise MissingError(f"`{plain(member)[:80]}` is not in `{plain(name)}`")
            return _without(members, member)

        return self._change(name, actor, change)

    def _change(self, name: str, actor: str, change: Callable[[tuple[Member, ...]], tuple[Member, ...]]) -> Group:
        def operation(transaction: Transaction) -> Group:
            found = _active_row(transaction, name)
            return write_members(transaction, found, change(members_of(found)), actor)

        return self._journal.commit(operation)

    def delete(self, name: str, actor: str) -> None:
        """Delete a group. Requests that only its members may approve can then only be rejected."""

        def operation(transaction: Transaction) -> None:
            row = {**_active_row(transaction, name), "state": REMOVED}
            row.pop("seq")
            _write(transaction, "group.removed", row, actor, "deleted", new=False)

        self._journal.commit(operation)

    def restore(self, name: str, version: int, actor: str) -> Group:
        """Give a group the members of an earlier version; a deleted group exists again."""
        if name in self._defined:
            raise ConflictError(f"`{plain(name)}` is defined in `[roles]` of the configuration; change it there")

        def operation(transaction: Transaction) -> Group:
            found = transaction.connection.row(_BY_NAME, name=name)
            if found is None:
                raise _missing_error(name)
            check_row(transaction, groups, found)
            earlier = read_version(transaction.connection, name, version)
            check_earlier_row(transaction, groups, earlier, version)
            return write_members(transaction, found, decode_members(earlier), actor, f"restored version {version}")

        return self._journal.commit(operation)


def check_group_name(name: str) -> None:
    """Raise unless a text can name a group. The `@` in front of a name belongs to the policies."""
    check_name(name, "a group")
    if name.startswith("@"):
        raise InterlockError(f"write the name of a group without `@`: `{name.lstrip('@')}`")


def create_in(transaction: Transaction, name: str, actor: str, members: tuple[Member, ...] = ()) -> Group:
    """Create a group in a transaction, or raise if it exists."""
    found = transaction.connection.row(_BY_NAME, name=name)
    if found is not None and found["state"] == ACTIVE:
        raise ConflictError(f"group `{plain(name)}` already exists")
    at = now_in(transaction.connection).wall
    row = {"name": name, "members": _encode(members), "state": ACTIVE, "created_at": at, "created_by": actor}
    what = f"created with {', '.join(one.name for one in members)}" if members else "created"
    _write(transaction, "group.made", row, actor, what, new=found is None)
    return _group_from_row(row)


def sync_members(transaction: Transaction, person: str, wanted: Mapping[str, bool], source: str, actor: str) -> None:
    """Add a person to, or remove them from, the groups that a sign-in provider fills. Local members are not changed."""
    for name, belongs in wanted.items():
        found = transaction.connection.row(_BY_NAME, name=name)
        if found is None or found["state"] != ACTIVE:
            if belongs:
                create_in(transaction, name, actor, (Member(person, source),))
            continue
        check_row(transaction, groups, found)
        members = members_of(found)
        mine = [one for one in members if one.name == person]
        if belongs and not mine:
            write_members(transaction, found, (*members, Member(person, source)), actor)
        elif not belongs and any(one.source == source for one in mine):
            write_members(transaction, found, _without(members, person), actor)


def write_members(
    transaction: Transaction, found: Mapping[str, Any], members: tuple[Member, ...], actor: str, note: str = ""
) -> Group:
    """Replace the members of a stored group, and record who was added and removed."""
    if len(members) > MAX_MEMBERS:
        raise ConflictError(f"a group has at most {MAX_MEMBERS:,} members")
    before = {one.name for one in members_of(found)}
    after = {one.name for one in members}
    row = {**found, "members": _encode(members), "state": ACTIVE}
    row.pop("seq")
    what = note or _describe(sorted(after - before), sorted(before - after))
    _write(transaction, "group.changed", row, actor, what, new=False)
    return _group_from_row(row)


def _describe(added: list[str], removed: list[str]) -> str:
    """Describe a change in a few words.

    >>> _describe(["ann"], []), _describe([], ["bob", "cid"])
    ('added ann', 'removed bob, cid')
    """
    parts = [f"{verb} {', '.join(names)}" for verb, names in (("added", added), ("removed", removed)) if names]
    return "; ".join(parts)[:200] or "changed the source of a member"


def _write(transaction: Transaction, kind: str, row: Mapping[str, Any], actor: str, what: str, *, new: bool) -> None:
    """Write a group and the record of its change, which repeats the row so that it can be restored."""
    at = now_in(transaction.connection).wall
    version = {column: value for column, value in row.items() if column != "name"}
    data = {"group": version, "what": f"`{row['name']}`: {what}"}
    entry = Entry(kind=kind, at=at, actor=actor, name=row["name"], outcome=what, data=data)
    write_row(transaction, groups, row, entry, new=new)


def _active_row(transaction: Transaction, name: str) -> dict[str, Any]:
    found = transaction.connection.row(_BY_NAME, name=name)
    if found is None or found["state"] != ACTIVE:
        raise _missing_error(name)
    check_row(transaction, groups, found)
    return found


def _missing_error(name: str) -> MissingError:
    return MissingError(f"there is no group `{plain(name)[:80]}`; `interlock groups` lists them")


def _without(members: tuple[Member, ...], name: str) -> tuple[Member, ...]:
    return tuple(one for one in members if one.name != name)


def _encode(members: Iterable[Member]) -> str:
    return msgspec.json.encode(sorted(members, key=lambda one: one.name)).decode()


def _group_from_row(row: Mapping[str, Any]) -> Group:
    return Group(name=row["name"], members=members_of(row), created_at=row["created_at"], created_by=row["created_by"])
