"""Calls that are in no table: recognised by method name and arguments (SQL, commands, addresses)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from interlock.analyse.clients.service_places import FAR
from interlock.analyse.clients.service_words import TELLING as TELLING_NAMES
from interlock.analyse.clients.store_methods import METHODS
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE
from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.dynamic_code import load_library
from interlock.analyse.python.calls.network_calls import is_request, make_request
from interlock.analyse.python.calls.sending import may_send, send_content
from interlock.analyse.python.calls.subprocess_calls import spawn
from interlock.analyse.python.calls.tool_calls import trusts_remote_code
from interlock.analyse.python.clients.agent_calls import report_unguarded
from interlock.analyse.python.clients.browser_profiles import PROFILE_METHODS, read_profile
from interlock.analyse.python.clients.frame_writes import WRITING_METHODS, overwritten_table
from interlock.analyse.python.clients.orm_calls import METHODS as ORM_METHODS
from interlock.analyse.python.clients.orm_calls import find_deleted_rows
from interlock.analyse.python.clients.service_calls import read_library_call, read_service_call, read_telling_name
from interlock.analyse.python.clients.service_clients import is_emulated, is_rehearsed
from interlock.analyse.python.clients.store_clients import emit_effect, find_selected_passwords, read_telling_method
from interlock.analyse.python.evaluation.marks import mixture, unknown_from
from interlock.analyse.python.evaluation.values import UNKNOWN, Instance, Unknown, as_text, words_of
from interlock.analyse.python.library.names import (
    INJECT_CODE,
    PATH_METHODS,
    RUN_COMMANDS,
    SAVE_FILES,
    SEND_REQUESTS,
    TAKE_SQL,
)
from interlock.analyse.sql import looks_like_sql
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

#: Clients whose uploads are read with their other calls.
_STORING = ("client infra ", "client container ")
#: Functions of which what they give says nothing about what they were given.
CLEAN = frozenset(
    "len int float bool isinstance issubclass hasattr type id hash any all round sum print callable time.sleep "
    "os.path.exists os.path.isfile os.path.isdir os.path.getsize".split()
)
NOT_TOLD = object()
_PATH = late(r"/|\.\w{2,5}$")
#: On an effect of a function that nobody calls, on something of which nothing is known.
UNCALLED = frozenset({"uncalled"})


def read_unlisted(call: PythonCall) -> Any:
    """Emit the likely effects of a call by its method name and arguments; return its result."""
    name, method = call.name, call.method
    if not tells_nothing(name):
        found = _read_telling_call(call, method)
        if found is not NOT_TOLD:
            return found
    elif call.keywords:
        report_unguarded(call)
    if call.keywords and trusts_remote_code(call):
        return UNKNOWN
    client = read_library_call(call) if "." in name else None
    if client is not None:
        return client
    if name in CLEAN:
        return UNKNOWN
    if not call.reading.taints:  # nothing that the call is given can have marks
        return Unknown(method or "…")
    return mixture(call.reading, method or "…", (call.owner, *call.values))


@lru_cache(maxsize=4096)
def tells_nothing(name: str) -> bool:
    """Whether the name of a function is in none of the tables by which calls are recognised in any library."""
    return not may_send(name) and name.rpartition(".")[2] not in _KNOWN_METHODS


def _read_telling_call(call: PythonCall, method: str) -> Any:
    """Emit the effects of a call that its name and arguments tell; return its result, or `NOT_TOLD`."""
    send_content(call)
    told = _effect_by_syntax(call)
    if told:
        emit_effect(call, told, "unknown")
        return UNKNOWN
    if method in PROFILE_METHODS:
        read_profile(call)
    report_unguarded(call)
    if method in _TELLING and not is_emulated(call):
        found = _read_telling(call, method)
        if found is not NOT_TOLD:
            return found
    return UNKNOWN if read_telling_name(call) else NOT_TOLD


def _effect_by_syntax(call: PythonCall) -> str:
    """Return the effect on a database that the steps of a call tell, or an empty text."""
    if call.method in ORM_METHODS:
        return find_deleted_rows(call)
    return overwritten_table(call) if call.method in WRITING_METHODS else ""


def read_client_call(call: PythonCall, client: Instance) -> Any:
    """Emit the effects of calling a member of a service client; return what it gives."""
    if client.mode == FAR and not client.kind.startswith(_STORING) and not call.host.state.mocked:
        send_content(call)
    if call.method in _TELLING and call.method not in METHODS:  # of those, the verb tells as much
        found = _read_telling(call, call.method)
        if found is not NOT_TOLD:
            return found
    return client if read_telling_name(call.replace(owner=client)) else read_service_call(call, client)


_TELLING = frozenset(
    {
        *TAKE_SQL,
        *PATH_METHODS,
        *SAVE_FILES,
        *INJECT_CODE,
        *RUN_COMMANDS,
        *SEND_REQUESTS,
        *METHODS,
        "to_sql",
        "clipboard_get",
        "load_extension",
    }
)


_KNOWN_METHODS = _TELLING | ORM_METHODS | WRITING_METHODS | PROFILE_METHODS | TELLING_NAMES.keys()


def _read_telling(call: PythonCall, method: str) -> Any:
    """Emit the effects of a call whose method name says what it may do; return its result, or `NOT_TOLD`."""
    reading, first = call.reading, call.argument(0)
    if method in TAKE_SQL and isinstance(first, str) and looks_like_sql(first):
        if is_rehearsed(call):
            return NOT_TOLD
        reading.nest("sql", first, call.site.behind(method))
        return find_selected_passwords(call, first) or NOT_TOLD
    if method in PATH_METHODS:
        uncalled = call.host.state.summaries is not None and PATH_METHODS[method] == "fs.delete"
        reading.file(PATH_METHODS[method], call.site, as_text(UNKNOWN), UNCALLED if uncalled else NONE)
    elif method in SAVE_FILES and isinstance(first, (str, Instance)):
        if method != "save" or _PATH.search(as_text(first)):
            reading.file("fs.write", call.site, as_text(first))
    elif read_telling_method(call):
        return UNKNOWN
    elif method in INJECT_CODE:
        reading.emit("code.opaque", call.site, method, frozenset({"injection"}))
    elif method == "load_extension":
        load_library(call, first)
    elif method == "clipboard_get":
        reading.emit("system.read", call.site, method, frozenset({"clipboard"}))
        return unknown_from(reading, "the clipboard", "clipboard")
    elif method in RUN_COMMANDS and _names_program(first):
        return spawn(call)
    elif method in SEND_REQUESTS and is_request(call):
        return make_request(call)
    return NOT_TOLD


def _names_program(value: Any) -> bool:
    """Whether a value is a command: a list that starts with a program, or a text that does."""
    value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    words = words_of(value) or (value[:200].split() if isinstance(value, str) else [])
    return len(words) > 1 and HOLE not in words[0] and words[0].rpartition("/")[2] in PROGRAMS
