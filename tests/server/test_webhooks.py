"""Webhooks: records are delivered signed and at least once, and never to internal addresses by accident."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.audit.journal import Journal
from interlock.audit.keys import SigningKey
from interlock.audit.prune import prune
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.record import Entry
from interlock.config.settings import ServerSettings
from interlock.errors import ConflictError, InterlockError, StoreError
from interlock.gate.gate import Gate
from interlock.server.timeline import item_of
from interlock.server.webhooks import delivery as log
from interlock.server.webhooks import outbox
from interlock.server.webhooks.address_policy import AddressPolicy, is_global
from interlock.server.webhooks.delivery import Delivery
from interlock.server.webhooks.delivery_worker import DeliveryOptions, DeliveryWorker
from interlock.server.webhooks.retry_schedule import WAITS, RetrySchedule
from interlock.server.webhooks.sender import SendResult
from interlock.server.webhooks.signing import new_secret, sign, verify
from interlock.server.webhooks.webhook import Webhook
from interlock.store.clock import MICROSECONDS, now
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.tables import webhooks
from tests.model_server import CERTIFICATE
from tests.server.client import PATIENCE
from tests.server.receiver import Receiver, Wire, answers, receiving

with warnings.catch_warnings():  # how the framework would like parameters to be named is not what is tested here
    warnings.simplefilter("ignore", DeprecationWarning)
    from litestar.testing import TestClient

    from interlock.server.api.webhooks import ROUTES
    from interlock.server.service import Service
    from tests.server.live_server import application

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
HERE = "127.0.0.0/8"
AT_ONCE = RetrySchedule((0.0, 0.0, 0.0), jitter=0)


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own folder: empty, and nobody else's."""
    folder = tmp_path / "own"
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def embedded(tmp_path: Path) -> str:
    """The URL of an empty store in a file."""
    return f"sqlite:///{tmp_path / 'store.db'}"


def opened(store: str, own: Path) -> Journal:
    database = Database(store)
    prepare(database)
    return Journal(database, SigningKey.at(own), own)


@pytest.fixture
def journal(embedded: str, own: Path) -> Iterator[Journal]:
    found = opened(embedded, own)
    yield found
    found.close()


@pytest.fixture
def shared(store: str, own: Path) -> Iterator[Journal]:
    """A journal on each of the two databases."""
    found = opened(store, own)
    yield found
    found.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def options(**changes: Any) -> DeliveryOptions:
    return DeliveryOptions(AddressPolicy([HERE]), AT_ONCE, timeout_seconds=3, poll_seconds=0.02)._replace(**changes)


def worker_on(journal: Journal, **changes: Any) -> DeliveryWorker:
    return DeliveryWorker(journal, options(**changes))


def resolving(*answers: list[str]) -> Callable[[str, int], list[str]]:
    """Return a resolver that gives one answer after the other, and then the last again."""
    left = list(answers)
    return lambda _host, _port: left.pop(0) if len(left) > 1 else left[0]


def look(worker: DeliveryWorker, times: int = 1) -> int:
    """Look so many times, each time wait for what is sent; return how many messages that were."""

    async def looking() -> int:
        sent = 0
        for _ in range(times):
            sent += await worker.send_due()
            await worker.drain()
        return sent

    return asyncio.run(looking())


def happen(journal: Journal, *kinds: str) -> list[int]:
    """Record something of each kind; return the numbers of the records."""
    entries = [Entry(kind=kind, at=now().wall, actor="ann", name="x", data={"n": n}) for n, kind in enumerate(kinds)]
    return journal.commit(lambda transaction: [transaction.append(entry).seq for entry in entries])


def logged(journal: Journal, webhook: Webhook) -> list[Delivery]:
    with journal.database.read() as connection:
        return log.list_newest(connection, webhook.webhook_id, 100)


def only(journal: Journal, webhook: Webhook) -> Delivery:
    (found,) = logged(journal, webhook)
    return found


def bodies(journal: Journal) -> str:
    return "\n".join(line.body for line in read_all(journal.database, RecordFilter()))


# What is sent


def test_a_record_is_delivered_and_proved(shared: Journal, receiver: Receiver) -> None:
    worker = worker_on(shared)
    made, secret = worker.webhooks.create(receiver.url + "?team=1", ["risk"], "ann")
    (seq,) = happen(shared, "risk")
    assert look(worker) == 1
    (got,) = receiver.seen
    delivery = only(shared, made)
    assert verify(secret, got.headers, got.body) == got.headers["webhook-id"] == delivery.delivery_id
    assert (delivery.state, delivery.record_seq, delivery.tries, delivery.status) == ("delivered", seq, 1, 204)
    record = next(line.record for line in read_all(shared.database, RecordFilter(kind="risk")))
    assert got.told == {**item_of(record).to_dict(), "storeId": shared.store_id}
    assert (got.path, got.headers["content-type"]) == ("/hook?team=1", "application/json")
    assert look(worker, 3) == 0


