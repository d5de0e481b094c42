"""Library calls: effects by a special reader, by a description in `knowledge/functions`, or by heuristics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from interlock.analyse.clients.service_places import TRIAL
from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE
from interlock.analyse.python.call import Host, PythonCall
from interlock.analyse.python.calls.disclosures import disclose, discloses
from interlock.analyse.python.calls.dynamic_code import load_library, run_apart, run_code, run_script, unpickle
from interlock.analyse.python.calls.file_calls import (
    change_mode,
    close_file,
    contents_of,
    move_contents,
    read_file,
    write_file,
)
from interlock.analyse.python.calls.network_calls import look_up, request, send_data
from interlock.analyse.python.calls.sending import content_marks, mail_flags, report_send
from interlock.analyse.python.calls.special_calls import READERS as NAMED_READERS
from interlock.analyse.python.calls.special_calls import SPECIAL, reader_of
from interlock.analyse.python.calls.subprocess_calls import feed_process, spawn
from interlock.analyse.python.calls.unlisted_calls import (
    CLEAN,
    UNCALLED,
    read_client_call,
    read_unlisted,
    tells_nothing,
)
from interlock.analyse.python.clients.service_clients import is_client, may_make_client
from interlock.analyse.python.clients.store_clients import is_model_call, is_store, read_model_call, read_store_call
from interlock.analyse.python.evaluation.marks import mixture
from interlock.analyse.python.evaluation.scope import MISSING
from interlock.analyse.python.evaluation.values import UNKNOWN, Choice, Instance, Ref, Unknown, as_text
from interlock.analyse.python.functions.patches import is_patched
from interlock.analyse.python.interlock_patches import is_own
from interlock.analyse.python.library import find_function, load_shipped_functions
from interlock.analyse.python.library.names import NAMES, READ_CONTENTS, WRITE_CONTENTS
from interlock.analyse.python.loaded_settings import DUMPERS, LOADERS, dump_settings, load_settings
from interlock.analyse.python.state import has_any
from interlock.analyse.reading import Reading
from interlock.effects import KINDS
from interlock.knowledge.function import ORDINALS, Function

_HARMFUL = frozenset({"fs.delete", "fs.mode", "fs.owner"})
_MOVERS = frozenset("os.rename os.replace shutil.move shutil.copy shutil.copy2 shutil.copyfile".split())
_MODES = frozenset({"os.chmod", "pathlib.Path.chmod"})
#: Parts of Interlock that answer, sign and write: whoever calls them past the gate would forge.
_OWN_PARTS = tuple(
    f"interlock.{part}."
    for part in "approval audit store cli config.trust __main__ Gate.journal Gate.spool Gate.approvals Gate.grants "
    "Gate.runs Gate.sessions agents.hook gate.session gate.run_approvals gate.recorder".split()
)
#: How functions begin by which code may reach Interlock.
_REACHING = ("interlock.", "runpy.run_", "unittest.mock.patch")
_MANY = frozenset({"many"})
_FROM_INPUT = ("input",)
_STARTING = ("system", "popen", "Popen", "subprocess", "spawn", "pty", "exec")  # programs, or code
_RUNNING_READERS = frozenset({"command", "executable"})
_RUNNERS = frozenset({"compile", "__import__", "os.startfile", "pickle.loads", "marshal.loads"})


def has_effects(reading: Reading, name: str) -> bool:
    """Whether a function is known to do something. A file in the workspace does not count, lest it changes a name."""
    return find_function(reading, name) is not None or name in SPECIAL


def runs_code(reading: Reading, name: str) -> bool:
    """Whether a function runs code or programs."""
    if name in _RUNNERS:
        return True
    function = find_function(reading, name)
    if function is None:
        return False
    return function.reader in _RUNNING_READERS or any(
        role == "code" or role.startswith("code:") for role in function.arguments.values()
    )


def call_effects(
    host: Host, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Put the effects of a call into the reading; return what the call gives, where that is known."""
    reading = host.reading
    reading.call += 1
    kind = type(function)
    if kind is Unknown:
        name = function.name
    elif kind is Ref:
        if host.state.patched and is_patched(node, host.state.patched):
            return UNKNOWN
        name = function.name.removesuffix(".__call__")
    else:
        return _call_value(host, node, function, arguments, keywords, owner)
    plain = type(owner) is not Instance and host.state.shipped_only
    if plain and not keywords:
        given = _result_of_unlisted(name)
        if given is not None:
            taints = reading.taints
            if not taints or given is UNKNOWN:
                return given
            given = mixture(reading, given.name, (owner, *arguments))
            if given.name not in taints:
                return given
            return disclose(PythonCall(host, node, name, arguments, keywords, owner), given)
    call = PythonCall(host, node, name, arguments, keywords, owner)
    if kind is Unknown:
        return disclose(call, read_unlisted(call))
    if plain and _is_by_table_alone(name):
        return disclose(call, _read_by_table(call, load_shipped_functions().get(name)))
    result = disclose(call, _read_call(call))
    added = call.reading.knowledge.added_functions
    for function in added.get(("python", call.name), ()) if added else ():
        if function.reader:
            NAMED_READERS[function.reader](call)
        _emit_effects(call, function)
    return result


