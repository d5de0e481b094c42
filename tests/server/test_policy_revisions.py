"""Policies from git: applied as a whole, planned, recorded with their commit, and rolled back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.verify import verify
from interlock.policy.defaults import DEFAULT_POLICIES
from tests.server.client import Client
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import Running
from tests.server.payloads import policy
from tests.server.policy_repository import Interlock, PolicyRepository, policy_text

NewRepository = Callable[[str], PolicyRepository]
NO_INPUTS = OTHERS_ANSWER + "[audit]\npayloads = false\n"


@pytest.fixture
def interlock(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Interlock:
    return Interlock(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> NewRepository:
    return lambda name: PolicyRepository(tmp_path, name)


def kinds(found: Any) -> dict[str, str]:
    """Return what a plan does to each policy."""
    return {change["policyId"]: change["kind"] for change in found["plan"]["changes"]}


def verdict(agent: Client, tool: str) -> str:
    return str(agent.post("/v1/evaluate", {"toolName": tool}).ok()["verdict"])


def folder_of(origin: str, *policies: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the body of a request that applies policies."""
    return {"origin": {"name": origin}, "policies": list(policies), **fields}


def stored(caller: Client) -> dict[str, str]:
    """Return the policies in the store, and the action of each."""
    items = caller.get("/v1/policies").ok()["items"]
    return {one["policy"]["policyId"]: one["policy"]["action"] for one in items if one["source"] == "store"}


# one transaction, on both databases


def test_a_folder_is_applied_changed_and_rolled_back(
    server: Running, interlock: Interlock, repository: NewRepository, own: Path
) -> None:
    admin, agent, acme = server.admin("eve"), server.agent("ann"), repository("acme")
    first = acme.commit(a=policy_text("a", "block") + policy_text("b", "warn"), c=policy_text("c", "block"))
    found = interlock.apply(admin, acme)
    assert (found["applied"], found["revision"], kinds(found)) == (True, 1, dict.fromkeys("abc", "add"))
    assert [verdict(agent, tool) for tool in "abc"] == ["block", "warn", "block"]
    again = interlock.apply(admin, acme)
    assert (again["applied"], again["revision"], again["plan"]["unchanged"]) == (False, None, 3)
    assert "nothing to change, 3 unchanged" in interlock.run(admin, "policy", "apply", acme.folder)[1]

    second = acme.commit(a=policy_text("a", "warn") + policy_text("b", "warn"), c=None)
    assert kinds(interlock.apply(admin, acme)) == {"a": "change", "c": "remove"}
    assert [verdict(agent, tool) for tool in "abc"] == ["warn", "warn", "allow"]

    assert interlock.json(admin, "policy", "rollback", "1", "--note", "c is needed")["revision"] == 3
    assert [verdict(agent, tool) for tool in "abc"] == ["block", "warn", "block"]

    newest = admin.get("/v1/policies/a").ok()
    origin = {"name": acme.origin, "repository": "github.com/acme/acme", "path": "policies"}
    assert newest["origin"] == {**origin, "commit": first, "author": "Ann <ann@example.com>", "dirty": False}
    versions = admin.get("/v1/policies/a/versions").ok()["items"]
    assert [(one["revision"], one["origin"]["commit"], one["changedBy"]) for one in versions] == [
        (3, first, "eve"), (2, second, "eve"), (1, first, "eve"),
    ]  # fmt: skip
    assert versions[0]["note"] == "rolled back to revision 1: c is needed"
    records = admin.get("/v1/audit", kind="policy.applied").ok()["items"]
    assert [(one["outcome"], one["data"]["origin"]["commit"]) for one in records[::-1]] == [
        ("applied", first), ("applied", second), ("rolled back", first),
    ]  # fmt: skip
    saved = next(one for one in admin.get("/v1/audit", kind="policy.saved").ok()["items"] if one["name"] == "a@2")
    assert (saved["data"]["revision"], saved["data"]["origin"]["commit"]) == (2, second)
    assert b"hunter2secret" not in admin.get("/v1/audit/export").body, "credentials of the remote are left out"
    assert verify(server.service.journal.database, KeyRing([SigningKey.at(own).public]), folder=own).good


