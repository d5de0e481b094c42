"""Administration in the browser: changes and their records, undoing them, and attempts that must fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from interlock.access.roles import Role
from interlock.audit.keys import KeyRing
from interlock.audit.retention import DAY
from interlock.audit.verify import verify
from interlock.errors import ConflictError, TamperedError
from interlock.server.administration.changes import find_change, list_changes
from interlock.server.administration.health import check_health
from interlock.server.administration.store_size import count_older
from interlock.server.administration.undo import undo_at
from interlock.store.clock import Moment, now
from tests.server.bulk_data import Watch
from tests.server.client import Reply
from tests.server.conftest import Serve
from tests.server.live_server import Running, bearer, until
from tests.server.payloads import bash
from tests.server.receiver import receiving

FORM = {"content_type": "application/x-www-form-urlencoded", "accept": "text/html"}
SCRIPT = "<script>alert(1)</script>"
#: What a form of the retention holds beside the days that records are kept for.
REST = {"at_least_days": "0", "idle_hours": "24"}
PAGES = ("people", "keys", "webhooks", "channels", "grants", "retention", "configuration", "machines", "health")


class Browser:
    """A signed-in person who fills in forms."""

    def __init__(self, running: Running, name: str, role: Role) -> None:
        self.client = running.signed_in(name, role).having(**FORM)

    def post(self, path: str, **fields: str) -> Reply:
        return self.client.send("POST", path, urlencode(fields).encode())

    def get(self, path: str) -> str:
        return self.client.send("GET", path).body.decode()


@pytest.fixture
def admin(alone: Running) -> Browser:
    return Browser(alone, "adam", Role.ADMIN)


def newest(running: Running, page: str) -> str:
    """Return the newest change of a page."""
    return list_changes(running.service.journal.database, page)[0].record_id


def is_intact(running: Running) -> bool:
    ring = KeyRing([running.service.journal.key.public])
    return verify(running.service.journal.database, ring).good


# undoing


def test_changes_of_people_are_recorded_with_what_was_there_before_and_undone(server: Running) -> None:
    admin = Browser(server, "adam", Role.ADMIN)
    people, database = server.service.authenticator.people, server.service.journal.database
    assert "/sign-in/" in admin.post("/settings/people", name="ann", role="reviewer").body.decode()
    assert "Make ann an admin?" in admin.post("/settings/people/ann", button="role", role="admin").body.decode()
    assert people.get("ann").role is Role.REVIEWER, "a question changes nothing"
    assert admin.post("/settings/people/ann", button="role", role="admin", confirmed="yes").status == 303
    change = find_change(database, newest(server, "people"))
    assert (change.data["before"], change.data["role"]) == ({"role": "reviewer"}, "admin")
    path = f"/settings/changes/{change.record_id}/undo"
    assert "Give <code>ann</code> the role <code>reviewer</code> again" in admin.get(path)
    assert admin.post(path).status == 303
    assert people.get("ann").role is Role.REVIEWER
    assert find_change(database, newest(server, "people")).data["undoes"] == change.seq
    assert "there is a newer change" in admin.post(path).body.decode(), "a change is undone once"
    assert admin.post(f"/settings/changes/{newest(server, 'people')}/undo").status == 303, "an undo is a change too"
    assert people.get("ann").role is Role.ADMIN
    admin.post("/settings/retention", keep_days="30", known="0", **REST)
    assert server.service.gate.retention._settings().keep_days == 30
    assert [check for check in check_health(server.service) if check.state == "problem"] == []
    assert is_intact(server)


def test_an_undo_does_not_take_back_the_newer_change_of_somebody_else(alone: Running, admin: Browser) -> None:
    other = Browser(alone, "eve", Role.ADMIN)
    people = alone.service.authenticator.people
    people.add("ann", Role.REVIEWER, "adam")
    mine = newest(alone, "people")
    assert "Undo this change?" in admin.get(f"/settings/changes/{mine}/undo")
    other.post("/settings/people/ann", button="shut-out", confirmed="yes")
    other.post("/settings/people/ann", button="let-in")
    reply = admin.post(f"/settings/changes/{mine}/undo")
    assert reply.status == 409
    assert "there is a newer change" in reply.body.decode()
    assert people.get("ann").state == "active"


def test_keys_get_exactly_their_earlier_pins_back_and_are_restored_on_purpose(alone: Running, admin: Browser) -> None:
    keys, people = alone.service.authenticator.keys, alone.service.authenticator.people
    people.add("carl", Role.REVIEWER, "test")
    pins = {
        "environment": "staging",
        "workspaces": "/srv/a\n/srv/b",
        "home": "/home/x",
        "tenant": "acme",
        "trusted": "on",
    }
    made = admin.post("/settings/keys/new", name="ci", role="agent", owner="carl", days="30", **pins).body.decode()
    secret = re.search(r"ilk_[\w-]+", made)
    assert secret is not None
    key = keys.find("ci")
    before = key.pins
    assert (before.workspaces, before.tenant, before.trusted) == (("/srv/a", "/srv/b"), "acme", True)
    here = f"/settings/keys/{key.key_id}"
    assert admin.post(here, button="pins", environment="production").status == 303
    assert keys.find("ci").pins.environment == "production"
    assert admin.post(f"/settings/changes/{newest(alone, 'keys')}/undo").status == 303
    assert keys.find("ci").pins == before
    observed = admin.post(here, button="observe", observe_days="7")
    assert observed.status == 303
    observation = keys.find("ci").observe
    assert observation is not None
    admin.post(here, button="enforce")
    admin.post(f"/settings/changes/{newest(alone, 'keys')}/undo")
    assert keys.find("ci").observe == observation
    assert "Revoke key ci?" in admin.post(here, button="revoke").body.decode()
    assert keys.find("ci").revoked_at is None
    admin.post(here, button="revoke", confirmed="yes")
    client, change = bearer(alone.port, secret[0]), f"/v1/changes/{newest(alone, 'keys')}"
    undo = f"/settings/changes/{newest(alone, 'keys')}/undo"
    assert client.get("/v1/caller").status == 401
    assert "(agent, owner carl) with the same secret, until 20" in admin.get(undo)
    assert admin.post(undo).status == 409, "what comes back has to be confirmed"
    people.change("carl", "test", state="shut out")
    eve = alone.admin("eve")
    assert "`carl`, is suspended" in eve.post(f"{change}/undo", {"confirm": True}).detail
    people.change("carl", "test", state="active")
    assert "restores key `ci`" in eve.post(f"{change}/undo", {}).detail
    assert client.get("/v1/caller").status == 401
    assert eve.post(f"{change}/undo", {"confirm": True}).ok()["restores"].startswith("key `ci` (agent, owner carl)")
    assert client.get("/v1/caller").ok()["name"] == "carl"
    record = find_change(alone.service.journal.database, newest(alone, "keys"))
    assert (record.kind, record.actor, "undoes" in record.data) == ("access.restored", "eve", True)
    assert eve.post(f"{change}/undo", {"confirm": True}).status == 409, "a change is undone once"
    assert eve.post(f"/v1/changes/{record.record_id}/undo", {}).status == 200, "to revoke again needs no confirmation"
    assert client.get("/v1/caller").status == 401
    like = admin.get(f"/settings/keys/new?like={key.key_id}")
    assert "/srv/b" in like
    assert secret[0] not in admin.get(here) + like + admin.get("/settings/keys") + admin.get("/audit")
    assert is_intact(alone)


def test_a_revoked_grant_is_restored_until_it_would_have_expired(alone: Running, admin: Browser) -> None:
    reviewer, agent = alone.reviewer("bob"), alone.agent("ann")
    action = bash("git push --force origin topic", cwd="/srv/x", workspace="/srv/x")
    approval_id = alone.asked(agent, action)["approval"]["approvalId"]
    alone.approve(reviewer, approval_id, scope="day").ok()
    grant = reviewer.get("/v1/grants").ok()["items"][0]["grantId"]
    reviewer.post(f"/v1/grants/{grant}/revoke").ok()
    undo = f"/settings/changes/{newest(alone, 'grants')}/undo"
    assert undo in admin.get("/settings/grants")
    assert "Restore the grant of bob" in admin.get(undo)
    assert admin.post(undo).status == 409
    assert admin.post(undo, confirmed="yes").status == 303
    assert reviewer.get("/v1/grants").ok()["items"][0]["state"] == "active"
    assert agent.post("/v1/evaluate", {**action, "runId": "other"}).ok()["allowed"], "it counts again"
    own = alone.agent("adam").post("/v1/evaluate", {**action, "runId": "own"}).ok()
    assert not own["allowed"], "nobody restores an approval of their own actions"
    record = find_change(alone.service.journal.database, newest(alone, "grants"))
    assert (record.kind, record.actor, "undoes" in record.data) == ("grant.restored", "adam", True)
    assert admin.post(f"/settings/changes/{record.record_id}/undo").status == 303
    with pytest.MonkeyPatch.context() as patch:
        later = lambda _: Moment(now().wall + 2 * DAY, "", 0)  # noqa: E731
        patch.setattr("interlock.approval.restored_grants.now_in", later)
        assert "has expired since" in admin.post(f"/settings/changes/{newest(alone, 'grants')}/undo").body.decode()
    assert is_intact(alone)


def test_what_records_leave_out_cannot_be_undone(alone: Running, admin: Browser) -> None:
    webhooks = alone.service.webhook_worker.webhooks
    made, secret = webhooks.create("https://1.1.1.1/a?token=old-hunter2", ["approval"], "adam")
    here = f"/settings/webhooks/{made.webhook_id}"
    saved = admin.post(here, button="save", url="https://1.1.1.1/b?token=new", kind_approval="on")
    assert saved.status == 303, saved.body
    undo = f"/settings/changes/{newest(alone, 'webhooks')}/undo"
    assert "its path may hold a secret: enter it again" in admin.get(undo)
    for url in ("", "http://10.0.0.1/inside"):
        reply = admin.post(undo, url=url)
        assert (reply.status, 'aria-invalid="true"' in reply.body.decode()) == (422, True)
    assert admin.post(undo, url="https://1.1.1.1/a?token=old-hunter2").status == 303
    assert webhooks.list()[0].url == "https://1.1.1.1/a?token=old-hunter2"
    assert admin.post(here, button="secret", confirmed="yes").status == 200
    assert admin.post(f"/settings/changes/{newest(alone, 'webhooks')}/undo").status == 409
    other = Browser(alone, "eve", Role.ADMIN)
    alone.service.authenticator.people.set_password("adam", "correct horse battery", "adam")
    assert "cannot be restored" in other.post(f"/settings/changes/{newest(alone, 'people')}/undo").body.decode()
    exported = alone.admin("zed").get("/v1/audit/export").body.decode()
    assert "hunter2" not in exported
    assert secret not in exported + admin.get(here) + admin.get("/settings/webhooks")


def test_nothing_but_what_was_there_is_restored(alone: Running, admin: Browser) -> None:
    keys = alone.service.authenticator.keys
    admin.post("/settings/keys/new", name="ci", role="agent", tenant="acme")
    key = keys.find("ci")
    admin.post(f"/settings/keys/{key.key_id}", button="pins", tenant="other")
    seq = find_change(alone.service.journal.database, newest(alone, "keys")).seq
    for settings in ({}, {"pins": {"tenant": "‹4 masked›"}}, {"pins": {"tenant": "acme", "trusted": True}}):
        with pytest.raises(ConflictError, match="not fully on record"):
            keys.restore(key.key_id, "adam", settings, undoes=seq)
    assert keys.restore(key.key_id, "adam", {"pins": {"tenant": "acme"}}, undoes=seq).pins == key.pins


def test_webhooks_are_removed_and_restored_with_what_they_were(alone: Running, admin: Browser) -> None:
    webhooks = alone.service.webhook_worker.webhooks
    made, _ = webhooks.create("https://1.1.1.1/a", ["approval", "stop"], "adam")
    here = f"/settings/webhooks/{made.webhook_id}"
    assert "Remove this webhook?" in admin.post(here, button="remove").body.decode()
    admin.post(here, button="remove", confirmed="yes")
    assert webhooks.list() == []
    admin.post(f"/settings/changes/{newest(alone, 'webhooks')}/undo")
    assert [(one.url, one.kinds, one.state) for one in webhooks.list()] == [(made.url, made.kinds, "active")]
    admin.post(here, button="off")
    admin.post(f"/settings/changes/{newest(alone, 'webhooks')}/undo")
    assert webhooks.get(made.webhook_id).state == "active"
    assert is_intact(alone)


# attempts that must fail


def test_every_form_needs_its_token_and_the_right_to_manage(alone: Running, admin: Browser) -> None:
    people, keys = alone.service.authenticator.people, alone.service.authenticator.keys
    people.add("ann", Role.REVIEWER, "adam")
    key, _ = keys.create("ci", Role.AGENT, owner="adam", actor="adam")
    made, _ = alone.service.webhook_worker.webhooks.create("https://1.1.1.1/a", ["approval"], "adam")
    change = newest(alone, "people")
    forms: dict[str, dict[str, str]] = {
        "/settings/people": {"name": "mallory", "role": "admin"},
        "/settings/people/ann": {"button": "role", "role": "admin", "confirmed": "yes"},
        "/settings/keys/new": {"name": "evil", "role": "admin"},
        f"/settings/keys/{key.key_id}": {"button": "revoke", "confirmed": "yes"},
        "/settings/webhooks/new": {"url": "https://evil.example/", "kind_decision": "on"},
        f"/settings/webhooks/{made.webhook_id}": {"button": "remove", "confirmed": "yes"},
        "/settings/retention": {"keep_days": "1", "confirmed": "yes", **REST},
        f"/settings/changes/{change}/undo": {},
    }
    reviewer = Browser(alone, "rita", Role.REVIEWER)
    seq = alone.service.journal.last_seq
    for path, fields in forms.items():
        assert reviewer.post(path, **fields).status == 403, path
        forged = admin.client.having(x_csrf_token="")
        assert forged.send("POST", path, urlencode(fields).encode()).status == 403, path
        abroad = admin.client.having(origin="https://evil.example")
        assert abroad.send("POST", path, urlencode(fields).encode()).status == 403, path
    assert alone.service.journal.last_seq == seq, "nothing was changed"


def test_an_admin_key_of_somebody_shut_out_changes_nothing(alone: Running, admin: Browser) -> None:
    Browser(alone, "mallory", Role.ADMIN)
    key = alone.admin("mallory").having(**FORM)
    assert key.send("POST", "/settings/people", b"name=one&role=reviewer").status == 200
    admin.post("/settings/people/mallory", button="shut-out", confirmed="yes")
    assert key.send("POST", "/settings/people", b"name=two&role=admin").status == 401
    assert "two" not in {person.name for person in alone.service.authenticator.people.list()}


def test_letting_somebody_in_again_brings_no_session_or_link_back(alone: Running, admin: Browser) -> None:
    mallory = Browser(alone, "mallory", Role.REVIEWER)
    link = alone.service.sign_in_link("mallory").rpartition("/")[2]
    assert mallory.client.send("GET", "/approvals").status == 200
    admin.post("/settings/people/mallory", button="shut-out", confirmed="yes")
    assert mallory.client.send("GET", "/approvals").status != 200
    assert admin.post(f"/settings/changes/{newest(alone, 'people')}/undo").status == 303
    assert alone.service.authenticator.people.get("mallory").state == "active"
    assert mallory.client.send("GET", "/approvals").status != 200
    assert not alone.service.authenticator.sessions.accepts_link(link)


def test_fields_that_a_form_does_not_have_are_ignored(alone: Running, admin: Browser) -> None:
    extra = {"state": "shut out", "password": "x" * 20, "created_by": "root", "hash": "0" * 64, "strict": "on"}
    admin.post("/settings/people", name="ann", role="reviewer", **extra)
    person = alone.service.authenticator.people.get("ann")
    assert (person.state, person.has_password, person.created_by) == ("active", False, "adam")
    admin.post("/settings/keys/new", name="ci", role="agent", key_id="mine", revoked_at="1", agent_id="root", **extra)
    key = alone.service.authenticator.keys.find("ci")
    assert (key.key_id == "mine", key.revoked_at, key.created_by, key.pins.strict) == (
        False,
        None,
        "adam",
        False,
    )
    for role in ("agent", "machine", "root", ""):
        assert admin.post("/settings/people", name=f"n-{role}", role=role).status == 422


def test_people_cannot_lock_themselves_or_everybody_out(alone: Running, admin: Browser) -> None:
    for fields in ({"button": "role", "role": "reviewer"}, {"button": "shut-out"}, {"button": "remove-password"}):
        reply = admin.post("/settings/people/adam", confirmed="yes", **fields)
        assert reply.status == 409
        assert "you cannot change your own" in reply.body.decode()
    key = alone.admin("somebody-else").having(**FORM)
    reply = key.send("POST", "/settings/people/adam", b"button=shut-out&confirmed=yes")
    assert "the only admin" in reply.body.decode()
    assert key.send("POST", f"/settings/changes/{newest(alone, 'people')}/undo", b"").status == 409
    other = Browser(alone, "eve", Role.ADMIN)
    assert "Create an admin" in other.post("/settings/people/adam", button="link").body.decode()


def test_only_the_person_sets_a_password_and_knows_the_current_one(alone: Running, admin: Browser) -> None:
    people = alone.service.authenticator.people
    new = {"new": "correct horse battery", "repeated": "correct horse battery"}
    people.add("ann", Role.REVIEWER, "adam")
    assert admin.post("/settings/people/ann/password", **new).status == 403
    assert (
        alone.admin("adam")
        .having(**FORM)
        .send("POST", "/settings/people/adam/password", urlencode(new).encode())
        .status
        == 403
    )
    assert admin.post("/settings/people/adam/password", **{**new, "repeated": "another one"}).status == 422
    assert admin.post("/settings/people/adam/password", **new).status == 200
    assert admin.post("/settings/people/adam/password", current="wrong", **new).status == 403
    assert not people.get("ann").has_password
    assert b"correct horse" not in alone.admin("zed").get("/v1/audit/export").body


def test_names_and_addresses_are_shown_as_text(alone: Running, admin: Browser) -> None:
    alone.service.authenticator.people.add(f"a {SCRIPT[:-9]}", Role.REVIEWER, "adam")
    admin.post("/settings/keys/new", name="<b>ci", role="agent", tenant="<img src=x>", user='"><i>')
    assert admin.post("/settings/people", name=SCRIPT, role="reviewer").status == 422
    admin.post("/settings/webhooks/new", url="https://1.1.1.1/<script>", kind_approval="on")
    key = alone.service.authenticator.keys.find("<b>ci")
    for path in (*(f"/settings/{page}" for page in PAGES), f"/settings/keys/{key.key_id}"):
        shown = admin.get(path)
        assert not re.search(r"<b>ci|<img src=x|<script>alert|\"><i>|1/<script", shown), path
    assert "&lt;b&gt;ci" in admin.get("/settings/keys")
    for path in (
        "/settings/people/nobody",
        "/settings/keys/nothing",
        "/settings/webhooks/nothing",
        "/settings/changes/x/undo",
    ):
        assert admin.client.send("GET", path).status == 404, path
    assert admin.client.send("GET", "/settings/people/" + quote(SCRIPT, safe="")).status == 404


def test_a_setting_that_was_altered_in_the_store_is_not_used(alone: Running, admin: Browser) -> None:
    admin.post("/settings/retention", keep_days="30", idle_hours="24", at_least_days="0", known="0")
    with alone.service.journal.database.write() as connection:
        connection.run("UPDATE interlock_settings SET value = '{\"keep_days\":1}'")
    with pytest.raises(TamperedError):
        alone.service.retain()
    with pytest.raises(TamperedError):
        undo_at(alone.service, newest(alone, "retention"), "adam", confirmed=True)
    assert not is_intact(alone)


# retention, configuration, health


def test_a_stored_retention_is_in_force_until_a_file_sets_one(serve: Serve, own: Path) -> None:
    running = serve(configured="")
    admin, gate = Browser(running, "adam", Role.ADMIN), running.service.gate
    for wrong in (
        {"keep_days": "-1"},
        {"keep_days": "3", "at_least_days": "9"},
        {"idle_hours": "1e3"},
        {"at_least_days": ""},
    ):
        assert admin.post("/settings/retention", **{"keep_days": "30", **REST, **wrong}).status == 422
    assert admin.post("/settings/retention", keep_days="30", known="0", **REST).status == 303
    assert gate.retention._settings().keep_days == 30
    assert admin.post("/settings/retention", keep_days="60", known="0", **REST).status == 409, "an outdated form"
    found = {one["key"]: one for one in running.admin().get("/v1/configuration").ok()["settings"]}
    assert (found["retention.keep_days"]["value"], found["retention.keep_days"]["origins"][0]["kind"]) == (30, "store")
    (own / "interlock.toml").write_text("mode = 'full'\n[retention]\nkeep_days = 90\n")
    found = {one["key"]: one for one in running.admin().get("/v1/configuration").ok()["settings"]}
    assert found["retention.keep_days"]["origins"] == [{"kind": "file", "file": str(own / "interlock.toml"), "line": 3}]
    assert gate.retention._settings().keep_days == 90
    reply = admin.post("/settings/retention", keep_days="1", confirmed="yes", **REST)
    assert (reply.status, f"{own / 'interlock.toml'}:2" in reply.body.decode()) == (409, True)


def test_removing_records_is_asked_about(alone: Running, admin: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    with alone.service.journal.database.read() as connection:
        assert count_older(connection, now().wall + 1) == alone.service.journal.last_seq
        assert count_older(connection, now().wall - DAY) == 0
        half = connection.value("SELECT at FROM interlock_records WHERE seq = 3")
        assert count_older(connection, half) == connection.value(
            "SELECT count(*) FROM interlock_records WHERE at < :at", at=half
        )
    monkeypatch.setattr("interlock.server.administration.retention.DAY", -DAY)  # so that everything is old
    asked = admin.post("/settings/retention", keep_days="1", known="0", **REST).body.decode()
    assert "Remove old records?" in asked
    assert "cannot be restored" in asked
    assert alone.service.gate.retention._settings().keep_days == 0
    assert admin.post("/settings/retention", keep_days="1", known="0", confirmed="yes", **REST).status == 303


def test_the_configuration_names_every_error_and_masks_secrets(serve: Serve, own: Path) -> None:
    running = serve(configured="mode = 'full'\nstore = 'postgresql://u:hunter22@db.example/x'\n")
    admin = Browser(running, "adam", Role.ADMIN)
    shown = admin.get("/settings/configuration?q=store")
    assert "hunter22" not in shown
    assert "postgresql://u:***@db.example/x" in shown
    (own / "interlock.toml").write_text("mod = 'full'\n[server]\nprt = 1\n")
    shown = admin.get("/settings/configuration")
    assert all(
        word in shown for word in ("interlock.toml:1", "interlock.toml:3", "<code>mode</code>", "<code>port</code>")
    )
    [first, *_] = check_health(running.service)
    assert (first.name, first.state, first.value[:8]) == ("Configuration", "problem", "2 errors")


def test_health_says_what_is_wrong_first(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {check.name: check for check in check_health(alone.service)}
    assert {"Store", "Disk space for the store", "Spool", "Webhooks", "Servers", "Version"} <= set(checks)
    assert "schema 0" in checks["Store"].value
    alone.admin().get("/v1/audit/verify").ok()
    assert {check.name: check for check in check_health(alone.service)}["Audit records"].state == "good"
    alone.service.tasks.states[0].error = "the store is full"
    monkeypatch.setattr("interlock.server.administration.health.LOW_DISK", 2)
    states = [check.state for check in check_health(alone.service)]
    assert states[:2] == ["problem", "warning"]
    assert states == sorted(states, key=["problem", "warning", "good"].index)


def test_adding_the_second_person_says_who_can_approve_now(serve: Serve) -> None:
    running = serve(configured="")
    admin = Browser(running, "adam", Role.ADMIN)
    running.asked(running.agent("adam"))
    assert "You are the only person here" in admin.get("/settings/people")
    shown = admin.post("/settings/people", name="ann", role="reviewer").body.decode()
    assert "You can no longer approve requests from your own agents" in shown
    assert "1 pending request needs an answer from ann" in shown
    assert not running.service.gate.approvals.allows_one_person()
    assert "You can no longer" not in admin.post("/settings/people", name="bob", role="reviewer").body.decode()


# webhooks, keys, scale


def test_a_webhook_is_tested_and_its_deliveries_are_retried(serve: Serve) -> None:
    running = serve(webhooks_inside=("127.0.0.1",))
    admin = Browser(running, "adam", Role.ADMIN)
    with receiving() as receiver:
        made = admin.post("/settings/webhooks/new", url=receiver.url, kind_person="on", more="stop.made")
        assert "Copy the secret now" in made.body.decode()
        [webhook] = running.service.webhook_worker.webhooks.list()
        assert webhook.kinds == ("person", "stop.made")
        here = f"/settings/webhooks/{webhook.webhook_id}"
        assert "was delivered" in admin.post(here, button="test").body.decode()
        admin.post("/settings/people", name="ann", role="reviewer")
        until(lambda: "delivered</span>" in admin.get(here))
        retry = re.search(rf"{here}/deliveries/\w+/retry", admin.get(here))
        assert retry is not None
        count = len(receiver.seen)
        assert admin.post(retry[0]).status == 303
        until(lambda: len(receiver.seen) > count)


def test_keys_show_their_last_use_and_what_holds_them(alone: Running, admin: Browser) -> None:
    agent = alone.agent("adam", "bot")
    assert "not recorded" in admin.get("/settings/keys")
    agent.get("/v1/caller").ok()
    assert "not recorded" not in admin.get("/settings/keys")
    alone.service.authenticator.key_uses.store()
    assert "not recorded" not in admin.get("/settings/keys")
    key = alone.service.authenticator.keys.find("bot")
    admin.post("/stops", key=key.key_id, confirmed="yes")
    assert "stopped" in admin.get("/settings/keys")
    assert "Resume key" in admin.get(f"/settings/keys/{key.key_id}")


def test_no_page_reads_all_records(quiet: Running) -> None:
    """With a million records, each page must use an index for every question that it asks about them."""
    key, _ = quiet.service.authenticator.keys.create("ci", Role.AGENT, owner="adam", actor="adam")
    made, _ = quiet.service.webhook_worker.webhooks.create("https://1.1.1.1/a", ["approval"], "adam")
    admin = Browser(quiet, "adam", Role.ADMIN)
    details = ("people/adam", f"keys/{key.key_id}", f"webhooks/{made.webhook_id}")
    for page in (*PAGES, *details):
        admin.get(f"/settings/{page}")
        with Watch(quiet) as watch:
            admin.get(f"/settings/{page}")
        for statement, given in watch.statements:
            if re.search(r"SELECT.*FROM interlock_(records|deliveries|notifications)", statement):
                plan = _plan(quiet, statement, given)
                assert "SCAN interlock_records" not in plan or "LIMIT" in statement, (page, statement, plan)
                assert not re.search("SCAN interlock_(deliveries|notifications)", plan), (page, statement, plan)
                assert "USE TEMP B-TREE FOR ORDER BY" not in plan, (page, statement, plan)


def _plan(running: Running, statement: str, given: Any) -> str:
    with running.service.journal.database.read() as connection:
        return " ".join(str(row[-1]) for row in connection.tuples(f"EXPLAIN QUERY PLAN {statement}", **given))