@lru_cache(maxsize=4096)
def _result_of_unlisted(name: str) -> Unknown | None:
    """Return what a function gives whose name is in none of the tables that `_read_call` and `disclose` look it up in.

    Without arguments by name, a call of such a function has no effects, unless an object or a user's description
    tells what it does. The result is `UNKNOWN` if it says nothing about what the function was given, and None if the
    name is in a table.
    """
    if (
        name in load_shipped_functions()
        or not _is_by_table_alone(name)
        or not tells_nothing(name)
        or may_make_client(name)
        or discloses(name)
    ):
        return None
    return UNKNOWN if name in CLEAN else Unknown(name.rpartition(".")[2] or "…")


@lru_cache(maxsize=4096)
def _is_by_table_alone(name: str) -> bool:
    """Whether nothing but its description, if it has one, tells `_read_call` what a call of a function does."""
    function = load_shipped_functions().get(name)
    return not (
        (function.reader if function is not None else is_store(name))
        or name in SPECIAL
        or name in LOADERS
        or name in DUMPERS
        or is_model_call(name)
        or name.startswith((*_REACHING, *NAMES.program_modules))
    )


def is_alike_for_all(host: Host, name: str, choice: Choice, owner: Any) -> bool:
    """Whether a call does and gives the same for all that its first argument could be, but for the marks of that."""
    plain = type(owner) is not Instance and host.state.shipped_only
    return plain and _takes_no_notice(name) and Instance not in map(type, choice.values)


@lru_cache(maxsize=4096)
def _takes_no_notice(name: str) -> bool:
    function = load_shipped_functions().get(name)
    return name in CLEAN and _is_by_table_alone(name) and (function is None or not function.arguments)