def test_a_webhook_gets_new_records_of_its_kinds(shared: Journal, receiver: Receiver) -> None:
    happen(shared, "risk", "event")
    worker = worker_on(shared)
    worker.webhooks.create(receiver.url, ["approval", "event"], "ann")
    happen(shared, "risk", "approval.requested", "event", "decision", "approval.approved")
    look(worker)
    assert [one.told["kind"] for one in sorted(receiver.seen, key=lambda one: int(one.told["seq"]))] == [
        "approval.requested",
        "event",
        "approval.approved",
    ]


def test_every_matching_webhook_gets_a_record(journal: Journal, receiver: Receiver) -> None:
    worker = worker_on(journal)
    secrets = [worker.webhooks.create(receiver.url, ["risk"], "ann")[1] for _ in range(3)]
    happen(journal, "risk")
    look(worker)
    assert len(receiver.seen) == 3
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == 3
    assert all(any(_is_proved(secret, one) for one in receiver.seen) for secret in secrets)


def _is_proved(secret: str, one: Any) -> bool:
    try:
        return bool(verify(secret, one.headers, one.body))
    except InterlockError:
        return False


def test_nothing_is_written_where_there_is_nothing_to_do(journal: Journal, receiver: Receiver) -> None:
    worker = worker_on(journal)
    worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "decision", "event")
    commits: list[Any] = []
    journal.commit = commits.append  # type: ignore[assignment, method-assign]
    assert look(worker, 3) == 0
    assert commits == []


# Signatures

BODY = b'{"test": 2432232314}'
#: The example of the convention's own libraries.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
AT = 1_614_265_330
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": str(AT),
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_the_conventions_own_example() -> None:
    ours = sign(SECRET, HEADERS["Webhook-Id"], AT, BODY)
    assert ours == {name.lower(): value for name, value in HEADERS.items()}
    assert verify(SECRET, HEADERS, BODY, now=AT + 60) == HEADERS["Webhook-Id"]
    assert verify(SECRET, HEADERS, BODY.decode(), now=AT - 60)


def test_one_right_signature_of_several_is_enough() -> None:
    several = {**HEADERS, "Webhook-Signature": f"v1,AAAA v1a,xyz {HEADERS['Webhook-Signature']}"}
    assert verify(SECRET, several, BODY, now=AT)


FALSE: list[tuple[str, dict[str, Any], str]] = [
    ("another secret", {"secret": new_secret()}, "not signed with this secret"),
    ("another body", {"body": BODY + b" "}, "not signed with this secret"),
    ("another id", {"Webhook-Id": "msg_2"}, "not signed with this secret"),
    ("another time", {"Webhook-Timestamp": str(AT + 1)}, "not signed with this secret"),
    ("another version", {"Webhook-Signature": HEADERS["Webhook-Signature"].replace("v1", "v2")}, "not signed"),
    ("not even ASCII", {"Webhook-Signature": "v1,é\udc80"}, "not signed"),
    ("stale", {"now": AT + 301}, "older than 300 seconds"),
    ("stale by another measure", {"now": AT + 11, "tolerance": 10}, "older than 10 seconds"),
    ("too early", {"now": AT - 301}, "in the future"),
    ("no id", {"Webhook-Id": ""}, "no header `webhook-id`"),
    ("no time", {"Webhook-Timestamp": "soon"}, "number of seconds since 1970, found `soon"),
    ("a huge time", {"Webhook-Timestamp": "9" * 5_000}, "number of seconds since 1970"),
    ("no secret", {"secret": "whsec_not base64"}, "followed by base64"),
]


@pytest.mark.parametrize(("changes", "why"), [row[1:] for row in FALSE], ids=[row[0] for row in FALSE])
def test_invalid_signatures_are_rejected(changes: dict[str, Any], why: str) -> None:
    given: dict[str, Any] = {"secret": SECRET, "body": BODY, "now": AT, **changes}
    headers = {name: given.pop(name, value) for name, value in HEADERS.items()}
    with pytest.raises(InterlockError, match=why) as raised:
        verify(given.pop("secret"), headers, given.pop("body"), **given)
    assert SECRET not in str(raised.value)


# What goes wrong


def test_a_failed_delivery_is_retried_until_it_arrives(shared: Journal, receiver: Receiver) -> None:
    receiver.script = answers(500, 404, 200)
    worker = worker_on(shared)
    made, secret = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(shared, "risk")
    look(worker)
    first = only(shared, made)
    assert (first.state, first.tries, first.status) == ("waiting", 1, 500)
    assert first.error == "the receiver answered with status 500"
    look(worker, 2)
    assert [one.headers["webhook-id"] for one in receiver.seen] == [first.delivery_id] * 3
    assert all(_is_proved(secret, one) for one in receiver.seen)
    last = only(shared, made)
    assert (last.state, last.tries, last.status, last.error) == ("delivered", 3, 200, "")


