"""Calls of store clients in scripts: statements that they run, and what their methods drop, delete or change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.clients.service_effects import find_named_arguments
from interlock.analyse.clients.service_words import split_name
from interlock.analyse.clients.store_effects import (
    StoreCall,
    emit_at_place,
    matches_everything,
    meaning_by_verb,
    narrow_place,
    resolve_meaning,
    takes_in_many,
)
from interlock.analyse.clients.store_methods import (
    DELETING,
    DROPPING,
    FAMILY_METHODS,
    LOCAL_BY_DEFAULT,
    METHODS,
    NOUNS,
    SQL_TEXTS,
)
from interlock.analyse.clients.store_places import (
    CONNECTIONS,
    LOCAL,
    REMOTE,
    SCRATCH,
    UNCERTAIN,
    place_of_connection,
    place_of_text,
)
from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.library_clients import (
    MAKING,
    TABLE,
    client_parts,
    find_known_texts,
    is_client,
    raw_texts,
)
from interlock.analyse.scripts.values import Choice, Ref, as_text
from interlock.analyse.sql import looks_like_sql
from interlock.analyse.stores.scratch import DatabaseTarget, mark_connection
from interlock.analyse.stores.scratch_names import REAL, is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_WORDS = read_table("method-words", MethodWords)

STATEMENTS = SQL_TEXTS | frozenset(TABLE.statements.methods)
_FILES, _MEMORY = frozenset(TABLE.files.packages), frozenset(TABLE.memory.packages)
_HOSTS = _WORDS.store_hosts
_NAMES = _WORDS.store_names
#: `dbi:mysql:shop;host=db.example.com`, `host=localhost dbname=shop`, `jdbc:postgresql://…`, `sqlite:data.db`
_PAIR = late(r"(?i)\b(host|server|dbname|database|db|data source)\s*=\s*([^;,\s]+)")
_FILE = late(r"(?i)^(?:dbi:|jdbc:)?(?:sqlite|duckdb)\w*:(?:dbname=|database=)?(?!//)(.+)$")
_WHERE = _WORDS.conditions
_CLEARING = _WORDS.clearing
_UPDATING = _WORDS.updating
#: Columns that say what somebody may do.
_RIGHTS = _WORDS.right_columns
#: Methods that choose a part of a store by its name.
_CHOOSING = _WORDS.choosing
_MAX_PATH = 180


def make_store(script: Script, family: str, name: str, arguments: list[Any], start: Any) -> Ref:
    """Return the client that a function of a library gives; one that does something at once is read."""
    place = place_of_store(family, name, arguments)
    root, _, method = name.partition(".")
    if "connect" in method.lower() and arguments:
        script.connected[root] = place
    elif place in (UNCERTAIN, LOCAL) and root in script.connected:
        place = script.connected[root]
    client = Ref(f"store {family} {place} {name}"[:_MAX_PATH])
    _report_file(script, name, arguments, start)
    last = name.rpartition(".")[2]
    if last not in MAKING and not last[:1].isupper():
        call_store(script, client, arguments, start)
    return client


def _report_file(script: Script, name: str, arguments: list[Any], start: Any) -> None:
    """Report the file that a store of one file reads."""
    low = name.lower()
    first = next((text for text in raw_texts(arguments) if text), "")
    found = _FILE.match(first)
    path = found[1] if found else first if any(low.startswith(package) for package in _FILES) else ""
    if not path and "sqlite" in as_text(arguments).lower():  # a driver among the arguments
        path = next((text for text in find_known_texts(arguments) if "/" in text or text.endswith(_ENDINGS)), "")
    if path and path != ":memory:" and not looks_like_sql(path) and "://" not in path:
        script.reading.file("fs.read", script.where(start), path.removeprefix("file:").partition("?")[0])


_ENDINGS = (".db", ".sqlite", ".sqlite3", ".duckdb")


def place_of_store(family: str, name: str, arguments: list[Any]) -> str:
    """Return where a client leads: `scratch`, `local`, `remote` or `unknown`."""
    low = name.lower()
    if any(low.startswith(package) for package in _MEMORY):
        return SCRATCH
    given = [client_parts(value)[2] for value in arguments if is_client(value)]
    pairs = [(key.lower(), as_text(value)) for key, value in find_named_arguments(arguments)]
    hosts = [value for key, value in pairs if key in _HOSTS and value]
    hosts += [text for argument in arguments[:2] for text in _positional(argument)]
    places = [*given, *(_place_of_host(text) for text in hosts)]
    found = next((place for place in (REMOTE, SCRATCH, LOCAL, UNCERTAIN) if place in places), "")
    names = [value for key, value in pairs if key in _NAMES]
    if found != REMOTE and any(is_scratch_name(text) for text in names if HOLE not in text):
        return SCRATCH
    return found or (LOCAL if family in LOCAL_BY_DEFAULT else UNCERTAIN)


def _positional(argument: Any) -> list[str]:
    if isinstance(argument, str):
        return [argument]
    if isinstance(argument, list):
        return [text for text in argument if isinstance(text, str)]
    return [text for one in argument.values for text in _positional(one)] if isinstance(argument, Choice) else []


def _place_of_host(text: str) -> str:
    if HOLE in text and "://" not in text:  # a variable: its name may tell
        words = set(split_name(text))
        return REMOTE if words & REAL else SCRATCH if words & {"test", "tests"} else UNCERTAIN
    found = _FILE.match(text)
    if found:
        return place_of_text(found[1])
    pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
    if pairs:
        host = pairs.get("host") or pairs.get("server") or pairs.get("data source") or ""
        return place_of_connection(
            DatabaseTarget(host, pairs.get("dbname") or pairs.get("database") or pairs.get("db") or "")
        )
    if text.startswith(("jdbc:", "dbi:", "DBI:")):
        text = text.partition(":")[2]
        return place_of_text(text) if "://" in text else UNCERTAIN
    return "" if looks_like_sql(text) or " " in text else place_of_text(text)


def call_store(script: Script, client: Ref, arguments: list[Any], start: Any) -> Any:
    """Emit the effects of a call of a store's client; return the client."""
    _, family, place, path = client_parts(client)
    method = path[-1]
    if is_statement(script, arguments, start, place, family):
        return Ref(client.name)
    narrowed = _narrow(place, path, arguments)
    snake = "_".join(split_name(method)).removeprefix("db_")
    tail = ".".join(path[-2:])
    effect = (
        _find_configured_drop(snake, arguments)
        or FAMILY_METHODS.get(f"{family} {tail}")
        or FAMILY_METHODS.get(f"{family} {snake}")
        or METHODS.get(snake)
        or METHODS.get(method)
        or (_by_rows(snake, path, arguments) if family in ("sql", "orm") else _by_verb(snake, path, arguments))
    )
    if effect:
        _emit(script, effect, narrowed, path, arguments, start)
    name = client.name.removesuffix(".then")
    if narrowed != place and snake in _CHOOSING:  # `client.db("shop_test")`
        name = name.replace(f"store {family} {place} ", f"store {family} {narrowed} ", 1)
    if arguments and snake in _WHERE and _names_key(arguments):
        name += ".one"
    return Ref(name) if len(name) <= _MAX_PATH else Ref(f"store {family} {narrowed} {path[0]}")


