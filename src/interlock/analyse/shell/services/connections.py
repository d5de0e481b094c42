"""The database that a command works on: by its options and operands, and by variables that say it is a test run."""

from __future__ import annotations

from interlock.analyse.files.created_files import database_copy_name
from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import Reading
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.stores.scratch import (
    TEST_NUMBER,
    DatabaseTarget,
    is_development_server,
    mark_connection,
    mark_test_databases,
    parse_connection,
    unmark_drops,
)
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.knowledge.arguments import ParsedArguments
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.stores import Connections
from interlock.patterns import late

_CONNECTIONS = read_table("connections", Connections)

_HOSTS = _CONNECTIONS.host_options
_PORTS = _CONNECTIONS.port_options
_NAMES = _CONNECTIONS.name_options
_URLS = _CONNECTIONS.url_options
#: Variables and options that name the environment that a task runs in.
_ENVIRONMENTS = _CONNECTIONS.environment_variables
#: Variables and options that name the database itself, which decides.
_DATABASES = _CONNECTIONS.database_variables
_OPTIONS = _CONNECTIONS.task_options
_URL_OPTIONS = _CONNECTIONS.task_url_options
#: Programs whose first operand is a database.
_BY_OPERAND = programs_in("database-clients")
#: Clients of databases in files.
_FILE_CLIENTS = frozenset(_CONNECTIONS.file_clients)


def connection_of(call: ShellCall, parsed: ParsedArguments) -> DatabaseTarget:
    """Return the server and the database that a client connects to, as far as its arguments tell."""
    options = parsed.options
    operands = [value.text for value in parsed.operands]
    if call.program in _FILE_CLIENTS:
        return DatabaseTarget("localhost", _file_name(operands[0] if operands else ""))
    for text in [*operands, *(options.get(name, "") for name in _URLS)]:
        if "://" in text:
            return parse_connection(text)
        if HOLE in text and text.startswith(HOLE):
            return DatabaseTarget(text)  # which server it is, is not known
    host = next((options[name] for name in _HOSTS if options.get(name)), "")
    host = host or _variable(call, "PGHOST") or _variable(call, "MYSQL_HOST")
    name = next((options[name] for name in _NAMES if options.get(name)), "") or _variable(call, "PGDATABASE")
    if call.program in _BY_OPERAND and operands:
        name = operands[0]
    elif call.program == "cqlsh" and operands:
        host = operands[0]
    elif call.program.startswith(("redis", "valkey", "keydb")):
        return DatabaseTarget(host or "localhost", "test" if options.get("-n") == TEST_NUMBER else "")
    name = name.removesuffix(".*")  # `--nsTo 'shop_test.*'`
    return DatabaseTarget(host.partition(":")[0] if host.count(":") == 1 else host, name)


def _file_name(path: str) -> str:
    """Return the name of the database in a file; one in memory or below `/tmp` is temporary."""
    if path in ("", ":memory:") or (path.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) and ".." not in path):
        return "tmp"
    return path.rpartition("/")[2].partition(".")[0]


def _variable(call: ShellCall, name: str) -> str:
    value = call.scope.variables.get(name)
    return value if isinstance(value, str) else ""


def mark_effects(call: ShellCall, first: int, parsed: ParsedArguments) -> None:
    """Say of the effects since `first` which database they change; report unread scripts for other machines."""
    connection = connection_of(call, parsed)
    reading = call.scope.reading
    if connection.database and not connection.is_remote and _is_own_copy(reading, connection.database):
        connection = DatabaseTarget(connection.host, "tmp")
    mark_connection(reading, first, connection)
    if connection.is_remote:
        unmark_drops(reading, first)
    elif any(effect.kind == "db.drop" for effect in reading.effects[first:]):
        port = next((parsed.options[name] for name in _PORTS if parsed.options.get(name)), "")
        if is_development_server(connection.host, port or _variable(call, "PGPORT")):
            mark_test_databases(reading, first)
    if connection.is_remote and any(effect.kind in ("code.opaque", "code.run") for effect in reading.effects[first:]):
        reading.emit("db.execute", call.site, connection.host, frozenset({"task"}))


