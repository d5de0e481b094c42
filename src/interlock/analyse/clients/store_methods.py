"""What the methods of store clients do, by name. A meaning is a kind of effect and its flags."""

from __future__ import annotations


def _rows(rows: dict[str, str]) -> dict[str, str]:
    """Return one entry for each name."""
    return {name: meaning for names, meaning in rows.items() for name in names.split()}


#: Library → the family of stores that its clients belong to.
CLIENT_MODULES = _rows(
    {
        "redis valkey aioredis rediscluster fakeredis walrus": "redis",
        "pymongo motor mongoengine beanie mongomock": "mongo",
        "elasticsearch opensearchpy elasticsearch_dsl opensearch_dsl": "search",
        "meilisearch typesense algoliasearch pysolr": "search",
        "kafka confluent_kafka aiokafka pika aio_pika kombu celery nats pulsar stomp": "queue",
        "etcd3 etcd consul kazoo pymemcache memcache pylibmc aiomcache": "kv",
        "minio swiftclient fsspec s3fs gcsfs adlfs ossfs s3path cloudpathlib smart_open": "object",
        "deltalake pyiceberg": "lake",
        "rq huey dramatiq arq": "jobs",
        "neo4j py2neo arango": "graph",
        "qdrant_client pinecone weaviate chromadb pymilvus lancedb": "vector",
        "influxdb_client influxdb couchdb couchbase rethinkdb": "document",
        "mlflow wandb": "tracking",
        "git pygit2 dulwich": "git",
        "sqlite3 aiosqlite psycopg2 psycopg asyncpg pymysql MySQLdb mysql mariadb pyodbc oracledb cx_Oracle": "sql",
        "snowflake clickhouse_connect clickhouse_driver duckdb sqlalchemy databases peewee cassandra": "sql",
        "records dataset trino vertica_python": "sql",
    }
)
#: Libraries that keep everything in memory, for tests.
IN_MEMORY = frozenset({"fakeredis", "mongomock"})
#: Functions that give a store in memory, if they are given nothing.
MEMORY_BY_DEFAULT = frozenset({"chromadb.EphemeralClient", "chromadb.Client", "duckdb.connect", "tinydb.TinyDB"})
#: Functions that give a store in memory, whatever they are given.
MEMORY_ALWAYS = frozenset({"chromadb.EphemeralClient"})
#: Methods that make something new → where the name of it stands.
CREATING = frozenset(
    (
        "queue_declare create_topics create_topic create_queue create_collection create_index add_stream make_bucket "
        "create_bucket create_stream create_table create_keyspace create_database exchange_declare"
    ).split()
)
#: Families whose clients connect to this machine unless they are told otherwise.
LOCAL_BY_DEFAULT = frozenset({"redis", "mongo", "search", "vector", "git"})

#: Methods that take a statement.
SQL_TEXTS = frozenset(
    (
        "execute executemany executescript sql query command run exec_driver_sql execute_async execute_sql "
        "cypher_query raw fetch_all fetchall run_query cypher write_transaction execute_query"
    ).split()
)

#: Methods of any object that say by their name what they drop or empty.
METHODS = _rows(
    {
        "flushall flushdb flush_all flush_db drop_database drop_db dropDatabase": "db.drop database",
        "delete_database drop_keyspace": "db.drop database",
        "delete_dataset drop_schema deleteDatabase": "db.drop database",
        "drop_all drop_tables drop_table drop_collection delete_collection drop_collections": "db.drop table",
        "delete_index delete_indices delete_table delete_keyspace delete_namespace": "db.drop table",
        "remove_bucket delete_vhost delete_graph": "db.drop table",
        "delete_by_query delete_prefix remove_objects delete_records bulk_delete delete_where": "db.delete many",
        "delete_many deleteMany": "db.delete filter",
        "update_many updateMany": "db.write filter",
        "delete_topics delete_topic delete_consumer_groups": "db.drop queue",
        "queue_delete queue_purge purge_queue delete_queue": "db.drop queue",
        "exchange_delete delete_subscription": "db.drop queue",
        "delete_run delete_experiment delete_registered_model delete_model_version": "db.delete many",
        "delete_user delete_users": "db.delete many",
    }
)

#: Family and path or method → meaning; a library's own function stands by its full name.
FAMILY_METHODS = {
    f"{family} {name}": meaning
    for family, rows in {
        "redis": {
            "config_set module_load": "db.execute outside",
            "shutdown debug_segfault": "db.execute stopped",
            "eval evalsha": "db.read",
            "acl_setuser acl_deluser": "db.grant",
            "slaveof replicaof": "db.execute outside",
        },
        "mongo": {"drop": "db.drop table", "remove": "db.delete filter", "delete_one": "db.delete"},
        "queue": {
            "flush": "db.read",
            "control.purge": "db.drop queue",
            "control.broadcast control.shutdown": "db.execute stopped",
            "delete": "db.drop queue",
        },
        "object": {"rm rm_file rmdir delete unlink rmtree remove_object": "db.delete many"},
        "lake": {"vacuum delete drop_table drop_namespace purge_table overwrite": "db.delete many"},
        "jobs": {"empty delete flush obliterate cancel_all": "db.drop queue"},
        "kv": {"delete_all flush": "db.drop database"},
        "tracking": {"delete": "db.delete many"},
        "sql": {"drop_all": "db.drop table", "drop": "db.drop table", "truncate_table": "db.delete unbounded"},
        "vector": {
            "delete": "db.delete many",
            "reset": "db.drop database",
            "recreate_collection": "db.drop table",
            "collections.delete collections.delete_all schema.delete_class schema.delete_all": "db.drop table",
        },
        "search": {
            "indices.delete": "db.drop table",
            "delete": "db.delete",
            "indices.close indices.put_settings ilm.put_lifecycle ilm.delete_lifecycle": "db.alter",
            "delete_all_documents clear_objects delete_documents_by_filter": "db.delete unbounded",
            "snapshot.restore": "db.drop replaced",
            "snapshot.create_repository": "db.execute outside",
        },
        "document": {"recursive_delete": "db.delete many", "flush": "db.drop database"},
    }.items()
    for name, meaning in _rows(rows).items()
}

#: First words of methods that drop, and of methods that delete what the other words or the arguments name.
DROPPING = frozenset("drop flush purge truncate wipe destroy".split())
DELETING = frozenset("delete remove clear erase rmtree".split())
#: What holds many things, so that deleting one of it deletes them all.
NOUNS = frozenset(
    (
        "database databases db collection collections index indices indexes indice table tables keyspace bucket "
        "buckets topic topics queue queues container vhost namespace dataset schema tenant snapshot snapshots backup "
        "backups repository stream streams"
    ).split()
)
#: First words of methods that give or take rights, and what they are given to.
GRANTING = frozenset("create put add set update grant change delete invalidate bootstrap".split())
ACCOUNTS = frozenset("acl user users role roles permission permissions privileges security password".split())
#: First words of methods that change settings, and what these are called.
SETTING = frozenset("put set update alter reset".split())
SETTINGS = frozenset("settings config configs configuration policy".split())
