"""Link codes: a person gets one on a page or in a terminal, and sends it to the bot from the account to be linked."""

from __future__ import annotations

import secrets

from interlock.access.people import ACTIVE, People
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.errors import ForbiddenError
from interlock.sanitise import plain
from interlock.server.notify.chat_accounts import ChatAccount, ChatAccounts
from interlock.server.notify.one_time_secrets import OneTimeSecret, SecretState, find_secret, keep_secret, use_secret
from interlock.store.clock import MICROSECONDS, now_in

CODE_SECONDS = 10 * 60
#: What a person types to the bot, by the kind of the channel.
COMMANDS = {"slack": "/interlock link {code}", "telegram": "/start {code}"}
#: Without characters that look alike. 16 of them hold 80 bits, which cannot be guessed in ten minutes.
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LENGTH = 16
_PURPOSE = "link"
_INVALID = "this code is invalid, expired or already used; create a new one"


class LinkCodes:
    """The link codes of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._people, self._accounts = People(journal), ChatAccounts(journal)

    def create(self, channel: str, person: str) -> str:
        """Create a code with which a person can link one account in a channel within ten minutes."""
        if self._people.get(person).state != ACTIVE:
            raise ForbiddenError(f"`{plain(person)}` is suspended")
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))

        def operation(transaction: Transaction) -> None:
            expires_at = now_in(transaction.connection).wall + CODE_SECONDS * MICROSECONDS
            meaning = OneTimeSecret(purpose=_PURPOSE, channel=channel, person=person, expires_at=expires_at)
            keep_secret(transaction, code, meaning)

        self._journal.commit(operation)
        return code

    def redeem(self, channel: str, member: str, team: str, code: str) -> ChatAccount:
        """Link the account that sent a code to the person who created it, or raise and record the attempt."""
        code = code.strip().upper().replace("-", "")

        def operation(transaction: Transaction) -> ChatAccount | None:
            at = now_in(transaction.connection).wall
            found = find_secret(transaction, _PURPOSE, code)
            if found is None or found.channel != channel or found.state_at(at) is not SecretState.VALID:
                transaction.append(_refusal(channel, member, at))
                return None
            use_secret(transaction, code)
            person = found.person
            account = ChatAccount(
                channel=channel, member=member, team=team, person=person, linked_at=at, linked_by=person
            )
            return self._accounts.link(transaction, account)

        account = self._journal.commit(operation)
        if account is None:
            raise ForbiddenError(_INVALID)
        return account


def show_code(code: str) -> str:
    """Return a code in groups of four, as people type it.

    >>> show_code("ABCDEFGHJKLMNPQR")
    'ABCD-EFGH-JKLM-NPQR'
    """
    return "-".join(code[at : at + 4] for at in range(0, len(code), 4))


def _refusal(channel: str, member: str, at: int) -> Entry:
    who = plain(f"{channel}/{member}")[:200]
    return Entry(kind="chat.refused", at=at, actor=who, name=who, outcome="invalid code", data={"channel": channel})
