"""Cmdlets that run something: texts, blocks, programs, jobs, other machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.addresses.hosts import is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.binding import BoundArguments, bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.loops import report_loop
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.reflection import is_block
from interlock.analyse.powershell.values import ScriptBlock, items_of, text_of, texts_of
from interlock.analyse.scripts.values import MAX_ITEMS, choices

MAX_LOOP = 8
_BATCH = (".bat", ".cmd")

_EXPRESSION = Parameters(
    positional="Command",
)
_EACH = Parameters(
    positional="Process",
    valued="Process Begin End RemainingScripts Parallel MemberName ArgumentList InputObject ThrottleLimit",
    switches="AsJob UseNewRunspace",
)
_WHERE = Parameters(
    positional="FilterScript Value",
    valued="FilterScript Property Value InputObject",
    switches=(
        "EQ NE GT LT GE LE Like NotLike Match NotMatch Contains NotContains In NotIn Is IsNot CEQ CNE CLike CMatch Not"
    ),
)
_REMOTE = Parameters(
    positional="ComputerName ScriptBlock",
    valued=(
        "ComputerName ScriptBlock FilePath ArgumentList Args Session Credential HostName VMName VMId "
        "ContainerId InputObject Authentication Port UserName KeyFilePath SSHConnection ConnectionUri "
        "ThrottleLimit JobName"
    ),
    switches="AsJob HideComputerName UseSSL NoNewScope EnableNetworkAccess",
)
_JOB = Parameters(
    positional="ScriptBlock",
    valued=(
        "ScriptBlock FilePath LiteralPath ArgumentList Args InitializationScript Name InputObject Credential "
        "Command WorkingDirectory Expression DefinitionName PSVersion StreamingHost"
    ),
    switches="RunAs32",
)
_PROCESS = Parameters(
    positional="FilePath ArgumentList",
    valued=(
        "FilePath PSPath Path ArgumentList Args Verb WindowStyle WorkingDirectory Credential Environment "
        "RedirectStandardOutput RSO RedirectStandardError RSE RedirectStandardInput RSI"
    ),
    switches="Wait NoNewWindow NNW PassThru LoadUserProfile UseNewEnvironment",
)


def _evaluate(call: Invocation) -> Any:
    """`Invoke-Expression`: a text, or what comes in, run as PowerShell."""
    bound = bind(call.arguments, _EXPRESSION)
    value = bound.values.get("command", call.given if call.piped else "")
    return call.reader.run_code("iex", value, call.node)


def _each(call: Invocation) -> Any:
    """`ForEach-Object`: a block for each item, or a member of each."""
    bound = bind(call.arguments, _EACH)
    blocks = [
        one for name in ("begin", "process", "parallel", "remainingscripts", "end") for one in _blocks(bound, name)
    ]
    items = _items(call, bound)
    first = len(call.state.reading.effects)
    if not blocks:
        return _member(call, items, bound)
    given: list[Any] = []
    for item in items[:MAX_LOOP]:
        for block in blocks:
            given += items_of(_run(call, block, item))
    if len(items) > MAX_LOOP:
        rest = _compute(call, blocks, items[MAX_LOOP:])
        given = (
            given + rest if rest is not None else [call.state.result("items", call.state.marks(items) | {"decoded"})]
        )
    known = isinstance(bound.values.get("inputobject", call.given), list)
    report_loop(call.state, call.site, call.reader.text(call.node), len(items) if known else 0, first)
    return given[0] if len(given) == 1 else given or None


def _compute(call: Invocation, blocks: list[Any], items: list[Any]) -> list[Any] | None:
    """Return what is left where a block only computes: a text that was taken apart is put together."""
    reading, first = call.state.reading, len(call.state.reading.effects)
    given: list[Any] = []
    for item in items:
        reading.spend()
        for block in blocks:
            given += items_of(_run(call, block, item))
        if len(reading.effects) > first or len(given) > MAX_ITEMS:
            return None
    return given


def _run(call: Invocation, block: Any, item: Any) -> Any:
    if isinstance(block, ScriptBlock):
        return call.reader.run_block(block, [], item if item is not None else "")
    return call.reader.run_code("ForEach-Object", block, call.node)


def _blocks(bound: BoundArguments, name: str) -> list[Any]:
    return [one for one in items_of(bound.values.get(name)) if is_block(one)]


def _items(call: Invocation, bound: BoundArguments) -> list[Any]:
    value = bound.values.get("inputobject", call.given)
    found = [one for way in choices(value) for one in items_of(way)]
    return found or [call.state.result("item", call.state.marks(value) | {"input"})]


def _member(call: Invocation, items: list[Any], bound: BoundArguments) -> Any:
    """`% Name` gives a property; `% Delete`, `% Replace a b` call a method."""
    from interlock.analyse.powershell.members import use_member

    named = [*items_of(bound.values.get("process")), *items_of(bound.values.get("membername"))]
    name = text_of(named[0]).lower() if named else ""
    given = [*named[1:], *items_of(bound.values.get("argumentlist"))]
    found = [use_member(call.reader, item, name, given, call.node) for item in items[:MAX_LOOP]]
    return found[0] if len(found) == 1 else found


def _where(call: Invocation) -> Any:
    """`Where-Object`: the same items, or fewer of them."""
    bound = bind(call.arguments, _WHERE)
    for value in bound.values.values():
        for block in items_of(value):
            if isinstance(block, ScriptBlock):
                for item in _items(call, bound)[:2]:
                    _run(call, block, item)
    call.state.reading.emit("out.print", call.site)
    return call.given


def _remote(call: Invocation) -> Any:
    """`Invoke-Command`: a block here, or on other machines."""
    bound = bind(call.arguments, _REMOTE)
    block = bound.values.get("scriptblock")
    names = ("computername", "hostname", "vmname", "connectionuri", "session")
    hosts = [name for one in names for name in texts_of(bound.values.get(one)) if one in bound.values]
    if is_block(bound.values.get("computername")):
        block, hosts = bound.values["computername"], []
    for host in hosts[:8]:
        call.state.reading.url("net.connect", call.site, host or "", frozenset({"remote_run"}))
    return _run_given(call, bound, block, "Invoke-Command")


def _run_given(call: Invocation, bound: BoundArguments, block: Any, name: str) -> Any:
    arguments = items_of(bound.values.get("argumentlist", bound.values.get("args")))
    path = bound.text("filepath") or bound.text("literalpath")
    if path and not block:
        from interlock.analyse.powershell.commands import run_name

        return run_name(call.reader, path, call._replace(arguments=[]))
    if isinstance(block, ScriptBlock):
        return call.reader.run_block(block, arguments, call.given)
    return call.reader.run_code(name, block, call.node) if block is not None else call.state.result(name)


def _job(call: Invocation) -> Any:
    """`Start-Job`, `Measure-Command`, `Start-ThreadJob`: a block that runs."""
    bound = bind(call.arguments, _JOB)
    first = bound.values.get("initializationscript")
    if isinstance(first, ScriptBlock):
        call.reader.run_block(first, [])
    block = bound.values.get("scriptblock", bound.values.get("command", bound.values.get("expression")))
    return _run_given(call, bound, block, "Start-Job")


def _process(call: Invocation) -> Any:
    """`Start-Process FILE -ArgumentList …`; `-Verb RunAs` raises rights."""
    bound = bind(call.arguments, _PROCESS)
    state, program = call.state, bound.text("filepath") or bound.text("path") or bound.text("pspath")
    given = bound.values.get("argumentlist", bound.values.get("args"))
    if bound.text("verb").lower() == "runas":
        state.reading.emit("privilege.raise", call.site, "administrator")
    for name, kind in (("redirectstandardoutput", "fs.write"), ("redirectstandarderror", "fs.write")):
        if name in bound.values:
            touch(state, kind, bound.text(name), call.site)
    if is_url(program):
        state.reading.url("net.fetch", call.site, program)
        return None
    if "download" in state.marks(program):
        state.reading.emit("code.remote", call.site, state.origin(program) or None)
    if HOLE in program and not program.replace("\\", "/").rpartition("/")[2].replace(HOLE, ""):
        state.reading.unread("a program that is not known", call.site, flags=state.marks(program) & {"decoded"})
    return _launch(call, bound, program, given)


def _launch(call: Invocation, bound: BoundArguments, program: str, given: Any) -> Any:
    state, before = call.state, call.state.location
    if "workingdirectory" in bound.values:
        state.location = state.reading.places.resolve(unix_path(bound.text("workingdirectory")), state.location)
    line = " ".join(texts_of(given))
    quoted = f'"{program}"' if " " in program and not program.startswith('"') else program
    try:
        return call.reader.run_line("Start-Process", f"{quoted} {line}".strip(), call.node)
    finally:
        state.location = before


def _open(call: Invocation) -> Any:
    """`Invoke-Item`: a batch file runs, and so does a program; anything else is opened."""
    from interlock.analyse.powershell.commands import run_name

    cmdlet = CMDLETS["invoke-item"]
    bound = bind(call.arguments, cmdlet)
    paths = texts_of(bound.values.get("path", bound.values.get("literalpath", call.given)))
    for path in paths:
        if path.lower().endswith(_BATCH):
            run_name(call.reader, path, call._replace(arguments=[], given=None, piped=False))
    return apply(call, "invoke-item", cmdlet, bound)


def _history(call: Invocation) -> Any:
    """`Invoke-History`: something that was run before."""
    call.state.reading.unread("a command out of the history", call.site, flags=frozenset({"unread"}))
    return call.state.result("history")


RUNNING: dict[str, Callable[[Invocation], Any]] = {
    "invoke-expression": _evaluate,
    "foreach-object": _each,
    "where-object": _where,
    "invoke-command": _remote,
    **dict.fromkeys(("start-job", "start-threadjob", "measure-command", "new-module"), _job),
    "start-process": _process,
    "invoke-history": _history,
    "invoke-item": _open,
}
