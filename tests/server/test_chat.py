"""Answers from Slack and Telegram: what counts, and everything that must not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock.access.people import ACTIVE, SHUT_OUT
from interlock.access.roles import Role
from interlock.approval.request import Approval, ApprovalState
from interlock.approval.terminal.action_text import read_action_text
from interlock.audit.read import RecordFilter, read_page
from interlock.audit.record import Record
from interlock.config.channels import ChannelSettings
from interlock.errors import InterlockError
from interlock.gate import Gate
from interlock.model import Action
from interlock.server.notify.channel import ENDED, REQUESTED, Channel, ChannelError, Notification, Receipt
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.link_codes import LinkCodes, show_code
from interlock.server.notify.message import make_notification
from interlock.server.notify.preferences import Preferences
from interlock.server.notify.slack import SlackChannel
from interlock.server.notify.slack_message import APPROVE, OPEN, REJECT
from interlock.server.notify.slack_signature import sign
from interlock.server.notify.telegram import TelegramChannel
from interlock.server.notify.whole_action import describe_whole
from tests.server import slack_server, telegram_server
from tests.server.chat_server import running as chat_running
from tests.server.client import Reply
from tests.server.conftest import OTHERS_ANSWER
from tests.server.live_server import Running, served, until
from tests.server.payloads import beside, policy
from tests.server.slack_server import Posted, SlackServer, deliver
from tests.server.telegram_server import Sent, TelegramServer
from tests.world.requests import request_approval

ANN, BOB = 1001, 1002  # their ids in Telegram
MEMBERS = {"ann": ("UANN", ANN), "bob": ("UBOB", BOB)}


class Chat:
    """A server with a Slack app and a Telegram bot, to which ann and bob have linked their accounts."""

    def __init__(self, server: Running, slack: SlackServer, telegram: TelegramServer) -> None:
        self.server, self.slack, self.telegram = server, slack, telegram
        journal = server.service.journal
        configured = server.service.gate.config.channels
        self.slack_channel = SlackChannel(configured["ops"], journal)
        self.telegram_channel = TelegramChannel(configured["bot"], journal)
        self.opened = 0

    def open(self, command: str = "make deploy", **options: Any) -> Approval:
        """Open a request of eve's agent that a button can answer, unless the options say otherwise."""
        self.opened += 1
        given: dict[str, Any] = {"challenge": "confirm", "approvers": 1, "started_by": "eve", **options}
        action = Action.shell(command, cwd=f"/srv/{self.opened}")
        return request_approval(self.server.service.journal, action, run_id=f"run-{self.opened}", **given)

    def told(self, approval: Approval, person: str, **changes: Any) -> Notification:
        """Return the notification of a person about a request."""
        given: dict[str, Any] = {
            "approval_id": approval.approval_id,
            "digest": approval.digest,
            "person": person,
            "kind": REQUESTED,
            "title": "deploy-bot wants to run a command",
            "summary": read_action_text(approval).text,
            "facts": (("Environment", "production"), ("Agent", "deploy-bot")),
            "url": f"{self.server.service.url}/approvals/{approval.approval_id}",
            "can_answer_here": True,
            "ends_at": approval.expires_at,
        }
        return Notification(**{**given, **changes})

    def in_slack(self, approval: Approval, person: str = "bob", **changes: Any) -> Posted:
        """Tell a person in Slack; return the message."""
        receipt = self.slack_channel.send(self.told(approval, person, **changes), MEMBERS[person][0])
        return self.slack.find(receipt.address["ts"])

    def in_telegram(self, approval: Approval, person: str = "bob", **changes: Any) -> Sent:
        """Tell a person in Telegram; return the message."""
        receipt = self.telegram_channel.send(self.told(approval, person, **changes), str(MEMBERS[person][1]))
        return self.telegram.find(receipt.address["message_id"])

    def press(self, posted: Posted, action: str, member: str = "UBOB", **changes: Any) -> str:
        """Press a button in Slack; return what the member is told."""
        before = len(self.slack.responses)
        deliver(self.server.port, self.slack.pressed(posted, action, member, **changes)).ok()
        told: list[dict[str, Any]] = until(lambda: self.slack.responses[before:])
        return str(told[0]["text"])

    def press_in_telegram(self, data: str, member: int = BOB, number: int = 1, **chat: Any) -> str:
        """Press a button of a message in Telegram; return what the member is told."""
        query = self.telegram.press(data, member, number, **chat)
        found = until(lambda: [one for one in self.telegram.alerts if one["callback_query_id"] == query])
        return str(found[0]["text"])

    def state(self, approval: Approval) -> ApprovalState:
        """Return the state of a request."""
        return self.server.service.gate.approvals.get(approval.approval_id).state

    def records(self, kind: str, approval: Approval | None = None) -> list[Record]:
        """Return the records of a kind, about one request if it is given."""
        approval_id = None if approval is None else approval.approval_id
        wanted = RecordFilter(kind=kind, approval_id=approval_id)
        return [one.record for one in read_page(self.server.service.journal.database, wanted, limit=500)]


