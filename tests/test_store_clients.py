"""Clients of stores do the same in Python and in scripts: grants, settings, and deletions of much at once."""

from __future__ import annotations

import pytest

from tests.reading import shell

_ELASTIC = "const {Client} = require('@elastic/elasticsearch'); const c = new Client({node: 'https://es.example.com'});"
_REDIS = "require 'redis'; r = Redis.new(host: 'db.example.com');"
_PYTHON = "from elasticsearch import Elasticsearch; c = Elasticsearch('https://es.example.com');"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"node -e \"{_ELASTIC} c.security.putUser({{username: 'x'}})\"", ("db.grant", set())),
        (f"python3 -c \"{_PYTHON} c.security.put_user(username='x')\"", ("db.grant", set())),
        (f'node -e "{_ELASTIC} c.cluster.putSettings({{a: 1}})"', ("db.alter", {"server"})),
        (f'python3 -c "{_PYTHON} c.cluster.put_settings(a=1)"', ("db.alter", {"server"})),
        (f"node -e \"{_ELASTIC} c.delete({{index: 'logs-*'}})\"", ("db.delete", {"many"})),
        (f"python3 -c \"{_PYTHON} c.delete(index='logs-*', id='1')\"", ("db.delete", {"many"})),
        (f"node -e \"{_ELASTIC} c.delete({{index: 'logs', id: '1'}})\"", ("db.delete", set())),
        (f"ruby -e \"{_REDIS} r.del('session:*')\"", ("db.delete", {"many"})),
        (f"ruby -e \"{_REDIS} r.del('session:1')\"", ("db.delete", set())),
    ],
)
def test_clients_do_the_same_in_all_languages(command: str, expected: tuple[str, set[str]]) -> None:
    found = [(effect.kind, set(effect.flags)) for effect in shell(command).effects]
    assert [effect for effect in found if effect[0] != "out.print"] == [expected]
