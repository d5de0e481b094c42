"""Databases."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "databases",
    Rule(
        name="drop_database",
        level=Level.CRITICAL,
        when=(
            effect("db.drop", "database"),
            effect("db.drop", "table"),
            effect("db.drop", "schema"),
            effect(
                "db.drop",
                without="index view column constraint function procedure trigger sequence type policy extension role user materialized",
            ),
        ),
        reason="Database deletion is typically irreversible",
        reversible=False,
        match=[
            "sql> DROP TABLE users",
            "sql> drop database prod",
            "$ psql -c 'DROP SCHEMA public CASCADE'",
            ">>> cursor.execute('DROP TABLE users')",
            "$ dropdb prod",
        ],
        no_match=[
            "sql> select 'drop table users'",
            "$ git commit -m 'DROP TABLE users'",
            "sql> drop index i",
        ],
    ),
    Rule(
        name="database_escape",
        level=Level.CRITICAL,
        when=effect("db.execute", "outside"),
        reason="SQL that reaches files or programs of the database's machine",
        reversible=False,
        match=[
            "sql> COPY t TO PROGRAM 'sh'",
            "sql> SELECT pg_read_file('/etc/passwd')",
            "sql> EXEC xp_cmdshell 'dir'",
            "sql> SELECT lo_import('/etc/passwd')",
        ],
        no_match=["sql> SELECT 1", "sql> SELECT 'xp_cmdshell'"],
    ),
    Rule(
        name="delete_unbounded",
        level=Level.HIGH,
        when=effect("db.delete", "unbounded"),
        reason="Deleting every row of a table",
        reversible=False,
        match=[
            "sql> DELETE FROM users",
            "sql> TRUNCATE TABLE users",
            "sql> DELETE FROM users WHERE 1=1",
            "sql> WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d",
        ],
        no_match=["sql> DELETE FROM users WHERE id = 1", "sql> SELECT * FROM users"],
    ),
    Rule(
        name="update_unbounded",
        level=Level.HIGH,
        when=effect("db.write", "unbounded"),
        reason="Changing every row of a table",
        reversible=False,
        match=["sql> UPDATE users SET active = false"],
        no_match=["sql> UPDATE users SET active = false WHERE id = 1", "sql> INSERT INTO users VALUES (1)"],
    ),
    Rule(
        name="database_grant",
        level=Level.HIGH,
        when=effect("db.grant"),
        reason="Rights on a database decide who can read and change it",
        match=["sql> GRANT ALL ON users TO public", "sql> REVOKE SELECT ON users FROM app"],
        no_match=["sql> SELECT 1"],
    ),
    Rule(
        name="database_alter",
        level=Level.HIGH,
        when=(effect("db.alter"), effect("db.drop", without="table database schema")),
        reason="Changing the shape of a database can lose data or lock it",
        reversible=False,
        match=["sql> ALTER TABLE users DROP COLUMN email", "sql> DROP INDEX idx_users"],
        no_match=["sql> CREATE TABLE t (id int)"],
    ),
    Rule(
        name="delete_rows",
        level=Level.MEDIUM,
        when=effect("db.delete", without="unbounded"),
        reason="Deleted rows are gone",
        reversible=False,
        match=["sql> DELETE FROM users WHERE id = 1"],
        no_match=["sql> SELECT * FROM users"],
    ),
    Rule(
        name="database_write",
        level=Level.MEDIUM,
        when=effect("db.write", without="unbounded"),
        reason="Changing rows or tables of a database",
        match=[
            "sql> INSERT INTO t VALUES (1)",
            "sql> CREATE TABLE t (id int)",
            "sql> UPDATE t SET a = 1 WHERE id = 2",
        ],
        no_match=["sql> SELECT * FROM t"],
    ),
)