@pytest.fixture(scope="module")
def chat(_home: Path) -> Iterator[Chat]:
    slack, telegram = SlackServer(), TelegramServer()
    with chat_running(slack), chat_running(telegram), pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLACK_TOKEN", slack_server.TOKEN)
        patch.setenv("SLACK_SECRET", slack_server.SECRET)
        patch.setenv("TELEGRAM_TOKEN", telegram_server.TOKEN)
        (_home / "own" / "interlock.toml").write_text(
            f"{OTHERS_ANSWER}[channels.ops]\nkind = 'slack'\ntoken_env = 'SLACK_TOKEN'\n"
            f"signing_secret_env = 'SLACK_SECRET'\napi_url = '{slack.url}/api'\n"
            f"[channels.bot]\nkind = 'telegram'\ntoken_env = 'TELEGRAM_TOKEN'\napi_url = '{telegram.url}'\n"
        )
        with served(Gate(store=f"sqlite:///{_home / 'store.db'}")) as server:
            found = Chat(server, slack, telegram)
            codes = LinkCodes(server.service.journal)
            for name, (member, number) in MEMBERS.items():
                server.service.authenticator.people.add(name, Role.REVIEWER, "test")
                reply = deliver(server.port, slack.typed(f"link {codes.create('ops', name)}", member)).ok()
                assert reply["text"] == f"Linked. You can now answer requests here as {name}."
                telegram.write(f"/start {codes.create('bot', name)}", number)
                assert until(partial(telegram.of, number))[0].text == reply["text"]
                server.service.notifier.preferences.change(name, "test", _tell_nothing)
            yield found


def _tell_nothing(found: Preferences) -> Preferences:
    """Keep the worker from telling people by itself: tests send what they need."""
    return msgspec.structs.replace(found, agents=("no such agent",))


# what counts


def test_an_agent_goes_on_when_somebody_answers_in_a_chat(chat: Chat) -> None:
    server = chat.server
    accounts, admin = ChatAccounts(server.service.journal), server.admin("root")
    for name in ("nina", "otto"):
        server.service.authenticator.people.add(name, Role.REVIEWER, "test")
    chat.slack.members.add("UNINA")
    accounts.set("ops", "UNINA", "nina", "root")
    accounts.set("bot", "2002", "otto", "root")
    admin.post("/v1/policies", policy("require_approval", "get_weather")).ok(201)
    agent = server.agent("eve", "press-bot")
    action = {"toolName": "get_weather", "inputPayload": {"city": "Bern <!channel>", "days": 3}}
    returned = beside(lambda: agent.post("/v1/evaluate?wait=60", action))
    posted, sent = until(lambda: chat.slack.of("UNINA"))[0], until(lambda: chat.telegram.of(2002))[0]
    assert 'get_weather: {"city":"Bern <!channel>","days":3}' in posted.words
    assert "get_weather" in sent.code
    assert chat.press(posted, APPROVE, "UNINA") == "Approved."
    assert returned().ok()["allowed"] is True, "the agent's call waited for the answer"
    edited = until(lambda: not chat.telegram.find(sent.message_id).buttons and chat.telegram.find(sent.message_id))
    assert edited.text.startswith("Approved by nina")
    until(lambda: set(posted.buttons) == {OPEN})
    assert "Approved by nina" in posted.words
    for person in ("nina", "otto"):
        server.service.notifier.preferences.change(person, "test", _tell_nothing)


