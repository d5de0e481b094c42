"""Clients of services and stores in scripts: objects of libraries that stand for something on another machine.

A client is a `Ref` whose name begins with `client FIELD PLACE` or `store FAMILY PLACE`, so that whatever is taken
of it, given by it or found in it is the client again with a longer path. What its calls do is in `service_calls.py` and
`store_calls.py`; the words are those of every language, in `analyse/clients`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.clients.service_effects import MAX_ARGUMENTS, find_named_arguments
from interlock.analyse.clients.service_places import FAR, NEAR, TRIAL, is_near_text, is_trial_text
from interlock.analyse.clients.service_words import EVIDENCE, EVIDENT_ARGUMENTS, NEAR_WORDS, REHEARSING, split_name
from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.values import CLIENTS, Choice, Ref
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.libraries import ScriptClients
from interlock.knowledge.table_types.method_words import MethodWords

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_WORDS = read_table("method-words", MethodWords)

TABLE = read_table("script-clients", ScriptClients)
#: Language → package → `client FIELD` or `store FAMILY`.
_LIBRARIES: dict[str, dict[str, str]] = {}
for _service in TABLE.services:
    _LIBRARIES.setdefault(_service.language, {}).update(
        dict.fromkeys((name.lower() for name in _service.packages), f"client {_service.field}")
    )
for _store in TABLE.stores:
    _LIBRARIES.setdefault(_store.language, {}).update(
        dict.fromkeys((name.lower() for name in _store.packages), f"store {_store.family}")
    )
_HOSTS = _WORDS.client_hosts
#: What makes an object of a class whose name is the last but one: `Aws::S3::Client.new`.
MAKING = _WORDS.making
#: First words of functions of a module that make a client.
_FACTORIES = _WORDS.factories


def is_client(value: Any) -> bool:
    """Whether a value is a client, or something that one gave."""
    return isinstance(value, Ref) and value.name.startswith(CLIENTS)


def client_parts(client: Ref) -> tuple[str, str, str, list[str]]:
    """Return what a client is, its field or family, its place, and the names that lead to it."""
    what, field, place, path = (*client.name.split(" ", 3), "", "", "")[:4]
    return what, field, place, path.split(".")


@lru_cache(maxsize=1024)
def library_of(language: str, name: str) -> str:
    """Return what the library of a dotted name stands for, such as `client infra`, or an empty text.

    >>> library_of("javascript", "@aws-sdk.client-s3.S3Client"), library_of("ruby", "PG.connect")
    ('client infra', 'store sql')
    """
    known = _LIBRARIES.get(language)
    if not known:
        return ""
    parts = name.lower().split(".", 4)
    return next((found for length in (4, 3, 2, 1) if (found := known.get(".".join(parts[:length])))), "")


def find_library(script: Script, name: str) -> str:
    """Return what the library of a function stands for; one that the script loads as a whole counts too."""
    language = script.syntax.name
    found = library_of(language, name)
    if not found and language in _ATTACHING and "." not in name:
        found = next((one for package in script.imported if (one := library_of(language, package))), "")
    return found


#: Languages in which loading a library makes its functions known without its name.
_ATTACHING = frozenset({"r", "julia"})


def is_evident(script: Script, name: str, arguments: list[Any]) -> bool:
    """Whether a call of an unknown library makes a client of a service, by its name or by what it is given."""
    root, _, rest = name.partition(".")
    if root not in script.imported or root.startswith("."):
        return False
    last = (rest or root).rpartition(".")[2]
    if not EVIDENCE.isdisjoint((*split_name(rest), *split_name(root))) and (last[:1].isupper() or last in MAKING):
        return True
    names = {name.lower() for argument in arguments if isinstance(argument, dict) for name in argument}
    return bool(names) and not _EVIDENT.isdisjoint(names)


_EVIDENT = frozenset(
    name.replace("_", "") for name in EVIDENT_ARGUMENTS - {"host", "hostname", "env", "environment"}
) | (EVIDENT_ARGUMENTS - {"host", "hostname", "env", "environment"})


def is_factory(name: str) -> bool:
    """Whether a function of a library only makes a client: `nodemailer.createTransport`, `new Stripe`."""
    last = name.rpartition(".")[2]
    words = split_name(last)
    if last[:1].isupper() or last in MAKING or not words:
        return True
    return name.count(".") <= 1 and words[0] in _FACTORIES


def place_of(arguments: list[Any], name: str) -> str:
    """Return where a service is, by what its client is given: `far`, `near` or `trial`."""
    given = [client_parts(value)[2] for value in arguments if is_client(value)]
    if any(place in (NEAR, TRIAL) for place in given):
        return next(place for place in given if place in (NEAR, TRIAL))
    pairs = list(find_named_arguments(arguments))
    if any(value is True and key in REHEARSING for key, value in pairs):
        return TRIAL
    texts = list(find_known_texts(arguments))
    if any(is_url(text) and not is_near_text(text) for text in texts):
        return FAR
    if not NEAR_WORDS.isdisjoint(split_name(name)) or any(is_trial_text(text) for text in texts):
        return TRIAL
    if any(_is_test_variable(text) for text in raw_texts(arguments)):
        return TRIAL
    named = [value for key, value in pairs if key.lower() in _HOSTS and isinstance(value, str)]
    addresses = [*(text for text in texts if is_url(text)), *named]
    if addresses:
        return NEAR if all(is_near_text(text) for text in addresses) else FAR
    return NEAR if any(is_near_text(text) for text in texts) else FAR


def _is_test_variable(text: str) -> bool:
    """Whether a value is a variable for tests: `process.env.STRIPE_TEST_KEY`."""
    return HOLE in text and not NEAR_WORDS.isdisjoint(split_name(text))


def raw_texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among the arguments of a call, those in lists and hashes too."""
    left = list(values)[:MAX_ARGUMENTS]
    for _ in range(4 * MAX_ARGUMENTS):
        if not left:
            return
        value = left.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, Choice):
            left += value.values
        elif isinstance(value, dict):
            left += list(value.values())[:MAX_ARGUMENTS]
        elif isinstance(value, list):
            left += value[:MAX_ARGUMENTS]


def find_known_texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among the arguments of a call that are known."""
    return (text for text in raw_texts(values) if text and HOLE not in text)
