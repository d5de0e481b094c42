"""Database clients: meta commands, scripts and other query languages; and migration tools."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.argv import parse
from interlock.analyse.flow import NONE, NOTHING, UNKNOWN, Flow
from interlock.analyse.scripts.clients import read_meta_command
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import apply, read
from interlock.analyse.shell.execution import run_file, run_flow
from interlock.analyse.shell.output.provenance import trace_output
from interlock.analyse.shell.readers.service_clients import client
from interlock.analyse.shell.services.connections import mark_effects, mark_test_run
from interlock.analyse.stores.redis import redis_command
from interlock.effects import READS
from interlock.knowledge.arguments import ArgumentValue, ParsedArguments
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Command
from interlock.patterns import late

_PROGRAM = late(r"(?i)^[ \t]*\\copy\b.*\b(?:from|to)\s+program\s")
_META = late(r"^\s*[\\.](\w+|[?!])\s*(\S*)")
_CHANGES = frozenset("restore import clone recover load".split())


def _spec(call: ShellCall) -> Command:
    return PROGRAMS[call.program]


def sql_client(call: ShellCall) -> Flow:
    """A client of a SQL database: analyse its meta commands (`\\!`, `.shell`) apart from its statements."""
    spec = _spec(call)
    parsed = parse(call.words, spec)
    for value in [*parsed.values, *parsed.operands]:
        if value.text.lstrip()[:1] in ("\\", ".") or value.text.startswith("system "):
            _read_meta(call, value)
    call = _extract_meta(call)
    parsed.values = [value for value in parsed.values if not _is_meta(value)]
    parsed.operands = [value for value in parsed.operands if value.at == 1 or not _is_meta(value)]
    if "-readonly" in parsed.options:
        call.scope.reading.emit("db.read", call.site, parsed.operands[0].text if parsed.operands else None)
        return UNKNOWN
    first = len(call.scope.reading.effects)
    flow = apply(call, spec, parsed)
    mark_effects(call, first, parsed)
    return flow


def _by_catalogue(call: ShellCall) -> Flow:
    """A client that the catalogue describes: the effects are on the database that its arguments name."""
    spec = _spec(call)
    first = len(call.scope.reading.effects)
    flow = read(call, spec)
    parsed = parse(call.words, spec)
    if "drop" in call.words[:-1]:
        parsed.options.setdefault("-d", call.words[call.words.index("drop") + 1])  # `mysqladmin drop NAME`
    if call.program == "createdb" and _is_named_after_template(parsed):
        call.scope.reading.mark_effects(first, "db.write", frozenset({"copy"}))
    mark_effects(call, first, parsed)
    return flow


def _is_named_after_template(parsed: ParsedArguments) -> bool:
    """Whether `createdb -T shop shop_copy` makes a copy whose name says so."""
    template = parsed.options.get("-T") or parsed.options.get("--template") or ""
    name = parsed.operands[0].text if parsed.operands else ""
    return bool(template) and name.startswith((f"{template}_", f"{template}-"))


def _extract_meta(call: ShellCall) -> ShellCall:
    """Analyse the meta commands on standard input; return the call with the other lines."""
    text = call.stdin.text
    if not text or ("\\" not in text and "." not in text and "system" not in text):
        return call
    rest = []
    for line in text.split("\n"):
        if line.lstrip()[:1] in ("\\", ".") or line.startswith("system "):
            _read_meta(call, ArgumentValue("", line, 0))
        else:
            rest.append(line)
    return call.with_words(call.words, call.nodes, Flow("\n".join(rest), call.stdin.marks, call.stdin.url))


def _is_meta(value: ArgumentValue) -> bool:
    return _META.match(value.text[:200]) is not None and not value.text.startswith(("./", "../"))


def _read_meta(call: ShellCall, value: ArgumentValue) -> None:
    """Analyse a meta command: it may run a shell command or a script, write a file, or change the database."""
    reading, site = call.scope.reading, call.site
    found = _META.match(value.text)
    name = found.group(1) if found else ""
    if value.text.startswith(("./", "../")):
        return
    if name == "copy" and not _PROGRAM.match(value.text) and _read_copy(call, value.text):
        return
    if read_meta_command(reading, value.text, site.behind(call.words[0])) or found is None:
        if name in _CHANGES:
            reading.emit("db.write", site, name)
        return
    if name == "restore" and call.program.startswith("sqlite"):
        reading.emit("db.drop", site, name, frozenset({"replaced"}))
    else:
        reading.emit("db.write" if name in _CHANGES else "db.read", site, name)


def _read_copy(call: ShellCall, text: str) -> bool:
    """Analyse `\\copy`: it writes what it reads to a file, or a file to a table."""
    found = _COPY.match(text)
    if found is None:
        return False
    source, direction, path = found[1] or found[2], found[3].lower(), found[4] or found[5] or found[6]
    reading, site = call.scope.reading, call.site
    if direction == "from":
        reading.file("fs.read", site, path)
        reading.emit("db.write", site, source)
        return True
    first = len(reading.effects)
    reading.nest("sql", source if found[1] else f"SELECT * FROM {source}", site.behind("copy"))
    marks = trace_output(call.program, call.words, reading, first, NONE, "")[0]
    reading.file("fs.write", site, path)
    reading.files[reading.places.resolve(path, call.scope.cwd) or path] = Flow(None, marks)
    return True


_COPY = late(
    r"(?is)^\s*\\copy\s+(?:\((.{1,5000}?)\)|([\w.\"]+)(?:\s*\([^)]*\))?)\s+(to|from)\s+"
    r"(?:'([^']+)'|\"([^\"]+)\"|(\S+))"
)


_RESHAPES = frozenset("del-node reshard rebalance fix import call".split())


def mongo(call: ShellCall) -> Flow:
    """`mongosh`: run the script files among its operands."""
    spec = _spec(call)
    for value in parse(call.words, spec).operands:
        if value.text.endswith((".js", ".mjs")):
            run_file(call, value.text, "mongo")
    return _by_catalogue(call)


_SHELL_LANGUAGES = {"--py": "python", "--python": "python", "--js": "javascript", "--javascript": "javascript"}


def mysqlsh(call: ShellCall) -> Flow:
    """`mysqlsh`: its code and its scripts may be in Python or JavaScript."""
    parsed = parse(call.words, _spec(call))
    language = next((name for option, name in _SHELL_LANGUAGES.items() if option in parsed.options), "")
    for value in parsed.values:
        if value.role == "code:sql" and language:
            call.scope.reading.nest(language, value.text, call.inner(value.at))
        elif value.role == "code.run" and value.text.endswith((".py", ".js")):
            run_file(call, value.text, "python" if value.text.endswith(".py") else "javascript")
    return _by_catalogue(call)


def _keyed_store(call: ShellCall) -> Flow:
    """`etcdctl`, `consul kv`: a key that is named like a secret gives one."""
    words, effects = call.words[1:], call.scope.reading.effects
    told = bool(effects) and effects[-1].kind == "secret.read" and effects[-1].span == call.site.span
    if not told and "get" in words and any(_SECRET_KEY.search(word) for word in words if word[:1] != "-"):
        call.scope.reading.emit("secret.read", call.site, " ".join(words[:3]), frozenset({"store"}))
    flow = client(call)
    if call.program == "etcdctl":
        _run_after_key(call)
    return flow


def _run_after_key(call: ShellCall) -> None:
    """Analyse the command of `etcdctl watch KEY -- COMMAND`, `lock NAME COMMAND` and `elect`, which runs here."""
    operands = parse(call.words, _spec(call)).operands
    name = operands[0].text if operands else ""
    if name == "watch" and "--" in call.words:
        call.tail(call.words.index("--") + 1, "etcdctl watch")
    elif name == "lock" and len(operands) > 2:
        call.tail(operands[2].at, "etcdctl lock")


_SECRET_KEY = late(r"(?i)secrets?\b|passw|token|credential|private.?key|api.?key")


def redis(call: ShellCall) -> Flow:
    """`redis-cli`: the operands are one command; without operands, commands come from standard input."""
    spec = _spec(call)
    parsed = parse(call.words, spec)
    if parsed.options.get("--cluster") in _RESHAPES:
        call.scope.reading.emit("db.alter", call.site, "--cluster")
        return UNKNOWN
    if not parsed.operands:
        return run_flow(call, call.stdin, "redis", "redis-cli") if call.stdin is not NOTHING else read(call, spec)
    words = [value.text for value in parsed.operands]
    first = len(call.scope.reading.effects)
    for start in range(
        min(len(words), 2 if _has_unknown(parsed) else 1)
    ):  # after an unknown option, the first operand may be its value
        redis_command(call.scope.reading, words[start:], call.site)
        if words[start].upper() == "EVAL" and len(words) > start + 1 and _LUA_OUTSIDE.search(words[start + 1]):
            call.scope.reading.nest("lua", words[start + 1], call.site.behind("EVAL"))
    mark_effects(call, first, parsed)
    return UNKNOWN


#: Libraries of Lua that a server's scripts have no use for.
_LUA_OUTSIDE = late(r"\b(?:os|io|package|debug)\s*[.\[]|\b(?:loadfile|dofile|require)\b")


def _has_unknown(parsed: ParsedArguments) -> bool:
    return any(name not in parsed.spec.option_table for name in parsed.options)


# Migration tool → the subcommand, and the argument with which it reverts every migration.
_TO_THE_START = {
    "alembic": ("downgrade", "base"),
    "flask": ("downgrade", "base"),
    "goose": ("down-to", "0"),
    "phinx": ("rollback", "0"),
    "manage.py": ("migrate", "zero"),
    "django-admin": ("migrate", "zero"),
    "django": ("migrate", "zero"),
}
#: Subcommands of the coding agent that has the same name.
_GOOSE_AGENT = frozenset("run session configure recipe web mcp info project projects schedule acp term bench".split())
_GOOSE = {"reset": "db.drop", "status": "db.read", "version": "db.read", "create": "fs.write", "validate": "db.read"}


def migration(call: ShellCall) -> Flow:
    """A migration tool: reverting every migration drops the whole schema."""
    name = call.program
    command, end = _TO_THE_START[name]
    reading, site = call.scope.reading, call.site
    words = call.words[1:]
    if command in words and end in words[words.index(command) :] and "--sql" not in words and "--plan" not in words:
        first = len(reading.effects)
        flags = frozenset({"task", "rollback"})
        reading.emit("db.drop", site, " ".join(words[:3]), flags)
        mark_test_run(call, first)
        return UNKNOWN
    if name == "goose" and words[:1] and words[0] in _GOOSE_AGENT:
        from interlock.analyse.shell.readers.coding_agents import goose_agent

        return goose_agent(call)
    if name == "goose":
        kind = next((_GOOSE[word] for word in words if word in _GOOSE), "db.write")
        first = len(reading.effects)
        reading.emit(kind if kind != "fs.write" else "process.spawn", site, " ".join(words[-2:]), frozenset({"task"}))
        mark_test_run(call, first)
        return UNKNOWN
    return read(call, _spec(call))


#: sqlite's shell has a function that starts an editor, which is any command.
_EDIT = late(r"(?i)\bedit\s*\((?:[^()']|'[^']*'){1,2000}?,\s*'((?:[^']|'')+)'\s*\)")


def _file_database(call: ShellCall) -> Flow:
    """A client of a database in a file: changing Interlock's own store counts as disabling it."""
    reading = call.scope.reading
    first = len(reading.effects)
    for text in [*call.words[1:], call.stdin.text or ""]:
        for editor in _EDIT.finditer(text):
            reading.nest("shell", editor[1].replace("''", "'"), call.site.behind("edit"))
    flow = sql_client(call)
    found = reading.effects[first:]
    changes = any(effect.kind.startswith("db.") and effect.kind not in READS for effect in found)
    if changes and any("guard_config" in effect.flags for effect in found):
        reading.emit("defence.disable", call.site, call.program, frozenset({"guard_config"}))
    return flow


DATABASES: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys("psql pgcli mysql mariadb mycli".split(), sql_client),
    **dict.fromkeys("sqlite3 sqlite litecli duckdb".split(), _file_database),
    **dict.fromkeys(("mongo", "mongosh"), mongo),
    "mysqlsh": mysqlsh,
    **dict.fromkeys(("etcdctl", "consul"), _keyed_store),
    **dict.fromkeys("redis-cli valkey-cli keydb-cli".split(), redis),
    **dict.fromkeys(_TO_THE_START, migration),
    **dict.fromkeys(
        (
            "dropdb createdb pg_restore mongorestore mysqlimport mariadb-import mongoimport mysqladmin mariadb-admin "
            "cqlsh clickhouse-client sqlcmd usql vsql"
        ).split(),
        _by_catalogue,
    ),
}
