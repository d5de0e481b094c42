"""Service clients in Python: objects that stand for something on another machine, and where that is.

A client is an `Instance` of the kind `client FIELD PATH`. Its attributes, items, methods and what these give are the
client again with a longer path, so that a call is read by where its object comes from and not by what it is called.
Its mode says where the service is: `far`, `near` (this machine) or `trial` (in memory, or made for tests).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.clients.service_effects import MAX_ARGUMENTS
from interlock.analyse.clients.service_places import DOMAIN, FAR, NEAR, TRIAL, is_near_text, is_trial_text
from interlock.analyse.clients.service_words import (
    EVIDENCE,
    EVIDENT_ARGUMENTS,
    MAKERS,
    NEAR_WORDS,
    REHEARSING,
    TABLE,
    field_of,
    is_foreign_library,
    split_name,
)
from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.evaluation.marks import sources
from interlock.analyse.python.evaluation.values import Choice, Instance, Ref, Unknown, as_text

CLIENT = "client "
DATA = "[]"
MAX_PATH = 300
#: Arguments that name a folder of this machine, not the place of the service.
_FOLDERS = frozenset({"work_dir", "working_dir", "cwd", "private_data_dir", "project_dir"})
#: Words of names that hold settings and secrets of something that runs, and of what is in them.
_KEPT = frozenset("variables secrets env envs env_vars config_vars".split())
_CONTENT = frozenset({"value", "values", "data", "string_data", "items", "attributes", "to_dict"})
_OPTIONS = ("Config", "Options", "Settings")
_HOSTS = frozenset({"host", "hostname", "hosts", "server", "base_url", "endpoint", "endpoint_url", "address"})


def is_client(value: Any) -> bool:
    """Whether a value is a service client, or something that one gave."""
    return type(value) is Instance and value.kind.startswith(CLIENT)


def client_member(owner: Instance, name: str) -> Instance:
    """Return an attribute of a client, or something that it holds."""
    if len(owner.kind) > MAX_PATH:
        return owner
    return owner.replace(kind=f"{owner.kind}.{name}")


def holds_settings(value: Any) -> bool:
    """Whether a value is what a variable or secret of a service holds: `project.variables.get("K").value`."""
    if not is_client(value):
        return False
    path = [part for part in client_parts(value)[1] if part != DATA]
    return path[-1] in _CONTENT and not _KEPT.isdisjoint(path)


def is_rehearsed(call: PythonCall) -> bool:
    """Whether a call is given options with which it changes nothing: `QueryJobConfig(dry_run=True)`."""
    return any(is_client(value) and value.mode == TRIAL and value.kind.endswith(_OPTIONS) for value in call.values)


def is_emulated(call: PythonCall) -> bool:
    """Whether a variable leads the library of a call to an emulator on this machine."""
    return any("." in one and call.name.startswith(one) for one in call.host.state.near)


def client_item(owner: Instance) -> Instance:
    """Return something in square brackets that a client gave: data, or one of many objects."""
    return owner if owner.kind.endswith(DATA) else client_member(owner, DATA)


def stands_in(value: Any) -> bool:
    """Whether a context stands in for services: `with mock_aws():`."""
    name = value.kind.partition(" ")[2].partition(" ")[2] if is_client(value) else getattr(value, "name", "")
    return isinstance(name, str) and name.startswith(TABLE.near.mocking)


#: Libraries that answer the requests of HTTP clients in tests.
ANSWERING = ("responses.", "requests_mock.", "respx.", "httpretty.")


def answers_requests(value: Any) -> bool:
    """Whether a decorator or a context answers requests in place of their hosts: `@responses.activate`."""
    return isinstance(value, Ref) and value.name.startswith(ANSWERING)


def is_stub(value: Any) -> bool:
    """Whether a context answers for one client: `Stubber(client)`."""
    return is_client(value) and value.kind.endswith(" botocore.stub.Stubber")


def find_redirected_libraries(variable: str, value: str) -> tuple[str, ...]:
    """Return the libraries whose clients a variable leads to this machine: `FIRESTORE_EMULATOR_HOST=localhost:80`."""
    return TABLE.near.variables.get(variable, ()) if is_near_text(value) else ()


def client_parts(owner: Instance) -> tuple[str, list[str]]:
    """Return the field of a client, and the names that lead to it."""
    _, field, path = owner.kind.split(" ", 2)
    return field, path.split(".")


def make_client(call: PythonCall) -> Instance | None:
    """Return the client that a library's function gives, or None if nothing tells that it gives one."""
    field = field_of(call.name)
    if call.name.startswith(TABLE.near.mocking):
        field = "infra"
    if not field:
        if not is_foreign_library(call.name) or not (_has_evidence(call) or _is_made_for_tests(call)):
            return None
        field = "service"
    found = sources(call.reading, call.owner, *call.values)
    place = place_of(call, field)
    if field == "cluster" and call.method.startswith("load_"):
        (call.host.state.near.discard if place == FAR else call.host.state.near.add)(field)
    return Instance(f"{CLIENT}{field} {call.name[:MAX_PATH]}", "", place, found[0] if found else "")


