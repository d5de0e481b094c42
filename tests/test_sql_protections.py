"""Statements that remove traces or switch protections off, and their neighbours that only look or switch them on."""

import pytest

from interlock import Action, Engine

ENGINE = Engine()

STOPPED = [
    "PURGE BINARY LOGS BEFORE NOW()",
    "RESET BINARY LOGS AND GTIDS",
    "SET @@global.general_log = 0",
    "SET @@SESSION.sql_log_off = 1",
    "SET autocommit = 0, sql_log_bin = 0",
    "SET @@SESSION.`sql_log_bin` := OFF",
    "SET sql_log_bin = IF(1, 0, 1)",
    "SET STATEMENT sql_log_bin = 0 FOR SELECT 1",
    "SET STATEMENT max_statement_time = 10 FOR DROP TABLE users",
    "SET LOCAL session_replication_role = 'replica'",
    "SET LOCAL row_security TO off",
    "SET pgaudit.log = 'none'",
    "DO $$ BEGIN SET row_security = off; END $$",
    "BEGIN DBMS_FGA.DROP_POLICY('HR', 'EMP', 'audit_emp'); END;",
    "BEGIN DBMS_AUDIT_MGMT.CLEAN_AUDIT_TRAIL(audit_trail_type => 51); END;",
    "ALTER TRIGGER audit_emp DISABLE",
    "ALTER SERVER AUDIT prod WITH (STATE = OFF)",
    "SELECT audit_log_filter_remove_filter('log_all')",
    "SELECT * FROM users SETTINGS log_queries = 0",
    "SET CLUSTER SETTING sql.log.admin_audit.enabled = false",
    "DETACH MASKING POLICY mask_card ON cards (num) FROM PUBLIC",
    "EXEC sp_configure 'xp_cmdshell', 1",
    "EXEC sp_configure 'xp_cmdshell' DROP TABLE users",
]


@pytest.mark.parametrize("query", STOPPED)
def test_removed_traces_and_protections_need_approval(query: str) -> None:
    assert not ENGINE.decide(Action.sql(query)).allowed


PASSED = [
    "SHOW BINARY LOGS",
    "SELECT @@global.general_log",
    "SET sql_log_bin = 1",
    "SET session_replication_role = DEFAULT",
    "SET row_security = on",
    "SET pgaudit.log = 'all'",
    "SET @log_bin = 5",
    "SET STATEMENT max_statement_time = 10 FOR SELECT 1",
    "SELECT * FROM t SETTINGS max_threads = 4",
    "SELECT settings, readonly FROM t WHERE readonly = 0",
    "SELECT a AS settings, readonly = 0 FROM t",
    "EXEC sp_configure 'xp_cmdshell'",
    "SELECT * FROM pg_policies",
]


@pytest.mark.parametrize("query", PASSED)
def test_looking_at_protections_and_switching_them_on_runs(query: str) -> None:
    assert ENGINE.decide(Action.sql(query)).allowed


@pytest.mark.parametrize("query", ["PURGE BINARY LOGS BEFORE NOW()", "SET @@global.general_log = 0", "NOAUDIT ALL"])
def test_tools_and_programs_run_the_same_statements(query: str) -> None:
    assert not ENGINE.decide(Action(tool_name="oracle_run", input_payload={"statement": query})).allowed


def test_clients_run_the_same_statements() -> None:
    assert not ENGINE.decide(Action.python("cursor.execute('PURGE BINARY LOGS BEFORE NOW()')")).allowed
    assert ENGINE.decide(Action.python("cursor.execute('SHOW BINARY LOGS')")).allowed
