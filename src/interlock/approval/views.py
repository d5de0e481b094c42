"""Saved views of the list of requests: a name for a filter, of one person or shared with all users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from interlock.approval.request_filter import FIELDS, parse_filter
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError, NotYoursError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.tables import views

MAX_NAME = 60
#: How many views a person can have.
MAX_VIEWS = 50


class View(Struct, frozen=True, kw_only=True):
    """A saved view. `query` is that of the list's URL, and nothing else: it names no host and no path."""

    view_id: str
    name: str
    owner: str
    shared: bool
    query: str
    created_at: int
    removed_at: int | None = None


class Views:
    """The saved views of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self, person: str) -> list[View]:
        """Return a person's views and those that others share, by name."""
        where = "removed_at IS NULL AND (owner = :person OR shared = 1)"
        query = f"SELECT * FROM interlock_views WHERE {where} ORDER BY lower(name), view_id"
        with self._journal.database.read() as connection:
            return [_view(row) for row in connection.rows(query, person=person)]

    def find_removed(self, view_id: str, person: str) -> View | None:
        """Return a view that a person has deleted, or None."""
        query = "SELECT * FROM interlock_views WHERE view_id = :view_id AND owner = :person AND removed_at IS NOT NULL"
        with self._journal.database.read() as connection:
            row = connection.row(query, view_id=view_id, person=person)
        return None if row is None else _view(row)

    def save(self, person: str, name: str, query: str, *, shared: bool) -> View:
        """Save a view, or raise."""
        name, query = check_view_name(name), normalise_query(query)

        def operation(transaction: Transaction) -> View:
            _check_free(transaction, person, name)
            at = now_in(transaction.connection).wall
            view = View(view_id=new_id(), name=name, owner=person, shared=shared, query=query, created_at=at)
            _write(transaction, view, person, "view.saved", at, new=True)
            return view

        return self._journal.commit(operation)

    def change(self, view_id: str, person: str, *, name: str | None = None, shared: bool | None = None) -> View:
        """Rename a view, or share it or make it private; only its owner may."""
        given: dict[str, Any] = {"name": None if name is None else check_view_name(name), "shared": shared}
        return self._update(
            view_id, person, "view.changed", {key: value for key, value in given.items() if value is not None}
        )

    def remove(self, view_id: str, person: str) -> View:
        """Delete a view; only its owner may, and can restore it."""
        return self._update(view_id, person, "view.removed", {"removed_at": True})

    def restore(self, view_id: str, person: str) -> View:
        """Restore a view that was deleted; only its owner may."""
        return self._update(view_id, person, "view.changed", {"removed_at": None}, removed=True)

    def _update(
        self, view_id: str, person: str, kind: str, changes: Mapping[str, Any], *, removed: bool = False
    ) -> View:
        def operation(transaction: Transaction) -> View:
            view = _own_view(transaction, view_id, person, removed=removed)
            at = now_in(transaction.connection).wall
            new = {**changes, "removed_at": at} if changes.get("removed_at") else dict(changes)
            changed = msgspec.structs.replace(view, **new)
            if removed or changed.name != view.name:
                _check_free(transaction, person, changed.name)
            _write(transaction, changed, person, kind, at, new=False)
            return changed

        return self._journal.commit(operation)


def check_view_name(name: str) -> str:
    """Return the name of a view on one line, or raise."""
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME:
        raise InterlockError(f"a view needs a name of at most {MAX_NAME} characters")
    if plain(name) != name:
        raise InterlockError("the name contains characters that do not print; use plain text")
    return name


def normalise_query(query: str) -> str:
    """Return a query with nothing in it but a filter of requests, or raise if it has none.

    >>> normalise_query("?environment=production&next=https://evil.example"), normalise_query("")
    ('environment=production', '')
    """
    given = dict(parse_qsl(query[:4_000].removeprefix("?")))
    if query and given.keys().isdisjoint(FIELDS):
        raise InterlockError("the query has no filter of requests; write it as in `environment=production&sort=risk`")
    return parse_filter(given).to_query()


def _check_free(transaction: Transaction, person: str, name: str) -> None:
    query = "SELECT name FROM interlock_views WHERE owner = :person AND removed_at IS NULL"
    names = transaction.connection.values(query, person=person)
    if name in names:
        raise ConflictError(f"you have a view `{name}` already; choose another name")
    if len(names) >= MAX_VIEWS:
        raise ConflictError(f"you have {MAX_VIEWS} views, which is the limit; delete one first")


def _own_view(transaction: Transaction, view_id: str, person: str, *, removed: bool) -> View:
    row = transaction.connection.row("SELECT * FROM interlock_views WHERE view_id = :view_id", view_id=view_id)
    if row is None or (row["removed_at"] is not None) is not removed or (row["owner"] != person and not row["shared"]):
        raise MissingError("there is no such view; the list of requests shows those that you have")
    if row["owner"] != person:
        raise NotYoursError(f"this view belongs to `{plain(row['owner'])}`; save your own instead")
    check_row(transaction, views, row)
    return _view(row)


def _write(transaction: Transaction, view: View, actor: str, kind: str, at: int, *, new: bool) -> None:
    row = {name: getattr(view, name) for name in View.__struct_fields__}
    data = {"name": view.name, "shared": view.shared, "query": view.query}
    entry = Entry(kind=kind, at=at, actor=actor, name=view.view_id, data=data)
    write_row(transaction, views, {**row, "shared": int(view.shared)}, entry, new=new)


def _view(row: Mapping[str, Any]) -> View:
    fields = {name: row[name] for name in View.__struct_fields__}
    return View(**{**fields, "shared": bool(row["shared"])})
