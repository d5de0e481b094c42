"""Laws of losing work: a dry run, a temporary folder and a scratch database never make a verdict stricter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action
from tests.reading import ENGINE

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}

#: Commands, and the options by which they only show what they would do.
DRY_RUNS = [
    ("git clean -fdx", "-n"),
    ("git clean -fdx", "--dry-run"),
    ("git push --force origin main", "--dry-run"),
    ("git rm -rf src", "-n"),
    ("git prune", "-n"),
    ("git reflog expire --expire=now --all", "--dry-run"),
    ("git lfs prune --force", "--dry-run"),
    ("hg revert --all", "--dry-run"),
    ("hg purge", "--print"),
    ("p4 clean", "-n"),
    ("p4 revert //...", "-n"),
    ("rsync -a --delete src/ ~/copy/", "-n"),
    ("rsync -a --delete dist/ host:/srv/app", "--dry-run"),
    ("repo upload", "--dry-run"),
    ("atlas schema clean", "--dry-run"),
    ("trash-empty", "--dry-run"),
]

#: Deletions and overwriting, with the path left out.
CHANGES = [
    "rm -rf {}",
    "rm {}/db.sqlite3",
    "rm {}/notes.ipynb",
    ": > {}/app.py",
    "truncate -s 0 {}/app.py",
    "find {} -name '*.swp' -delete",
    "git -C {} reset --hard",
    "git -C {} clean -fdx",
    "git -C {} checkout -- .",
    "git -C {} stash clear",
    "git -C {} branch -D topic",
    "cd {} && git restore .",
    "git --work-tree={} checkout -f",
    "sqlite3 {}/app.db 'DROP TABLE users'",
]

STATEMENTS = [
    "DROP TABLE {}",
    "DELETE FROM {}",
    "TRUNCATE TABLE {}",
    "UPDATE {} SET a = 1",
    "ALTER TABLE {} DROP COLUMN a",
]
names = st.from_regex(r"[a-z]{3,8}", fullmatch=True)


def level(action: Action) -> int:
    return ENGINE.decide(action).assessment.level.rank


def shell(text: str) -> int:
    return level(Action.shell(text, **WHERE))


@pytest.mark.parametrize(("command", "option"), DRY_RUNS)
def test_a_dry_run_never_raises_a_verdict(command: str, option: str) -> None:
    assert shell(f"{command} {option}") <= shell(command)


@given(st.sampled_from(CHANGES), st.sampled_from(["/tmp", "/var/tmp", "/dev/shm"]), names)
def test_work_below_a_temporary_folder_never_ranks_above_work_in_the_project(change: str, top: str, name: str) -> None:
    assert shell(change.format(f"{top}/{name}")) <= shell(change.format(f"/home/u/project/src/{name}"))


@given(st.sampled_from(CHANGES), st.sampled_from(["build", "dist", "node_modules", "target"]))
def test_build_output_never_ranks_above_source(change: str, folder: str) -> None:
    assert shell(change.format(folder)) <= shell(change.format("src"))


@given(st.sampled_from(STATEMENTS), names)
def test_scratch_tables_never_rank_above_real_ones(statement: str, name: str) -> None:
    real, scratch = (Action.sql(statement.format(table), **WHERE) for table in (f"{name}s_of", f"tmp_{name}"))
    assert level(scratch) <= level(real)


@given(st.sampled_from(STATEMENTS[1:2]), names)
def test_what_is_rolled_back_never_ranks_above_what_is_kept(statement: str, name: str) -> None:
    text = statement.format(f"{name}s_of")
    kept, undone = (Action.sql(f"BEGIN; {text}; {end}", **WHERE) for end in ("COMMIT", "ROLLBACK"))
    assert level(undone) <= level(kept)


@given(names)
def test_a_remote_database_never_ranks_below_a_local_one(name: str) -> None:
    command = "psql -h {} -c 'DELETE FROM sessions WHERE expired' {}"
    assert shell(command.format("db.example.com", name)) >= shell(command.format("localhost", name))