def test_two_servers_share_the_chats(chat: Chat) -> None:
    with served(Gate(store=f"sqlite:///{chat.server.service.journal.database.url.path}")) as second:
        approval, at = chat.open(approvers=2), time.time()
        posted, sent = chat.in_slack(approval), chat.in_telegram(approval, "ann")
        body = chat.slack.pressed(posted, APPROVE, "UBOB")
        deliver(second.port, body, at=at).ok()
        assert deliver(chat.server.port, body, at=at).detail == "this request has arrived before"
        assert chat.press_in_telegram(sent.buttons["Approve once"], ANN) == "Approved."
    assert chat.telegram.conflicts == 0, "one server polls at a time"


def test_a_button_approves_only_what_its_message_shows(chat: Chat) -> None:
    shown = chat.open("make deploy\nmake clean")
    assert describe_whole(shown) == "Bash: make deploy\\nmake clean"
    long = chat.open("make deploy " + "x" * 2_000 + "; make clean")
    assert describe_whole(long) is None
    told = make_notification(long, "bob", REQUESTED, "https://interlock.example", interactive=True)
    assert not told.can_answer_here
    assert APPROVE not in chat.in_slack(long, summary="x" * 3_000).buttons
    assert "Approve once" not in chat.in_telegram(long, summary="x" * 3_000).buttons


def test_a_button_in_slack_answers_the_request(chat: Chat) -> None:
    approval = chat.open()
    posted = chat.in_slack(approval)
    assert set(posted.buttons) == {APPROVE, REJECT, OPEN}
    assert "make deploy" in posted.words
    assert "production" in posted.words
    assert chat.press(posted, APPROVE) == "Approved."
    (answer,) = chat.records("approval.answered", approval)
    assert answer.actor == "bob"
    assert answer.data["answer"]["via"] == "slack/ops"
    assert chat.state(approval) is ApprovalState.APPROVED
    page = chat.server.signed_in("ann", Role.REVIEWER).get(f"/approvals/{approval.approval_id}")
    assert b"slack/ops" in page.body


def test_a_button_in_telegram_answers_the_request(chat: Chat) -> None:
    approval = chat.open()
    sent = chat.in_telegram(approval)
    assert set(sent.buttons) == {"Approve once", "Reject"}, "no button opens an address of this machine"
    assert approval.approval_id in sent.text
    assert chat.press_in_telegram(sent.buttons["Reject"]) == "Rejected."
    (answer,) = chat.records("approval.answered", approval)
    assert (answer.actor, answer.data["answer"]["via"]) == ("bob", "telegram/bot")
    assert chat.state(approval) is ApprovalState.REJECTED


def test_two_people_answer_in_two_chats(chat: Chat) -> None:
    approval = chat.open(approvers=2)
    posted = chat.in_slack(approval)
    assert chat.press(posted, APPROVE) == "Recorded. 1 more approval is needed."
    until(lambda: set(posted.buttons) == {OPEN})
    assert "2 people (1 so far)" in posted.words
    again = chat.press_in_telegram(chat.in_telegram(approval).buttons["Approve once"])
    assert again.startswith("`bob` has already answered; another person has to."), "one person counts once"
    sent = chat.in_telegram(approval, "ann")
    assert chat.press_in_telegram(sent.buttons["Approve once"], ANN, number=sent.message_id) == "Approved."
    until(lambda: chat.telegram.find(sent.message_id).text.startswith("Approved by bob and ann"))


