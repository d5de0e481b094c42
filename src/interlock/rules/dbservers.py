"""What SQL does to the server itself rather than to its tables."""

from interlock.levels import Level
from interlock.rules.rule import Rule, effect, family

RULES = family(
    "database_servers",
    Rule(
        name="database_stall",
        level=Level.HIGH,
        when=effect("db.execute", "stall"),
        reason="A statement that only waits holds a connection, or a lock, that others need",
        match=["sql> SELECT pg_sleep(60)", "sql> WAITFOR DELAY '0:0:30'", "sql> SELECT BENCHMARK(1000000, MD5('a'))"],
        no_match=["sql> SELECT now()", "sql> SELECT 'pg_sleep(1)'"],
    ),
    Rule(
        name="database_sessions",
        level=Level.CRITICAL,
        when=effect("db.execute", "sessions"),
        reason="Ends other people's work on the database",
        reversible=False,
        match=["sql> SELECT pg_terminate_backend(42)", "sql> SHUTDOWN", "sql> KILL 7"],
        no_match=["sql> SELECT * FROM pg_stat_activity", "sql> SHOW PROCESSLIST"],
    ),
    Rule(
        name="database_settings",
        level=Level.HIGH,
        when=(effect("db.execute", "server"), effect("db.alter", "server")),
        reason="Settings of the server decide what is safe for everyone who uses it",
        match=[
            "sql> ALTER SYSTEM SET fsync = off",
            "sql> SET GLOBAL general_log = 'ON'",
            "sql> EXEC sp_configure 'xp_cmdshell', 1",
            "sql> PRAGMA writable_schema = 1",
        ],
        no_match=["sql> SET search_path TO app", "sql> SHOW fsync", "sql> PRAGMA foreign_keys = ON"],
    ),
    Rule(
        name="database_credentials",
        level=Level.HIGH,
        when=effect("db.read", "credentials"),
        reason="This is where passwords of the database, or of a browser, are kept",
        match=[
            "sql> SELECT usename, passwd FROM pg_shadow",
            "sql> SELECT user, authentication_string FROM mysql.user",
            ">>> cursor.execute('SELECT origin_url, password_value FROM logins')",
        ],
        no_match=["sql> SELECT usename FROM pg_user", "sql> SELECT * FROM app.users"],
    ),
    Rule(
        name="transaction_escape",
        level=Level.HIGH,
        when=effect("db.execute", "transaction"),
        reason="Ends a transaction that it did not begin, so that what follows runs outside it",
        match=["sql> SELECT 1; COMMIT; SELECT 2", "sql> SELECT 1; ROLLBACK; INSERT INTO t VALUES (1)"],
        no_match=["sql> BEGIN; SELECT 1; COMMIT; SELECT 2", "sql> COMMIT", "sql> INSERT INTO t VALUES (1); COMMIT"],
    ),
    Rule(
        name="dynamic_sql",
        level=Level.HIGH,
        when=effect("db.execute", "dynamic"),
        reason="SQL that is put together while it runs cannot be read before",
        match=["sql> EXEC sp_executesql N'SELECT 1'", "sql> EXECUTE sp_executesql @text"],
        no_match=["sql> SELECT 1", "sql> SELECT 'sp_executesql'"],
    ),
)
