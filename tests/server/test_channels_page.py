"""The page of the channels: its state without secrets, test messages to oneself alone, and the backlog in health."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from interlock.access.roles import Role
from interlock.server.administration.channels import list_channels
from interlock.server.administration.health import check_health
from interlock.server.notify.preferences import Destination, Preferences
from interlock.server.rate_limits import RateLimiter
from interlock.server.webhooks.retry_schedule import RetrySchedule
from tests.server.client import Reply
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import Running, until
from tests.server.receiver import Receiver, answers, receiving

PAGE = "/settings/channels"
CHANNELS = """
[channels.own]
kind = "apprise"
[channels.night-bot]
kind = "telegram"
token_file = "/nowhere/telegram-token"
"""
FORM = {"content_type": "application/x-www-form-urlencoded", "accept": "text/html"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(answers(200)) as found:
        yield found


def want(server: Running, person: str, receiver: Receiver) -> None:
    server.service.authenticator.people.add(person, Role.REVIEWER, "test")
    address = f"json://user:hunter2hunter2@127.0.0.1:{receiver.port}/{person}"
    destinations = (Destination(channel="own", address=address),)
    server.service.notifier.save(Preferences(person=person, destinations=destinations), person)


def send_test(server: Running, person: str, channel: str, **headers: str) -> Reply:
    client = server.signed_in(person, Role.REVIEWER).having(**FORM, **headers)
    return client.send("POST", f"{PAGE}/test", urlencode({"channel": channel}).encode())


def test_channels_are_shown_with_their_problems_and_tested_on_oneself_alone(serve: Serve, receiver: Receiver) -> None:
    server = serve(configured=OTHERS_ANSWER + CHANNELS, webhooks_inside=("127.0.0.1",))
    want(server, "bob", receiver)
    receiver.script = lambda wire: wire.answer(503)
    worker = server.service.notifier.worker
    worker.options = worker.options._replace(schedule=RetrySchedule((), jitter=0))
    server.asked(server.agent("ann"))
    until(lambda: {one.name: one.health.failed for one in list_channels(server.service)}["own"] == 1)
    text = server.signed_in("eve", Role.REVIEWER).having(accept="text/html").get(PAGE).body.decode()
    rows = re.findall(r"<tr><td data-label=\"Channel\">.*?</tr>", text, re.DOTALL)
    [browser, broken, own] = rows
    assert "built in" in browser
    assert "not available" in broken
    assert "cannot be read" in broken
    assert re.search(r"interlock\.toml:\d+", broken)
    assert "bob" in own
    assert "Add your address" in own, "eve has none here"
    assert "hunter2" not in text
    assert str(receiver.port) not in text, "addresses are their owner's alone"
    check = next(one for one in check_health(server.service) if one.name == "Notifications")
    assert (check.state, check.value) == ("warning", "0 messages queued, 1 failed in 24 hours, 1 channel not available")

    receiver.script = answers(200)
    before = len(receiver.seen)
    assert send_test(server, "eve", "own").status == 422
    assert send_test(server, "bob", "own", x_csrf_token="").status == 403
    key = server.reviewer("bob").having(**FORM)
    assert key.send("POST", f"{PAGE}/test", b"channel=own").status == 403, "a key is no person"
    assert send_test(server, "bob", "night-bot").status == 422, "he has no address there"
    assert "<script>" not in send_test(server, "bob", "<script>").body.decode().split("<main")[1]
    assert len(receiver.seen) == before
    assert "Test message sent to your address in own." in send_test(server, "bob", "own").body.decode()
    assert receiver.seen[-1].told["title"] == "Test notification from Interlock"
    server.service.notifier.test_limiter = RateLimiter(1e-6, 1)  # so slow that no wait on this machine counts
    assert [send_test(server, "bob", "own").status for _ in range(2)] == [200, 429]


def test_an_empty_page_shows_how_to_add_each_kind(serve: Serve) -> None:
    server = serve(configured="")
    text = server.signed_in("eve", Role.REVIEWER).having(accept="text/html").get(PAGE).body.decode()
    assert "No channels yet." in text
    assert "/settings/channels/new" not in text, "eve may not add one"
    examples = [block.replace("&#34;", '"') for block in re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)]
    running = serve(configured="\n".join(examples))
    kinds = {one.kind for one in running.service.gate.config.channels.values()}
    assert kinds == {"apprise", "slack", "telegram"}