def may_make_client(name: str) -> bool:
    """Whether a function of this name could make a client, if no argument by name tells that it does."""
    if field_of(name) or name.startswith(TABLE.near.mocking):
        return True
    last = name.rpartition(".")[2]
    return is_foreign_library(name) and (last == "open" or last in MAKERS or last[:1].isupper())


def _is_made_for_tests(call: PythonCall) -> bool:
    """Whether a class stands in for a service: `fakeredis.FakeRedis`."""
    return call.method[:1].isupper() and not NEAR_WORDS.isdisjoint(split_name(call.name))


def _has_evidence(call: PythonCall) -> bool:
    """Whether a call of an unknown library makes a client of a service, by its name or by what it is given."""
    root, _, rest = call.name.partition(".")
    last = rest.rpartition(".")[2]
    if last == "open" and any(DOMAIN.match(text) for text in _texts(call.values)):
        return _is_class(rest)
    if last in MAKERS or not EVIDENT_ARGUMENTS.isdisjoint(call.keywords):
        return _is_class(rest)
    if not last[:1].isupper():
        return False
    if not EVIDENCE.isdisjoint((*split_name(rest), *split_name(root))):
        return True
    return any(is_url(text) or "environ " in text or DOMAIN.match(text) for text in _texts(call.values))


def _is_class(rest: str) -> bool:
    """Whether a name leads to a class, or to a function of one."""
    return any(part[:1].isupper() for part in rest.split(".")) or "." not in rest


def place_of(call: PythonCall, field: str) -> str:
    """Return where a client leads, by what it is given: `far`, `near` or `trial`."""
    state = call.host.state
    if state.mocked or any(call.keywords.get(name) is True for name in REHEARSING) or _is_for_trial(call):
        return TRIAL
    given = [value.mode for value in call.values if is_client(value) and value.mode != FAR]
    if given:
        return str(given[0])
    texts = list(_texts([*call.arguments, *(call.keywords[name] for name in call.keywords if name not in _FOLDERS)]))
    named = [value for name, value in call.keywords.items() if name in _HOSTS and isinstance(value, str)]
    addresses = [*(text for text in texts if is_url(text)), *named]
    if addresses:
        return NEAR if all(is_near_text(text) for text in addresses) else FAR
    if field == "container":
        return FAR if any(isinstance(value, (Unknown, Ref)) for value in call.values) else NEAR
    if is_emulated(call):
        return TRIAL
    return NEAR if field in state.near or any(is_near_text(text) for text in texts) else FAR


def _is_for_trial(call: PythonCall) -> bool:
    """Whether a client keeps everything in memory, or is made for tests by its name, its file or its key."""
    texts = list(_texts(call.values))
    if any(is_url(text) and not is_near_text(text) for text in texts):
        return False
    if not NEAR_WORDS.isdisjoint(split_name(call.name)) or any(is_trial_text(text) for text in texts):
        return True
    return any("_TEST_" in as_text(value) for value in call.values) or _is_test_key(call)


def _is_test_key(call: PythonCall) -> bool:
    """Whether the library was given a key for tests: `stripe.api_key = "sk_test_…"`."""
    root = call.name.partition(".")[0]
    value = call.host.state.members.get(f"{root}.api_key")
    return value is not None and ("test" in split_name(as_text(value)) or is_near_text(as_text(value)))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among the arguments of a call, those in lists and hashes too."""
    left = list(values)[:MAX_ARGUMENTS]
    for _ in range(4 * MAX_ARGUMENTS):
        if not left:
            return
        value = left.pop(0)
        if isinstance(value, str):
            yield value
        elif isinstance(value, (Unknown, Ref)):
            yield value.name if "environ " in value.name else ""
        elif isinstance(value, Choice):
            left += value.values
        elif isinstance(value, dict):
            left += list(value.values())[:MAX_ARGUMENTS]
        elif isinstance(value, (list, tuple)):
            left += list(value)[:MAX_ARGUMENTS]


def find_known_texts(values: Iterable[Any]) -> list[str]:
    """Return the texts among the arguments of a call that are known."""
    return [text for text in _texts(values) if text and HOLE not in text and "environ " not in text]
