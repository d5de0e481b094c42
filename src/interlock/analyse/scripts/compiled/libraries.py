"""Clients of services and stores in compiled languages.

Which object is a client is not followed through types and generics. A program that names a library of clients calls
its methods, so every method that the program calls and that no description explains is read as a client's, by the
words in its name: `s3.DeleteBucket(…)`, `c.delete_bucket().send()`, `jedis.flushAll()`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from interlock.analyse.clients.service_words import CHANGE, DESTROY, classify_method, gives_secret, split_name
from interlock.analyse.scripts.library_clients import TABLE, place_of
from interlock.analyse.scripts.service_calls import call_service
from interlock.analyse.scripts.store_calls import call_store, place_of_store
from interlock.analyse.scripts.values import Ref
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_SERVICES = {name: entry.field for entry in TABLE.services if entry.language == "compiled" for name in entry.packages}
_STORES = {name: entry.family for entry in TABLE.stores if entry.language == "compiled" for name in entry.packages}
_LITERAL = late(r"\"([^\"\n]{1,300})\"")
#: Words of methods of ordinary objects: builders, collections, loggers.
_ORDINARY = frozenset(
    "builder new with set add append push pop insert put get is to from as of into clone unwrap expect println print "
    "printf log format close defer map filter collect iter".split()
)
#: Single words that only a client's method has.
_ALONE = frozenset("delete destroy drop terminate purge refund charge transfer payout publish".split())
_VERSION = late(r"(?:Async|WithContext|WithResponse|Request)$")
#: Methods that carry out a command which they are given as a text.
_COMMANDS = frozenset("cmd do command execute_command call dispatch send_command".split())


class Libraries:
    """The libraries of clients that a program names, and where their clients lead."""

    __slots__ = ("family", "field", "texts")

    def __init__(self, text: str) -> None:
        low = text.lower()
        self.field = next((field for name, field in _SERVICES.items() if name in low), "")
        self.family = next((family for name, family in _STORES.items() if name in low), "")
        self.texts: list[Any] = _LITERAL.findall(text)[:200] if self.field or self.family else []

    def call(self, script: Script, name: str, arguments: list[Any], start: Any) -> Any:
        """Read a method as a client's; None if its name does not say what it does."""
        method = _VERSION.sub("", name.rpartition(".")[2])
        snake = "_".join(split_name(method))
        if self.family:
            place = place_of_store(self.family, name, [text for text in self.texts if _is_address(text)])
            first = arguments[0] if arguments else None
            if snake in _COMMANDS and isinstance(first, str) and first.isalpha():
                snake, arguments = first.lower(), arguments[1:]
            call_store(script, Ref(f"store {self.family} {place} library.{snake}"), arguments, start)
        if self.field and self._is_telling(method):
            place = place_of([text for text in self.texts if _is_address(text)], name)
            holder = [part for part in name.split(".")[1:-1] if part.isidentifier()]
            path = ".".join(["library", *holder[-2:], snake])
            return call_service(script, Ref(f"client {self.field} {place} {path}"[:180]), arguments, start)
        return None

    def _is_telling(self, method: str) -> bool:
        words = split_name(method)
        if not words or words[0] in _ORDINARY - {"put", "set", "add", "get"}:
            return False
        if gives_secret("_".join(words)):
            return True
        if len(words) == 1:
            return words[0] in _ALONE or (
                self.field in ("message", "payment") and words[0] in ("send", "create", "new")
            )
        if words[0] in _ORDINARY and self.field not in ("infra", "cluster"):
            return False
        return classify_method("_".join(words), direct=True) in (CHANGE, DESTROY) and words[-1] not in _OBJECTS


#: Last words of functions that make an object, and do nothing yet.
_OBJECTS = frozenset(
    "client config builder input options option request params context provider connection settings".split()
)
_ADDRESS = late(r"://|^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/;?]|$)|^localhost\b|^127\.|(?i:\bhost=|server=)", re.IGNORECASE)


def _is_address(text: str) -> bool:
    return (
        _ADDRESS.search(text) is not None and "/" not in text.split("://")[0][:-1] and not text.endswith((".go", ".rs"))
    )
