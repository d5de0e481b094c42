"""The vocabulary of SQL: effects of statements by their first words, and functions with effects beyond tables."""

from __future__ import annotations

# First word → kind of effect, for statements that the parser does not analyse.
KEYWORDS = {
    **dict.fromkeys("select with values table show describe desc explain use pragma help".split(), "db.read"),
    **dict.fromkeys("set begin commit rollback start savepoint release analyze unlock declare fetch close end abort".split(), "db.read"),
    **dict.fromkeys("listen unlisten discard move open handler print go delimiter checksum check detach reset".split(), "db.read"),
    **dict.fromkeys("insert replace update merge upsert create comment import lock notify".split(), "db.write"),
    **dict.fromkeys("vacuum reindex refresh optimize checkpoint repair msck undrop".split(), "db.write"),
    **dict.fromkeys("call exec execute do copy load attach prepare flush shutdown kill bulk backup restore install".split(), "db.execute"),
    **dict.fromkeys("uninstall purge unload export put get add dfs waitfor change stop cluster security".split(), "db.execute"),
    "delete": "db.delete",
    "truncate": "db.delete",
    "drop": "db.drop",
    "alter": "db.alter",
    "rename": "db.alter",
    "grant": "db.grant",
    "revoke": "db.grant",
    "deny": "db.grant",
    "reassign": "db.grant",
}  # fmt: skip

#: First words of a statement → kind of effect and flags. The longest prefix wins, before any other analysis.
STATEMENT_PREFIXES = {
    "alter system": "db.alter server",
    "alter role": "db.grant",
    "alter user": "db.grant",
    "alter login": "db.grant",
    "alter server role": "db.grant",
    "alter default privileges": "db.grant",
    "create role": "db.grant",
    "create user": "db.grant",
    "create login": "db.grant",
    "create or replace user": "db.grant",
    "create language": "db.execute outside",
    "create trusted language": "db.execute outside",
    "create or replace language": "db.execute outside",
    "create server": "db.execute outside",
    "create subscription": "db.execute outside",
    "create foreign data wrapper": "db.execute outside",
    "create user mapping": "db.execute outside",
    "create assembly": "db.execute outside",
    "create database link": "db.execute outside",
    "create public database link": "db.execute outside",
    "create credential": "db.execute outside",
    "import foreign schema": "db.execute outside",
    "set role": "db.grant role",
    "set session authorization": "db.grant role",
    "set local role": "db.grant role",
    "reset role": "db.grant role",
    "reset session": "db.grant role",
    "execute as": "db.grant role",
    "set password": "db.grant",
    "set global": "db.alter server",
    "set persist": "db.alter server",
    "set session characteristics": "db.alter server",
    "set transaction read write": "db.alter server",
    "set default_transaction_read_only": "db.alter server",
    "set session_replication_role": "db.alter server",
    "set row_security": "db.alter server",
    "security label": "db.grant",
    "drop owned": "db.drop database",
    "reset master": "db.delete unbounded",
    "purge binary": "db.delete unbounded",
    "purge master": "db.delete unbounded",
    "insert overwrite": "db.delete unbounded",
    "restore database": "db.drop database",
    "shutdown": "db.execute sessions",
    "kill": "db.execute sessions",
    "stop replica": "db.execute sessions",
    "stop slave": "db.execute sessions",
    "change master": "db.execute outside",
    "change replication": "db.execute outside",
    "backup": "db.execute outside",
    "bulk insert": "db.execute outside",
    "load": "db.execute outside",
    "install": "db.execute outside",
    "unload": "db.execute outside",
    "export data": "db.execute outside",
    "put": "db.execute outside",
    "add jar": "db.execute outside",
    "add file": "db.execute outside",
    "dfs": "db.execute outside",
    "vacuum into": "db.execute outside",
    "vacuum full": "db.alter",
    "cluster": "db.alter",
    "waitfor": "db.execute stall",
    "pragma writable_schema": "db.alter server",
    "pragma trusted_schema": "db.alter server",
    "pragma rekey": "db.alter server",
    "pragma temp_store_directory": "db.alter server",
}