def _call_value(
    host: Host, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Put the effects of a call of a value into the reading: a service client, or something without a name."""
    if is_client(function):
        path = function.kind.split(" ", 2)[2]
        call = PythonCall(host, node, path, arguments, keywords, owner)
        result = read_client_call(call, function)
        return result if function.mode == TRIAL or host.state.mocked else disclose(call, result)
    call = PythonCall(host, node, "", arguments, keywords, owner)
    return disclose(call, read_unlisted(call))


def _read_call(call: PythonCall) -> Any:
    """Emit the effects of a call of a library's function; return its result."""
    name = call.name
    if call.reading.files and name in LOADERS:
        loaded = load_settings(call)
        if loaded is not MISSING:
            return loaded
    elif name in DUMPERS and len(call.values) == 1 and isinstance(text := dump_settings(call.argument(0)), str):
        return text
    function = find_function(call.reading, name)
    reader = reader_of(function, name)
    if reader is not None:
        return reader(call)
    if function is None and is_store(name):
        return read_store_call(call)
    if is_model_call(name):
        return read_model_call(call)
    if name.startswith(_REACHING) and _reaches_interlock(name, call.arguments):
        call.reading.emit("defence.disable", call.site, name, frozenset({"guard_config"}))
    if type(call.owner) is Instance:
        return _read_method(call, call.owner, function)
    if name.startswith(NAMES.program_modules):
        return spawn(call.replace(arguments=[[call.method, *call.arguments]], keywords={}))
    return _read_by_table(call, function)


def _reaches_interlock(name: str, arguments: list[Any]) -> bool:
    """Whether a function is a part of Interlock that decides, or runs Interlock as a module."""
    if name.startswith("runpy.run_"):
        return any("interlock" in as_text(value) for value in arguments[:1])
    if name.startswith("unittest."):
        return any(is_own(value.name if isinstance(value, Ref) else as_text(value)) for value in arguments[:1])
    return name.startswith(_OWN_PARTS)


def _read_method(call: PythonCall, owner: Instance, function: Function | None) -> Any:
    """Emit the effects of a method of an instance: an open file, a process, a client."""
    if call.name in READ_CONTENTS:
        return read_file(call)
    if call.name in WRITE_CONTENTS:
        return write_file(call, owner, call.arguments[0] if call.arguments else UNKNOWN)
    if call.method == "fileno":
        return owner
    if call.method == "close":
        close_file(call, owner)
    if owner.kind == "process":
        return feed_process(call, owner)
    return _read_by_table(call, function)


def _read_by_table(call: PythonCall, function: Function | None) -> Any:
    if function is None:
        return read_unlisted(call)
    held = contents_of(call, call.arguments[0]) if call.name in _MOVERS and len(call.arguments) > 1 else None
    result = _emit_effects(call, function)
    if held is not None:
        move_contents(call, held, call.arguments[1])
    elif call.name in _MODES:
        change_mode(call, call.owner if isinstance(call.owner, Instance) else call.argument(0))
    return _result_of(call, function, result)


def _emit_effects(call: PythonCall, function: Function) -> Any:
    """Emit the effects that a description names; return the result of the call, if a role tells it."""
    result, flags = None, function.effect_flags
    for argument, role in function.arguments.items():
        for value in _values_of(call, argument):
            found = _apply_role(call, role, value, flags)
            result = found if result is None else result
    for kind in function.effects:
        if kind == "code.opaque":
            call.reading.unread(f"what `{call.name}` loads", call.site, call.name, flags)
        elif kind == "net.send":
            report_send(call, flags | content_marks(call))
        elif kind == "message.send":
            many = _MANY if call.host.state.loops else NONE
            call.reading.emit(kind, call.site, _resource_name(call, kind), flags | mail_flags(call) | many)
        else:
            call.reading.emit(kind, call.site, _resource_name(call, kind), flags)
    return result


def _values_of(call: PythonCall, argument: str) -> list[Any]:
    """Return the values of an argument that a description names."""
    if argument == "object":
        return [call.owner]
    return call.arguments if argument == "each" else [call.argument(ORDINALS[argument])]


def _resource_name(call: PythonCall, kind: str) -> str | None:
    if kind == "system.change" and call.arguments:
        return " ".join(value for value in call.arguments if isinstance(value, str))[:200] or call.name
    return call.name if KINDS[kind].resource in ("program", "machine", "setting") else None


def _result_of(call: PythonCall, function: Function, result: Any) -> Any:
    """Return the result of a call that has a description."""
    described = function.result
    if described.kind:
        first = call.arguments[0] if call.arguments else None
        return Instance(described.kind, as_text(first) if isinstance(first, str) else "")
    if described.marks == _FROM_INPUT and not _may_run_input(call):
        return UNKNOWN
    if described.marks == _FROM_INPUT:
        return mixture(
            call.reading, "what is on standard input", call.arguments, "input", *(call.host.state.input_marks or ())
        )
    if described.marks:
        return mixture(call.reading, f"what {call.name} gives", call.arguments, *described.marks)
    if result is not None:
        return result
    return UNKNOWN if call.name in CLEAN else mixture(call.reading, call.method, (call.owner, *call.arguments))


def _may_run_input(call: PythonCall) -> bool:
    """Whether it matters what comes in: something is piped into the program, or the text may run a command."""
    state = call.host.state
    return state.input_marks is not None or has_any(state.text, _STARTING)


def _apply_role(call: PythonCall, role: str, value: Any, flags: frozenset[str]) -> Any:
    """Emit the effects of one argument by its role; return the result of the call, if the role tells it."""
    reader = _ROLES.get(role)
    if reader is not None:
        return reader(call, value)
    if role == "code:shell":
        return run_code(call, "shell", value)
    if role.startswith("code:"):
        return run_apart(call, role[5:], value)
    if role.startswith("net."):
        return request(call, role, value, flags)
    text = as_text(value)
    if role in _HARMFUL and call.host.state.summaries is not None and text.startswith(HOLE):
        flags |= UNCALLED  # nothing is known of what it is done to, nor that anybody does it
    call.reading.on(role, call.site, text, flags)
    return None


_ROLES: dict[str, Callable[[PythonCall, Any], Any]] = {
    "code": lambda call, value: run_code(call, "python", value),
    "code.run": run_script,
    "body": lambda _call, _value: None,  # the address tells, with its body and the file that it is saved as
    "saved_file": lambda _call, _value: None,
    "host_name": look_up,
    "native_library": load_library,
    "payload": lambda call, _: send_data(call),
    "serialised": unpickle,
    "command": lambda call, _: spawn(call),
}