def test_messages_are_updated_when_a_request_has_ended(chat: Chat) -> None:
    approval = chat.open()
    told = chat.told(approval, "bob")
    ended = chat.told(approval, "bob", kind=ENDED, title="Approved by ann: <!channel>", outcome="Approved by ann")
    receipt = chat.slack_channel.send(told, "UBOB")
    chat.slack_channel.update(ended, "UBOB", receipt)
    posted = chat.slack.find(receipt.address["ts"])
    assert set(posted.buttons) == {OPEN}
    assert posted.shown["text"] == "Approved by ann: &lt;!channel&gt;"
    receipt = chat.telegram_channel.send(told, str(BOB))
    chat.telegram_channel.update(ended, str(BOB), receipt)
    sent = chat.telegram.find(receipt.address["message_id"])
    assert (sent.text.splitlines()[0], sent.buttons) == ("Approved by ann: <!channel>", {})
    chat.slack_channel.update(ended, "UBOB", Receipt({"channel": "DUBOB", "ts": "0"}))  # deleted since: nothing to do
    chat.telegram_channel.update(ended, str(BOB), Receipt({"chat_id": str(BOB), "message_id": "0"}))


def test_a_rate_limit_and_a_wrong_address_are_told_to_the_worker(chat: Chat) -> None:
    told = chat.told(chat.open(), "bob")
    chat.slack.limited = chat.telegram.limited = 1
    channels: list[tuple[Channel, str]] = [(chat.slack_channel, "UBOB"), (chat.telegram_channel, str(BOB))]
    for channel, member in channels:
        with pytest.raises(ChannelError) as limited:
            channel.send(told, member)
        assert (limited.value.final, limited.value.wait) == (False, 1.0)
        channel.send(told, member)
    with pytest.raises(ChannelError, match="is not linked to this person") as foreign:
        chat.slack_channel.send(told, "UANN")
    chat.slack.members.discard("UBOB")
    with pytest.raises(ChannelError, match="Slack answered `channel_not_found`") as missing:
        chat.slack_channel.send(told, "UBOB")
    chat.slack.members.add("UBOB")
    assert foreign.value.final
    assert missing.value.final


# markup and lengths


@pytest.mark.parametrize(
    "text",
    [
        "<!channel> <@UANN> <https://evil.example|Approved by ann>",
        "*bold* _x_ `code` ```fence``` :tada: > quote",
        "</pre></code><b>Approved by ann</b><a href='tg://user?id=1'>x</a> @ann https://evil.example",
        "\u202egnp\x1b[2K\n\nApproved by ann",
        "&lt;b&gt; &amp;",
        "x" * 20_000,
    ],
    ids=["slack", "mrkdwn", "telegram", "control", "entities", "long"],
)
def test_texts_of_agents_stay_text(chat: Chat, text: str) -> None:
    approval = chat.open()
    changes: dict[str, Any] = {"summary": text, "facts": (("Folder", text),) * 30}
    posted = chat.in_slack(approval, title=text, **changes)
    rich, *others = posted.shown["blocks"]
    assert {type_ for type_ in _types(rich) if type_ not in _RICH} == set(), "nothing in rich text is a mention or link"
    assert not any("evil.example" in str(block) or "tada" in str(block) for block in others)
    assert "<" not in posted.shown["text"]
    assert "\x1b" not in posted.words
    assert "\u202e" not in posted.words
    sent = chat.in_telegram(approval, **changes)
    assert sent.text.count("evil.example") == sent.code.count("evil.example"), "only code, in which nothing is a link"
    assert sent.text.count("\n") == 11, "no line of the message is the agent's"


_RICH = {"rich_text", "rich_text_section", "rich_text_preformatted", "text"}


def _types(part: Any) -> list[str]:
    """Return the types of all elements of a block."""
    if isinstance(part, list):
        return [type_ for one in part for type_ in _types(one)]
    if not isinstance(part, dict):
        return []
    own = [part["type"]] if "type" in part else []
    return own + [type_ for value in part.values() for type_ in _types(value)]


# requests that Slack did not sign


def refused(chat: Chat, reply: Reply, approval: Approval) -> None:
    assert reply.status == 403, reply
    assert chat.state(approval) is ApprovalState.PENDING


