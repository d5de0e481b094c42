"""Commands from chats: pressed buttons and link codes. The same checks apply to every chat service."""

from __future__ import annotations

import logging
from typing import NamedTuple

from interlock.access.roles import Caller, Right
from interlock.approval.request import AnswerVerdict, Approval, ApprovalState
from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.errors import ApprovalError, EndedError, InterlockError, MissingError, StoreError
from interlock.sanitise import plain
from interlock.server.answers import answer_of_button
from interlock.server.notify.answer_tokens import AnswerTokens
from interlock.server.notify.channel import ENDED, REQUESTED, Notification
from interlock.server.notify.chat_accounts import ChatAccounts, check_member
from interlock.server.notify.link_codes import LinkCodes
from interlock.server.notify.message import make_notification, with_environment
from interlock.server.notify.one_time_secrets import OneTimeSecret, SecretState
from interlock.server.rate_limits import RateLimiter
from interlock.server.service import Service
from interlock.store.clock import now_in

NOT_LINKED = "This account is not linked to a person in Interlock."
HOW_TO_LINK = "Open Settings → Chat accounts in Interlock to link it."
SLOW_DOWN = "Too many attempts. Wait a minute and try again."
STORE_FAILED = "Interlock could not record this. Nothing was changed; try again in a moment."
_LOG = logging.getLogger("interlock.server")


class Sender(NamedTuple):
    """Who did something in a chat, as the chat service says: the member, and the workspace if there is one."""

    kind: str
    channel: str
    member: str
    team: str = ""

    @property
    def via(self) -> str:
        """The chat, as records name it."""
        return f"{self.kind}/{self.channel}"


class ChatReply(NamedTuple):
    """The reply to the sender, as plain text. `done` says that the command was accepted.

    `notification` is the new content of the message with the button.
    """

    text: str
    done: bool = False
    notification: Notification | None = None


class _ButtonPress(NamedTuple):
    """A pressed button: who pressed it, what it stands for, and if it is refused, why and what to do instead."""

    caller: Caller | None
    meaning: OneTimeSecret | None
    problem: str = ""
    advice: str = ""