def test_of_two_applies_at_once_one_wins_and_nothing_is_mixed(server: Running) -> None:
    admins = [server.admin(f"admin-{number}") for number in range(4)]

    def at_once(**fields: Any) -> list[int]:
        start = threading.Barrier(len(admins))

        def work(number: int) -> int:
            names = [f"{number}-{part}" for part in "abc"] + ["shared"]
            wanted = [policy("block", tool=str(number), policy_id=name) for name in names]
            start.wait()
            return admins[number].post("/v1/policy-revisions", folder_of("o", *wanted, **fields)).status

        with ThreadPoolExecutor(len(admins)) as pool:
            return list(pool.map(work, range(len(admins))))

    def winner() -> str:
        """Return whose policies are stored, after checking that they are all of one apply and nothing else."""
        names = stored(admins[0])
        (number,) = {name.partition("-")[0] for name in names if name != "shared"}
        assert names.keys() == {f"{number}-{part}" for part in "abc"} | {"shared"}
        shared = admins[0].get("/v1/policies/shared").ok()["policy"]["conditions"]
        assert shared[0]["value"] == number
        return number

    statuses = at_once(base=0)
    assert sorted(statuses) == [200, 409, 409, 409]
    assert statuses[int(winner())] == 200
    assert at_once() == [200] * 4, "without a base, one after the other"
    assert winner() in "0123"
    late = admins[0].post("/v1/policy-revisions", folder_of("o", base=0))
    assert "Run the command again" in late.detail


def test_nothing_changes_if_one_policy_has_an_error(server: Running) -> None:
    admin = server.admin("eve")
    admin.post("/v1/policy-revisions", folder_of("o", policy("warn", policy_id="kept"))).ok()
    before = admin.get("/v1/audit", kind="policy.saved").ok()["items"]
    nobody = policy("require_approval", policy_id="nobody", approval={"who": ["@nobody"]})
    broken = {**policy("block", policy_id="broken"), "when": "risk.score >"}
    reply = admin.post("/v1/policy-revisions", folder_of("o", policy("block", policy_id="good"), nobody, broken))
    assert reply.status == 422
    assert {one["field"] for one in reply.data["errors"]} == {"nobody", "broken"}
    assert stored(admin) == {"kept": "warn"}
    assert admin.get("/v1/audit", kind="policy.saved").ok()["items"] == before


# whose policies they are


def test_what_people_wrote_is_not_touched(shared: Running, interlock: Interlock, repository: NewRepository) -> None:
    admin, adam, acme = shared.admin("eve"), shared.admin("adam"), repository("people")
    acme.commit(a=policy_text("edited", "block"), b=policy_text("gone", "block"))
    interlock.apply(admin, acme)
    adam.post("/v1/policies", policy("warn", policy_id="hand-made")).ok(201)
    adam.post("/v1/policies", policy("warn", tool="alike", policy_id="alike")).ok(201)
    adam.post("/v1/policies/edited/disable").ok()
    etag = adam.get("/v1/policies/gone").headers["etag"]
    adam.having(if_match=etag).send("DELETE", "/v1/policies/gone").ok(204)

    acme.commit(a=policy_text("edited", "warn"), c=policy_text("hand-made", "block"), d=policy_text("alike", "warn"))
    found = interlock.apply(admin, acme, "--dry-run", "--last", 0, status=2)
    reasons = {one["policyId"]: one["reason"] for one in found["plan"]["conflicts"]}
    assert reasons == {
        "edited": "was edited by hand by `adam` (version 2)",
        "gone": "was removed by hand by `adam` (version 2)",
        "hand-made": "was written by hand by `adam` (version 1)",
    }
    assert kinds(found) == {"alike": "adopt"}
    status, out, _ = interlock.run(admin, "policy", "apply", acme.folder)
    assert status == 2
    assert "nothing is changed unless you use `--overwrite`" in out
    refused = admin.post("/v1/policy-revisions", folder_of(acme.origin, policy("block", policy_id="hand-made")))
    assert (refused.status, "was written by hand" in refused.detail) == (409, True)
    assert stored(admin)["edited"] == "block"

    done = interlock.apply(admin, acme, "--overwrite")
    assert kinds(done) == {"edited": "change", "gone": "add", "hand-made": "change", "alike": "adopt"}
    record = admin.get("/v1/audit", kind="policy.applied").ok()["items"][0]
    assert set(record["data"]["overwritten"]) == {"edited", "gone", "hand-made"}
    assert interlock.apply(admin, acme)["revision"] is None

    acme.commit(d=None)
    assert kinds(interlock.apply(admin, acme)) == {"alike": "remove"}, "what was adopted belongs to the folder"