def test_a_forged_or_old_signature_is_refused(chat: Chat) -> None:
    approval = chat.open()
    body, port = chat.slack.pressed(chat.in_slack(approval), APPROVE, "UBOB"), chat.server.port
    refused(chat, deliver(port, body, secret="another secret"), approval)
    refused(chat, deliver(port, body, at=time.time() - 301), approval)
    refused(chat, deliver(port, body, at=time.time() + 400), approval)
    refused(chat, chat.server.nobody.send("POST", "/v1/channels/ops/slack", body), approval)
    signed = sign(slack_server.SECRET, int(time.time()), body)
    altered = body.replace(b"UBOB", b"UANN")
    refused(chat, chat.server.nobody.having(**_named(signed)).send("POST", "/v1/channels/ops/slack", altered), approval)
    moved = {**signed, "x-slack-request-timestamp": str(int(time.time()) + 1)}
    refused(chat, chat.server.nobody.having(**_named(moved)).send("POST", "/v1/channels/ops/slack", body), approval)
    assert deliver(port, body, channel="bot").status == 404, "a Telegram bot takes nothing from Slack"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SLACK_SECRET")
        reply = deliver(port, body, secret="")
    assert (reply.status, reply.detail) == (503, "this channel is not ready; see the server's log")


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("-", "_"): value for name, value in headers.items()}


def test_a_replayed_request_is_refused(chat: Chat) -> None:
    approval, at = chat.open(), time.time()
    body = chat.slack.typed("help", "UBOB")
    assert deliver(chat.server.port, body, at=at).status == 200
    reply = deliver(chat.server.port, body, at=at)
    refused(chat, reply, approval)
    assert reply.detail == "this request has arrived before"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/response/1",
        "http://169.254.169.254/latest/meta-data",
        "https://hooks.slack.com.evil.example/x",
        "https://hooks.slack.com@evil.example/x",
        "file:///etc/passwd",
    ],
)
def test_nothing_is_sent_to_an_address_that_is_not_slacks(chat: Chat, url: str) -> None:
    approval = chat.open()
    reply = deliver(chat.server.port, chat.slack.pressed(chat.in_slack(approval), APPROVE, "UBOB", response_url=url))
    assert reply.status == 422, reply
    assert chat.state(approval) is ApprovalState.PENDING


def test_slacks_own_response_addresses_are_accepted(chat: Chat) -> None:
    settings = ChannelSettings(name="ops", kind="slack", values={})
    channel = SlackChannel(settings, chat.server.service.journal)
    channel.check_response_url("https://hooks.slack.com/actions/T0/1/x")
    for url in ("http://hooks.slack.com/x", "https://hooks.slack.com:8443/x", "https://evil.example/hooks.slack.com"):
        with pytest.raises(InterlockError):
            channel.check_response_url(url)


@pytest.mark.parametrize("body", [b"", b"payload={", b"payload=%ff", b"payload=[]", b"\xff\xfe", b"a=1&" * 100])
def test_a_malformed_body_is_rejected(chat: Chat, body: bytes) -> None:
    assert deliver(chat.server.port, body).status in (200, 422)


# buttons that do not count


def test_a_button_of_somebody_else_is_refused_and_stays_good(chat: Chat) -> None:
    approval = chat.open()
    posted = chat.in_slack(approval)
    assert chat.press(posted, APPROVE, "UANN") == "This button belongs to another person."
    assert chat.press(posted, APPROVE, "UEVE").startswith("This account is not linked")
    elsewhere = {"id": "UBOB", "team_id": "T0OTHER"}
    assert chat.press(posted, APPROVE, user=elsewhere).startswith("This account is not linked")
    sent = chat.in_telegram(approval)
    assert chat.press_in_telegram(sent.buttons["Approve once"], ANN) == "This button belongs to another person."
    assert chat.press_in_telegram(posted.buttons[APPROVE]["value"]) == "This button belongs to another person.", "chat"
    assert chat.press_in_telegram(sent.buttons["Approve once"], type="group", id=-5).startswith("Requests can be ans")
    assert chat.state(approval) is ApprovalState.PENDING
    assert len(chat.records("answer.refused", approval)) == 5
    refusal = chat.records("answer.refused", approval)[0]
    assert (refusal.actor, refusal.data["via"], refusal.run_id) == ("ann", "slack/ops", approval.run_id)
    assert refusal.data["why"] == "This button belongs to another person."
    assert chat.press(posted, APPROVE) == "Approved."


