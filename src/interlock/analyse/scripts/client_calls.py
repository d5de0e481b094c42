"""Calls that reach a client of a service or a store: of its members, of its library, or with it as an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.scripts.values import CLIENTS, Ref
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.method_words import MethodWords

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_WORDS = read_table("method-words", MethodWords)

#: Functions of models, from which a query begins: `User::where(…)->delete()`.
_QUERIES = _WORDS.model_queries
_MODELLED = frozenset({"php", "ruby"})
#: Methods of a client that hand it to a function, or wait for it.
_WAITING = frozenset("then catch finally promise".split())


def call_client(script: Script, client: Ref, arguments: list[Any], start: Any) -> Any:
    """Call a member of a client, or the client itself; return what it gives."""
    from interlock.analyse.scripts.service_calls import call_service
    from interlock.analyse.scripts.store_calls import call_store

    head, dot, method = client.name.rpartition(".")
    if dot and method in _WAITING:
        return Ref(head, client.owner)
    if client.name.startswith("store "):
        return call_store(script, client, arguments, start)
    return call_service(script, client, arguments, start)


def call_library(script: Script, function: Ref, name: str, known: bool, arguments: list[Any], start: Any) -> Any:
    """Call a function of a library of clients, or one that is handed a client; None for any other function."""
    from interlock.analyse.scripts.library_clients import find_library, is_evident
    from interlock.analyse.scripts.service_calls import make_service
    from interlock.analyse.scripts.store_calls import STATEMENTS, is_statement, make_store

    handed = arguments[0] if arguments and isinstance(arguments[0], Ref) else None
    if handed is not None and handed.name.startswith(CLIENTS) and not known:
        if handed.name.startswith("store ") and "connect" in name.lower():  # a driver, and where it is to connect to
            return make_store(script, handed.name.split(" ")[1], name, arguments[1:], start)
        return call_client(script, Ref(f"{handed.name}.{name.rpartition('.')[2]}"), arguments[1:], start)
    library = find_library(script, name)
    if library:
        what, _, field = library.partition(" ")
        make = make_store if what == "store" else make_service
        return make(script, field, name, arguments, start)
    if known:
        return None
    if is_evident(script, name, arguments):
        return make_service(script, "service", name, arguments, start)
    last = name.rpartition(".")[2]
    if last in STATEMENTS and arguments and is_statement(script, arguments[:2], start):
        return script.result(f"{last}()", script.marks(arguments))
    if last in _QUERIES and function.name[:1].isupper() and script.syntax.name in _MODELLED:
        return call_client(script, Ref(f"store orm unknown {name}"), arguments, start)
    return None
