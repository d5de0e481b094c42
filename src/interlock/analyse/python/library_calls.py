"""Library calls: effects by a special reader, by the tables in `library/`, or by heuristics."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.paths import HOLE
from interlock.analyse.python.call import Call, Host
from interlock.analyse.python.dynamic_code import load_library, run_code, run_script, unpickle
from interlock.analyse.python.file_calls import (
    change_mode,
    close_file,
    contents_of,
    move_contents,
    read_file,
    write_file,
)
from interlock.analyse.python.library import Row, table
from interlock.analyse.python.library.files import READERS, WRITERS
from interlock.analyse.python.library.processes import EXECUTORS, PROGRAM_MODULES, SPAWNERS
from interlock.analyse.python.marks import mixture
from interlock.analyse.python.network_calls import look_up, request, send_data
from interlock.analyse.python.special_calls import SPECIAL
from interlock.analyse.python.store_clients import is_client, is_model_call, read_client_call, read_model_call
from interlock.analyse.python.subprocess_calls import feed_process, spawn
from interlock.analyse.python.unlisted_calls import CLEAN, UNCALLED, read_cloud_call, read_unlisted
from interlock.analyse.python.values import UNKNOWN, Instance, Ref, Unknown, as_text
from interlock.effects import KINDS

_HARMFUL = frozenset({"fs.delete", "fs.mode", "fs.owner"})
_MOVERS = frozenset("os.rename os.replace shutil.move shutil.copy shutil.copy2 shutil.copyfile".split())
_MODES = frozenset({"os.chmod", "pathlib.Path.chmod"})
#: Parts of Interlock that answer, sign and write: whoever calls them past the gate would forge.
_OWN_PARTS = tuple(
    f"interlock.{part}."
    for part in "approval audit store cli config.trust __main__ Gate.journal Gate.spool Gate.approvals Gate.grants "
    "Gate.runs".split()
)
_RUNNERS = frozenset({"compile", "__import__", "os.startfile", "pickle.loads", "marshal.loads"})


def has_effects(name: str) -> bool:
    """Whether a function is known to do something."""
    return name in table() or name in SPECIAL


def runs_code(name: str) -> bool:
    """Whether a function runs code or programs."""
    if name in _RUNNERS or name in SPAWNERS or name in EXECUTORS:
        return True
    row = table().get(name)
    return row is not None and any(role.startswith("code:") for _, role in row.roles)


def call_effects(
    host: Host, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
) -> Any:
    """Put the effects of a call into the reading; return what the call gives, where that is known."""
    reading = host.reading
    reading.call += 1
    if not isinstance(function, Ref):
        name = function.name if isinstance(function, Unknown) else ""
        return read_unlisted(Call(host, reading, node, name, arguments, keywords, owner))
    name = function.name.removesuffix(".__call__")
    call = Call(host, reading, node, name, arguments, keywords, owner)
    reader = SPECIAL.get(name)
    if reader is not None:
        return reader(call)
    if is_client(name):
        return read_client_call(call)
    if is_model_call(name):
        return read_model_call(call)
    own = name.startswith("interlock.") and name.startswith(_OWN_PARTS)
    runs_itself = name.startswith("runpy.run_") and any("interlock" in as_text(value) for value in arguments[:1])
    if own or runs_itself:
        reading.emit("defence.disable", call.site, name, frozenset({"guard_config"}))
    if isinstance(owner, Instance):
        return _read_method(call, owner)
    if name.startswith(PROGRAM_MODULES):
        return spawn(call._replace(arguments=[[call.method, *arguments]], keywords={}))
    return _read_by_table(call)


def _read_method(call: Call, owner: Instance) -> Any:
    """Emit the effects of a method of an instance: an open file, a process, a client."""
    if call.name in READERS:
        return read_file(call)
    if call.name in WRITERS:
        return write_file(call, owner, call.arguments[0] if call.arguments else UNKNOWN)
    if call.method == "fileno":
        return owner
    if call.method == "close":
        close_file(call, owner)
    if owner.kind == "process":
        return feed_process(call, owner)
    if owner.kind.startswith("cloud."):
        return read_cloud_call(call, owner)
    return _read_by_table(call)


def _read_by_table(call: Call) -> Any:
    row = table().get(call.name)
    if row is None:
        return read_unlisted(call)
    held = contents_of(call, call.arguments[0]) if call.name in _MOVERS and len(call.arguments) > 1 else None
    result = None
    for position, role in row.roles:
        value = call.owner if position == "self" else call.argument(int(position))
        found = _apply_role(call, role, value, row)
        result = found if result is None else result
    for kind in row.kinds:
        if kind == "code.opaque":
            call.reading.unread(f"what `{call.name}` loads", call.site, call.name, row.flags)
        else:
            call.reading.emit(kind, call.site, _resource_name(call, kind), row.flags)
    if held is not None:
        move_contents(call, held, call.arguments[1])
    elif call.name in _MODES:
        change_mode(call, call.owner if isinstance(call.owner, Instance) else call.argument(0))
    return _result_of(call, row, result)


def _resource_name(call: Call, kind: str) -> str | None:
    if kind == "system.change" and call.arguments:
        return " ".join(value for value in call.arguments if isinstance(value, str))[:200] or call.name
    return call.name if KINDS[kind].resource in ("program", "machine", "setting") else None


def _result_of(call: Call, row: Row, result: Any) -> Any:
    """Return the result of a call that a row of the table describes."""
    if row.gives:
        first = call.arguments[0] if call.arguments else None
        return Instance(row.gives, as_text(first) if isinstance(first, str) else "")
    if row.marks:
        return mixture(call.reading, f"what {call.name} gives", call.arguments, *row.marks)
    if result is not None:
        return result
    return UNKNOWN if call.name in CLEAN else mixture(call.reading, call.method, (call.owner, *call.arguments))


def _apply_role(call: Call, role: str, value: Any, row: Row) -> Any:
    """Emit the effects of one argument by its role; return the result of the call, if the role tells it."""
    reader = _ROLES.get(role)
    if reader is not None:
        return reader(call, value)
    if role.startswith("code:"):
        return run_code(call, role[5:], value)
    if role.startswith("net."):
        return request(call, role, value, row.flags)
    text, flags = as_text(value), row.flags
    if role in _HARMFUL and call.host.state.summaries is not None and text.startswith(HOLE):
        flags |= UNCALLED  # nothing is known of what it is done to, nor that anybody does it
    call.reading.on(role, call.site, text, flags)
    return None


_ROLES: dict[str, Callable[[Call, Any], Any]] = {
    "lookup": look_up,
    "carry": lambda call, _: send_data(call),
    "unpickle": unpickle,
    "code.run": run_script,
    "library": load_library,
    "command": lambda call, _: spawn(call),
}
