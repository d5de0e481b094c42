"""Machines pull signed policies from a server: what they accept and refuse, and what the server knows of them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from interlock.access.machines import MAX_MACHINES, MachineReport, Machines
from interlock.access.roles import Caller, Role
from interlock.audit.keys import SigningKey, format_key
from interlock.central.issue import BundleIssuer
from interlock.central.pull import PullError, PullResult, pull
from interlock.cli import main
from interlock.config.bundle import MAX_BUNDLE, SHARED, open_bundle
from interlock.config.central_cache import bundle_file, pull_file, read_bundle, read_last_pull
from interlock.config.load import find_central, load
from interlock.errors import ConflictError, TamperedError
from interlock.gate import Gate
from interlock.levels import Verdict
from interlock.policy.policies import Policy
from tests.agents.hook_calls import ALONE, call, hook, meant
from tests.central_bundles import make_key, sign
from tests.server.client import Client
from tests.server.live_server import until

COMMAND = "cowsay hi"
SERVER_FILE = """
mode = "assist"
sensitive_paths = ["payroll/**"]
trusted_hosts = ["files.acme.com"]
environment = "production"
workspace = "/srv"
[organisation]
domains = ["acme.com"]
[approvals]
one_person = false
remember_days = 5
[reviewer]
name = "m"
protocol = "openai"
endpoint = "https://models.acme.com/v1"
model = "m"
key_variable = "SECRET_OF_THE_SERVER"
[[rules]]
name = "no_copies"
level = "high"
effect = "net.send"
reason = "files stay here"
resource = "acme"
match = ["$ scp a.txt files.acme.com:/tmp"]
"""


class Central(NamedTuple):
    """A server in a process of its own, since a laptop has another folder, and callers of it."""

    port: int
    callers: dict[str, Client]

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def secret(self) -> str:
        """The key of a machine."""
        return self.callers["machine"].headers["authorization"].removeprefix("Bearer ")

    def block(self, command: str) -> None:
        """Save a policy that blocks a command."""
        when = f'toolName == "Bash" && inputPayload.command.contains("{command}")'
        policy = {"policyId": f"no-{command}", "action": "block", "when": when}
        self.callers["admin"].post("/v1/policies", policy).ok(201)

    def bundle(self) -> bytes:
        """Return the bundle as the server sends it."""
        return self.callers["machine"].get("/v1/bundle").body


@pytest.fixture(scope="module")
def central(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Central]:
    """One server for all tests; each works with a policy of its own."""
    folder = tmp_path_factory.mktemp("central")
    (folder / "interlock.toml").write_text(SERVER_FILE)
    words = [sys.executable, "-W", "ignore", "-m", "tests.server.server_process", f"sqlite:///{folder}/store.db"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERLOCK_HOME", str(folder))
        process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        port = told.pop("port")
        yield Central(port, {name: Client(port, headers) for name, headers in told.items()})
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def laptop(central: Central, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder on a machine that takes its policies from the server."""
    own = tmp_path / "laptop"
    own.mkdir()
    monkeypatch.setenv("INTERLOCK_HOME", str(own))
    monkeypatch.setenv("INTERLOCK_CENTRAL_KEY", central.secret)
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")
    name_server(own, central.url)
    return own


def name_server(own: Path, url: str, more: str = "") -> None:
    text = f'[central]\nurl = "{url}"\nkey_variable = "INTERLOCK_CENTRAL_KEY"\n{more}'
    (own / "interlock.toml").write_text(text)


def pull_now() -> PullResult:
    settings = find_central()
    assert settings is not None
    return pull(settings)


def version() -> str | None:
    settings = find_central()
    assert settings is not None
    found = read_bundle(settings)
    return None if found is None else found.version


def error() -> str:
    settings = find_central()
    assert settings is not None
    return read_last_pull(settings).error


# the bundle