def test_an_origin_changes_nothing_of_another_one(
    alone: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, one, other = alone.admin("eve"), repository("one"), repository("other")
    one.commit(a=policy_text("a", "block"))
    other.commit(b=policy_text("b", "block"))
    admin.post("/v1/policies", policy("warn", policy_id="hand-made")).ok(201)
    interlock.apply(admin, one)
    interlock.apply(admin, other)
    assert stored(admin).keys() == {"a", "b", "hand-made"}
    other.commit(a=policy_text("a", "block"))
    found = interlock.apply(admin, other, status=2)
    assert found["plan"]["conflicts"][0]["reason"] == f"belongs to the origin `{one.origin}`"
    other.commit(a=None)
    assert kinds(interlock.apply(admin, other, "--prune")) == {"a": "remove", "hand-made": "remove"}
    assert stored(admin).keys() == {"b"}
    assert interlock.apply(admin, one)["revision"] == 4, "it brings its own back"


def test_a_built_in_policy_comes_back_when_the_folder_drops_it(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, acme, name = shared.admin("eve"), repository("built-in"), DEFAULT_POLICIES[0].policy_id
    acme.commit(a=policy_text(name, "warn"), b=policy_text("beside", "warn"))
    assert kinds(interlock.apply(admin, acme)) == {name: "change", "beside": "add"}
    acme.commit(a=None)
    assert kinds(interlock.apply(admin, acme)) == {name: "change"}
    back = admin.get(f"/v1/policies/{name}").ok()["policy"]
    assert (back["action"], back["enabled"]) == (DEFAULT_POLICIES[0].action.value, True)
    assert interlock.apply(admin, acme)["revision"] is None


def test_a_policy_of_the_servers_own_file_is_changed_there(serve: Serve) -> None:
    filed = '[[policies]]\npolicy_id = "filed"\naction = "block"\nconditions = ["toolName=tool"]\n'
    admin = serve(configured=filed).admin("eve")
    reply = admin.post("/v1/policy-revisions", folder_of("o", policy("allow", policy_id="filed"), overwrite=True))
    assert reply.status == 422
    assert "comes from a configuration file" in reply.detail


# who may do it


def test_only_who_may_change_policies_may_apply_them(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, reviewer, agent, acme = shared.admin("eve"), shared.reviewer("bob"), shared.agent("ann"), repository("keys")
    acme.commit(a=policy_text("by-key", "block"))
    [refused] = interlock.apply(agent, acme, status=2)["errors"]
    assert refused["message"].endswith("this requires the right to `see`, which the role `agent` lacks")
    assert "`manage`" in interlock.apply(reviewer, acme, status=2)["errors"][0]["message"]
    interlock.apply(reviewer, acme, "--dry-run", status=3)
    assert interlock.apply(admin, acme)["applied"]
    assert "`manage`" in interlock.run(reviewer, "policy", "rollback", 1)[2]
    assert "the server does not accept the key" in interlock.run(shared.revoked(), "policy", "history")[2]


def test_a_set_has_limits(shared: Running) -> None:
    admin = shared.admin("eve")
    many = [policy("warn", policy_id=f"p{number}") for number in range(1_001)]
    assert admin.post("/v1/policy-revisions", folder_of("o", *many)).status == 400
    assert admin.post("/v1/policy-revisions", folder_of("o", policy("warn", description="x" * 2_001))).status == 400
    assert admin.post("/v1/policy-revisions", folder_of("o" * 201)).status == 400
    assert admin.post("/v1/policy-revisions", b" " * 1_000_001).status == 413
    assert admin.post("/v1/policy-revisions/999/rollback", {}).status == 404
    twice = admin.post("/v1/policy-revisions", folder_of("o", policy("warn"), policy("block")))
    assert "two policies have the id `mine`" in twice.detail


# what would have changed


def test_a_dry_run_shows_what_would_change_and_changes_nothing(
    alone: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, agent, acme = alone.admin("eve"), alone.agent("ann"), repository("dry")
    acme.commit(a=policy_text("deploy", "require_approval"), b=policy_text("mail", "warn"))
    interlock.apply(admin, acme)
    actions = [{"toolName": tool} for tool in ("deploy", "read", "deploy", "mail", "mail", "mail")]
    agent.post("/v1/evaluate/batch", {"actions": actions}).ok()
    acme.commit(a=policy_text("deploy", "warn"), b=policy_text("mail", "block"), c=policy_text("odd", "block"))
    found = interlock.apply(admin, acme, "--dry-run", status=3)
    assert (found["applied"], kinds(found)) == (False, {"deploy": "change", "mail": "change", "odd": "add"})
    assert found["plan"]["changes"][0]["diff"] == ["- action: require_approval", "+ action: warn"]
    simulation = found["simulation"]
    assert simulation["before"] == {"warn": 3, "require_approval": 2, "allow": 1}
    assert simulation["after"] == {"block": 3, "warn": 2, "allow": 1}
    assert simulation["transitions"] == {"warn → block": 3, "require_approval → warn": 2}
    assert [(one["toolName"], one["count"]) for one in simulation["examples"]] == [("deploy", 2), ("mail", 3)]
    assert (simulation["newlyAllowed"], simulation["unknown"]) == (2, 0)
    status, out, _ = interlock.run(admin, "policy", "apply", acme.folder, "--dry-run", "--last", 4)
    assert status == 3
    assert "On the last 4 actions, 4 verdicts would have been different" in out
    assert "1 would be newly allowed" in out
    assert stored(admin) == {"deploy": "require_approval", "mail": "warn"}
    assert interlock.json(admin, "policy", "rollback", 1, "--dry-run")["simulation"] is None, "nothing would change"


def test_only_actions_that_a_policy_might_have_matched_are_unknown(serve: Serve) -> None:
    alone = serve(configured=NO_INPUTS)
    agent, reviewer = alone.agent("ann"), alone.reviewer("bob")
    agent.post("/v1/evaluate/batch", {"actions": [{"toolName": tool} for tool in ("pay", "pay", "read")]}).ok()
    large = {"field": "inputPayload.amount", "operator": "gt", "value": 100}
    busy = {"field": "run.calls", "operator": "gt", "value": 5}
    for reads in (
        {"conditions": [*policy("block", "pay")["conditions"], large]},
        {"when": "inputPayload.amount > 100.0"},
        {"limit": {"most": 1, "per": "hour"}},
        {"conditions": [*policy("block", "pay")["conditions"], busy]},
        {"when": "effects.exists(e, 'live' in e.flags)"},
    ):
        draft = {"policies": [policy("block", "pay") | reads, policy("block", "read", "other")]}
        found = reviewer.post("/v1/policies/simulate", draft).ok()
        assert (found["unknown"], found["transitions"]) == (2, {"allow → block": 1}), reads


def test_what_an_unchanged_policy_says_is_unknown_without_the_input(serve: Serve) -> None:
    alone = serve(configured=NO_INPUTS)
    admin, agent = alone.admin("eve"), alone.agent("ann")
    small = {"field": "inputPayload.amount", "operator": "lt", "value": 100}
    payment = policy("allow", "pay", "small")
    admin.post("/v1/policies", payment | {"conditions": [*payment["conditions"], small]}).ok(201)
    secret = {"field": "data.classes", "operator": "equals", "value": "secret"}
    admin.post("/v1/policies", {"policyId": "no-secrets", "action": "block", "conditions": [secret]}).ok(201)
    actions = [{"toolName": "pay", "inputPayload": {"amount": 20}}, {"toolName": "read"}]
    agent.post("/v1/evaluate/batch", {"actions": actions}).ok()
    draft = {"policies": [policy("block", "pay", "no-pay"), policy("block", "read", "no-read")]}
    found = admin.post("/v1/policies/simulate", draft).ok()
    assert (found["unknown"], found["transitions"]) == (1, {"allow → block": 1})


def test_a_long_history_is_tested_in_parts(
    shared: Running, interlock: Interlock, repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.cli.policy_plan.CHUNK", 3)
    admin, agent, acme = shared.admin("eve"), shared.agent("ann"), repository("long")
    agent.post("/v1/evaluate/batch", {"actions": [{"toolName": "long"}] * 10}).ok()
    acme.commit(a=policy_text("long", "block"))
    found = interlock.apply(admin, acme, "--dry-run", "--last", 8, status=3)["simulation"]
    assert (found["actions"], found["after"], found["examples"][0]["count"]) == (8, {"block": 8}, 8)


# what people see


def test_the_page_and_the_command_line_say_where_a_policy_comes_from(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, browser, acme = shared.admin("eve"), shared.signed_in("adam", Role.ADMIN), repository("seen")
    commit = acme.commit(a=policy_text("seen", "require_approval", limit='{ most = 5, per = "hour" }'))
    revision = interlock.apply(admin, acme, "--note", "<b>why</b>")["revision"]
    page = browser.get("/policies/seen").body.decode()
    assert f"{acme.origin} at <code>{commit[:12]}</code>" in page
    assert "Ann &lt;ann@example.com&gt;" in page
    assert "&lt;b&gt;why" in page
    assert "conflicts with the next <code>interlock policy apply" in page
    assert commit[:12] in browser.get("/policies").body.decode()
    shown = interlock.run(admin, "policy", "show", "seen")[1]
    assert all(text in shown for text in (commit, "Ann <ann@example.com>", "eve", acme.origin, "at most"[:2]))
    assert f"revision {revision}" in interlock.run(admin, "policy", "history")[1]
    assert commit[:12] in interlock.run(admin, "policy", "history", "seen")[1]
    interlock.apply(admin, acme)

    assert 'name="most" inputmode="decimal" size="6" value="5"' in page
    row = {"field": "toolName", "path": "", "operator": "equals", "value": "seen"}
    limit = {"most": "5", "per": "hour", "of": "", "by": "agent"}
    fields = {"policyId": "seen", "action": "block", **row, **limit, "enabled": "on", "button": "save"}
    known = admin.get("/v1/policies/seen").headers["etag"]
    form = "&".join(f"{name}={value}" for name, value in {**fields, "known": known.replace('"', "%22")}.items())
    headers = browser.having(content_type="application/x-www-form-urlencoded")
    assert headers.send("POST", "/policies/seen", form.encode()).status == 303
    edited = admin.get("/v1/policies/seen").ok()
    assert (edited["origin"], edited["policy"]["action"]) == (None, "block")
    assert edited["policy"]["limit"] == {"most": 5, "per": "hour", "of": None, "by": "agent"}
    restored = interlock.run(admin, "policy", "restore", "seen", 1)
    assert restored[:2] == (0, "version 1 of policy `seen` is in force again, as version 3\n")
    assert interlock.run(admin, "policy", "restore", "seen", 9)[0] == 1


def test_all_errors_are_listed_with_file_and_line(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, acme = shared.admin("eve"), repository("errors")
    acme.commit(
        a=policy_text("one", "block")
        + policy_text("two", "blok")
        + policy_text("three", "block", when='"risk.scor > 1"'),
        b=policy_text("one", "warn"),
        c='mode = "full"\n',
        d="[[polices]]\n",
        e="x = [",
        f=policy_text("four", "block", limit="5"),
        g='[[cases]]\nname = "left out"\n',
    )
    found = interlock.apply(admin, acme, status=2)
    errors = [(Path(one["file"]).name, one["line"], one["message"]) for one in found["errors"]]
    assert [(file, line) for file, line, _ in errors] == [
        ("a.toml", 8), ("a.toml", 14), ("b.toml", 1), ("c.toml", 1), ("d.toml", 1), ("e.toml", 1), ("f.toml", 1),
    ]  # fmt: skip
    assert "did you mean `block`?" in errors[0][2]
    assert errors[2][2].endswith("a.toml:1")
    assert "did you mean `policies`?" in errors[4][2]
    acme.commit(**dict.fromkeys("bcdef"), a=policy_text("one", "require_approval", approval='{ who = ["@nobody"] }'))
    (error,) = interlock.apply(admin, acme, status=2)["errors"]
    assert (Path(error["file"]).name, error["line"]) == ("a.toml", 1)
    assert "`@nobody` is not defined" in error["message"]


def test_what_is_not_committed_is_not_applied_as_if_it_were(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, acme = shared.admin("eve"), repository("dirty")
    commit = acme.commit(a=policy_text("clean", "block"))
    (acme.root / ".gitignore").write_text("*.toml\n")
    (acme.folder / "b.toml").write_text(policy_text("ignored", "block"))
    assert "not committed" in interlock.apply(admin, acme, status=2)["errors"][0]["message"]
    assert interlock.apply(admin, acme, "--dry-run", status=3)["plan"]["origin"]["dirty"]
    origin = interlock.apply(admin, acme, "--allow-dirty")["plan"]["origin"]
    assert (origin["commit"], origin["dirty"]) == (commit, True)
    (acme.folder / "b.toml").unlink()
    given = ("--commit", "abc", "--author", "Bob", "--origin", acme.origin)
    other = interlock.apply(admin, acme, *given)["plan"]["origin"]
    assert (other["commit"], other["author"], other["dirty"]) == ("abc", "Bob", False)


def test_a_folder_without_policies_is_a_mistake_unless_it_is_meant(
    shared: Running, interlock: Interlock, repository: NewRepository
) -> None:
    admin, acme = shared.admin("eve"), repository("empty")
    acme.commit(a=policy_text("last", "block"))
    interlock.apply(admin, acme)
    acme.commit(a="# nothing any more\n")
    assert "there are no policies" in interlock.apply(admin, acme, status=2)["errors"][0]["message"]
    assert kinds(interlock.apply(admin, acme, "--allow-empty")) == {"last": "remove"}
    assert interlock.run(admin, "policy", "apply", acme.folder / "nowhere")[0] == 2


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://interlock.example.com", "would send the key in plain text"),
        ("ftp://127.0.0.1", "is not the URL of a server"),
        ("https://u:p@127.0.0.1", "contains a user name or password"),
        ("http://127.0.0.1:1", "refused the connection"),
    ],
)
def test_a_key_goes_only_where_it_is_safe(
    url: str, said: str, own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from interlock.cli import main

    assert main(["policy", "history", "--server", url]) == 1
    if url.startswith("http://127"):
        assert "set `INTERLOCK_KEY`" in capsys.readouterr().err
    monkeypatch.setenv("INTERLOCK_KEY", "ilk_12345678")
    assert main(["policy", "history", "--server", url]) == 1
    assert said in capsys.readouterr().err