def test_it_waits_as_long_as_the_schedule_says(journal: Journal, receiver: Receiver) -> None:
    receiver.script = answers(503)
    worker = worker_on(journal, schedule=RetrySchedule((100, 1_000), jitter=0))
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    for tries, wait in ((1, 100), (2, 1_000)):
        assert look(worker, 3) == 1
        found = only(journal, made)
        assert (found.state, found.tries) == ("waiting", tries)
        assert found.due_at - now().wall == pytest.approx(wait * MICROSECONDS, abs=5 * MICROSECONDS)
        _set(journal, due_at=now().wall)
    look(worker, 3)
    assert (only(journal, made).state, only(journal, made).tries, len(receiver.seen)) == ("failed", 3, 3)


def _set(journal: Journal, **values: Any) -> None:
    changes = ", ".join(f"{name} = :{name}" for name in values)
    journal.commit(
        lambda transaction: transaction.connection.run(f"UPDATE interlock_deliveries SET {changes}", **values)
    )


def test_the_schedule_is_eight_tries_in_a_day() -> None:
    assert len(WAITS) + 1 == 8
    assert 20 * 3_600 < sum(WAITS) < 28 * 3_600
    assert all(later >= 3 * earlier or later >= 21_600 for earlier, later in pairwise(WAITS))
    drawn = {RetrySchedule().delay_after(2) for _ in range(50)}
    assert len(drawn) > 1, "the waits of servers differ"
    assert all(wait is not None and 48 <= wait <= 72 for wait in drawn)
    assert RetrySchedule().delay_after(8) is None


def test_410_switches_it_off(shared: Journal, receiver: Receiver) -> None:
    receiver.script = answers(410)
    worker = worker_on(shared)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(shared, "risk")
    look(worker)
    assert worker.webhooks.get(made.webhook_id).state == "off"
    assert (only(shared, made).state, only(shared, made).status) == ("failed", 410)
    changed = list(read_all(shared.database, RecordFilter(kind="webhook.changed")))[-1].record
    assert (changed.actor, changed.outcome, changed.data["why"]) == (
        "interlock",
        "off",
        "the receiver answered with status 410",
    )
    happen(shared, "risk")
    assert look(worker, 2) == 0


def test_410_of_a_receiver_that_was_replaced_meanwhile_counts_for_nothing(journal: Journal) -> None:
    worker = worker_on(journal)

    def gone(wire: Wire) -> None:
        worker.webhooks.change(made.webhook_id, "ann", url=f"http://127.0.0.1:{receiver.port}/new")
        wire.answer(410)

    with receiving(gone) as receiver:
        made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
        happen(journal, "risk")
        look(worker)
    assert worker.webhooks.get(made.webhook_id).state == "active"


def test_a_redirect_is_not_followed(journal: Journal, receiver: Receiver) -> None:
    with receiving() as elsewhere:
        receiver.script = lambda wire: wire.answer(307, location=elsewhere.url)
        worker = worker_on(journal)
        made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
        happen(journal, "risk")
        look(worker)
        assert (len(receiver.seen), elsewhere.seen) == (1, [])
    found = only(journal, made)
    assert (found.state, found.status) == ("waiting", 307)
    assert found.error == "the receiver answered with status 307; redirects are not followed"


def silent(wire: Wire) -> None:
    wire.receiver.over.wait()


@pytest.mark.parametrize("script", [silent, Wire.drip], ids=["silent", "a byte now and then"])
def test_a_slow_receiver_times_out(journal: Journal, script: Callable[[Wire], None]) -> None:
    worker = worker_on(journal, timeout_seconds=0.3)
    with receiving(script) as receiver:
        made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
        happen(journal, "risk")
        look(worker)  # or this test does not end
    assert (only(journal, made).state, only(journal, made).error) == ("waiting", "the receiver did not answer in time")


def test_nothing_is_sent_if_name_resolution_takes_too_long(journal: Journal, receiver: Receiver) -> None:
    def slow(_host: str, _port: int) -> list[str]:
        time.sleep(0.2)
        return ["127.0.0.1"]

    worker = worker_on(journal, policy=AddressPolicy([HERE], slow), timeout_seconds=0.1)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert (receiver.seen, only(journal, made).error) == ([], "the receiver did not answer in time")


