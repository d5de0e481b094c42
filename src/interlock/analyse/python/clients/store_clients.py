"""Clients of stores in Python: databases, caches, queues, indexes, repositories, containers.

A client is a `Ref` whose name begins with `store FAMILY WHERE`, so that whatever is taken of it keeps where it leads:
`MongoClient("mongodb://localhost").shop.users` is `store mongo local.shop.users`. What a call does is told by the name
of its method, which the tables below list, or by the verb in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from interlock.analyse.clients.store_effects import (
    StoreCall,
    emit_at_place,
    matches_everything,
    meaning_by_verb,
    narrow_place,
    resolve_meaning,
)
from interlock.analyse.clients.store_methods import (
    CLIENT_MODULES,
    CREATING,
    FAMILY_METHODS,
    IN_MEMORY,
    LOCAL_BY_DEFAULT,
    MEMORY_ALWAYS,
    MEMORY_BY_DEFAULT,
    METHODS,
    SQL_TEXTS,
)
from interlock.analyse.clients.store_places import CONNECTIONS, place_of_folder, place_of_text
from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.call import Host, PythonCall
from interlock.analyse.python.calls.sending import send_content
from interlock.analyse.python.clients.orm_calls import METHODS as ORM_METHODS
from interlock.analyse.python.clients.orm_calls import find_deleted_rows
from interlock.analyse.python.clients.repository_calls import read_repository_call
from interlock.analyse.python.clients.store_commands import is_wide, read_raw_command, reads_secret
from interlock.analyse.python.evaluation.marks import unknown_from
from interlock.analyse.python.evaluation.values import Choice, Instance, Ref, Unknown, as_text
from interlock.analyse.sql import looks_like_sql
from interlock.analyse.stores.scratch import mark_connection
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.patterns import late

STORE = "store "
_HOSTS = (
    "host",
    "hosts",
    "hostname",
    "bootstrap_servers",
    "url",
    "uri",
    "connection_url",
    "dsn",
    "contact_points",
    "server",
)
_NAMES = ("database", "dbname", "db", "name", "index", "collection_name", "topic", "keyspace", "bucket_name", "project")
#: Arguments that say in which folder of this machine a store keeps its data.
_FOLDERS = ("path", "location", "persist_directory", "db_path", "data_dir")

_OBJECTS = ("s3://", "s3a://", "gs://", "gcs://", "az://", "abfs://", "abfss://", "adl://", "wasbs://", "r2://")


def is_store(name: str) -> bool:
    """Whether a dotted name is a store's client, or belongs to a library of clients."""
    if name.startswith(STORE):
        return True
    return name.partition(".")[0] in CLIENT_MODULES


def _family(name: str) -> str:
    """Return the family of the library that a dotted name belongs to, or an empty text."""
    parts = name.split(".")
    for length in (1, 2, 3):
        found = CLIENT_MODULES.get(".".join(parts[:length]))
        if found:
            return found
    return ""


def read_store_call(call: PythonCall) -> Any:
    """Emit the effects of a call of a store's client, or of a library of clients; return a client."""
    send_content(call)
    if not call.name.startswith(STORE):
        family = _family(call.name)
        statement = call.argument(0)
        if call.method in SQL_TEXTS and isinstance(statement, str) and looks_like_sql(statement):  # `duckdb.sql(…)`
            call.reading.nest("sql", statement, call.site.behind(call.method))
            return Ref(f"{STORE}{family} unknown")
        where = _where(call, family, call.name.partition(".")[0])
        if family == "git":
            read_repository_call(call, call.name.partition(".")[2])
        elif not call.method[:1].isupper():
            read_telling_method(call)  # `pymilvus.utility.drop_collection`
        return Ref(f"{STORE}{family} {where}")
    head, _, path = call.name.partition(".")
    _, family, where = head.split(" ")
    client = Ref(call.name.rpartition(".")[0])
    method = call.method
    first = call.argument(0)
    if method in SQL_TEXTS and isinstance(first, str) and (looks_like_sql(first) or family == "graph"):
        before = len(call.reading.effects)
        language = "cypher" if family == "graph" else "sql"
        call.reading.nest(language, first, call.site.behind(method))
        mark_connection(call.reading, before, CONNECTIONS[where])
        return find_selected_passwords(call, first) or client
    if family == "git":
        read_repository_call(call, path)
        return client
    if where == "unknown":  # `metadata.drop_all(engine)`
        where = next((place for value in call.arguments[:1] if (place := _place_of_client(value))), where)
    where = _narrow(call, where, path)
    before = len(call.reading.effects)
    if read_raw_command(call, family):
        mark_connection(call.reading, before, CONNECTIONS[where])
        return client
    if where != "scratch" and reads_secret(call):
        call.reading.emit("secret.read", call.site, " ".join(_texts(call))[:200] or path, frozenset({"store"}))
        return client
    effect = (
        FAMILY_METHODS.get(f"{family} {path}")
        or FAMILY_METHODS.get(f"{family} {method}")
        or METHODS.get(method)
        or (find_deleted_rows(call) if family == "sql" and method in ORM_METHODS else "")
        or _by_verb(call, family, path)
    )
    if effect:
        emit_effect(call, effect, where)
    return Ref(f"{STORE}{family} {where}{client.name[len(head) :]}")


