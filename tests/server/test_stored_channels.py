"""Channels in the store: every error at once, no secret ever shown, followed by running servers, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock.access.roles import Role
from interlock.audit.keys import KeyRing
from interlock.audit.verify import verify
from interlock.errors import InterlockError, StoreError
from interlock.gate import Gate
from interlock.server.administration.changes import list_changes
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.chats import Chats
from interlock.server.notify.message import make_test_notification
from interlock.server.notify.stored_settings import StoredSettings
from interlock.server.notify.telegram import TelegramChannel
from tests.server import slack_server, telegram_server
from tests.server.chat_server import running
from tests.server.client import Client, Reply
from tests.server.live_server import Running, served, until
from tests.server.slack_server import SlackServer, deliver
from tests.server.telegram_server import TelegramServer

FILE = '[channels.mail]\nkind = "apprise"\n'
SECRETS = {"token": slack_server.TOKEN, "signing_secret": slack_server.SECRET}


class Channels:
    """A server with a channel in its file, and a Slack and a Telegram beside it."""

    def __init__(self, server: Running, slack: SlackServer, telegram: TelegramServer) -> None:
        self.server, self.slack, self.telegram = server, slack, telegram
        self.admin: Client = server.admin("eve")

    def add(self, name: str, kind: str = "slack", **values: str) -> Reply:
        """Add a channel; a Slack channel has what it needs, unless the values say otherwise."""
        known = {**SECRETS, "api_url": f"{self.slack.url}/api"} if kind == "slack" else {}
        return self.admin.post("/v1/channels", {"name": name, "kind": kind, "values": {**known, **values}})

    def undo(self, **secrets: str) -> Reply:
        """Undo the newest change of channels."""
        newest = list_changes(self.server.service.journal.database, "channels")[0]
        return self.admin.post(f"/v1/changes/{newest.record_id}/undo", {"secrets": secrets} if secrets else {})

    def plan_undo(self) -> dict[str, Any]:
        """Return what undoing the newest change of channels does."""
        newest = list_changes(self.server.service.journal.database, "channels")[0]
        return dict(self.admin.get(f"/v1/changes/{newest.record_id}").ok())

    def state(self, name: str) -> dict[str, Any]:
        """Return a channel in the list."""
        items = self.admin.get("/v1/channels").ok()["items"]
        return next(one for one in items if one["name"] == name)

    def lease(self, name: str) -> int:
        """Return until when a server polls a bot; 0 if none does."""
        query = "SELECT lease_until FROM interlock_chat_polls WHERE channel = :name"
        with self.server.service.journal.database.read() as connection:
            return int(connection.value(query, name=name))


@pytest.fixture(scope="module")
def channels(_home: Path) -> Iterator[Channels]:
    slack, telegram = SlackServer(), TelegramServer()
    (Path("own") / "interlock.toml").write_text(FILE)
    gate = Gate(store=f"sqlite:///{_home / 'store.db'}")
    with running(slack), running(telegram), served(gate, webhooks_inside=("127.0.0.1",)) as server:
        yield Channels(server, slack, telegram)


def test_both_databases_keep_channels(server: Running) -> None:
    admin = server.admin("eve")
    admin.post("/v1/channels", {"name": "own", "kind": "apprise", "values": {}}).ok(201)
    admin.send("PATCH", "/v1/channels/own", {"state": "paused"}).ok()
    admin.send("DELETE", "/v1/channels/own").ok()
    newest = list_changes(server.service.journal.database, "channels")[0]
    admin.post(f"/v1/changes/{newest.record_id}/undo", {}).ok()
    assert admin.get("/v1/channels/own").ok()["state"] == "paused"
    kinds = [one["change"]["what"].split()[0] for one in admin.get("/v1/changes", of="channels").ok()["items"]]
    assert kinds == ["restored", "removed", "paused", "added"]


def test_pollers_survive_a_store_that_does_not_answer(
    channels: Channels, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise StoreError("the store does not answer")

    chats = Chats(channels.server.service)
    bot = TelegramChannel(StoredSettings(name="b", kind="telegram"), channels.server.service.journal)
    monkeypatch.setattr(channels.server.service.notifier.channels, "_configured", fail)
    assert chats._find_bots(frozenset({bot})) == {bot}
    assert "the store does not answer" in caplog.text


def errors_of(reply: Reply) -> dict[str, str]:
    assert reply.status == 422, reply
    return {one["field"]: one["message"] for one in reply.data["errors"]}


def test_all_errors_are_told_at_once_and_by_field(channels: Channels) -> None:
    found = channels.admin.post("/v1/channels", {"name": "Ops!", "kind": "slack", "values": {"api_url": "ftp://x"}})
    assert set(errors_of(found)) == {"name", "token", "signing_secret", "api_url"}
    assert "did you mean `slack`?" in errors_of(channels.add("x", "slak"))["kind"]
    assert "interlock.toml:1` has a channel `mail` already" in errors_of(channels.add("mail"))["name"]
    assert "not a public address" in errors_of(channels.add("x", api_url="https://10.0.0.1/api"))["api_url"]
    assert "must use https" in errors_of(channels.add("x", api_url="http://10.0.0.1/api"))["api_url"]
    assert set(errors_of(channels.add("x", token_file="/etc/passwd"))) == {"token_file"}, "no files of the server"
    assert set(errors_of(channels.add("x", token="a b\n"))) == {"token"}
    url = "json://127.0.0.1/{recipient}?attach=/etc/passwd"
    assert "`attach` cannot be used" in errors_of(channels.add("x", "apprise", url=url))["url"]
    assert "{recipient}" in errors_of(channels.add("x", "apprise", url="json://127.0.0.1/"))["url"]
    assert [one["name"] for one in channels.admin.get("/v1/channels").ok()["items"]] == ["browser", "mail"]


def test_a_channel_is_added_tested_changed_paused_and_removed(channels: Channels) -> None:
    made = channels.add("ops").ok(201)
    assert (made["secrets"], made["state"]) == (["signing_secret", "token"], "active")
    assert channels.add("ops").status == 422, "the name is taken"
    tried = channels.admin.post("/v1/channels/ops/test").ok()
    assert (tried["account"], tried["sent"], tried["error"]) == ("interlock in Shop", 0, "")
    elsewhere = {"values": {"api_url": "http://127.0.0.1:9/api"}}
    again = errors_of(channels.admin.send("PATCH", "/v1/channels/ops", elsewhere))
    assert set(again) == {"token", "signing_secret"}, "kept secrets are not sent to another address"
    assert channels.admin.send("PATCH", "/v1/channels/ops", {"values": {"token": "xoxb-wrong"}}).status == 200
    assert "invalid_auth" in channels.admin.post("/v1/channels/ops/test").ok()["error"]
    assert channels.plan_undo()["asks"] == ["token"]
    assert "Replaced secrets are not stored: enter the previous token again." in channels.plan_undo()["does"]
    assert "not stored" in errors_of(channels.undo())["token"]
    assert set(errors_of(channels.undo(token="x", signing_secret="y"))) == {"signing_secret"}
    assert set(errors_of(channels.undo(token="a b\n"))) == {"token"}
    channels.undo(token=slack_server.TOKEN).ok()
    newest = channels.admin.get("/v1/changes", of="channels").ok()["items"][0]
    assert (newest["change"]["what"], newest["cannotUndo"]) == ("replaced secrets of channel `ops`", "")
    assert newest["change"]["undoes"]

    assert channels.admin.send("PATCH", "/v1/channels/ops", {"state": "paused"}).ok()["state"] == "paused"
    assert channels.state("ops")["isPaused"]
    assert "it is paused" in channels.admin.post("/v1/channels/ops/test").detail
    typed = channels.slack.typed("link x", "UANN")
    assert deliver(channels.server.port, typed).status == 404, "a paused channel takes no answers"
    channels.undo().ok()
    assert channels.admin.post("/v1/channels/ops/test").ok()["account"]
    assert deliver(channels.server.port, channels.slack.typed("link y", "UANN")).status == 200

    accounts = ChatAccounts(channels.server.service.journal)
    channels.server.service.authenticator.people.add("ann", Role.REVIEWER, "test")
    accounts.set("ops", "UANN", "ann", "ann")
    channels.admin.send("DELETE", "/v1/channels/ops").ok()
    assert channels.admin.get("/v1/channels/ops").status == 404
    assert "Restore channel `ops` with its secrets" in channels.undo().ok()["does"]
    assert channels.admin.post("/v1/channels/ops/test").ok()["account"] == "interlock in Shop"
    assert [one.person for one in accounts.list()] == ["ann"], "nothing has changed for her"


def test_undo_of_replaced_secrets_restores_everything_else(channels: Channels) -> None:
    channels.add("both").ok(201)
    before = channels.admin.get("/v1/channels/both").ok()
    moved = {"token": "xoxb-new", "signing_secret": "new", "api_url": f"{channels.slack.url}/own"}
    channels.admin.send("PATCH", "/v1/channels/both", {"values": moved}).ok()
    assert channels.plan_undo()["asks"] == ["signing_secret", "token"]
    assert set(errors_of(channels.undo(token="x"))) == {"signing_secret"}
    channels.undo(**SECRETS).ok()
    after = channels.admin.get("/v1/channels/both").ok()
    assert {**after, "version": 0} == {**before, "version": 0}
    channels.admin.post("/v1/channels", {"name": "mine", "kind": "apprise", "values": {}}).ok(201)
    url = "json://127.0.0.1/{recipient}"
    channels.admin.send("PATCH", "/v1/channels/mine", {"values": {"url": url}}).ok()
    assert channels.plan_undo()["does"] == "Remove the URL of channel `mine` again."
    channels.undo().ok()
    assert channels.admin.get("/v1/channels/mine").ok()["secrets"] == []
    for name in ("mine", "both"):
        channels.admin.send("DELETE", f"/v1/channels/{name}").ok()


def test_nobody_answers_for_others_in_a_chat_of_their_own(channels: Channels) -> None:
    accounts = ChatAccounts(channels.server.service.journal)
    channels.server.service.authenticator.people.add("bob", Role.REVIEWER, "test")

    def is_linked() -> bool:
        return any(one.channel == "chat" for one in accounts.list())

    def link() -> None:
        accounts.set("chat", "UBOB", "bob", "bob")
        assert is_linked()

    channels.add("chat", api_url=f"{channels.slack.url}/own").ok(201)
    channels.admin.send("DELETE", "/v1/channels/chat").ok()
    first = list_changes(channels.server.service.journal.database, "channels")[0]
    channels.add("chat").ok(201)
    link()
    channels.admin.send("PATCH", "/v1/channels/chat", {"values": {"token": "xoxb-next"}}).ok()
    assert is_linked(), "Slack delivers to the same members"
    channels.admin.send("PATCH", "/v1/channels/chat", {"values": {"signing_secret": "known-to-eve"}}).ok()
    assert not is_linked()
    link()
    moved = {**SECRETS, "api_url": f"{channels.slack.url}/own"}
    channels.admin.send("PATCH", "/v1/channels/chat", {"values": moved}).ok()
    assert not is_linked()
    link()
    channels.admin.send("DELETE", "/v1/channels/chat").ok()
    channels.admin.post(f"/v1/changes/{first.record_id}/undo", {}).ok()
    assert not is_linked(), "an older channel of the same name came back"
    link()
    channels.admin.send("DELETE", "/v1/channels/chat").ok()
    channels.add("chat").ok(201)
    assert not is_linked()


def test_a_bot_is_polled_as_soon_as_it_is_added_and_no_longer_than_it_is_there(channels: Channels) -> None:
    values = {"token": telegram_server.TOKEN, "api_url": channels.telegram.url}
    channels.add("night-bot", "telegram", **values).ok(201)
    assert channels.admin.post("/v1/channels/night-bot/test").ok()["account"] == "@shop_bot"
    channels.telegram.write("/start nonsense", 1001)
    until(lambda: channels.telegram.of(1001))
    assert channels.lease("night-bot:123456") > 0
    before = channels.server.service.notifier.channels.current()["night-bot"]
    channels.add("other", "apprise").ok(201)
    assert channels.server.service.notifier.channels.current()["night-bot"] is before, "it goes on"
    channels.admin.send("DELETE", "/v1/channels/night-bot").ok()
    until(lambda: channels.lease("night-bot:123456") == 0)


def test_secrets_are_nowhere_but_in_their_column(channels: Channels) -> None:
    server = channels.server
    browser = server.signed_in("adam", Role.ADMIN).having(accept="text/html")
    shown = [channels.admin.get(path).body for path in ("/v1/channels", "/v1/changes", "/v1/audit", "/v1/audit/export")]
    pages = ("/settings/channels", "/settings/channels/ops/edit", "/audit", "/settings/configuration")
    shown += [browser.get(path).body for path in pages]
    with server.service.journal.database.read() as connection:
        shown += [str(body).encode() for body in connection.values("SELECT body FROM interlock_records")]
    assert not any(secret.encode() in text for secret in SECRETS.values() for text in shown)
    assert all(secret not in repr(server.service.notifier.in_force()) for secret in SECRETS.values())
    assert b'<span class="tag">set</span>' in shown[5]


def test_a_stored_apprise_url_reaches_no_more_than_the_policy_allows(channels: Channels) -> None:
    url = "json://127.0.0.2:9/{recipient}"
    settings = StoredSettings(name="x", kind="apprise", secrets={"url": url})
    words = make_test_notification("eve", channels.server.service.url)
    with pytest.raises(ChannelError, match=r"connections to 127\.0\.0\.2 are not allowed"):
        channels.server.service.notifier.make(settings).send(words, "topic")


def test_a_file_is_stronger_and_an_altered_row_is_not_used(channels: Channels) -> None:
    service = channels.server.service
    channels.add("late").ok(201)
    in_force = service.notifier.in_force
    in_force._of_files, files = lambda: {**files(), "late": files()["mail"]}, in_force._of_files
    try:
        assert in_force.list_shadowed() == ["late"]
        assert not isinstance(in_force()["late"], StoredSettings)
    finally:
        in_force._of_files = files
    with service.journal.database.write() as connection:
        connection.run(
            "UPDATE interlock_channels SET settings = :settings WHERE name = 'late'",
            settings=msgspec.json.encode({"api_url": "http://127.0.0.1:9/stolen"}).decode(),
        )
    with pytest.raises(InterlockError, match="changed outside Interlock"):
        service.notifier.find("late")
    assert "changed outside Interlock" in channels.state("late")["problem"]
    assert channels.admin.send("PATCH", "/v1/channels/late", {"values": {}}).status == 503
    assert not verify(service.journal.database, KeyRing([service.journal.key.public])).good