def is_statement(script: Script, arguments: list[Any], start: Any, place: str = UNCERTAIN, family: str = "sql") -> bool:
    """Read a statement among the arguments of a call; return whether there is one."""
    for text in list(raw_texts(arguments))[:4]:
        if looks_like_sql(text) or (family == "graph" and " " in text):
            before = len(script.reading.effects)
            language = "cypher" if family == "graph" else "sql"
            script.reading.nest(language, text, script.where(start).behind("query"))
            mark_connection(script.reading, before, CONNECTIONS[place])
            return True
    return False


def _find_configured_drop(snake: str, arguments: list[Any]) -> str:
    """Return the effect of a method that drops something because an argument says so."""
    options = dict(find_named_arguments(arguments))
    if snake == "sync" and options.get("force") is True:
        return "db.drop table"
    if snake in ("destroy", "delete") and options.get("truncate") is True:
        return "db.delete unbounded"
    if snake in ("send_command", "call", "do", "send") and arguments:
        first = as_text(arguments[0][0] if isinstance(arguments[0], list) and arguments[0] else arguments[0])
        return METHODS.get(first.lower(), "")
    return ""


def _by_rows(snake: str, path: list[str], arguments: list[Any]) -> str:
    """Return the effect of a method on rows: of a query builder, a repository or a model."""
    if snake in _UPDATING and not _RIGHTS.isdisjoint(key.lower() for key, _ in find_named_arguments(arguments)):
        return "db.grant"
    words = snake.split("_")
    if len(words) > 1 and words[0] in DROPPING | DELETING and not NOUNS.isdisjoint(words[1:]):
        return "db.drop table"
    if snake in ("drop", "drop_table_if_exists", "drop_if_exists", "drop_all_tables", "drop_schema"):
        return "db.drop table"
    if snake == "truncate":
        return "db.delete unbounded"
    steps = {"".join(split_name(part)) for part in path[1:-1]}
    if snake in ("update", "update_all") and "one" not in steps:
        return "db.write unbounded" if snake == "update_all" and steps.isdisjoint(_WHERE) else ""
    if snake not in _CLEARING:
        return ""
    if "one" in steps or (snake in ("delete", "remove", "destroy") and arguments and not _has_condition(arguments)):
        return "db.delete"
    if not steps.isdisjoint(_WHERE) or _has_condition(arguments):
        return "db.delete many" if not _names_key(arguments) else "db.delete"
    return "db.delete unbounded"