# Columns in which browsers and applications keep what opens other doors.
_PASSWORDS = late(r"(?i)\b(password\w*|passwd|pwd|encrypted_value|card_number\w*|secret\w*)\b")


def find_selected_passwords(call: PythonCall, statement: str) -> Unknown | None:
    """Return the rows of a query for passwords, which are secret, or None for any other statement."""
    if "select" in statement.lower() and _PASSWORDS.search(statement):
        return unknown_from(call.reading, "passwords of a database", "secret")
    return None


def read_telling_method(call: PythonCall) -> bool:
    """Emit the effect of a method whose name alone says that it drops or empties something; return whether it does."""
    effect = METHODS.get(call.method)
    if call.method == "to_sql" and call.keywords.get("if_exists") == "replace":
        effect = "db.drop table"
    if effect:
        given = [_place_of(value) for value in call.values if isinstance(value, Ref) and value.name.startswith(STORE)]
        emit_effect(call, effect, _narrow(call, given[0] if given else "unknown", call.name))
    return effect is not None


def emit_effect(call: PythonCall, effect: str, where: str) -> None:
    """Emit an effect on a store that is `scratch`, `local`, `remote` or `unknown`."""
    condition = call.arguments[0] if call.arguments else call.keywords.get("filter", {})
    kind, flags = resolve_meaning(effect, matches_everything(condition), is_wide(call))
    name = " ".join([call.name.partition(".")[2] or call.name, *_texts(call)])[:200]
    if call.host.state.summaries is not None and kind in ("db.drop", "db.delete"):
        call.reading.emit("db.delete", call.site, name, frozenset({"uncalled"}))
    else:
        emit_at_place(call.reading, call.site, kind, name, flags, where)


def delete_item(host: Host, node: ast.Subscript, owner: Any) -> None:
    """Emit the effect of `del client["orders"]`: what a client holds directly is a database, below that a row."""
    if not isinstance(owner, Ref) or not owner.name.startswith(STORE):
        return
    head, _, path = owner.name.partition(".")
    _, family, where = head.split(" ")
    effect = "db.drop table" if family in _HOLDING and not path else "db.delete"
    emit_effect(PythonCall(host, node, f"{owner.name}.del", [], {}), effect, where)


_HOLDING = frozenset({"document", "graph", "vector", "search"})


def _texts(call: PythonCall) -> list[str]:
    return [value for value in call.values if isinstance(value, str) and HOLE not in value]


def _narrow(call: PythonCall, where: str, path: str) -> str:
    """Return `scratch` where a client of this machine is told the name of something that is for a trial, or new."""
    narrowed = narrow_place(where, [*list(call.values)[:4], *path.split(".")[:-1]])
    return "scratch" if narrowed == "local" and _was_created(call, path) else narrowed


def _was_created(call: PythonCall, path: str) -> bool:
    """Whether a call is given only names of things that the same text created before; remember what it creates."""
    created = call.host.state.created
    names = list(_all_names(call))
    method = path.rpartition(".")[2]
    creates = method in CREATING or path.endswith(("indices.create", "collections.create"))
    if creates and call.keywords.get("passive") is not True:
        created.update(name for name in names if name and HOLE not in name)
        return False
    return bool(names) and created.issuperset(names) and not creates


def _all_names(call: PythonCall) -> Iterable[str]:
    """Yield the names that a call is given as its first argument or by keyword, one by one."""
    first = [
        *call.arguments[:1],
        *(call.keywords[name] for name in (*_NAMES, "queue", "topics") if name in call.keywords),
    ]
    for value in first:
        for one in value if type(value) in (list, tuple) else (value,):
            yield one.text if isinstance(one, Instance) else one if isinstance(one, str) else HOLE


