"""What chats keep in the store, on both databases: accounts, one-time secrets, replays and leases."""

from __future__ import annotations

import pytest

from interlock.access.roles import Role
from interlock.audit.chain import Transaction
from interlock.audit.keys import KeyRing
from interlock.audit.prune import prune
from interlock.audit.verify import verify
from interlock.errors import ForbiddenError
from interlock.server.notify.answer_tokens import AnswerTokens
from interlock.server.notify.channel import REQUESTED, Notification
from interlock.server.notify.chat_accounts import ChatAccount, ChatAccounts
from interlock.server.notify.link_codes import LinkCodes
from interlock.server.notify.poll_lease import PollLease
from interlock.server.notify.slack_signature import refuse_replay
from interlock.store.clock import MICROSECONDS, now
from tests.server.conftest import Serve


def test_chats_are_kept_on_both_databases(serve: Serve, store: str) -> None:
    service = serve(store).service
    journal, people = service.journal, service.authenticator.people
    accounts, tokens, codes = ChatAccounts(journal), AnswerTokens(journal), LinkCodes(journal)

    def find(channel: str, member: str, team: str | None = None) -> ChatAccount | None:
        return journal.commit(lambda transaction: accounts.find(transaction, channel, member, team))

    for name in ("ann", "bob"):
        people.add(name, Role.REVIEWER, "test")
    first = codes.create("ops", "ann")
    assert codes.redeem("ops", "U1", "T1", first).person == "ann"
    with pytest.raises(ForbiddenError):
        codes.redeem("ops", "U2", "T1", first)
    assert codes.redeem("ops", "U1", "T1", codes.create("ops", "bob")).person == "bob", "an account has one person"
    assert accounts.list("ann") == []
    assert service.notifier.preferences.get("ann").destinations == ()
    found = find("ops", "U1", "T1")
    assert found is not None
    assert (found.person, found.team) == ("bob", "T1")
    assert find("ops", "U1", "T2") is None
    assert find("bot", "U1") is None
    prune(journal, now().wall + MICROSECONDS, "test")
    assert find("ops", "U1", "T1") == found, "accounts outlive their records"
    assert verify(journal.database, KeyRing([journal.key.public])).good

    notification = Notification(
        approval_id="a" * 32,
        digest="d" * 64,
        person="bob",
        kind=REQUESTED,
        title="",
        summary="",
        facts=(),
        url="",
        can_answer_here=False,
        ends_at=None,
    )
    made = tokens.create("ops", notification)
    assert made.approve == "", "a button that cannot meet the rules does not exist"
    meaning = journal.commit(lambda transaction: tokens.find(transaction, made.reject))
    assert meaning is not None
    assert (meaning.person, meaning.verdict, meaning.approval_id) == ("bob", "reject", "a" * 32)
    assert [tokens.use(made.reject), tokens.use(made.reject)] == [True, False]
    assert journal.commit(lambda transaction: tokens.find(transaction, "x" * 43)) is None
    code = codes.create("ops", "bob")
    assert journal.commit(lambda transaction: tokens.find(transaction, code)) is None, "a code is no answer"

    def once(transaction: Transaction) -> None:
        refuse_replay(transaction, "ops", "v0=1")

    journal.commit(once)
    with pytest.raises(ForbiddenError, match="has arrived before"):
        journal.commit(once)

    one, other = PollLease(journal.database, "bot"), PollLease(journal.database, "bot")
    assert (one.take(), other.take()) == (0, None)
    one.advance(7)
    other.advance(99)
    one.release()
    assert other.take() == 7
