"""Servers on one store notice when they decide by different configurations, or when one does not load."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from interlock.access.roles import Role
from interlock.access.servers import configuration_digest
from interlock.audit.keys import SigningKey
from interlock.cli import main
from interlock.config.load import load
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import SAFE, Running, until
from tests.world.postgres import Server

EVERYWHERE = """
knowledge = ["crm.toml"]

[tools.export_customers]
does = "tool.read"

[places]
"/data/warehouse" = "system"

[organisation]
domains = ["acme.com"]

[[rules]]
name = "warehouse_write"
level = "high"
effect = "fs.write"
resource = "^/data/warehouse/"
reason = "The warehouse is written by the pipeline alone"
match = ["$ cp x /data/warehouse/x"]

[[policies]]
policy_id = "late"
action = "block"
conditions = [{ field = "toolName", operator = "matches", value = "^deploy.?" }]
when = 'tenant == "acme"'
outside = "Mon-Fri 09:00-17:00 Europe/Berlin"
limit = { most = 2, per = "hour" }
"""
BLOCKS = '[[policies]]\npolicy_id = "no-pay"\nconditions = ["toolName=pay"]\naction = "block"\n'


class Pair:
    """Two servers on one PostgreSQL, each with a configuration of its own."""

    def __init__(self, here: Running, there: Running, files: tuple[Path, Path], store: str) -> None:
        self.here, self.there, self.files, self.store = here, there, files, store

    def report(self) -> None:
        for server in (self.here, self.there, self.here):
            server.service.report()


@pytest.fixture
def pair(serve: Serve, postgres: Server, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    store, elsewhere = postgres.new(), tmp_path / "elsewhere"
    keys = [SigningKey.at(folder).public for folder in (own, elsewhere)]
    for folder in (own, elsewhere):
        (folder / "interlock.toml").write_text(f"{OTHERS_ANSWER}[audit]\nkeys = {json.dumps(keys)}\n")
    here = serve(store)
    monkeypatch.setenv("INTERLOCK_HOME", str(elsewhere))
    there = serve(store)
    return Pair(here, there, (own / "interlock.toml", elsewhere / "interlock.toml"), store)


def test_servers_with_the_same_configuration_agree(pair: Pair) -> None:
    pair.report()
    assert (pair.here.service.problems, pair.there.service.problems) == ([], [])
    assert pair.here.nobody.get("/readyz").ok()["problems"] == []


def test_it_does_not_matter_where_the_same_configuration_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(name: str, does: str) -> str:
        home = tmp_path / name
        home.mkdir()
        monkeypatch.setenv("INTERLOCK_HOME", str(home))
        (home / "crm.toml").write_text(f'[tools.sync_crm]\ndoes = "{does}"\n')
        (home / "interlock.toml").write_text(EVERYWHERE)
        return configuration_digest(load(start=tmp_path))

    assert digest("one", "tool.read") == digest("two", "tool.read")
    assert digest("three", "tool.read") != digest("four", "record.change")


def test_a_policy_at_one_server_only_is_noticed_everywhere(
    pair: Pair, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.files[1].write_text(pair.files[1].read_text() + BLOCKS)
    with caplog.at_level(logging.ERROR, "interlock.server"):
        pair.report()
    assert "different configurations" in caplog.text
    for server in (pair.here, pair.there):
        assert len(server.service.problems) == 1
        assert server.nobody.get("/readyz").ok()["problems"] == [
            "the servers of this store decide by different configurations"
        ]
        page = server.signed_in("adam", Role.ADMIN).get("/").body.decode()
        assert "decide by different configurations" in page
        metrics = server.reviewer().get("/metrics").body.decode()
        assert "interlock_configurations_differing 1.0" in metrics
    monkeypatch.setenv("INTERLOCK_STORE", pair.store)
    assert main(["doctor"]) == 1
    assert "different configurations" in capsys.readouterr().out
    pair.files[1].write_text(pair.files[0].read_text())
    pair.report()
    assert pair.here.service.problems == []


def test_a_configuration_that_stops_loading_is_noticed(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    pair.files[1].write_text('mode = "asist"\n')
    with caplog.at_level(logging.ERROR, "interlock.server"):
        pair.report()
    assert "asist" in caplog.text
    refused = pair.there.nobody.get("/readyz")
    assert refused.status == 503
    assert "asist" not in refused.body.decode(), "anybody may read it"
    assert "Traceback" not in caplog.text
    assert "interlock_configuration_failed 1.0" in pair.there.reviewer().get("/metrics").body.decode()
    assert pair.here.nobody.get("/readyz").status == 200
    assert any("does not load" in problem for problem in pair.here.service.problems)


def test_a_server_that_has_stopped_is_not_compared(pair: Pair) -> None:
    pair.files[1].write_text(pair.files[1].read_text() + BLOCKS)
    pair.report()
    assert pair.here.service.problems
    pair.there.service.servers.leave()
    pair.here.service.report()
    assert pair.here.service.problems == []


def lose_store(server: Running) -> None:
    """Move the file of a store away, until no connection reads it any more."""
    database = server.service.journal.database
    file = Path(str(database.shown).removeprefix("sqlite:///"))
    file.rename(file.with_suffix(".away"))
    file.mkdir()

    def is_gone() -> bool:
        database.close()  # a background thread may have connected before the file was moved
        return server.nobody.get("/readyz").status == 503

    until(is_gone)


def test_metrics_are_there_while_the_store_is_not(serve: Serve) -> None:
    server = serve(open_metrics=True)
    assert "interlock_store_up 1.0" in until(lambda: server.nobody.get("/metrics").body.decode())
    lose_store(server)
    found = server.nobody.get("/metrics")
    assert (found.status, "interlock_store_up 0.0" in found.body.decode()) == (200, True)


def test_a_key_that_was_used_before_reads_metrics_while_the_store_is_not_there(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    scraper, unused, agent = server.reviewer("bob"), server.reviewer("rita"), server.agent("ann")
    dropped = server.admin("dan")
    for caller in (scraper, dropped):
        assert caller.get("/metrics").status == 200
    agent.post("/v1/evaluate", SAFE).ok()
    keys = server.service.authenticator.keys
    [gone] = [key for key in keys.list() if key.owner == "dan"]
    server.admin("eve").send("DELETE", f"/v1/keys/{gone.key_id}").ok()
    assert scraper.get("/metrics").status == 200, "revoking one forgets them all"
    lose_store(server)
    monkeypatch.setattr("interlock.server.authentication.CACHE_SECONDS", 0.0)
    found = scraper.get("/metrics")
    assert found.status == 200
    assert "interlock_store_up 0.0" in found.body.decode()
    for caller in (unused, dropped, agent, server.nobody.having(authorization="Bearer ilk_unknown")):
        assert caller.get("/metrics").status in (401, 503)
    for path in ("/v1/runs", "/v1/approvals", "/v1/stops", "/"):
        assert scraper.get(path).status == 503, "for this route alone"
    assert agent.post("/v1/evaluate", SAFE).status == 503
    monkeypatch.setattr("interlock.server.remembered_keys.REMEMBERED_SECONDS", 0.0)
    assert scraper.get("/metrics").status == 503, "for a while alone"
