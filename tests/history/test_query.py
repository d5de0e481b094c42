"""SQL over a store and over its export: the same rows, read-only, and cut off from everything else."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.errors import InterlockError
from interlock.history.session import open_history, query
from interlock.history.views import VIEWS
from tests.history.exports import add_records, export_to, new_journal
from tests.reading import WHERE
from tests.world.postgres import Server
from tests.world.requests import no

CONFIG = """
[approvals]
unattended = "queue"

[[policies]]
policy_id = "no-deploys"
action = "block"
conditions = ["toolName=deploy"]
"""
COMMANDS = ("git status", "git push --force origin main", "rm -rf / # \u202e\x1b[2K")


def fill(url: str) -> Iterator[Gate]:
    """Let an agent do a few things: one is rejected, two are blocked."""
    with Gate(store=url) as gate:
        deploy = Action(tool_name="deploy", input_payload={"env": "production"}, agent_id="ann", run_id="r1", **WHERE)
        for action in (*(Action.shell(text, agent_id="ann", run_id="r1", **WHERE) for text in COMMANDS), deploy):
            with contextlib.suppress(ActionRefused):
                gate.check(action)
        (request,) = gate.approvals.list()
        gate.approvals.answer(request.approval_id, no("bob", reason="not now"))
        yield gate


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A store on each of the two databases, and its export."""
    folder = tmp_path_factory.mktemp("history")
    own = folder / "own"
    own.mkdir()
    (own / "interlock.toml").write_text(CONFIG)
    server: Server | None = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = server.new() if server else f"sqlite:///{folder}/store.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("INTERLOCK_HOME", str(own))
        patched.setenv("INTERLOCK_PROMPT", "never")
        patched.delenv("INTERLOCK_STORE", raising=False)
        for gate in fill(url):
            export_to(gate.journal, own, f"{folder}/out")
        yield url, f"{folder}/out"