def test_an_endless_tls_handshake_times_out(journal: Journal) -> None:
    worker = worker_on(journal, timeout_seconds=0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        made, _ = worker.webhooks.create(url, ["risk"], "ann")
        happen(journal, "risk")
        look(worker)  # or this test does not end
    assert only(journal, made).error == "the receiver did not answer in time"


def test_a_status_counts_however_the_body_goes_on(journal: Journal, receiver: Receiver) -> None:
    def endless(wire: Wire) -> None:
        wire.send_response(200)
        wire.end_headers()
        while not wire.receiver.over.is_set():
            wire.wfile.write(b"x" * 65_536)

    receiver.script = endless
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert (only(journal, made).state, only(journal, made).status) == ("delivered", 200)


def test_the_body_of_a_reply_is_not_stored(journal: Journal, receiver: Receiver) -> None:
    receiver.script = lambda wire: wire.answer(500, b"secret words", reason="more secret words")
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert "secret" not in str(only(journal, made))


@pytest.mark.parametrize("said", [b"nonsense\r\n\r\n", b"", b"HTTP/1.1 999999 x\r\n\r\n"])
def test_an_invalid_http_response_is_a_failure(journal: Journal, said: bytes) -> None:
    def talk(wire: Wire) -> None:
        wire.wfile.write(said)
        wire.close_connection = True

    with receiving(talk) as receiver:
        worker = worker_on(journal)
        made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
        happen(journal, "risk")
        look(worker)
    found = only(journal, made)
    assert (found.state, found.status) == ("waiting", None)
    assert found.error.startswith("the receiver ")


def test_an_unreachable_receiver_does_not_delay_others(journal: Journal, receiver: Receiver) -> None:
    worker = worker_on(journal, timeout_seconds=0.5)
    with receiving(silent) as away:
        for _ in range(3):
            worker.webhooks.create(away.url, ["risk"], "ann")
        worker.webhooks.create(receiver.url, ["risk"], "ann")
        happen(journal, *["risk"] * 8)

        async def some_time() -> None:
            running = asyncio.create_task(worker.run())
            for _ in range(100):
                await asyncio.sleep(0.02)
                if len(receiver.seen) == 8:
                    break
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

        asyncio.run(some_time())
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == len(receiver.seen) == 8


def test_a_record_that_was_pruned_is_given_up(journal: Journal, receiver: Receiver) -> None:
    receiver.script = answers(500)
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    prune(journal, now().wall + MICROSECONDS, "ann")
    look(worker)
    found = only(journal, made)
    assert (found.state, found.error) == ("failed", f"record {found.record_seq} was removed from the chain")
    happen(journal, "risk")
    assert look(worker) == 1  # the webhook itself goes on


# Where it goes


INSIDE = """127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 192.0.0.8 192.88.99.1
198.18.0.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
 203.0.113.7 ::1 :: fe80::1 fc00::1 fd00:ec2::254 fec0::1 ff02::1
ff0e::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 2002:7f00:1:: 2002:a00:1::1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
64:ff9b:1::808:808 2001:db8::1 2001::1 3fff::1 5f00::1 100::1""".split()
OUTSIDE = "8.8.8.8 1.1.1.1 2606:4700::1111 ::ffff:8.8.8.8 2002:808:808::1 64:ff9b::808:808".split()


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_inside_is_refused(address: str) -> None:
    assert not is_global(ip_address(address))
    with pytest.raises(InterlockError, match=r"not a public address.*server\.webhooks_inside"):
        AddressPolicy(resolve=resolving([address])).check("https://hooks.example/")
    with pytest.raises(InterlockError, match="not a public address"):  # every one of them has to be
        AddressPolicy(resolve=resolving(["8.8.8.8", address])).check("https://hooks.example/")


@pytest.mark.parametrize("address", OUTSIDE)
def test_an_address_outside_is_taken(address: str) -> None:
    target = AddressPolicy(resolve=resolving([address])).check("https://hooks.example:8443/a?b=c")
    assert target == (True, "hooks.example", 8443, "/a?b=c", (address,))


@pytest.mark.parametrize(
    "url",
    "https://127.0.0.1/ https://localhost/ https://127.1/ https://2130706433/ https://0x7f000001/ https://0177.0.0.1/ "
    "https://[::1]/ https://[::ffff:127.0.0.1]/ https://[64:ff9b::7f00:1]/ https://0/ https://localhost./".split(),
)
def test_every_way_to_write_this_machine_is_refused(journal: Journal, url: str) -> None:
    with pytest.raises(InterlockError, match=r"not a public address|could not resolve host"):
        DeliveryWorker(journal, DeliveryOptions(AddressPolicy())).webhooks.create(url, ["risk"], "ann")


WRONG = [
    ("ftp://hooks.example/", "https://host/path"),
    ("file:///etc/passwd", "https://host/path"),
    ("gopher://hooks.example/", "https://host/path"),
    ("hooks.example", "https://host/path"),
    ("https://", "https://host/path"),
    ("https:///path", "https://host/path"),
    ("https://hooks.example:99999/", "https://host/path"),
    ("https://hooks.example:0/", "https://host/path"),
    ("https://hooks.example:x/", "https://host/path"),
    ("https://hooks.example/#part", "https://host/path"),
    ("https://[fe80::1%25eth0]/", "https://host/path"),
    ("https://[::1/", "https://host/path"),
    ("https://exa mple/", "no space"),
    ("https://hooks.example/\r\nx: y", "printable"),
    ("https://hooks.example\\@10.0.0.1/", "printable"),
    ("https://hööks.example/", "ASCII"),
    ("https://hooks.example/" + "x" * 2_000, "at most 2000"),
    ("https://ann:hunter2@hooks.example/", "end up in logs"),
    ("https://ann@hooks.example/", "end up in logs"),
    ("http://hooks.example/", "use `https://`"),
    ("https://-hooks.example/", "https://host/path"),
]


@pytest.mark.parametrize(("url", "why"), WRONG)
def test_an_invalid_url_is_rejected(url: str, why: str) -> None:
    with pytest.raises(InterlockError, match=why) as raised:
        AddressPolicy(resolve=resolving(["8.8.8.8"])).check(url)
    assert "hunter2" not in str(raised.value)


def test_an_unknown_host_is_rejected() -> None:
    def nobody(_host: str, _port: int) -> list[str]:
        raise socket.gaierror

    with pytest.raises(InterlockError, match=r"could not resolve host `hooks\.example`"):
        AddressPolicy(resolve=nobody).check("https://hooks.example/")
    with pytest.raises(InterlockError, match="could not resolve host"):
        AddressPolicy().check(f"https://{'x' * 70}.example/")


@pytest.mark.parametrize("inside", ["hooks.lan", "HOOKS.lan.", "10.0.0.0/8", "10.1.2.3", "10.1.2.3/8"])
def test_allowed_internal_addresses_are_accepted(inside: str) -> None:
    policy = AddressPolicy([inside], resolving(["10.1.2.3"]))
    assert policy.check("http://Hooks.lan/").addresses == ("10.1.2.3",)
    assert policy.check("https://hooks.lan/").port == 443


def test_other_internal_addresses_stay_rejected() -> None:
    with pytest.raises(InterlockError, match="not a public address"):
        AddressPolicy(["10.1.0.0/16"], resolving(["10.2.0.1"])).check("https://hooks.lan/")
    with pytest.raises(InterlockError, match="not a public address"):
        AddressPolicy(["hooks.lan"], resolving(["10.2.0.1"])).check("https://other.hooks.lan/")
    with pytest.raises(InterlockError, match="use `https://`"):
        AddressPolicy(["10.1.0.0/16"], resolving(["10.1.0.1", "8.8.8.8"])).check("http://hooks.lan/")
    with pytest.raises(InterlockError, match=r"as `hooks\.lan` or `10\.1\.0\.0/16`, found `http://x/`"):
        AddressPolicy(["http://x/"])


def test_a_host_that_later_resolves_to_an_internal_address_is_rejected(journal: Journal, receiver: Receiver) -> None:
    lookups = resolving(["8.8.8.8"], ["127.0.0.1"])
    worker = worker_on(journal, policy=AddressPolicy(resolve=lookups))
    made, _ = worker.webhooks.create(f"https://hooks.example:{receiver.port}/", ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert receiver.seen == []
    found = only(journal, made)
    assert (found.state, found.status) == ("waiting", None)
    assert "`hooks.example` resolves to 127.0.0.1, which is not a public address" in found.error
    reply = asyncio.run(worker.ping(made.webhook_id, "ann"))
    assert "not a public address" in reply.error


def test_the_name_is_looked_up_once_and_that_address_is_used(journal: Journal, receiver: Receiver) -> None:
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    worker = worker_on(journal, policy=AddressPolicy(["hooks.example"], resolve))  # a name that no other resolver knows
    worker.webhooks.create(f"http://hooks.example:{receiver.port}/in", ["risk"], "ann")
    happen(journal, "risk")
    asked.clear()
    look(worker)
    assert asked == ["hooks.example"]
    assert receiver.seen[0].headers["host"] == f"hooks.example:{receiver.port}"


def test_the_next_address_is_tried_if_one_does_not_accept(journal: Journal, receiver: Receiver) -> None:
    policy = AddressPolicy(["hooks.example"], resolving(["127.0.0.2", "127.0.0.1"]))
    worker = worker_on(journal, policy=policy)
    worker.webhooks.create(f"http://hooks.example:{receiver.port}/", ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert len(receiver.seen) == 1


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "certificate.pem"
    path.write_text(CERTIFICATE)
    return path


@pytest.mark.parametrize(
    ("host", "known", "error"),
    [
        ("localhost", True, ""),
        ("127.0.0.1", True, ""),
        ("localhost", False, "the receiver's certificate could not be verified"),
        ("hooks.example", True, "the receiver's certificate could not be verified"),
    ],
)
def test_a_certificate_has_to_be_the_hosts(
    journal: Journal, certificate: Path, monkeypatch: pytest.MonkeyPatch, host: str, known: bool, error: str
) -> None:
    if known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with receiving(certificate=certificate) as receiver:
        worker = worker_on(journal, policy=AddressPolicy([HERE], resolving(["127.0.0.1"])))
        made, _ = worker.webhooks.create(f"https://{host}:{receiver.port}/", ["risk"], "ann")
        happen(journal, "risk")
        look(worker)
        assert only(journal, made).error == error
        assert len(receiver.seen) == (not error)


def test_a_webhook_that_was_altered_in_the_database_is_sent_nothing(shared: Journal, receiver: Receiver) -> None:
    worker = worker_on(shared)
    made, _ = worker.webhooks.create("http://127.0.0.1:9/", ["risk"], "ann")
    honest, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    which = {"webhook_id": made.webhook_id}
    shared.commit(lambda transaction: transaction.connection.update(webhooks, which, url=receiver.url))
    happen(shared, "risk")
    assert look(worker, 2) == 1
    assert (len(receiver.seen), logged(shared, made), only(shared, honest).state) == (1, [], "delivered")


# Several servers, and one after the other


def gates(store: str, count: int) -> list[Gate]:
    return [Gate(store=store) for _ in range(count)]


def test_two_servers_on_one_store_send_everything_once(store: str, receiver: Receiver) -> None:
    def ponder(wire: Wire) -> None:  # long enough for the other one to look
        time.sleep(0.05)
        wire.answer(204)

    receiver.script = ponder
    found = gates(store, 2)
    workers = [DeliveryWorker(gate.journal, options()) for gate in found]
    made, _ = workers[0].webhooks.create(receiver.url, ["risk"], "ann")
    stop = threading.Event()

    async def work(worker: DeliveryWorker) -> None:
        running = asyncio.create_task(worker.run())
        while not stop.is_set():
            await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    threads = [threading.Thread(target=asyncio.run, args=(work(worker),)) for worker in workers]
    for thread in threads:
        thread.start()
    for number in range(10):
        happen(found[number % 2].journal, *["risk"] * 4)
    deadline = time.monotonic() + PATIENCE
    while len(receiver.seen) < 40 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    assert sorted(one.told["seq"] for one in receiver.seen) == sorted({one.told["seq"] for one in receiver.seen})
    assert len(receiver.seen) == 40
    assert {one.state for one in logged(found[0].journal, made)} == {"delivered"}
    for gate in found:
        gate.close()


def test_after_a_restart_it_goes_on_where_it_was(store: str, own: Path, receiver: Receiver) -> None:
    before = opened(store, own)
    worker_on(before).webhooks.create(receiver.url, ["risk"], "ann")
    happen(before, "risk")
    look(worker_on(before))
    happen(before, "risk", "risk")  # these are not sent before the restart
    before.close()
    after = opened(store, own)
    happen(after, "risk")
    look(worker_on(after))
    told = [one.told["seq"] for one in receiver.seen]
    assert len(told) == len(set(told)) == 4
    after.close()


def test_leased_deliveries_of_a_dead_server_are_sent_by_another(
    journal: Journal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    assert len(worker._claim({}, 4)) == 1  # and then it dies
    assert only(journal, made).state == "sending"
    assert look(worker_on(journal), 2) == 0
    with pytest.raises(ConflictError, match="being sent right now"):
        journal.commit(lambda done: outbox.retry(done, made.webhook_id, only(journal, made).delivery_id))
    _set(journal, due_at=now().wall)
    assert look(worker_on(journal), 2) == 1
    assert (only(journal, made).state, only(journal, made).tries) == ("delivered", 2)


def test_the_worker_survives_failures_of_the_store(
    journal: Journal, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    worker = worker_on(journal)
    worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    errors: list[Exception] = [StoreError("the store is away"), ValueError("a mistake of ours")]
    claiming = worker._claim

    def take(slots: dict[str, int], room: int) -> list[outbox.ClaimedDelivery]:
        if errors:
            raise errors.pop()
        return claiming(slots, room)

    worker._claim = take  # type: ignore[method-assign]

    async def some_time() -> None:
        running = asyncio.create_task(worker.run())
        for _ in range(300):
            await asyncio.sleep(0.02)
            if receiver.seen:
                break
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(some_time())
    assert len(receiver.seen) == 1
    assert "the store is away" in caplog.text
    assert "a mistake of ours" in caplog.text


def test_a_late_result_changes_nothing(journal: Journal, receiver: Receiver) -> None:
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    (claimed,) = worker._claim({}, 4)
    _set(journal, due_at=now().wall)
    look(worker)  # another server sends it in the meantime
    late = SendResult(500, "the receiver answered with status 500")
    assert journal.commit(lambda transaction: outbox.record_result(transaction, claimed, late, AT_ONCE)) is None
    assert only(journal, made).state == "delivered"


def test_the_outbox_of_a_webhook_is_limited(
    journal: Journal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MAX_OPEN", 3)
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, *["risk"] * 7)
    worker._claim({}, 1)
    assert len(logged(journal, made)) == 3
    look(worker, 6)
    assert len(logged(journal, made)) == 7  # the others had waited in the chain


# Its life


def test_a_webhook_that_is_off_gets_nothing_and_switched_on_gets_new_records(
    shared: Journal, receiver: Receiver
) -> None:
    worker = worker_on(shared)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    worker.webhooks.change(made.webhook_id, "ann", state="off")
    happen(shared, "risk")
    assert look(worker, 2) == 0
    worker.webhooks.change(made.webhook_id, "ann", state="active")
    (seq,) = happen(shared, "risk")
    look(worker, 2)
    assert [one.told["seq"] for one in receiver.seen] == [seq]


def test_open_deliveries_of_a_removed_webhook_are_not_sent(journal: Journal, receiver: Receiver) -> None:
    receiver.script = answers(500)
    worker = worker_on(journal)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(journal, "risk")
    look(worker)
    assert worker.webhooks.remove(made.webhook_id, "ann").state == "removed"
    assert look(worker, 2) == 0
    assert (only(journal, made).state, only(journal, made).error) == ("failed", "the webhook was removed")
    assert worker.webhooks.list() == []
    with pytest.raises(ConflictError, match="was removed"):
        worker.webhooks.change(made.webhook_id, "ann", state="active")


def test_a_new_secret_counts_at_once(journal: Journal, receiver: Receiver) -> None:
    worker = worker_on(journal)
    made, old = worker.webhooks.create(receiver.url, ["risk"], "ann")
    worker.webhooks.change(made.webhook_id, "ann", secret=(new := new_secret()))
    happen(journal, "risk")
    look(worker)
    assert _is_proved(new, receiver.seen[0])
    assert not _is_proved(old, receiver.seen[0])


def test_old_deliveries_are_deleted(shared: Journal, receiver: Receiver) -> None:
    worker = worker_on(shared)
    made, _ = worker.webhooks.create(receiver.url, ["risk"], "ann")
    happen(shared, "risk")
    look(worker)
    month = log.KEPT_SECONDS * MICROSECONDS
    for state, age, forgotten in (("delivered", month - MICROSECONDS, 0), ("waiting", 2 * month, 0)):
        _set(shared, state=state, due_at=now().wall - age)
        assert shared.commit(log.delete_old_deliveries) == forgotten
    _set(shared, state="delivered", due_at=now().wall - month - MICROSECONDS)
    assert shared.commit(log.delete_old_deliveries) == 1
    assert logged(shared, made) == []
    assert look(worker) == 0


def test_the_number_of_webhooks_is_limited(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.server.webhooks.webhook.MAX_WEBHOOKS", 2)
    worker = worker_on(journal)
    made = [worker.webhooks.create("http://127.0.0.1/", ["risk"], "ann")[0] for _ in range(2)]
    with pytest.raises(ConflictError, match="which is the limit"):
        worker.webhooks.create("http://127.0.0.1/", ["risk"], "ann")
    worker.webhooks.remove(made[0].webhook_id, "ann")
    assert worker.webhooks.create("http://127.0.0.1/", ["risk"], "ann")


# Over HTTP


@pytest.fixture
def service(embedded: str) -> Iterator[Service]:
    with Gate(store=embedded) as gate:
        found = Service(gate, ServerSettings(webhooks_inside=(HERE,), rate=0), url="http://127.0.0.1:8700")
        found.webhook_worker = DeliveryWorker(gate.journal, options())
        yield found


@pytest.fixture
def client(service: Service) -> Iterator[Callable[[Role], TestClient[Any]]]:
    """Make a client with a key of a role."""
    with application(service) as app, TestClient(app) as found:

        def make(role: Role) -> TestClient[Any]:
            _, secret = AccessKeys(service.journal).create(role.value, role, owner="ann", actor="ann")
            found.headers["authorization"] = f"Bearer {secret}"
            return found

        yield make


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def test_a_webhook_from_its_beginning_to_its_end(
    service: Service, client: Callable[[Role], TestClient[Any]], receiver: Receiver
) -> None:
    admin = client(Role.ADMIN)
    answer = admin.post("/v1/webhooks", json={"url": receiver.url + "/path-token"})
    assert answer.status_code == 201
    made, secret = answer.json()["webhook"], answer.json()["secret"]
    assert secret.startswith("whsec_")
    assert (made["kinds"], made["state"], made["createdBy"]) == (["approval", "risk"], "active", "ann")
    at = f"/v1/webhooks/{made['webhookId']}"
    assert admin.get("/v1/webhooks").json() == {"items": [made]}
    assert admin.get(at).json() == made

    assert admin.post(f"{at}/test").json() == {"delivered": True, "status": 204, "error": ""}
    assert receiver.seen[0].told["kind"] == "ping"
    assert verify(secret, receiver.seen[0].headers, receiver.seen[0].body)

    happen(service.journal, "risk", "approval.reviewed", "risk")
    assert until(lambda: len(receiver.seen) == 4)
    assert until(lambda: all(one["state"] == "delivered" for one in admin.get(f"{at}/deliveries").json()["items"]))
    page = admin.get(f"{at}/deliveries?limit=2").json()
    rest = admin.get(f"{at}/deliveries?limit=2&cursor={page['next']}").json()
    found = [*page["items"], *rest["items"]]
    assert (len(found), rest["next"]) == (3, None)
    assert [one["recordSeq"] for one in found] == sorted((one["recordSeq"] for one in found), reverse=True)

    again = admin.post(f"{at}/deliveries/{found[0]['deliveryId']}/retry")
    assert (again.status_code, again.json()["state"]) == (200, "waiting")
    assert until(lambda: len(receiver.seen) == 5)
    assert receiver.seen[4].headers["webhook-id"] == found[0]["deliveryId"]

    changed = admin.patch(at, json={"kinds": ["run"], "state": "off", "rotateSecret": True}).json()
    assert (changed["webhook"]["kinds"], changed["webhook"]["state"]) == (["run"], "off")
    assert changed["secret"] != secret
    assert admin.patch(at, json={}).json() == {"webhook": changed["webhook"], "secret": None}
    conflict = admin.post(f"{at}/deliveries/{found[0]['deliveryId']}/retry")
    assert (conflict.status_code, conflict.json()["detail"]) == (
        409,
        f"webhook `{made['webhookId']}` is off; switch it on first",
    )
    assert admin.delete(at).json()["state"] == "removed"
    assert admin.get("/v1/webhooks").json() == {"items": []}
    assert admin.post(f"{at}/test").status_code == 409

    kinds = [line.record.kind for line in read_all(service.journal.database, RecordFilter(kind="webhook"))]
    assert kinds == ["webhook.made", "webhook.changed", "webhook.removed"]
    assert admin.get("/v1/audit/verify").json()["faults"] == []
    everything = bodies(service.journal)
    for hidden in (secret, changed["secret"], "path-token"):
        assert hidden.removeprefix("whsec_") not in everything
        assert hidden.removeprefix("whsec_") not in admin.get("/v1/audit?limit=500").text


REFUSED = [
    ({"url": "https://127.0.0.1.example/", "kinds": ["aproval"]}, 422, "did you mean `approval`?"),
    ({"url": "https://x.example/", "kinds": ["risks"]}, 422, "did you mean `risk`?"),
    ({"url": "https://x.example/", "kinds": []}, 400, "kinds"),
    ({"url": "https://10.0.0.1/"}, 422, "not a public address"),
    ({"url": "http://8.8.8.8/"}, 422, "use `https://`"),
    ({"url": "https://ann:word@8.8.8.8/"}, 422, "end up in logs"),
    ({"url": "https://8.8.8.8/", "secret": "mine"}, 400, "secret"),
    ({}, 400, "url"),
]


@pytest.mark.parametrize(("body", "status", "why"), REFUSED)
def test_an_invalid_webhook_is_rejected(
    service: Service, client: Callable[[Role], TestClient[Any]], body: Any, status: int, why: str
) -> None:
    answer = client(Role.ADMIN).post("/v1/webhooks", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert why in answer.json()["detail"]
    assert service.webhook_worker.webhooks.list() == []


@pytest.mark.parametrize("name", ["nobody", "%00", "a%2Fb", "ä", "x" * 300])
def test_unknown_webhooks_and_deliveries_are_not_found(client: Callable[[Role], TestClient[Any]], name: str) -> None:
    admin = client(Role.ADMIN)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/test"), ("GET", "/deliveries")):
        assert admin.request(method, f"/v1/webhooks/{name}{path}").status_code == 404
    assert admin.patch(f"/v1/webhooks/{name}", json={"state": "off"}).status_code == 404
    made = admin.post("/v1/webhooks", json={"url": "http://127.0.0.1:9/"}).json()["webhook"]
    assert admin.post(f"/v1/webhooks/{made['webhookId']}/deliveries/{name}/retry").status_code == 404


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.AGENT, None])
def test_only_admins_may_use_the_webhook_routes(client: Callable[[Role], TestClient[Any]], role: Role | None) -> None:
    found = client(role or Role.ADMIN)
    if role is None:
        del found.headers["authorization"]
    tried = 0
    for handler in ROUTES:
        for path in handler.paths:
            for method in handler.http_methods - {"HEAD", "OPTIONS"}:
                shown = path.replace("{webhook_id:str}", "x").replace("{delivery_id:str}", "y")
                answer = found.request(str(method), f"/v1{shown}", json={"url": "https://8.8.8.8/"})
                assert answer.status_code == (401 if role is None else 403), path
                tried += 1
    assert tried == 8


def test_the_settings_decide_which_internal_addresses_are_allowed(embedded: str, receiver: Receiver) -> None:
    with Gate(store=embedded) as gate:
        strict = Service(gate, ServerSettings(), url="http://127.0.0.1:8700")
        with pytest.raises(InterlockError, match="not a public address"):
            strict.webhook_worker.webhooks.create(receiver.url, ["risk"], "ann")
        loose = Service(gate, ServerSettings(webhooks_inside=("127.0.0.1",)), url="http://127.0.0.1:8700")
        assert loose.webhook_worker.webhooks.create(receiver.url, ["risk"], "ann")
        with pytest.raises(InterlockError, match="webhooks_inside"):
            Service(gate, ServerSettings(webhooks_inside=("no host",)), url="http://127.0.0.1:8700")


def test_secrets_are_kept_where_they_are_needed_and_nowhere_else(journal: Journal) -> None:
    _, secret = worker_on(journal).webhooks.create("http://127.0.0.1/", ["risk"], "ann")
    with journal.database.read() as connection:
        assert connection.value("SELECT secret FROM interlock_webhooks") == secret
    assert msgspec.json.encode(worker_on(journal).webhooks.list()).decode().count("secret") == 0
    assert secret.removeprefix("whsec_") not in bodies(journal)