def _has_condition(arguments: list[Any]) -> bool:
    return any(isinstance(value, dict) and "where" in value and value["where"] for value in arguments)


def _names_key(arguments: list[Any]) -> bool:
    """Whether a condition names one row: `{id: 1}`, `where('id', 1)`."""
    names = [key for key, _ in find_named_arguments(arguments)]
    names += [value for value in arguments[:1] if isinstance(value, str)]
    return any(name.lower() in ("id", "_id", "uuid", "pk", "email") or name.endswith(("_id", "Id")) for name in names)


def _by_verb(snake: str, path: list[str], arguments: list[Any]) -> str:
    """Return the effect of a method by the verb at the start of its name, or an empty text."""
    verb, *others = snake.split("_")
    words = ["delete" if verb == "del" else verb, *others]  # `delete` is a keyword in some languages
    takes_client = any(is_client(value) for value in arguments)
    return meaning_by_verb(StoreCall(words, path[1:-1], bool(arguments), takes_client, _is_wide(arguments)))


def _is_wide(arguments: list[Any]) -> bool:
    named = dict(find_named_arguments(arguments))
    return takes_in_many([*arguments, *named.values()], named)


def _emit(script: Script, effect: str, place: str, path: list[str], arguments: list[Any], start: Any) -> None:
    everything = not arguments or matches_everything(arguments[0])
    kind, flags = resolve_meaning(effect, everything, _is_wide(arguments))
    name = " ".join([".".join(path[1:]) or path[0], *find_known_texts(arguments)])[:200]
    emit_at_place(script.reading, script.where(start), kind, name, flags, place)


def _narrow(place: str, path: list[str], arguments: list[Any]) -> str:
    """Return `scratch` where a client of this machine is told the name of something that is for a trial."""
    named = [value for _, value in find_named_arguments(arguments)]
    return narrow_place(place, [*arguments[:4], *named[:4], *path[1:-1]])