def _is_own_copy(reading: Reading, database: str) -> bool:
    """Whether this run made a database as a copy of another one."""
    if database_copy_name(database) in reading.made:
        return True
    return any(
        effect.kind == "db.write"
        and "copy" in effect.flags
        and effect.resource is not None
        and effect.resource.name == database
        for effect in reading.effects
    )


def mark_test_run(call: ShellCall, first: int) -> None:
    """Say of the effects of a task since `first` that they are on scratch data, if it runs in a test environment."""
    environments = [_variable(call, name) for name in _ENVIRONMENTS]
    databases = [_variable(call, name) for name in _DATABASES]
    words = call.words
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        text = value if equals else "".join(words[at + 1 : at + 2])
        if name in _URL_OPTIONS and _is_address(text):
            databases.append(text)
        elif name in _OPTIONS or (equals and name in _ENVIRONMENTS):
            environments.append(text)
        elif equals and name in _DATABASES:
            databases.append(value)
    if call.program == "goose":  # `goose sqlite3 ./test.db reset`
        databases += [word for word in words[1:] if _FILE.search(word) or "dbname=" in word or "://" in word]
    _judge_task(call, first, [text for text in environments if text], [text for text in databases if text])


def _judge_task(call: ShellCall, first: int, environments: list[str], databases: list[str]) -> None:
    """Report a task on what is in use or on another machine; the database that is named counts before the rest."""
    reading = call.scope.reading
    in_use = any("prod" in value.lower() for value in environments + databases)
    if in_use or any(_is_elsewhere(value) for value in databases):
        if any(effect.kind in _TASK_CHANGES for effect in reading.effects[first:]):
            reading.emit("infra.change", call.site, " ".join(call.words[:3]), frozenset({"project_task"}))
    elif all(map(_is_test, databases)) if databases else any(map(_is_test_environment, environments)):
        mark_connection(reading, first, DatabaseTarget("", "test"))


#: What a task does to a database.
_TASK_CHANGES = frozenset("db.write db.alter db.delete db.drop db.execute".split())
_NAMED = late(r"(?i)(?:^|[;\s])\s*(?:data source|filename|database|initial catalog|dbname)\s*=\s*([^;\s]+)")
_SERVER = late(r"(?i)(?:^|[;\s])(?:server|host|data source)\s*=\s*(?:tcp:)?([^;,\s]+)")
_FILE = late(r"(?i)\.(?:db3?|sqlite3?|sqlitedb|duckdb)(?:\?|$)")


def _is_address(text: str) -> bool:
    """Whether a text names a database by a URL, a connection string or a file, not an environment by its name."""
    return ":" in text or "=" in text or _FILE.search(text) is not None


def _is_elsewhere(value: str) -> bool:
    """Whether a database is on another machine, as far as its address tells."""
    address = value.removeprefix("jdbc:")
    if "://" in address:
        connection = parse_connection(address)
        return connection.is_remote and HOLE not in connection.host
    found = _SERVER.search(value)
    return found is not None and not _FILE.search(found[1]) and DatabaseTarget(found[1]).is_remote


def _is_test_environment(value: str) -> bool:
    """Whether an environment is one for tests: `test`, `ci`, `shop.settings.ci`."""
    return value.lower().rpartition(".")[2] == "ci" or _is_test(value)


def _is_test(value: str) -> bool:
    if HOLE in value:
        return False
    value = value.removeprefix("jdbc:")
    if value.startswith("h2:mem:") or value.removeprefix("sqlite:") in (":memory:", "file::memory:"):
        return True
    named = _NAMED.search(value)
    if "://" in value and not _FILE.search(value):
        return parse_connection(value).is_scratch
    path = named[1].strip() if named else value.partition("?")[0]
    if _FILE.search(path):
        path = path.removeprefix("sqlite:").removeprefix("file:")
        path = path[2:] if path.startswith("//") else path
        return is_scratch_name(_file_name(path[1:] if path.startswith(("//", "/./")) else path))
    return is_scratch_name(path)
