"""The members of the groups that policies require: of the configuration's `[roles]`, and of groups in the store.

The configuration comes first: a group in the store adds no one to a role that the configuration defines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from interlock.approval.one_person import allows_one_person
from interlock.approval.request import Approval
from interlock.approval.rules import ApprovalRules, find_required_roles
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.rows import check_row
from interlock.model import Needs, Struct
from interlock.store.connection import Connection
from interlock.store.tables import groups

ACTIVE, REMOVED = "active", "removed"
Members = dict[str, tuple[str, ...]]
_BY_NAME = "SELECT * FROM interlock_groups WHERE name = :name"


class Member(Struct, frozen=True):
    """A member of a group. `source` is `local`, or the sign-in provider that added them."""

    name: str
    source: str = "local"


_DECODER = msgspec.json.Decoder(tuple[Member, ...])


def members_of(row: Mapping[str, Any]) -> tuple[Member, ...]:
    """Return the members in a stored row; a removed group has none."""
    return _DECODER.decode(row["members"]) if row["state"] == ACTIVE else ()


def current_rules(transaction: Transaction, rules: ApprovalRules, needs: Needs) -> ApprovalRules:
    """Return the rules with the current people and groups of the store, for a request with these requirements."""
    one_person = allows_one_person(transaction.connection, rules)
    return msgspec.structs.replace(_with_stored_groups(transaction, rules, needs), one_person=one_person)


def _with_stored_groups(transaction: Transaction, rules: ApprovalRules, needs: Needs) -> ApprovalRules:
    """Return the rules with the groups of the store that a request requires, each verified against its record."""
    missing = [name for name in find_required_roles(needs) if name not in rules.roles]
    if not missing:
        return rules
    return msgspec.structs.replace(rules, roles={**_read_verified_members(transaction, missing), **rules.roles})


def _read_verified_members(transaction: Transaction, names: Iterable[str]) -> Members:
    """Return the members of groups that are in the store; raise if a row was altered."""
    found = {}
    for name in names:
        row = transaction.connection.row(_BY_NAME, name=name)
        if row is not None:
            check_row(transaction, groups, row)
            found[name] = _names(row)
    return found


def apply_current_rules(source: Transaction | Connection, approval: Approval, rules: ApprovalRules) -> Approval:
    """Return a request with the current rules where they are stricter: more approvers, or fewer members of a group."""
    return msgspec.structs.replace(
        approval,
        one_person=approval.one_person and allows_one_person(_connection(source), rules),
        roles=_current_members(source, approval, rules),
    )


def _connection(source: Transaction | Connection) -> Connection:
    return source.connection if isinstance(source, Transaction) else source


def _current_members(source: Transaction | Connection, approval: Approval, rules: ApprovalRules) -> Members:
    """Return the members of each role that may still answer: members at its opening who have not left since.

    Members are verified in a transaction, and only read on a connection.
    """
    stored = [name for name in approval.roles if name not in rules.roles]
    if not stored:
        return approval.roles
    now = _read_verified_members(source, stored) if isinstance(source, Transaction) else _read_members(source, stored)
    return {
        role: tuple(name for name in names if role not in now or name in now[role])
        for role, names in approval.roles.items()
    }


def _read_members(connection: Connection, names: Iterable[str]) -> Members:
    rows = (connection.row(_BY_NAME, name=name) for name in names)
    return {row["name"]: _names(row) for row in rows if row is not None}


def all_members(connection: Connection, roles: Mapping[str, tuple[str, ...]]) -> Members:
    """Return the members of every role of a configuration, and of every group in the store."""
    rows = connection.rows("SELECT * FROM interlock_groups WHERE state = :state ORDER BY name", state=ACTIVE)
    return {**{row["name"]: _names(row) for row in rows}, **roles}


class VerifiedGroups:
    """The groups of a store, verified whenever they have changed, for signing."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._verified: tuple[Members, Members] = {}, {}

    def members(self) -> Members:
        """Return the members of every group, or raise if a row was altered."""
        with self._journal.database.read() as connection:
            found = all_members(connection, {})
        if found != self._verified[0]:
            self._verified = found, self._journal.commit(lambda it: _read_verified_members(it, found))
        return self._verified[1]


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(member.name for member in members_of(row))