def test_a_bundle_has_the_servers_policies_and_shared_settings_and_nothing_else(central: Central) -> None:
    raw = central.bundle()
    bundle, signer = open_bundle(raw, None)
    assert set(bundle.settings) == set(SHARED)
    assert bundle.settings["mode"] == "assist"
    assert "one_person" not in bundle.settings["approvals"]
    assert bundle.keys == (signer,)
    assert {"sensitive-files", "untrusted-agents"} <= {policy["policyId"] for policy in bundle.policies}
    for secret in (b"SECRET_OF_THE_SERVER", b"models.acme.com", b"store.db", b"/srv"):
        assert secret not in raw


def test_a_caller_that_has_the_bundle_is_told_so(central: Central) -> None:
    machine = central.callers["machine"]
    first = machine.get("/v1/bundle")
    again = machine.having(if_none_match=first.headers["etag"]).get("/v1/bundle")
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert machine.having(if_none_match='"1-2"').get("/v1/bundle").body == first.body


def test_a_pull_puts_the_bundle_into_force(central: Central, laptop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 1
    assert "there is no bundle yet, so every action needs an approval" in capsys.readouterr().out
    assert main(["central", "pull"]) == 0
    said = capsys.readouterr().out
    assert "+ policy untrusted-agents: block" in said
    assert "+ mode assist" in said
    config = load()
    assert (config.mode, config.environment, config.reviewer) == ("assist", None, None)
    assert config.trusted_hosts == ("files.acme.com",)
    assert config.organisation is not None
    assert config.organisation.domains == ("acme.com",)
    assert (config.approvals.remember_days, config.approvals.one_person) == (5, None)
    assert [rule.name for rule in config.rules] == ["no_copies"]
    assert main(["central", "pull"]) == 0
    assert "still bundle" in capsys.readouterr().out
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"✓ central  {central.url}" in said
    assert "signature valid, by ed25519:" in said
    assert "(trusted since the first pull)" in said
    assert main(["central", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bundle"] == version()


def test_a_policy_of_the_server_takes_effect_at_a_hook(central: Central, laptop: Path) -> None:
    pull_now()
    given = call("claude-code", COMMAND)
    before = version()
    assert meant(hook(laptop, "claude-code", given=given, program=ALONE)) == "silent"
    central.block("cowsay")
    assert meant(hook(laptop, "claude-code", given=given, program=ALONE)) == "silent"  # no pull is due yet
    pull_file().unlink()
    hook(laptop, "claude-code", given=given, program=ALONE)  # starts a pull, and does not wait for it
    until(lambda: version() != before and read_last(laptop).get("answeredAt"))
    assert meant(hook(laptop, "claude-code", given=given, program=ALONE)) == "deny"


def read_last(own: Path) -> dict[str, Any]:
    file = own / "central" / "pull.json"
    found: dict[str, Any] = json.loads(file.read_bytes()) if file.exists() else {}
    return found


def test_the_daemon_pulls(central: Central, laptop: Path) -> None:
    words = [sys.executable, "-m", "interlock", "daemon", "--idle", "60"]
    daemon = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(version)
    finally:
        daemon.terminate()
        daemon.wait()


# what is not put into force


class Impostor:
    """A server that answers with what it is told to, at the address of another."""

    def __init__(self) -> None:
        self.status, self.body, self.headers = 200, b"", {"content-type": "application/json"}
        self.reports: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(outer.status)
                for name, value in {**outer.headers, "content-length": str(len(outer.body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def do_POST(self) -> None:
                outer.reports.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@contextmanager
def impersonated() -> Iterator[Impostor]:
    found = Impostor()
    thread = threading.Thread(target=found.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.http.shutdown()
        found.http.server_close()
        thread.join()


@pytest.fixture
def server(laptop: Path) -> Iterator[Impostor]:
    with impersonated() as found:
        name_server(laptop, found.url)
        yield found


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return make_key(tmp_path / "server-key")


def test_a_bundle_that_is_not_what_it_should_be_is_refused_and_the_last_good_one_stays(
    server: Impostor, key: SigningKey, tmp_path: Path
) -> None:
    good = server.body = sign(key, 7, mode="assist")
    pull_now()
    other = make_key(tmp_path / "other-key")
    for body, problem in (
        (good.replace(b"assist", b"full"), "signature of the bundle is not valid"),
        (sign(key, 6), "older than the one in force"),
        (sign(key, 7, mode="full"), "older than the one in force"),
        (sign(other, 8), "the key of the server has changed"),
        (b"", "malformed"),
        (b"<html>sign in</html>", "malformed"),
        (b" " * (MAX_BUNDLE + 1), "longer than"),
        (sign(key, 8, mode="asist"), "unknown mode `asist`"),
        (sign(key, 8, store="sqlite:////tmp/x"), "the setting `store`"),
        (sign(key, 8, policies=[{"policyId": "x"}]), "a policy needs `action`"),
    ):
        server.body = body
        with pytest.raises(PullError, match=problem):
            pull_now()
        assert bundle_file().read_bytes() == good
        assert problem in error()
        assert load().mode == "assist"
    assert len(server.reports) == 11  # the server learns of each that is refused
    assert "unknown mode `asist`" in str([one["error"] for one in server.reports])
    assert {one["bundle"] for one in server.reports} == {version()}
    server.body = sign(key, 8, mode="full")
    pull_now()
    assert (load().mode, error()) == ("full", "")


@pytest.mark.parametrize(
    ("status", "problem"),
    [(301, "redirects"), (304, "status 304"), (401, "does not accept the key"), (403, "role `machine`"),
     (404, "no bundle"), (500, "status 500")],
)  # fmt: skip
def test_a_status_is_explained(server: Impostor, status: int, problem: str) -> None:
    server.status, server.headers = status, {"location": "http://127.0.0.1:9/"}
    with pytest.raises(PullError, match=problem):
        pull_now()
    assert version() is None


def test_without_the_server_the_last_bundle_stays(
    laptop: Path, key: SigningKey, capsys: pytest.CaptureFixture[str]
) -> None:
    with impersonated() as found:
        name_server(laptop, found.url)
        found.body = sign(key)
        pull_now()
    with pytest.raises(PullError, match="refused the connection"):
        pull_now()
    assert load().managed is not None
    assert meant(hook(laptop, "claude-code", given=call("claude-code", "ls"), program=ALONE)) == "silent"
    assert main(["doctor"]) == 1
    assert "the last pull failed: the server refused the connection" in capsys.readouterr().out


def test_a_cache_that_was_changed_is_fetched_again(server: Impostor, key: SigningKey) -> None:
    server.body = sign(key)
    pull_now()
    for changed in (b"{}", sign(key, 6), None):
        bundle_file().unlink()
        if changed is not None:
            bundle_file().write_bytes(changed)
        assert pull_now().bundle.sequence == 7
        assert version() is not None


def test_the_keys_that_a_bundle_names_may_sign_the_next_one(server: Impostor, key: SigningKey, tmp_path: Path) -> None:
    successor = make_key(tmp_path / "successor")
    server.body = sign(key, 7, keys=(format_key(successor.public),))
    pull_now()
    server.body = sign(successor, 8)
    pull_now()
    server.body = sign(key, 9)
    with pytest.raises(PullError, match="the key of the server has changed"):
        pull_now()


def test_a_key_that_has_changed_needs_a_person(
    laptop: Path, server: Impostor, key: SigningKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.body = sign(key, 7)
    pull_now()
    successor = make_key(tmp_path / "successor")
    server.body = sign(successor, 8)
    with pytest.raises(PullError, match="interlock central forget"):
        pull_now()
    assert main(["central", "forget"]) == 1  # nobody is at a terminal
    monkeypatch.setattr("interlock.cli.person.is_at_terminal", lambda: True)
    assert main(["central", "forget"]) == 0
    pull_now()
    name_server(laptop, server.url, f'public_key = "{format_key(key.public)}"\n')
    server.body = sign(successor, 9)
    with pytest.raises(PullError, match="as `public_key`"):
        pull_now()
    server.body = sign(key, 9)
    pull_now()


def test_a_key_for_the_server_is_looked_for_where_the_settings_say(
    laptop: Path, central: Central, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INTERLOCK_CENTRAL_KEY")
    with pytest.raises(PullError, match="no key in the variable `INTERLOCK_CENTRAL_KEY`"):
        pull_now()
    file = laptop / "central.key"
    (laptop / "interlock.toml").write_text(f'[central]\nurl = "{central.url}"\nkey_file = "{file}"\n')
    for content, problem in ((None, "cannot be read"), ("", "there is no key"), ("a\nb", "does not hold a key")):
        if content is not None:
            file.write_text(content)
        with pytest.raises(PullError, match=problem):
            pull_now()
    file.write_text(central.callers["reviewer"].headers["authorization"].removeprefix("Bearer "))
    with pytest.raises(PullError, match="must have the role `machine`"):
        pull_now()
    file.write_text(f"{central.secret}\n")
    pull_now()


# which machine has which version


def test_the_server_knows_which_machine_has_which_version(central: Central, laptop: Path) -> None:
    pull_now()
    reviewer = central.callers["reviewer"]
    mine = SigningKey.at(laptop).key_id
    told = reviewer.get("/v1/machines").ok()
    [machine] = [one for one in told["items"] if one["machineId"] == mine]
    assert machine["bundle"] == told["bundle"] == version()
    assert machine["owner"] == "it"
    page = reviewer.having(accept="text/html").get("/settings/machines").body.decode()
    assert machine["machine"] in page
    central.block("ponysay")
    told = reviewer.get("/v1/machines").ok()
    assert told["bundle"] != version()
    page = reviewer.having(accept="text/html").get("/settings/machines").body.decode()
    assert "outdated" in page
    pull_now()
    assert reviewer.get("/v1/machines").ok()["bundle"] == version()


@pytest.mark.parametrize(
    "change", [{"machineId": "../x"}, {"machine": "x" * 201}, {"bundle": "<b>"}, {"error": "x" * 301}, {"more": 1}]
)
def test_a_report_is_checked(central: Central, change: dict[str, Any]) -> None:
    report = {"machineId": "0123456789abcdef", "machine": "m", "user": "u", "version": "1", "bundle": "ab", **change}
    assert central.callers["machine"].post("/v1/machines", report).status == 400


def test_a_machine_reports_for_its_own_key_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.access.machines.MAX_MACHINES", 2)
    assert MAX_MACHINES > 2
    with Gate(store=f"sqlite:///{tmp_path}/store.db", folder=tmp_path) as gate:
        machines = Machines(gate.journal.database)
        mallory, ann = (Caller(name=name, role=Role.MACHINE, key_id=name) for name in ("mallory", "ann"))
        report = MachineReport(machine_id="a" * 16, machine="m\x1b[31m", user="u", version="1")
        machines.report(ann, report)
        machines.report(mallory, report)
        machines.report(mallory, report)
        machines.report(mallory, MachineReport(machine_id="b" * 16, machine="m", user="u", version="1"))
        with pytest.raises(ConflictError, match="machines already report with this key"):
            machines.report(mallory, MachineReport(machine_id="c" * 16, machine="m", user="u", version="1"))
        assert sorted(one.owner for one in machines.list()) == ["ann", "mallory", "mallory"]
        assert all("\x1b" not in one.machine for one in machines.list())


# versions


def test_the_servers_of_a_store_share_one_sequence(tmp_path: Path, own: Path, store: str) -> None:
    with Gate(store=store) as gate:
        one, other = BundleIssuer(gate.journal), BundleIssuer(gate.journal)
        policies = gate.engine.policies
        first = one.current(gate.config, policies)
        assert other.current(gate.config, policies).bundle == first.bundle
        more = (*policies, Policy("x", action=Verdict.BLOCK, when="true"))
        second = other.current(gate.config, more)
        assert second.bundle.sequence > first.bundle.sequence
        assert one.current(gate.config, more).bundle == second.bundle
        assert one.current(gate.config, policies).bundle.sequence > second.bundle.sequence
        with gate.journal.database.write() as connection:
            connection.run("UPDATE interlock_bundles SET sequence = 1")
        with pytest.raises(TamperedError):
            one.current(gate.config, policies)
