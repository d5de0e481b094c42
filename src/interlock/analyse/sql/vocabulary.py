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
    **dict.fromkeys("list ls deallocate summarize from pivot unpivot return goto raiserror throw signal".split(), "db.read"),
    **dict.fromkeys("collect runstats enable convert generate cache uncache locking connect disconnect whenever".split(), "db.read"),
    **dict.fromkeys("revert xa leave iterate resignal receive sel database ping".split(), "db.read"),
    **dict.fromkeys("upd ins inject reorg clone fsck".split(), "db.write"),
    **dict.fromkeys("flashback dbcc runscript script reconfigure disable audit noaudit administer binlog".split(), "db.execute"),
    **dict.fromkeys("associate disassociate send host spool".split(), "db.execute"),
    "system": "db.execute",
    "delete": "db.delete",
    "remove": "db.delete",
    "rm": "db.delete",
    "del": "db.delete",
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
    "create or replace database": "db.drop database",
    "create or replace schema": "db.drop schema",
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
    "create java": "db.execute outside",
    "create or replace java": "db.execute outside",
    "create and compile java": "db.execute outside",
    "create or replace and compile java": "db.execute outside",
    "create library": "db.execute outside",
    "create or replace library": "db.execute outside",
    "create directory": "db.execute outside",
    "create or replace directory": "db.execute outside",
    "create external function": "db.execute outside",
    "create or replace external function": "db.execute outside",
    "create external access integration": "db.execute outside",
    "create or replace external access integration": "db.execute outside",
    "create storage integration": "db.execute outside",
    "create or replace storage integration": "db.execute outside",
    "create notification integration": "db.execute outside",
    "create api integration": "db.execute outside",
    "create or replace api integration": "db.execute outside",
    "create network policy": "db.grant",
    "create network rule": "db.grant",
    "create share": "db.grant",
    "alter share": "db.grant",
    "alter account": "db.alter server",
    "alter network policy": "db.grant",
    "create linked server": "db.execute outside",
    "create endpoint": "db.execute outside",
    "create event": "db.execute server",
    "create row policy": "db.grant",
    "create quota": "db.grant",
    "create settings profile": "db.alter server",
    "create publication": "db.execute outside",
    "import foreign schema": "db.execute outside",
    "set role": "db.grant role",
    "set session authorization": "db.grant role",
    "set local role": "db.grant role",
    "reset role": "db.read",
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
    "flashback": "db.drop replaced",
    "restore table": "db.drop replaced",
    "purge": "db.delete unbounded",
    "fsck repair": "db.delete many",
    "clone instance": "db.execute outside",
    "dbcc": "db.read",
    "dbcc shrinkdatabase": "db.alter server",
    "dbcc shrinkfile": "db.alter server",
    "dbcc writepage": "db.alter server",
    "dbcc dropcleanbuffers": "db.alter server",
    "dbcc freeproccache": "db.alter server",
    "dbcc traceon": "db.alter server",
    "dbcc traceoff": "db.alter server",
    "reconfigure": "db.alter server",
    "disable trigger": "db.alter",
    "audit": "db.alter server",
    "noaudit": "db.alter server",
    "administer key": "db.alter server",
    "alter audit": "db.alter server",
    "drop audit": "db.alter server",
    "create audit": "db.alter server",
    "runscript": "db.execute outside",
    "script": "db.execute outside",
    "host": "db.execute outside",
    "spool": "db.execute outside",
    "create alias": "db.execute outside",
    "create external table": "db.execute outside",
    "create or replace external table": "db.execute outside",
    "create warehouse": "db.alter server",
    "create or replace warehouse": "db.alter server",
    "create compute": "db.alter server",
    "create resource": "db.alter server",
    "open master key": "db.execute outside",
    "open symmetric key": "db.execute outside",
    "backup certificate": "db.execute outside",
    "backup master key": "db.execute outside",
    "set sql_log_bin": "db.alter server",
    "set session sql_log_bin": "db.alter server",
    "set log_statement": "db.alter server",
    "set foreign_key_checks": "db.read",
    "xa rollback": "db.execute sessions",
    "system drop replica": "db.drop table",
    "system drop database": "db.drop table",
    "system restore": "db.alter",
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
    "remove": "db.delete many",
    "rm": "db.delete many",
    "get": "db.read",
    "list": "db.read",
    "ls": "db.read",
    "reload": "db.execute server",
    "system shutdown": "db.execute sessions",
    "system kill": "db.execute sessions",
    "system drop": "db.write",
    "system flush": "db.write",
    "system reload": "db.write",
    "system stop": "db.alter server",
    "system start": "db.alter server",
    "detach table": "db.alter",
    "detach database": "db.read",
    "detach permanently": "db.drop table",
    "vacuum full": "db.alter",
    "alter index": "db.write",
    "alter procedure": "db.write",
    "alter function": "db.write",
    "alter package": "db.write",
    "alter view": "db.write",
    "alter trigger": "db.write",
    "alter sequence": "db.write",
    "alter session": "db.read",
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
            "java_method reflect reflect2 external_query csvwrite file_write file_read linkxls fileread "
            "ml.generate_text ai.generate ai_complete ai_generate_text snowflake.cortex.complete"
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

