"""Accounts whose sign-in was rejected because they are not linked to a person, so that an admin can link them."""

from __future__ import annotations

import msgspec

from interlock.access.identities import Account
from interlock.access.provider_sign_in import NOT_LINKED
from interlock.audit.read import RecordFilter, read_newest
from interlock.model import Struct
from interlock.store.database import Database

#: How many of the newest rejected sign-ins are looked at.
MOST = 200


class WaitingAccount(Struct, frozen=True, kw_only=True):
    """An account that is not linked to a person, the name that it would have, and its last sign-in attempt."""

    account: Account
    name: str
    at: int


def list_waiting(database: Database) -> list[WaitingAccount]:
    """Return the accounts that were rejected because they are not linked, newest first."""
    found: dict[str, WaitingAccount] = {}
    for line in reversed(read_newest(database, RecordFilter(kind="session.refused"), MOST)):
        record = line.record
        if record.outcome == NOT_LINKED:
            account = msgspec.convert({name: record.data[name] for name in Account.__struct_fields__}, Account)
            waiting = WaitingAccount(account=account, name=record.name or "", at=record.at)
            found.setdefault(account.identity_id, waiting)
    return [one for one in found.values() if not _is_linked(database, one.account)]


def _is_linked(database: Database, account: Account) -> bool:
    query = "SELECT state FROM interlock_identities WHERE identity_id = :identity_id"
    with database.read() as connection:
        return bool(connection.value(query, identity_id=account.identity_id) == "linked")
