"""The SQL analyser."""

from __future__ import annotations

import pytest

from interlock import Action
from interlock.analyse.sql import looks_like_sql
from tests.reading import ENGINE, WHERE, effects, sql

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
    ("DELETE FROM t WHERE a = 1 OR 1 = 1", ["db.delete table:t unbounded"]),
    ("DELETE FROM t WHERE a = a", ["db.delete table:t unbounded"]),
    ("DELETE FROM t WHERE 2 > 1", ["db.delete table:t unbounded"]),
    ("DELETE FROM t WHERE a = 1 AND 1 = 1", ["db.delete table:t many"]),
    ("EXPLAIN DELETE FROM t", ["db.read table:t"]),
    ("EXPLAIN (FORMAT JSON) UPDATE t SET a = 1", ["db.read table:t"]),
    ("EXPLAIN ANALYZE DELETE FROM t", ["db.delete table:t unbounded"]),
    ("EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t", ["db.delete table:t unbounded"]),
    ("EXPLAIN (ANALYZE false) DELETE FROM t", ["db.read table:t"]),
    ("COPY t TO STDOUT", ["db.read table:t"]),
    ("COPY t FROM STDIN", ["db.write table:t"]),
    ("COPY t FROM '/etc/passwd'", ["db.execute table:t outside"]),
    ("SELECT 1 INTO OUTFILE '/var/lib/x'", ["db.execute table:into outfile outside", "db.read"]),
    ("LOAD DATA INFILE '/etc/passwd' INTO TABLE t", ["db.execute table:data outside"]),
    ("EXEC master..xp_cmdshell 'dir'", ["db.execute table:xp_cmdshell outside"]),
    ("EXEC sp_executesql N'DROP TABLE t'", ["db.execute table:sp_executesql dynamic"]),
    ("EXECUTE IMMEDIATE 'DROP TABLE t'", ["db.execute dynamic"]),
    ("SELECT pg_sleep(9)", ["db.read", "db.execute table:pg_sleep stall"]),
    ("SELECT sleep FROM naps", ["db.read table:naps"]),
    ("WAITFOR DELAY '0:0:9'", ["db.execute table:delay stall"]),
    ("ALTER SYSTEM SET fsync = off", ["db.alter table:set server"]),
    ("SET ROLE postgres", ["db.grant table:postgres role"]),
    ("CREATE EXTENSION IF NOT EXISTS pg_trgm", ["db.write table:pg_trgm"]),
    ("CREATE EXTENSION plpython3u", ["db.execute table:plpython3u outside"]),
    ("SELECT passwd FROM pg_shadow", ["db.read table:pg_shadow", "db.read table:passwd credentials"]),
    ("/*!50000 DROP TABLE t */", ["db.drop table:t table"]),
    ("SELECT $$drop table t$$", ["db.read"]),
    ("SELECT 'a;b'", ["db.read"]),
    ("VACUUM t", ["db.write"]),
    ("SELECT a INTO b FROM c", ["db.write table:b", "db.read table:c"]),
    ("CREATE OR REPLACE TABLE t AS SELECT 1", ["db.drop table:t table"]),
]


@pytest.mark.parametrize(("query", "expected"), EFFECTS)
def test_what_a_statement_does(query: str, expected: list[str]) -> None:
    assert effects(sql(query)) == expected


STOPPED = [
    "'; DROP TABLE users; --",
    "x'; DELETE FROM users WHERE '1'='1",
    "1; DROP TABLE users",
    "SELECT 1 DROP TABLE users",
    "SELECT 1; COMMIT; SELECT 2",
    "DO $$ BEGIN EXECUTE 'DROP TABLE t'; END $$",
    "CREATE FUNCTION f() RETURNS int AS 'x', 'system' LANGUAGE C",
    "CREATE FUNCTION f RETURNS string SONAME 'x.so'",
    "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "SELECT * FROM dblink('host=x', 'select 1') AS t(a int)",
    "SELECT utl_http.request('http://x') FROM dual",
    "ATTACH DATABASE 'x' AS y",
    "PRAGMA writable_schema = ON",
    "DROP OWNED BY app",
    "BACKUP DATABASE app TO DISK = 'x'",
    "DELETE FROM users WHERE id IN (SELECT id FROM users)",
    "DELETE FROM users WHERE id = 1 OR age > 2",
    "DELETE FROM users WHERE NOT id = 1",
    "DELETE FROM users WHERE id = other_id",
    "DELETE FROM users WHERE id = ANY(SELECT id FROM users)",
    "DELETE FROM users WHERE id <> 1",
]


@pytest.mark.parametrize("query", STOPPED)
def test_what_reaches_further_is_stopped(query: str) -> None:
    assert not ENGINE.decide(Action.sql(query, **WHERE)).allowed


QUIET = [
    "DELETE FROM users WHERE id = 1",
    "DELETE FROM carts WHERE user_id = $1 AND (state = 'old')",
    "ALTER TABLE users ADD COLUMN age int",
    "SELECT a FROM t WHERE b = 'drop table t; --'",
    "BEGIN; UPDATE t SET a = 1 WHERE id = 2; COMMIT",
    "SELECT `a` FROM `t`",
    "SELECT TOP 5 [a] FROM [dbo].[t]",
    "SELECT name FROM a UNION SELECT name FROM b",
    "EXPLAIN PLAN FOR DELETE FROM t",
    "PRAGMA foreign_keys = ON",
    "REFRESH MATERIALIZED VIEW v",
    "SET statement_timeout = '5s'",
    "-- drop table t\nSELECT 1",
]


@pytest.mark.parametrize("query", QUIET)
def test_reads_and_small_changes_run(query: str) -> None:
    assert ENGINE.decide(Action.sql(query, **WHERE)).allowed


@pytest.mark.parametrize("query", [query for query, _ in EFFECTS])
def test_a_query_that_was_read_before_is_read_the_same(query: str) -> None:
    assert sql(query) == sql(query)


def test_each_statement_has_its_own_place() -> None:
    text = "SELECT 1; DROP TABLE t"
    assert [text[e.span[0] : e.span[1]] for e in sql(text).effects] == ["SELECT 1", "DROP TABLE t"]


@pytest.mark.parametrize("query", ["garbage here", "SELECT FROM WHERE (", "'"])
def test_what_does_not_parse_is_said(query: str) -> None:
    assert not sql(query).coverage.full


@pytest.mark.parametrize("text", ["drop in any time", "select", "update the docs", "delete this", "create a file", ""])
def test_english_is_not_sql(text: str) -> None:
    assert not looks_like_sql(text)