class ChatCommands:
    """Takes answers and link codes from the chats of a server."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tokens, self._accounts = AnswerTokens(service.journal), ChatAccounts(service.journal)
        self._codes = LinkCodes(service.journal)
        self._refusals = RateLimiter(1 / 12, 10)  # how many are recorded for each member
        self._links = RateLimiter(1 / 60, 5)

    def link(self, sender: Sender, code: str) -> ChatReply:
        """Link the sender's account with a code."""
        if self._links.take(f"{sender.channel}/{sender.member}"):
            return ChatReply(SLOW_DOWN)
        try:
            check_member(sender.member)
            account = self._codes.redeem(sender.channel, sender.member, sender.team, code)
        except StoreError as error:
            _LOG.warning("an account was not linked: %s", error)
            return ChatReply(STORE_FAILED)
        except InterlockError as error:
            return ChatReply(_sentence(str(error)))
        return ChatReply(f"Linked. You can now answer requests here as {plain(account.person)}.", done=True)

    def press(self, sender: Sender, token: str) -> ChatReply:
        """Give the answer that a button stands for, if it belongs to the sender and the approval rules allow it."""
        try:
            pressed = self._service.journal.commit(lambda transaction: self._identify(transaction, sender, token))
            if pressed.problem or pressed.caller is None or pressed.meaning is None:
                return self._refuse(sender, pressed, pressed.problem, pressed.advice)
            return self._answer(sender, pressed, pressed.caller, pressed.meaning, token)
        except StoreError as error:
            _LOG.warning("an answer from %s was not recorded: %s", sender.via, error)
            return ChatReply(STORE_FAILED)

    def refuse(self, sender: Sender, problem: str) -> ChatReply:
        """Refuse a button that was pressed outside of a private chat."""
        return self._refuse(sender, _ButtonPress(None, None), problem)

    def _identify(self, transaction: Transaction, sender: Sender, token: str) -> _ButtonPress:
        meaning = self._tokens.find(transaction, token)
        account = self._accounts.find(transaction, sender.channel, sender.member, sender.team)
        if account is None:
            return _ButtonPress(None, meaning, NOT_LINKED, HOW_TO_LINK)
        person = self._service.authenticator.people.get_active(transaction, account.person)
        if person is None or Right.ANSWER not in person.role.rights:
            return _ButtonPress(None, meaning, "You can no longer answer requests.")
        caller = Caller(name=person.name, role=person.role)
        if meaning is None:
            return _ButtonPress(caller, None, "This button is not valid.")
        if meaning.channel != sender.channel or meaning.person != person.name:
            return _ButtonPress(caller, meaning, "This button belongs to another person.")
        state = meaning.state_at(now_in(transaction.connection).wall)
        return _ButtonPress(caller, meaning, _PROBLEMS.get(state, ""))

    def _answer(
        self, sender: Sender, pressed: _ButtonPress, caller: Caller, meaning: OneTimeSecret, token: str
    ) -> ChatReply:
        approval_id, verdict = meaning.approval_id, AnswerVerdict(meaning.verdict)
        try:
            answer = answer_of_button(
                self._service, caller, approval_id, meaning.digest, verdict, meaning.created_at, sender.via
            )
            if not self._tokens.use(token):
                return self._refuse(sender, pressed, "This button has already been used.")
            approval = self._service.gate.approvals.answer(approval_id, answer)
        except EndedError as error:
            return self._refuse(sender, pressed, _sentence(str(error)))
        except (ApprovalError, MissingError) as error:
            advice = f"Open the request to answer it: {self._service.url}/approvals/{approval_id}"
            return self._refuse(sender, pressed, _sentence(str(error)), advice)
        return ChatReply(_describe(approval), done=True, notification=self._notification(approval, caller.name))

    def _notification(self, approval: Approval, person: str) -> Notification:
        """Return the message about a request for a person who has answered it."""
        kind = REQUESTED if approval.state is ApprovalState.PENDING else ENDED
        found = with_environment(approval, self._service.notifier.worker.options.environment())
        return make_notification(found, person, kind, self._service.approval_url(approval), interactive=True)

    def _refuse(self, sender: Sender, pressed: _ButtonPress, problem: str, advice: str = "") -> ChatReply:
        """Record that an answer was refused; return the reason and what to do instead."""
        if not self._refusals.take(f"{sender.channel}/{sender.member}"):
            self._service.journal.commit(lambda transaction: self._record(transaction, sender, pressed, problem))
        return ChatReply(f"{problem} {advice}".rstrip())

    def _record(self, transaction: Transaction, sender: Sender, pressed: _ButtonPress, problem: str) -> None:
        member = plain(f"{sender.channel}/{sender.member}")[:200]
        meaning = pressed.meaning or OneTimeSecret(purpose="", channel=sender.channel, person="")
        query = "SELECT run_id, agent_id FROM interlock_approvals WHERE approval_id = :approval_id"
        row = transaction.connection.row(query, approval_id=meaning.approval_id) or {}
        transaction.append(
            Entry(
                kind="answer.refused",
                at=now_in(transaction.connection).wall,
                actor=member if pressed.caller is None else pressed.caller.name,
                name=member,
                run_id=row.get("run_id"),
                agent_id=row.get("agent_id"),
                approval_id=meaning.approval_id or None,
                digest=meaning.digest or None,
                outcome=meaning.verdict or None,
                data={"why": problem, "via": sender.via},
            )
        )


#: Why a button can no longer be pressed.
_PROBLEMS = {
    SecretState.USED: "This button has already been used.",
    SecretState.EXPIRED: "This button has expired.",
}


def _describe(approval: Approval) -> str:
    """Return the state of a request after an answer."""
    if approval.state is ApprovalState.PENDING:
        left = max(approval.needs.approvers, 1) - sum(not answer.model for answer in approval.answers)
        return f"Recorded. {max(left, 1)} more approval{'s are' if left > 1 else ' is'} needed."
    return f"{approval.state.value.capitalize()}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
