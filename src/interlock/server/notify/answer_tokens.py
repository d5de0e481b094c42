"""The tokens of buttons. Each stands for one answer of one person to exactly one action."""

from __future__ import annotations

from interlock.access.secrets import new_secret
from interlock.approval.request import AnswerVerdict
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.model import Struct
from interlock.server.notify.channel import Notification
from interlock.server.notify.one_time_secrets import OneTimeSecret, find_secret, keep_secret, use_secret
from interlock.store.clock import MICROSECONDS, now_in

#: How long the buttons of a request work that does not expire.
LONGEST_SECONDS = 7 * 86_400
_PURPOSE = "answer"


class ButtonTokens(Struct, frozen=True, kw_only=True):
    """The tokens of one message. `approve` is empty where a button cannot meet the approval rules."""

    approve: str
    reject: str


class AnswerTokens:
    """The tokens of the buttons in the chats of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def create(self, channel: str, notification: Notification) -> ButtonTokens:
        """Create the tokens for a message to a person, valid until the request expires."""
        tokens = ButtonTokens(approve=new_secret() if notification.can_answer_here else "", reject=new_secret())

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            latest = at + LONGEST_SECONDS * MICROSECONDS
            expires_at = latest if notification.ends_at is None else min(notification.ends_at, latest)
            for verdict, token in ((AnswerVerdict.APPROVE, tokens.approve), (AnswerVerdict.REJECT, tokens.reject)):
                if token:
                    keep_secret(transaction, token, _meaning(channel, notification, verdict, expires_at))

        self._journal.commit(operation)
        return tokens

    def find(self, transaction: Transaction, token: str) -> OneTimeSecret | None:
        """Return the answer that a token stands for, or None if it is unknown."""
        return find_secret(transaction, _PURPOSE, token)

    def use(self, token: str) -> bool:
        """Use up a token; return False if it was used before."""
        return self._journal.commit(lambda transaction: use_secret(transaction, token))


def _meaning(channel: str, notification: Notification, verdict: AnswerVerdict, expires_at: int) -> OneTimeSecret:
    return OneTimeSecret(
        purpose=_PURPOSE,
        channel=channel,
        person=notification.person,
        approval_id=notification.approval_id,
        digest=notification.digest,
        verdict=verdict.value,
        expires_at=expires_at,
    )
