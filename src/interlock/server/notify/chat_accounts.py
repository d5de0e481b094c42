"""Chat accounts: which member of which channel is which person. Only a linked account is notified and can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.access.people import People
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import InterlockError, MissingError
from interlock.model import Struct
from interlock.patterns import late
from interlock.sanitise import plain
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.preferences import (
    Destination,
    check_preferences,
    read_preferences,
    write_preferences,
)
from interlock.store.clock import now_in
from interlock.store.tables import chat_accounts
from interlock.store.where import Where

LINKED, UNLINKED = "linked", "unlinked"
#: Ids of members: `U012AB3CD` in Slack, a number in Telegram.
_MEMBER = late(r"[A-Za-z0-9]{1,40}")
_BY_ID = "SELECT * FROM interlock_chat_accounts WHERE account_id = :account_id"
_OF_PERSON = "SELECT * FROM interlock_chat_accounts WHERE person = :person AND state = 'linked' ORDER BY channel"


class ChatAccount(Struct, frozen=True, kw_only=True):
    """A linked account. `team` is the workspace that it was linked from, if the channel has workspaces."""

    channel: str
    member: str
    person: str
    linked_at: int
    linked_by: str
    team: str = ""


class ChatAccounts:
    """The chat accounts of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal, self._people = journal, People(journal)

    def list(self, person: str | None = None) -> list[ChatAccount]:
        """Return the linked accounts of a person, or of everybody."""
        where = Where().equals(state=LINKED, person=person)
        query = f"SELECT * FROM interlock_chat_accounts {where} ORDER BY person, channel"
        with self._journal.database.read() as connection:
            return [_account(row) for row in connection.rows(query, **where.given)]

    def find(self, transaction: Transaction, channel: str, member: str, team: str | None) -> ChatAccount | None:
        """Return the linked account of a member of a team, None for any; raise if its row was altered."""
        row = transaction.connection.row(_BY_ID, account_id=_account_id(channel, member))
        if row is None or row["state"] != LINKED or (row["team"] and team is not None and team != row["team"]):
            return None
        check_row(transaction, chat_accounts, row)
        return _account(row)

    def check_linked(self, channel: str, person: str, member: str) -> None:
        """Raise `ChannelError` unless an account in a channel is that person's."""
        account = self._journal.commit(lambda transaction: self.find(transaction, channel, member, None))
        if account is None or account.person != person:
            raise ChannelError(
                "the account is not linked to this person; link it under Settings → Chat accounts", final=True
            )

    def link(self, transaction: Transaction, account: ChatAccount) -> ChatAccount:
        """Link an account to an active person, and notify them there; another account of theirs in the channel is
        unlinked, and so is the account from the person who had it before.
        """
        check_member(account.member)
        if self._people.get_active(transaction, account.person) is None:
            raise MissingError(
                f"there is no active person `{plain(account.person)[:80]}`; `interlock people` lists them"
            )
        for row in transaction.connection.rows(_OF_PERSON, person=account.person):
            if row["channel"] == account.channel and row["member"] != account.member:
                _unlink(transaction, row, account.linked_by)
        at = now_in(transaction.connection).wall
        old = transaction.connection.row(_BY_ID, account_id=_account_id(account.channel, account.member))
        if old is not None and old["state"] == LINKED:
            _unlink(transaction, old, account.linked_by)
        row = {name: getattr(account, name) for name in account.__struct_fields__}
        row |= {"account_id": _account_id(account.channel, account.member), "state": LINKED, "linked_at": at}
        write_row(transaction, chat_accounts, row, _entry("chat.linked", row, account.linked_by, at), new=old is None)
        _set_destination(transaction, account.person, account.channel, account.member, account.linked_by)
        return _account(row)

    def set(self, channel: str, member: str, person: str, actor: str) -> ChatAccount:
        """Link an account without a code, as an admin may."""
        account = ChatAccount(channel=channel, member=member, person=person, linked_at=0, linked_by=actor)
        return self._journal.commit(lambda transaction: self.link(transaction, account))

    def unlink(self, channel: str, person: str, actor: str) -> None:
        """Unlink a person's account in a channel, or raise if there is none."""

        def operation(transaction: Transaction) -> None:
            found = [row for row in transaction.connection.rows(_OF_PERSON, person=person) if row["channel"] == channel]
            if not found:
                raise MissingError(f"`{plain(person)[:80]}` has no linked account in `{plain(channel)[:80]}`")
            for row in found:
                _unlink(transaction, row, actor)

        self._journal.commit(operation)


def check_member(member: str) -> None:
    """Raise if a text cannot be the id of a member."""
    if not _MEMBER.fullmatch(member):
        raise InterlockError(
            f"a member id has up to 40 letters and digits, as `U012AB3CD`, found `{plain(member)[:60]}`"
        )


def unlink_everyone(transaction: Transaction, channel: str, actor: str) -> None:
    """Unlink all accounts in a channel: its messages and answers now go through another service or account."""
    query = "SELECT * FROM interlock_chat_accounts WHERE channel = :channel AND state = 'linked'"
    for row in transaction.connection.rows(query, channel=channel):
        _unlink(transaction, row, actor)


def _unlink(transaction: Transaction, row: Mapping[str, Any], actor: str) -> None:
    changed = {name: value for name, value in row.items() if name != "seq"} | {"state": UNLINKED}
    at = now_in(transaction.connection).wall
    write_row(transaction, chat_accounts, changed, _entry("chat.unlinked", changed, actor, at), new=False)
    _set_destination(transaction, row["person"], row["channel"], None, actor)


def _set_destination(transaction: Transaction, person: str, channel: str, member: str | None, actor: str) -> None:
    """Make a member id the only destination of a person in a channel, or remove it."""
    found = read_preferences(transaction, person)
    others = tuple(one for one in found.destinations if one.channel != channel)
    own = () if member is None else (Destination(channel=channel, address=member),)
    changed = msgspec.structs.replace(found, destinations=(*others, *own))
    write_preferences(transaction, check_preferences(changed), actor)


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"person": row["person"], "channel": row["channel"], "member": row["member"]}
    return Entry(kind=kind, at=at, actor=actor, name=row["account_id"], outcome=row["state"], data=data)


def _account_id(channel: str, member: str) -> str:
    return f"{channel}/{member}"


def _account(row: Mapping[str, Any]) -> ChatAccount:
    return ChatAccount(**{name: row[name] for name in ChatAccount.__struct_fields__})
