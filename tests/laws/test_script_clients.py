"""Clients in scripts are told by their libraries, not by the names of variables, and by where they lead."""

from __future__ import annotations

import shlex

import pytest

from interlock import Action, Engine

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ENGINE = Engine()
NAMES = ["client", "c", "cache", "items", "x1", "test_client"]
RUNNERS = {
    "javascript": "node -e",
    "ruby": "ruby -e",
    "php": "php -r",
    "perl": "perl -e",
    "lua": "lua -e",
    "r": "Rscript -e",
    "julia": "julia -e",
    "groovy": "groovy -e",
}
#: Code with a client in `NAME`, which destroys something.
DESTROYING = [
    (
        "javascript",
        "const S = require('stripe'); const NAME = new S(process.env.KEY); NAME.payouts.create({amount: 1})",
    ),
    ("javascript", "const {Client} = require('pg'); const NAME = new Client(); NAME.query('DROP TABLE users')"),
    ("javascript", "const R = require('ioredis'); const NAME = new R(process.env.REDIS_URL); NAME.flushall()"),
    ("javascript", "const {Acme} = require('acme-cloud-sdk'); const NAME = new Acme(); NAME.clusters.destroy('a')"),
    ("ruby", "NAME = Aws::EC2::Client.new; NAME.terminate_instances(instance_ids: ['i-1'])"),
    ("ruby", "NAME = PG.connect(ENV['DATABASE_URL']); NAME.exec('DROP TABLE users')"),
    ("php", "$NAME = new PDO('mysql:host=db.example.com;dbname=shop'); $NAME->exec('DELETE FROM orders');"),
    ("php", "$NAME = new Aws\\S3\\S3Client([]); $NAME->deleteBucket(['Bucket' => 'a']);"),
    ("perl", "my $NAME = DBI->connect('dbi:Pg:dbname=shop;host=db.example.com'); $NAME->do('TRUNCATE orders')"),
    ("lua", "local NAME = require('redis').connect('cache.example.com', 6379); NAME:flushall()"),
    ("r", "NAME <- DBI::dbConnect(RPostgres::Postgres(), host='db.example.com'); DBI::dbRemoveTable(NAME, 'sales')"),
    ("julia", 'NAME = LibPQ.Connection("host=db.example.com"); execute(NAME, "DROP TABLE users")'),
    (
        "groovy",
        "def NAME = groovy.sql.Sql.newInstance('jdbc:mysql://db.example.com/a'); NAME.execute('DROP TABLE users')",
    ),
]
#: Code that leads to an address, and destroys something there.
PLACED = [
    ("javascript", "const {S3} = require('@aws-sdk/client-s3'); new S3({endpoint: 'URL'}).deleteBucket({Bucket: 'a'})"),
    ("ruby", "Aws::S3::Client.new(endpoint: 'URL').delete_bucket(bucket: 'a')"),
    ("php", "(new Aws\\S3\\S3Client(['endpoint' => 'URL']))->deleteBucket(['Bucket' => 'a']);"),
]
READING = [
    ("javascript", "const {Client} = require('pg'); new Client(process.env.DATABASE_URL).query('SELECT 1')"),
    ("javascript", "const S = require('stripe'); new S(process.env.KEY).charges.list({limit: 3})"),
    ("javascript", "const m = new Map(); m.set('a', 1); m.delete('a'); m.clear()"),
    ("ruby", "Aws::S3::Client.new.list_buckets"),
    ("php", "$db = new PDO('sqlite::memory:'); $db->exec('DROP TABLE a');"),
    ("r", "con <- DBI::dbConnect(RSQLite::SQLite(), ':memory:'); DBI::dbRemoveTable(con, 'a')"),
    ("julia", 'println(get(ENV, "USER", ""))'),
]


def asks(language: str, code: str) -> bool:
    decision = ENGINE.decide(Action.shell(f"{RUNNERS[language]} {shlex.quote(code)}", **WHERE))
    return decision.verdict.value in ("require_approval", "block")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("language", "code"), DESTROYING)
def test_renaming_a_variable_changes_no_verdict(language: str, code: str, name: str) -> None:
    assert asks(language, code.replace("NAME", name))


@pytest.mark.parametrize(("language", "code"), PLACED)
def test_where_a_client_leads_decides(language: str, code: str) -> None:
    assert asks(language, code.replace("URL", "https://api.example.com"))
    assert not asks(language, code.replace("URL", "http://localhost:4566"))


@pytest.mark.parametrize(("language", "code"), READING)
def test_reads_and_scratch_data_pass(language: str, code: str) -> None:
    assert not asks(language, code)


@pytest.mark.parametrize(
    ("command", "stops"),
    [
        ("node scripts/seed.js --env production --truncate", True),
        ("npm run db:reset -- --env=production", True),
        ("node scripts/newsletter.js --list=all --live", True),
        ("node scripts/seed.js --env production --truncate --dry-run", False),
        ("node scripts/build.js --env production", False),
        ("node scripts/seed.js --env development --truncate", False),
        ("deno run - <<'E'\nDeno.removeSync('/home/u/thesis', {recursive: true})\nE", True),
        ("deno run npm:cowsay hi", False),
        ("deno publish", True),
        ("deno publish --dry-run", False),
        ("bun exec 'git push --force origin main'", True),
        ("bun exec 'ls src'", False),
        ("node -e \"for (let p = 1; p < 1024; p++) require('net').connect(p, '203.0.113.5')\"", True),
        ('node -e "for (let p = 1; p < 1024; p++) console.log(p)"', False),
        ("ruby -e 'a = []; loop { a << 1 }'", True),
        ("ruby -e 'loop { puts gets }'", False),
    ],
)
def test_tasks_runtimes_and_loops(command: str, stops: bool) -> None:
    verdict = ENGINE.decide(Action.shell(command, **WHERE)).verdict.value
    assert (verdict in ("require_approval", "block")) is stops