#: Function or procedure with effects beyond tables → flag.
FUNCTIONS = {
    **dict.fromkeys(
        (
            "pg_read_file pg_read_binary_file pg_ls_dir pg_ls_logdir pg_ls_waldir pg_ls_tmpdir pg_ls_archive_statusdir pg_stat_file pg_file_read pg_file_write "
            "pg_file_unlink pg_file_rename pg_file_sync pg_logdir_ls lo_import lo_export lo_unlink lo_put lo_from_bytea lowrite lo_create "
            "pg_execute_server_program query_to_xml query_to_xml_and_xmlschema cursor_to_xml "
            "load_file sys_exec sys_eval sys_get lib_mysqludf_sys_info "
            "xp_cmdshell xp_dirtree xp_fileexist xp_regread xp_regwrite xp_regdeletekey xp_regdeletevalue xp_subdirs xp_servicecontrol xp_create_subdir xp_delete_file "
            "sp_oacreate sp_oamethod sp_execute_external_script sp_addextendedproc sp_addlinkedserver sp_makewebtask sp_send_dbmail openrowset "
            "opendatasource openquery readfile writefile load_extension fts3_tokenizer "
            "utl_file.fopen utl_http.request utl_tcp.open_connection utl_smtp.open_connection utl_inaddr.get_host_address utl_inaddr.get_host_name httpuritype dbms_java.runjava dbms_ldap.init "
            "dbms_scheduler.create_job dbms_xslprocessor.clob2file dbms_advisor.create_file dbms_xmlgen.getxml extractvalue_url "
            "java_method reflect reflect2 external_query read_blob read_text"
        ).split(),
        "outside",
    ),
    **dict.fromkeys(
        "pg_sleep pg_sleep_for pg_sleep_until sleep benchmark dbms_lock.sleep dbms_session.sleep dbms_pipe.receive_message get_lock pg_advisory_lock".split(),
        "stall",
    ),
    **dict.fromkeys("pg_terminate_backend pg_cancel_backend pg_promote pg_wal_replay_pause rds_kill mysql.rds_kill".split(), "sessions"),
    **dict.fromkeys(
        "pg_reload_conf pg_rotate_logfile pg_switch_wal set_config sp_configure pg_drop_replication_slot pg_create_physical_replication_slot "
        "pg_create_logical_replication_slot pg_import_system_collations pg_replication_origin_drop pg_stat_reset sp_addsrvrolemember sp_addrolemember".split(),
        "server",
    ),
}  # fmt: skip

#: Procedures that run dynamic SQL.
DYNAMIC = frozenset({"sp_executesql", "dbms_sql.parse"})

#: Languages whose functions run with the rights of the server process.
UNTRUSTED = frozenset(
    "c internal plpythonu plpython2u plpython3u plperlu pltclu plsh plrubyu plr pljavau plv8u java python javascript scala".split()
)
#: Extensions that add such languages, or access to files or other servers.
REACHING_EXTENSIONS = frozenset(
    "plpythonu plpython3u plperlu pltclu plsh dblink file_fdw postgres_fdw adminpack lo http pg_net pg_cron aws_lambda aws_s3 oracle_fdw".split()
)
#: Tables in which servers keep credentials beside other columns.
CREDENTIAL_TABLES = frozenset(
    "pg_shadow pg_authid pg_user_mappings pg_user_mapping mysql.user mysql.global_priv sys.sql_logins sys.syslogins master.sys.sql_logins sys.user$".split()
)
#: These tables, and columns in which servers and browsers keep credentials.
CREDENTIALS = CREDENTIAL_TABLES | frozenset(
    ("rolpassword authentication_string password_value encrypted_value encryptedpassword encryptedusername").split()
)