def rows(sql: str, source: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = query(sql, source).to_pylist()
    return found


def test_a_store_and_its_export_give_the_same_rows(sources: tuple[str, str]) -> None:
    for view in VIEWS:
        found = query(f"from {view.name} order by all", sources[0])
        assert found.equals(query(f"from {view.name} order by all", sources[1])), view.name
        assert found.num_rows, view.name
        assert found.schema.names == [column.name for column in view.columns]


def test_the_views_say_what_happened(sources: tuple[str, str]) -> None:
    source = sources[0]
    actions = rows("select tool, verdict, policies, rules, level, mode, effects from actions order by seq", source)
    assert [row["verdict"] for row in actions] == ["allow", "require_approval", "block", "block"]
    assert (actions[1]["rules"], actions[1]["effects"]) == (["git_force_push"], ["vcs.push"])
    assert (actions[3]["tool"], actions[3]["policies"]) == ("deploy", ["deployments", "no-deploys"])
    assert {"rule": "git_force_push", "tool": "Bash"} in rows("select rule, tool from findings", source)
    (approval,) = rows("from approvals", source)
    assert (approval["outcome"], approval["answered_by"], approval["text"]) == ("rejected", ["bob"], COMMANDS[1])
    assert approval["answers"][0]["reason"] == "not now"
    assert approval["seconds"] >= 0
    (run,) = rows("select agent_id, state, actions, asked, blocked, highest from runs", source)
    assert list(run.values()) == ["ann", "open", 4, 1, 2, "critical"]
    both = "select count(*) n from actions a join actions b using (seq) join findings f using (seq)"
    assert rows(both, source) == rows("select count(*) n from findings", source)


LARGE = "select n, repeat(n::varchar, 20) as t from records, range(100000) r(n) where seq <= 11 order by md5(t), n"
FORBIDDEN = (
    "copy (select 1) to '{file}'",
    "copy records to '{file}'",
    "export database '{file}'",
    "attach '{file}'",
    "attach '{store}' as s (type sqlite)",
    "install httpfs",
    "load httpfs",
    "load '{file}'",
    "pragma version",
    "pragma enable_profiling",
    "set memory_limit = '9GB'",
    "set enable_external_access = true",
    "set lock_configuration = false",
    "reset memory_limit",
    "call pragma_version()",
    "checkpoint",
    "create table t (a int)",
    "create view actions as select 1",
    "create macro f() as 1",
    "create secret s (type s3)",
    "drop view actions",
    "insert into records values (1)",
    "delete from records",
    "update records set kind = 'x'",
    "with x as (select 1) insert into records from x",
    "explain analyze copy (select 1) to '{file}'",
    "prepare p as select 1",
    "select 1; copy (select 1) to '{file}'",
    "select 1; select 2",
    "",
    "select * from read_csv('{secret}')",
    "select * from read_text('{secret}')",
    "select * from read_blob('{secret}')",
    "select * from read_json('{secret}')",
    "select * from read_parquet('{secret}')",
    "select * from parquet_metadata('{secret}')",
    "select * from read_duckdb('{secret}')",
    "select * from sniff_csv('{secret}')",
    "select * from glob('/*')",
    "select * from '{secret}'",
    "select * from query('copy (select 1) to ''{file}''')",
    "select * from read_csv('http://127.0.0.1:1/x')",
    "select * from read_parquet('s3://bucket/x')",
    "select * from secret_table",
    "select * from enable_logging()",
    "select getenv('HOME')",
)


def test_a_query_can_only_read_the_views(sources: tuple[str, str], tmp_path: Path) -> None:
    secret, file = tmp_path / "secret.csv", tmp_path / "written"
    secret.write_text("a\nb\n")
    secret_table = query("select 1 as a", sources[0])  # a variable of Python, which DuckDB would find by its name
    assert secret_table.num_rows == 1
    for source in sources:
        with open_history(source) as history:
            before = history.query("select count(*) from records")
            for sql in FORBIDDEN:
                with pytest.raises(InterlockError) as raised:
                    history.query(sql.format(file=file, secret=secret, store=sources[0]))
                assert "\n" not in str(raised.value), sql
                assert not file.exists(), sql
            assert history.query("select count(*) from records").equals(before)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select nope from actions", 'line 1, column 8: Referenced column "nope" not found'),
        ("select 1,\n  'é', nope from actions", "line 2, column 8: "),
        ("selec 1", 'line 1, column 1: syntax error at or near "selec"'),
        ("select cast(text as int) from actions", "line 1, column 8: Could not convert string"),
        ("select 1; select 2", "a query is one SELECT statement; found SELECT, SELECT"),
    ],
)
def test_an_error_has_one_line_and_its_position(sources: tuple[str, str], sql: str, message: str) -> None:
    with pytest.raises(InterlockError) as raised:
        query(sql, sources[1])
    assert str(raised.value).startswith(message)


def test_a_query_larger_than_its_memory_uses_the_disk(tmp_path: Path) -> None:
    """A sort of more than fits spills to a folder that is gone afterwards."""
    journal = new_journal(f"sqlite:///{tmp_path}/store.db", tmp_path / "own")
    add_records(journal, [0, 1])
    journal.close()
    with open_history(f"sqlite:///{tmp_path}/store.db", memory="100MB") as history:
        folder = history.query("select current_setting('temp_directory') as f").to_pylist()[0]["f"]
        sizes = [batch.nbytes for batch in history.stream(LARGE)]
    assert sum(sizes) > 120_000_000
    assert not os.path.exists(folder)


def test_an_export_with_a_gap_is_not_queried(sources: tuple[str, str], tmp_path: Path) -> None:
    shutil.copytree(sources[1], tmp_path / "out")
    next((tmp_path / "out").glob("day=*/*.parquet")).unlink()
    with pytest.raises(InterlockError, match="is not whole: the files with record 1 and later are missing"):
        query("select count(*) from records", f"{tmp_path}/out")


def test_a_history_that_is_not_there_is_named(tmp_path: Path) -> None:
    for source in (f"sqlite:///{tmp_path}/nope.db", str(tmp_path)):
        with pytest.raises(InterlockError, match="there is no"):
            query("select 1", source)
    assert list(tmp_path.iterdir()) == []
