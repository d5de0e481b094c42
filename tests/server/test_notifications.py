"""Notifications: people are told through real mail, HTTP and push servers, once, and learn how requests end."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from interlock.access.roles import Role
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.prune import prune
from interlock.audit.verify import verify
from interlock.errors import InterlockError
from interlock.server.notify.browsers import Subscription
from interlock.server.notify.preferences import Destination, Preferences, read_preferences
from interlock.server.pages.notification_form import destination_id
from interlock.server.webhooks.retry_schedule import RetrySchedule
from interlock.store.clock import MICROSECONDS, now
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import Running, until
from tests.server.receiver import Receiver, answers, receiving
from tests.server.smtp_server import Mailbox, receiving_mail

INSIDE = ("127.0.0.1",)
CHANNELS = '[channels.mail]\nkind = "apprise"\nurl_env = "MAIL_URL"\n[channels.own]\nkind = "apprise"\n'
SECRET = "AKIAIOSFODNN7EXAMPLE"


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    with receiving_mail() as found:
        url = f"mailto://127.0.0.1:{found.port}?from=interlock@example.com&to={{recipient}}&format=html"
        monkeypatch.setenv("MAIL_URL", url)
        yield found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(answers(200)) as found:
        yield found


@pytest.fixture
def server(serve: Serve, mailbox: Mailbox) -> Running:
    return serve(configured=OTHERS_ANSWER + CHANNELS, webhooks_inside=INSIDE)


def want(server: Running, person: str, channel: str, address: str, role: Role = Role.REVIEWER, **fields: Any) -> None:
    """Add a person who wants to be told at an address."""
    people = server.service.authenticator.people
    if person not in {one.name for one in people.list()}:
        people.add(person, role, "test")
    destinations = (Destination(channel=channel, address=address),)
    server.service.notifier.save(Preferences(person=person, destinations=destinations, **fields), person)


def topic(receiver: Receiver, person: str) -> str:
    return f"json://127.0.0.1:{receiver.port}/{person}"


def told(receiver: Receiver, person: str) -> list[dict[str, Any]]:
    return [one.told for one in receiver.seen if one.path == f"/{person}"]


def log(server: Running, person: str) -> list[tuple[str, str, str]]:
    """Return the kind, state and error of the messages to a person."""
    with server.service.journal.database.read() as connection:
        query = "SELECT kind, state, error FROM interlock_notifications WHERE person = :person ORDER BY kind"
        return [(row["kind"], row["state"], row["error"]) for row in connection.rows(query, person=person)]


def in_state(server: Running, person: str, state: str) -> list[tuple[str, str, str]]:
    return [one for one in log(server, person) if one[1] == state]


def test_people_are_told_by_mail_and_http_and_learn_who_answered(
    server: Running, mailbox: Mailbox, receiver: Receiver
) -> None:
    want(server, "bob", "mail", "bob@example.com")
    want(server, "cem", "own", topic(receiver, "cem"))
    want(server, "ann", "own", topic(receiver, "ann"))  # she owns the agent, and may not answer
    command = f"git push --force origin main # key {SECRET} <b>[Approve](https://evil.example)</b>"
    asked = server.asked(server.agent("ann"), {"toolName": "Bash", "inputPayload": {"command": command}})
    approval_id = asked["approval"]["approvalId"]
    mail = until(lambda: mailbox.to("bob@example.com"))[0]
    message = until(lambda: told(receiver, "cem"))[0]
    assert "Apprise" not in mail.as_string()
    text = mail.get_body(("html", "plain")).get_content()
    link = f"http://127.0.0.1:{server.port}/approvals/{approval_id}"
    assert mail["Subject"] == message["title"] == f"Approval needed: {asked['level']} risk"
    for shown in (text, message["message"]):
        assert link in shown
        assert SECRET not in shown
        assert "https://evil.example" not in shown
    assert "&lt;b&gt;" in text
    assert "<b>" not in text, "nothing of the command is markup"
    assert server.nobody.get(f"/approvals/{approval_id}").status == 401, "a link alone is worth nothing"
    server.approve(server.signed_in("cem", Role.REVIEWER), approval_id).ok()
    ended = until(lambda: mailbox.to("bob@example.com")[1:])[0]
    assert ended["Subject"] == f"Approved by cem: {asked['level']} risk"
    until(lambda: ("ended", "skipped", "they answered it themselves") in log(server, "cem"))
    assert len(told(receiver, "cem")) == 1
    assert told(receiver, "ann") == []


def test_two_servers_on_one_store_tell_each_person_once(
    serve: Serve, store: str, mailbox: Mailbox, receiver: Receiver, own: Path
) -> None:
    configured = f"{OTHERS_ANSWER}{CHANNELS}[audit]\nkeys = {json.dumps([SigningKey.at(own).public])}\n"
    servers = [serve(store, configured=configured, webhooks_inside=INSIDE) for _ in range(2)]
    for person in ("bob", "cem"):
        servers[0].service.authenticator.people.add(person, Role.REVIEWER, "test")
        endpoint = f"http://127.0.0.1:{receiver.port}/{person}"
        _, public, _, auth = browser_keys()
        servers[0].service.notifier.browsers.add(person, Subscription(endpoint, public, auth), "x")
    agents = [server.agent("ann") for server in servers for _ in range(3)]
    ids = [servers[0].asked(agent)["approval"]["approvalId"] for agent in agents]
    until(lambda: len(receiver.seen) >= 2 * len(ids))
    for approval_id in ids:
        servers[1].approve(servers[1].reviewer("dan"), approval_id).ok()
    until(lambda: len(receiver.seen) >= 4 * len(ids))  # the outcome
    until(lambda: all(state in ("sent", "skipped") for _, state, _ in log(servers[0], "bob")))
    paths = [one.path for one in receiver.seen]
    assert (paths.count("/bob"), paths.count("/cem")) == (2 * len(ids), 2 * len(ids))


def test_a_failing_channel_is_retried_and_then_the_next_person_is_told(server: Running, receiver: Receiver) -> None:
    worker = server.service.notifier.worker
    worker.options = worker.options._replace(schedule=RetrySchedule((0.0,), jitter=0))
    receiver.script = lambda wire: wire.answer(503 if wire.path == "/bob" else 200)
    want(server, "bob", "own", topic(receiver, "bob"))
    want(server, "cem", "own", topic(receiver, "cem"), backup=True)
    server.asked(server.agent("ann"))
    until(lambda: told(receiver, "cem"))
    assert told(receiver, "cem")[0]["title"].startswith("Still unanswered:")
    assert [(kind, state) for kind, state, _ in log(server, "bob") if state == "failed"] == [("requested", "failed")]
    assert len(told(receiver, "bob")) == 2


def test_messages_stay_out_of_the_internal_network(serve: Serve, mailbox: Mailbox, receiver: Receiver) -> None:
    server = serve(configured=OTHERS_ANSWER + CHANNELS)  # nothing inside is allowed
    want(server, "bob", "own", topic(receiver, "bob"))
    want(server, "cem", "own", f"jsons://localhost:{receiver.port}/cem")
    server.asked(server.agent("ann"))
    for person in ("bob", "cem"):
        states = until(partial(in_state, server, person, "failed"))
        assert "are not allowed" in states[0][2]
    assert receiver.seen == []
    with pytest.raises(InterlockError, match="not one of the services"):
        want(server, "bob", "own", "syslog://local")


def test_what_changed_since_is_checked_before_sending(server: Running, receiver: Receiver) -> None:
    """Somebody shut out, a preference changed in the database, and a destination removed: nobody is told."""
    service = server.service
    for person in ("bob", "cem", "dan"):
        want(server, person, "own", topic(receiver, person), backup=True, escalate_minutes=1)
    want(server, "eve", "own", topic(receiver, "eve"))
    server.asked(server.agent("ann"))
    until(lambda: told(receiver, "eve"))
    service.authenticator.people.change("bob", "test", state="shut out")
    service.notifier.save(Preferences(person="dan"), "dan")
    with service.journal.database.write() as connection:
        forged = "UPDATE interlock_preferences SET body = replace(body, '/cem', '/mallory') WHERE person = 'cem'"
        assert connection.run(forged) == 1
        connection.run(
            "UPDATE interlock_notifications SET due_at = 1, recipient = replace(recipient, '/cem', '/mallory')"
        )
    for person, why in (("bob", "may not answer"), ("cem", "outside Interlock"), ("dan", "was removed")):
        skipped = until(partial(in_state, server, person, "skipped"))
        assert why in skipped[0][2]
    assert {one.path for one in receiver.seen} == {"/eve"}


def test_an_agent_that_keeps_asking_does_not_flood_anybody(
    server: Running, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.server.notify.worker.MAX_IN_WINDOW", 1)
    want(server, "bob", "own", topic(receiver, "bob"))
    agent = server.agent("ann")
    server.asked(agent)
    until(partial(in_state, server, "bob", "sent"))
    pushed = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin again"}}
    second = server.asked(agent, pushed)["approval"]["approvalId"]
    held = "SELECT 1 FROM interlock_notifications WHERE approval_id = :id AND kind = 'requested' AND state = 'waiting' "

    def is_held() -> bool:
        with server.service.journal.database.read() as connection:
            return connection.value(f"{held} AND due_at > :at", id=second, at=now().wall) is not None

    until(is_held)
    assert len(told(receiver, "bob")) == 1


def test_changes_of_preferences_are_recorded_without_addresses(server: Running) -> None:
    want(server, "bob", "own", "ntfys://token@ntfy.sh/secret-topic")
    journal = server.service.journal
    prune(journal, now().wall + MICROSECONDS, "test")
    bob = journal.commit(lambda transaction: read_preferences(transaction, "bob"))
    assert [one.channel for one in bob.destinations] == ["own"], "preferences outlive their records"
    assert verify(journal.database, KeyRing([journal.key.public])).good
    want(server, "bob", "own", "ntfys://token@ntfy.sh/secret-topic")
    server.service.notifier.preferences.save(Preferences(person="mallory"), "admin")
    records = server.reviewer().get("/v1/audit", kind="preferences.saved").ok()["items"]
    assert {one["actor"] for one in records} >= {"bob", "admin"}
    assert "secret-topic" not in json.dumps(records), "addresses may hold secrets"


def test_nobody_changes_the_notifications_of_another_person(server: Running, receiver: Receiver) -> None:
    want(server, "bob", "own", topic(receiver, "bob"))
    notifier, page = server.service.notifier, "/settings/notifications"
    (destination,) = notifier.preferences.get("bob").destinations
    gone = urlencode({"destination": destination_id(destination)}).encode()
    form = {"content_type": "application/x-www-form-urlencoded"}
    bob, eve = server.signed_in("bob", Role.REVIEWER), server.signed_in("eve", Role.ADMIN)
    for path in ("/destinations/remove", "/test"):
        assert eve.having(**form).send("POST", page + path, gone).status == 404, "not one of hers"
        assert bob.having(**form, x_csrf_token="").send("POST", page + path, gone).status == 403
        assert server.reviewer("bob").having(**form).send("POST", page + path, gone).status == 403, "a key is no person"
    assert notifier.preferences.get("bob").destinations == (destination,)
    text = eve.having(accept="text/html").get(page).body.decode()
    assert "json://" not in text
    notifier.save(Preferences(person="bob", agents=("<script>alert(1)</script>",)), "bob")
    assert "<script>alert" not in bob.having(accept="text/html").get(page).body.decode()
    linked = urlencode({"channel": "browser", "address": "x"}).encode()
    assert "added in that browser" in bob.having(**form).send("POST", f"{page}/destinations", linked).body.decode()
    assert receiver.seen == []


# browsers


def browser_keys() -> tuple[Any, str, bytes, str]:
    """Return the private key, the public key and the auth secret of a browser, as it would make them."""
    private, auth = generate_private_key(SECP256R1()), os.urandom(16)
    public = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return private, _base64(public), auth, _base64(auth)


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def test_a_browser_is_told_in_encrypted_signed_messages(server: Running, receiver: Receiver) -> None:
    private, public, auth, auth_text = browser_keys()
    notifier = server.service.notifier
    server.service.authenticator.people.add("bob", Role.REVIEWER, "test")
    endpoint = f"http://127.0.0.1:{receiver.port}/push/abc"
    browser = notifier.browsers.add("bob", Subscription(endpoint, public, auth_text), "Firefox\n on Linux")
    assert browser.name == "Firefox\\n on Linux"
    approval_id = server.asked(server.agent("ann"))["approval"]["approvalId"]
    pushed = until(lambda: receiver.seen)[0]
    assert Vapid02.verify(pushed.headers["authorization"])
    claims = json.loads(base64.urlsafe_b64decode(pushed.headers["authorization"].split("t=")[1].split(".")[1] + "=="))
    assert claims["aud"] == f"http://127.0.0.1:{receiver.port}"
    assert pushed.headers["authorization"].endswith(f"k={notifier.push_key.public}")
    assert (pushed.headers["content-encoding"], pushed.headers["urgency"]) == ("aes128gcm", "high")
    assert 0 < int(pushed.headers["ttl"]) <= 86_400
    message = json.loads(http_ece.decrypt(pushed.body, private_key=private, auth_secret=auth))
    assert message["path"] == f"/approvals/{approval_id}"
    assert (message["tag"], message["ended"]) == (approval_id, False)
    assert "git push --force" in message["body"]
    server.approve(server.reviewer("cem"), approval_id).ok()
    ended = until(lambda: receiver.seen[1:])[0]
    message = json.loads(http_ece.decrypt(ended.body, private_key=private, auth_secret=auth))
    assert (message["tag"], message["ended"]) == (approval_id, True)
    assert message["title"].startswith("Approved by cem")
    receiver.script = answers(410)  # the browser is gone
    server.asked(server.agent("ann", "other"))
    until(lambda: notifier.browsers.list("bob") == [])
    assert notifier.preferences.get("bob").destinations == ()


@pytest.mark.parametrize(
    ("endpoint", "problem"),
    [
        ("http://169.254.169.254/latest", "not a public address"),
        ("https://10.0.0.1/x", "not a public address"),
        ("file:///etc/passwd", "has the form"),
    ],
)
def test_a_push_endpoint_must_be_public(server: Running, endpoint: str, problem: str) -> None:
    _, public, _, auth = browser_keys()
    with pytest.raises(InterlockError, match=problem):
        server.service.notifier.browsers.add("bob", Subscription(endpoint, public, auth), "x")


def test_the_key_for_browsers_is_made_once(server: Running) -> None:
    from interlock.server.notify.push_key import PushKey

    first = server.service.notifier.push_key.public
    assert PushKey(server.service.journal).public == first
    assert len(base64.urlsafe_b64decode(first + "=")) == 65
