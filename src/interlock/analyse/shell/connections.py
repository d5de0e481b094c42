"""The database that a command works on: by its options and operands, and by variables that say it is a test run."""

from __future__ import annotations

from interlock.analyse.argv import ParsedArguments
from interlock.analyse.made_files import made_database, made_outside
from interlock.analyse.paths import HOLE
from interlock.analyse.reading import Reading
from interlock.analyse.scratch import TEST_NUMBER, Connection, mark_connection, parse_connection, unmark_drops
from interlock.analyse.scratch_names import is_scratch_name
from interlock.analyse.shell.call import Call

_HOSTS = ("-h", "--host", "-H", "--hostname", "--server", "-S", "--bootstrap-server", "--broker-list")
_NAMES = ("-d", "--dbname", "--database", "-D", "--db", "--keyspace", "-k", "--nsTo")
_URLS = ("--uri", "--url", "-u", "--connection-string", "-d", "--dbname", "--host", "-h")
#: Variables and options that name the environment that a task runs in.
_ENVIRONMENTS = (
    "RAILS_ENV", "RACK_ENV", "MIX_ENV", "NODE_ENV", "APP_ENV", "FLASK_ENV", "DJANGO_ENV", "DJANGO_SETTINGS_MODULE",
    "ENV", "ENVIRONMENT", "DATABASE_URL", "TEST_DATABASE_URL", "PGDATABASE", "DB_NAME",
)  # fmt: skip
_OPTIONS = ("--env", "-e", "--environment", "--settings", "--database", "--connection", "--url", "--database-url", "-d")
#: Programs whose first operand is a database.
_BY_OPERAND = frozenset(
    "psql pgcli mysql mariadb mycli dropdb createdb mongo mongosh usql mysqlimport mariadb-import".split()
)
#: Clients of databases in files.
_FILE_CLIENTS = frozenset({"sqlite3", "sqlite", "litecli", "duckdb"})


def connection_of(call: Call, parsed: ParsedArguments) -> Connection:
    """Return the server and the database that a client connects to, as far as its arguments tell."""
    options = parsed.options
    operands = [value.text for value in parsed.operands]
    if call.program in _FILE_CLIENTS:
        return Connection("localhost", _file_name(operands[0] if operands else ""))
    for text in [*operands, *(options.get(name, "") for name in _URLS)]:
        if "://" in text:
            return parse_connection(text)
        if HOLE in text and text.startswith(HOLE):
            return Connection(text)  # which server it is, is not known
    host = next((options[name] for name in _HOSTS if options.get(name)), "")
    host = host or _variable(call, "PGHOST") or _variable(call, "MYSQL_HOST")
    name = next((options[name] for name in _NAMES if options.get(name)), "") or _variable(call, "PGDATABASE")
    if call.program in _BY_OPERAND and operands:
        name = operands[0]
    elif call.program == "cqlsh" and operands:
        host = operands[0]
    elif call.program.startswith(("redis", "valkey", "keydb")):
        return Connection(host or "localhost", "test" if options.get("-n") == TEST_NUMBER else "")
    name = name.removesuffix(".*")  # `--nsTo 'shop_test.*'`
    return Connection(host.partition(":")[0] if host.count(":") == 1 else host, name)


def _file_name(path: str) -> str:
    """Return the name of the database in a file; one in memory or below `/tmp` is temporary."""
    if path in ("", ":memory:") or path.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")):
        return "tmp"
    return path.rpartition("/")[2].partition(".")[0]


def _variable(call: Call, name: str) -> str:
    value = call.scope.variables.get(name)
    return value if isinstance(value, str) else ""


def mark_effects(call: Call, first: int, parsed: ParsedArguments) -> None:
    """Say of the effects since `first` which database they change; report unread scripts for other machines."""
    connection = connection_of(call, parsed)
    reading = call.scope.reading
    if connection.database and not connection.is_remote and _is_own_copy(reading, connection.database):
        connection = Connection(connection.host, "tmp")
    mark_connection(reading, first, connection)
    if connection.is_remote:
        unmark_drops(reading, first)
    if connection.is_remote and any(effect.kind in ("code.opaque", "code.run") for effect in reading.effects[first:]):
        reading.emit("db.execute", call.site, connection.host, frozenset({"task"}))


def _is_own_copy(reading: Reading, database: str) -> bool:
    """Whether this run made a database as a copy of another one."""
    name = made_database(database)
    return name in reading.made or name in made_outside(reading.effects)


def mark_test_run(call: Call, first: int) -> None:
    """Say of the effects of a task since `first` that they are on scratch data, if it runs in a test environment."""
    found = [_variable(call, name) for name in _ENVIRONMENTS]
    words = call.words
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _OPTIONS:
            found.append(value if equals else words[at + 1] if at + 1 < len(words) else "")
        elif equals and name in _ENVIRONMENTS:
            found.append(value)
    in_use = any("prod" in value.lower() for value in found)
    if in_use and any(effect.kind in _TASK_CHANGES for effect in call.scope.reading.effects[first:]):
        call.scope.reading.emit("infra.change", call.site, " ".join(words[:3]), frozenset({"project_task"}))
    elif not in_use and any(_is_test(value) for value in found if value):
        mark_connection(call.scope.reading, first, Connection("", "test"))


#: What a task does to a database.
_TASK_CHANGES = frozenset("db.write db.alter db.delete db.drop db.execute".split())


def _is_test(value: str) -> bool:
    if HOLE in value:
        return False
    if "://" in value or value.startswith("file:"):
        return parse_connection(value).is_scratch or value.startswith("file:/tmp/") or value == "file::memory:"
    return is_scratch_name(value)
