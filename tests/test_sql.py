"""The SQL analyser."""

from __future__ import annotations

import pytest

from interlock.analyse.sql import looks_like_sql
from tests.reading import effects, sql

EFFECTS = [
    ("SELECT * FROM users", ["db.read table:users"]),
    ("select 1", ["db.read"]),
    ("SELECT 'drop table users'", ["db.read"]),
    ("WITH a AS (SELECT 1) SELECT * FROM a JOIN b ON true", ["db.read table:b"]),
    ("INSERT INTO t VALUES (1)", ["db.write table:t"]),
    ("UPDATE t SET a = 1 WHERE id = 2", ["db.write table:t"]),
    ("UPDATE t SET a = 1", ["db.write table:t unbounded"]),
    ("DELETE FROM t WHERE id = 1", ["db.delete table:t"]),
    ("DELETE FROM t", ["db.delete table:t unbounded"]),
    ("DELETE FROM t WHERE 1 = 1", ["db.delete table:t unbounded"]),
    ("DELETE FROM t WHERE true", ["db.delete table:t unbounded"]),
    ("TRUNCATE TABLE t", ["db.delete table:t truncate unbounded"]),
    ("DROP TABLE IF EXISTS public.users", ["db.drop table:public.users table"]),
    ("DROP DATABASE prod", ["db.drop table:prod database"]),
    ("DROP INDEX i", ["db.drop table:i index"]),
    ("ALTER TABLE t DROP COLUMN c", ["db.alter table:t drops"]),
    ("GRANT ALL ON t TO public", ["db.grant table:t"]),
    ("COPY t TO PROGRAM 'sh'", ["db.execute table:t outside"]),
    ("SELECT pg_read_file('/etc/passwd')", ["db.read", "db.execute table:pg_read_file outside"]),
    ("EXEC xp_cmdshell 'dir'", ["db.execute table:xp_cmdshell outside"]),
    ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", ["db.delete table:t unbounded"]),
    ("SELECT 1; DROP TABLE t", ["db.read", "db.drop table:t table"]),
    ("/* hi */ DROP -- there\n TABLE t", ["db.drop table:t table"]),
    ("SHOW search_path", ["db.read"]),
]


@pytest.mark.parametrize(("query", "expected"), EFFECTS)
def test_what_a_statement_does(query: str, expected: list[str]) -> None:
    assert effects(sql(query)) == expected


def test_each_statement_has_its_own_place() -> None:
    text = "SELECT 1; DROP TABLE t"
    assert [text[e.span[0] : e.span[1]] for e in sql(text).effects] == ["SELECT 1", "DROP TABLE t"]


@pytest.mark.parametrize("query", ["garbage here", "SELECT FROM WHERE (", "'"])
def test_what_does_not_parse_is_said(query: str) -> None:
    assert not sql(query).coverage.full


@pytest.mark.parametrize("text", ["drop in any time", "select", "update the docs", "delete this", "create a file", ""])
def test_english_is_not_sql(text: str) -> None:
    assert not looks_like_sql(text)