def test_a_button_counts_once(chat: Chat) -> None:
    approval = chat.open(approvers=2)
    posted = chat.in_slack(approval)
    copy = Posted(posted.channel, posted.ts, posted.shown)
    assert chat.press(posted, APPROVE) == "Recorded. 1 more approval is needed."
    assert chat.press(copy, APPROVE) == "This button has already been used."
    assert chat.press(copy, REJECT).startswith("`bob` has already answered")
    assert len(chat.server.service.gate.approvals.get(approval.approval_id).answers) == 1


def test_an_altered_token_is_refused(chat: Chat) -> None:
    approval = chat.open()
    posted = chat.in_slack(approval)
    for token in ("x" * 43, posted.buttons[APPROVE]["value"][:-1], posted.buttons[APPROVE]["value"] + "A"):
        posted.buttons[APPROVE]["value"] = token
        assert chat.press(posted, APPROVE) == "This button is not valid."
    assert chat.state(approval) is ApprovalState.PENDING


def test_a_row_that_was_changed_in_the_store_is_not_used(chat: Chat) -> None:
    journal, approval, other = chat.server.service.journal, chat.open(), chat.open()
    posted = chat.in_slack(approval)
    with journal.database.write() as connection:
        change = "UPDATE interlock_chat_tokens SET approval_id = :other WHERE approval_id = :approval_id"
        connection.run(change, other=other.approval_id, approval_id=approval.approval_id)
    assert chat.press(posted, APPROVE) == "This button is not valid."
    fresh = chat.in_slack(other)
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_chat_accounts SET person = 'ann' WHERE account_id = 'ops/UBOB'")
    assert chat.press(fresh, APPROVE).startswith("Interlock could not record this.")
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_chat_accounts SET person = 'bob' WHERE account_id = 'ops/UBOB'")
    assert {chat.state(approval), chat.state(other)} == {ApprovalState.PENDING}


def test_a_request_that_has_ended_is_not_answered(chat: Chat) -> None:
    approval = chat.open()
    posted = chat.in_slack(approval)
    chat.server.service.gate.approvals.cancel(approval.approval_id, "eve")
    assert "is already cancelled (cancelled by `eve`); nothing was changed." in chat.press(posted, APPROVE)
    brief = chat.open(seconds=1)
    posted = chat.in_slack(brief)
    until(lambda: chat.state(brief) is ApprovalState.EXPIRED)
    assert chat.press(posted, APPROVE) == "This button has expired."


def test_a_button_for_another_action_is_refused(chat: Chat) -> None:
    approval = chat.open()
    posted = chat.in_slack(approval, digest="0" * 64)
    assert chat.press(posted, APPROVE).startswith("The button belongs to another action.")
    assert chat.state(approval) is ApprovalState.PENDING


@pytest.mark.parametrize("change", [{"state": SHUT_OUT}, {"role": "agent"}], ids=["shut out", "role taken"])
def test_a_person_who_lost_the_right_answers_nothing(chat: Chat, change: dict[str, Any]) -> None:
    approval, people = chat.open(), chat.server.service.authenticator.people
    posted, sent = chat.in_slack(approval), chat.in_telegram(approval)
    people.change("bob", "test", **change)
    try:
        assert chat.press(posted, APPROVE) == "You can no longer answer requests."
        assert chat.press_in_telegram(sent.buttons["Reject"]) == "You can no longer answer requests."
    finally:
        people.change("bob", "test", state=ACTIVE, role=Role.REVIEWER.value)
    assert chat.state(approval) is ApprovalState.PENDING