def _where(call: PythonCall, family: str, root: str) -> str:
    """Return where a client leads: `scratch`, `local`, `remote` or `unknown`."""
    if root in IN_MEMORY or call.name in MEMORY_ALWAYS or (call.name in MEMORY_BY_DEFAULT and not list(call.values)):
        return "scratch"
    if root == "fsspec":
        return {"file": "local", "local": "local", "memory": "scratch"}.get(call.text(0), "remote")
    places = [_place_of(value) for value in _hosts(call)]
    places += [place_of_folder(as_text(call.keywords[name])) for name in _FOLDERS if name in call.keywords]
    found = next((place for place in ("remote", "scratch", "local", "unknown") if place in places), "")
    names = [as_text(call.keywords[name]) for name in _NAMES if name in call.keywords]
    if found != "remote" and any(is_scratch_name(name) or name == "15" for name in names if HOLE not in name):
        return "scratch"
    hosted = "api_key" in call.keywords or root == "pinecone"
    return found or ("local" if family in LOCAL_BY_DEFAULT and not hosted else "unknown")


def _hosts(call: PythonCall) -> Iterable[Any]:
    """Yield the arguments that may say where a client connects to."""
    for value in [*call.arguments[:1], *(call.keywords[name] for name in _HOSTS if name in call.keywords)]:
        if isinstance(value, Choice):
            yield from value.values
        elif isinstance(value, (list, tuple)):
            yield from value
        elif isinstance(value, dict):
            yield from (text for key, text in value.items() if isinstance(text, str) and "server" in str(key))
        else:
            yield value


def _place_of_client(value: Any) -> str:
    """Return where a client leads that is given to a call, or an empty text for anything else."""
    return _place_of(value) if isinstance(value, Ref) and value.name.startswith(STORE) else ""


def _place_of(value: Any) -> str:
    """Return where an argument of a client leads, or an empty text if it does not say."""
    if isinstance(value, Ref) and value.name.startswith(STORE):
        return value.name.partition(".")[0].split(" ")[2]
    text = as_text(value)
    if isinstance(value, Instance):
        text = value.text
    if not isinstance(value, (str, Instance)):
        return "unknown" if isinstance(value, (Unknown, Ref)) else ""
    if text.startswith(_OBJECTS):
        return "remote"
    return place_of_text(text)


def _by_verb(call: PythonCall, family: str, path: str) -> str:
    """Return the effect of a method by the verb at the start of its name, or an empty text."""
    if family in ("sql", "git", "orm"):
        return ""
    derived = any(isinstance(value, Ref) and value.name.startswith(STORE) for value in call.arguments)
    owners = path.split(".")[:-1]
    return meaning_by_verb(StoreCall(call.method.split("_"), owners, bool(call.arguments), derived, is_wide(call)))


def read_model_call(call: PythonCall) -> Any:
    """Emit the effect of a call on the rows of a model: `User.objects.all().delete()`; return the rows."""
    head, _, path = call.name.partition(".objects")
    steps = path.strip(".").split(".")
    method = steps[-1]
    if method in ("delete", "_raw_delete", "update"):
        bounded = _classify_bound(steps[:-1])
        if method == "update":
            effect = "db.write unbounded" if not bounded else "db.write"
            if {"is_superuser", "is_staff", "is_admin"} & call.keywords.keys():
                effect = "db.grant"
        else:
            effect = {"": "db.delete unbounded", "many": "db.delete many"}.get(bounded, "db.delete")
        emit_effect(call, effect, "unknown")
        return None
    step = method
    if method in ("filter", "get") and any(key in ("pk", "id") or key.endswith(("_id", "pk")) for key in call.keywords):
        step = "one"
    return Ref(f"{head}.objects.{'.'.join([*steps[:-1], step])}"[:500])


def _classify_bound(steps: list[str]) -> str:
    """Return how the rows were narrowed: not at all, to `many`, or to `one`."""
    if "one" in steps:
        return "one"
    return "many" if not {"filter", "exclude", "get"}.isdisjoint(steps) else ""


def is_model_call(name: str) -> bool:
    """Whether a call is on the rows of a model of Django: `shop.models.Order.objects.filter`."""
    return ".objects." in name and not name.startswith((STORE, "cloud.", "boto3."))
