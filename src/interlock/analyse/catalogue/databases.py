"""Database clients: the SQL that they carry is read as SQL."""

from interlock.analyse.catalogue.spec import Spec

SPECS = (
    Spec(
        "psql pgcli",
        stdin="sql",
        operands="-*",
        does="db.read",
        options={
            "-c --command": "=code:sql",
            "-f --file": "=code.run",
            "-h --host -p --port -U --username -d --dbname -v -o": "=-",
        },
    ),
    Spec(
        "mysql mariadb mycli",
        stdin="sql",
        operands="-*",
        does="db.read",
        options={
            "-e --execute": "=code:sql",
            "-h --host -P --port -u --user -D --database -B": "=-?",
            "-p --password": "=-?",
        },
    ),
    Spec(
        "sqlite3 duckdb litecli",
        stdin="sql",
        operands="fs.read code:sql",
        options={"-cmd": "=code:sql", "-init": "=fs.read", "-header -csv -json -readonly": ""},
    ),
    Spec("sqlcmd", stdin="sql", operands="-*", does="db.read", options={"-Q -q": "=code:sql", "-S -U -P -d": "=-"}),
    Spec("dropdb", operands="db.drop", options={"-h -p -U": "=-"}),
    Spec("dropuser createuser", does="db.grant", operands="-*"),
    Spec("createdb", does="db.write", operands="-*"),
    Spec(
        "pg_dump pg_dumpall mysqldump mongodump mongoexport",
        does="db.read",
        operands="-*",
        options={"-f --file -o --out": "=fs.write", "-h -p -U -d": "=-"},
    ),
    Spec(
        "pg_restore mongorestore mysqlimport",
        does="db.write",
        operands="fs.read*",
        options={"-c --clean --drop": "!db.drop", "-d -h -U -p": "=-"},
    ),
    Spec("redis-cli", operands="-*", does="db.read", options={"-h -p -a -n -u": "=-"}),
    Spec("mongo mongosh", operands="-*", does="db.read", options={"--eval": "=code:javascript"}),
    Spec(
        "cqlsh clickhouse-client clickhouse bq snowsql",
        stdin="sql",
        operands="-*",
        does="db.read",
        options={"-e --execute -q --query": "=code:sql"},
    ),
)