@pytest.mark.parametrize(
    ("needs", "why"),
    [
        ({"challenge": "quiz"}, "This approval needs more than a button."),
        ({"challenge": "teach_back"}, "This approval needs more than a button."),
        ({"challenge": "multi_party", "approvers": 2}, "This approval needs more than a button."),
        ({"reason": True}, "This approval needs more than a button."),
        ({"who": (("ann",),)}, "`bob` may not approve this; it needs ann."),
        ({"started_by": "bob"}, "`bob` started the run, so another person has to approve this."),
    ],
    ids=["quiz", "teach back", "multi party", "reason", "who", "own run"],
)
def test_a_button_does_not_replace_what_an_approval_needs(chat: Chat, needs: dict[str, Any], why: str) -> None:
    approval = chat.open(**needs)
    told = chat.press(chat.in_slack(approval), APPROVE)
    assert told.startswith(why)
    assert told.endswith(f"Open the request to answer it: {chat.server.service.url}/approvals/{approval.approval_id}")
    assert chat.state(approval) is ApprovalState.PENDING
    linked = chat.in_slack(approval, can_answer_here=False)
    assert set(linked.buttons) == {REJECT, OPEN}
    assert "This approval needs more than a button" in linked.words


def test_an_approval_takes_time_to_read(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 300.0)
    approval = chat.open()
    posted = chat.in_slack(approval)
    assert "read for at least 300 s" in chat.press(posted, APPROVE)
    monkeypatch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 0.0)
    assert chat.press(posted, APPROVE) == "Approved.", "the button was not used up"


# linking


def test_a_code_links_once_and_only_in_its_channel(chat: Chat) -> None:
    chat.server.service.authenticator.people.add("carl", Role.REVIEWER, "test")
    codes, port = LinkCodes(chat.server.service.journal), chat.server.port
    code, invalid = codes.create("ops", "carl"), "This code is invalid, expired or already used; create a new one."
    chat.telegram.write(f"/start {code}", 77)
    assert until(lambda: chat.telegram.of(77))[-1].text == invalid
    chat.telegram.write(f"/start {codes.create('bot', 'carl')}", 78, chat={"id": -9, "type": "group"})
    chat.telegram.write(f"/start {codes.create('bot', 'carl')}", 79, forward_origin={"type": "user"})
    assert (
        deliver(port, chat.slack.typed(f"link {show_code(code).lower()}", "UCARL")).ok()["text"].startswith("Linked.")
    )
    assert deliver(port, chat.slack.typed(f"link {code}", "UDAN")).ok()["text"] == invalid
    (linked,) = [one for one in chat.records("chat.linked") if one.data["person"] == "carl"]
    assert (linked.name, linked.actor) == ("ops/UCARL", "carl")
    assert [one.name for one in chat.records("chat.refused")] == ["bot/77", "ops/UDAN"]
    chat.telegram.write("hello", 80)
    assert "send /start and your code" in until(lambda: chat.telegram.of(80))[0].text
    assert not chat.telegram.of(78), "groups are ignored"
    assert not chat.telegram.of(79), "forwarded messages are ignored"


def test_codes_cannot_be_guessed(chat: Chat) -> None:
    told = [deliver(chat.server.port, chat.slack.typed(f"link {n}", "UGUESS")).ok()["text"] for n in range(7)]
    assert told[4].startswith("This code is invalid")
    assert told[5:] == ["Too many attempts. Wait a minute and try again."] * 2


def test_a_new_account_replaces_the_old_one(chat: Chat) -> None:
    accounts = ChatAccounts(chat.server.service.journal)
    chat.server.service.authenticator.people.add("dora", Role.REVIEWER, "test")
    accounts.set("ops", "UDORA1", "dora", "eve")
    accounts.set("ops", "UDORA2", "dora", "eve")
    assert [one.member for one in accounts.list("dora")] == ["UDORA2"]
    accounts.unlink("ops", "dora", "dora")
    assert accounts.list("dora") == []
    assert chat.server.service.notifier.preferences.get("dora").destinations == ()
    with pytest.raises(InterlockError, match="a member id has up to 40 letters and digits"):
        accounts.set("ops", "U1/../x", "dora", "eve")


def test_the_chain_is_intact_after_all_of_this(chat: Chat) -> None:
    assert chat.telegram.conflicts == 0, "one server polls at a time"
    assert chat.server.admin("eve").get("/v1/audit/verify").ok()["faults"] == []