#: First part of the names of functions that reach files, programs or other machines: a package, or a family.
OUTSIDE_FAMILIES = (
    "utl_http. utl_file. utl_tcp. utl_smtp. utl_mail. utl_inaddr. utl_dbws. dbms_scheduler. dbms_job. dbms_java. dbms_java_test. "
    "dbms_ldap. dbms_cloud. dbms_cloud_admin. dbms_datapump. dbms_advisor. dbms_xslprocessor. dbms_sys_sql. dbms_backup_restore. "
    "dbms_file_transfer. dbms_lob.fileopen dbms_lob.loadfromfile dbms_network_acl_admin. dbms_credential. dbms_aq. dbms_alert. "
    "apex_web_service. apex_mail. os_command. file_pkg. owa_util. httpuritype. dburitype. xdburitype. "
    "pg_read_ pg_ls_ pg_file_ pg_stat_file lo_import lo_export lo_put "
    "aws_s3. aws_lambda. aws_commons. cron.schedule cron.unschedule cron.alter_job pgagent. plpy. "
    "sys_exec sys_eval sys_get sys_set lib_mysqludf xp_ sp_oa sp_execute_external sp_addextendedproc sp_addlinkedserver sp_makewebtask "
    "sp_send_dbmail sp_add_job sp_add_jobstep sp_start_job sp_invoke_external_rest_endpoint system$send system$start_oauth "
    "load_extension readfile writefile fileio_ azure_ml. azure_storage. google_ml. ml.remote_ "
    "apoc.load. apoc.export. apoc.import. apoc.periodic. apoc.systemdb. apoc.trigger. apoc.cypher.runfile"
).split()
#: Procedures of SQL Server, by the beginning of their names, that only show something.
SHOWING_PROCEDURES = (
    "sp_help sp_columns sp_tables sp_who sp_spaceused sp_lock sp_depends sp_stored_procedures sp_describe sp_databases "
    "sp_monitor sp_pkeys sp_fkeys sp_statistics sp_server_info sp_special_columns sp_refreshview sp_recompile "
    "sp_updatestats sp_executesql_help sp_readerrorlog sp_tableoption_help sp_rename_help xp_msver xp_readerrorlog "
    "dbms_output. dbms_stats. dbms_xplan. dbms_metadata. dbms_utility. dbms_mview.refresh"
).split()
#: First words of the name of a procedure or function that only reads.
READING_VERBS = frozenset(
    "get list find select show fetch search count calc calculate compute sum report check validate verify describe read "
    "lookup view print explain preview is has to format".split()
)
#: First words of the name of a procedure or function that deletes.
DELETING_VERBS = frozenset(
    "drop delete purge truncate remove wipe clear clean cleanup erase destroy flush reset expire prune".split()
)
#: Functions of DuckDB that read the files whose paths they are given.
FILE_READERS = frozenset(
    "read_csv read_csv_auto read_parquet parquet_scan parquet_metadata parquet_schema read_json read_json_auto read_json_objects "
    "read_ndjson read_ndjson_auto read_ndjson_objects read_text read_blob read_xlsx sniff_csv glob st_read sqlite_scan "
    "delta_scan iceberg_scan read_avro".split()
)
#: Table functions of ClickHouse that read files, addresses, programs and other servers.
REMOTE_READERS = frozenset(
    "url urlcluster s3 s3cluster gcs hdfs file filecluster executable remote remotesecure mysql postgresql mongodb redis sqlite odbc "
    "jdbc azureblobstorage deltalake iceberg hudi".split()
)
#: Extensions that the makers of DuckDB publish.
EXTENSIONS = frozenset(
    "json parquet icu fts excel spatial sqlite sqlite_scanner postgres postgres_scanner mysql mysql_scanner tpch tpcds autocomplete "
    "inet httpfs aws azure iceberg delta vss arrow jemalloc substrait avro ducklake ui motherduck".split()
)

#: Procedures that run dynamic SQL.
DYNAMIC = frozenset({"sp_executesql", "dbms_sql.parse"})

#: Languages whose functions run with the rights of the server process.
UNTRUSTED = frozenset(
    "c internal plpythonu plpython2u plpython3u plperlu pltclu plsh plrubyu plr pljavau plv8u java python javascript scala".split()
)
#: Tables in which a server keeps the jobs, routines and libraries that it runs.
RUNNING_TABLES = frozenset(
    "cron.job pga_job pga_jobstep pga_schedule sysjobs sysjobsteps sysjobschedules mysql.event mysql.func mysql.plugin "
    "mysql.servers mysql.proc pg_proc pg_language pg_trigger pg_event_trigger pg_foreign_server".split()
)
#: Extensions that add such languages, or access to files or other servers.
REACHING_EXTENSIONS = frozenset(
    "plpythonu plpython3u plperlu pltclu plsh dblink file_fdw postgres_fdw adminpack lo http pg_net pg_cron aws_lambda aws_s3 oracle_fdw".split()
)
#: Tables in which servers keep credentials beside other columns.
CREDENTIAL_TABLES = frozenset(
    "pg_shadow pg_authid pg_user_mappings pg_user_mapping mysql.user mysql.global_priv sys.sql_logins sys.syslogins master.sys.sql_logins sys.user$ duckdb_secrets "
    "sys.link$ dba_db_links sys.user_history$ system_auth.roles sys.credentials sys.linked_logins".split()
)
#: These tables, and columns in which servers and browsers keep credentials.
CREDENTIALS = CREDENTIAL_TABLES | frozenset(
    (
        "rolpassword authentication_string password_value encrypted_value encryptedpassword encryptedusername "
        "salted_hash spare4 password_versions_hash"
    ).split()
)
