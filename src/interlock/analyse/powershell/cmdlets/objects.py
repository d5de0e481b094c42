"""Cmdlets that make and use objects: .NET types, COM, WMI, modules, tasks, databases."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.binding import bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply
from interlock.analyse.powershell.dotnet import construct
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import touch
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.reflection import is_block
from interlock.analyse.powershell.values import Instance, ScriptBlock, items_of, lines_of, text_of, texts_of

_OBJECT = Parameters(
    positional="TypeName ArgumentList",
    valued="TypeName ArgumentList Args ComObject Property",
)
_TYPE = Parameters(
    positional="TypeDefinition",
    valued=(
        "TypeDefinition MemberDefinition Name Namespace AssemblyName AN Path LiteralPath Language "
        "OutputAssembly OA ReferencedAssemblies RA UsingNamespace OutputType CompilerOptions"
    ),
    switches="PassThru IgnoreWarnings",
)
_MODULE = Parameters(
    positional="Name",
    valued=(
        "Name Path Assembly ModuleInfo MinimumVersion RequiredVersion Prefix Function Cmdlet Variable Alias "
        "Scope ArgumentList PSSession CimSession"
    ),
    switches="Force Global PassThru AsCustomObject DisableNameChecking NoClobber SkipEditionCheck",
)
_ACTION = Parameters(
    positional="Execute Argument",
    valued="Execute Argument WorkingDirectory Id",
)
_MEMBER = Parameters(
    positional="MemberType Name Value SecondValue",
    valued=(
        "MemberType Type Name MemberName Value SecondValue InputObject NotePropertyName NotePropertyValue "
        "NotePropertyMembers TypeName DefaultDisplayProperty DefaultDisplayPropertySet SerializationDepth"
    ),
    switches="PassThru Force",
)
_SQL = Parameters(
    positional="Query",
    valued="Query InputFile ServerInstance Database Username Password ConnectionString Variable",
)
MAX_JSON = 64_000
_HALTING = frozenset({"win32shutdown", "reboot", "shutdown"})
_MODULE_FILES = (".psm1", ".psd1", ".ps1", ".dll")


def _new_object(call: Invocation) -> Any:
    bound = bind(call.arguments, _OBJECT)
    com = bound.text("comobject")
    if com:
        return Instance(f"com.{com.lower()}")
    name = bound.text("typename").lower().strip("[]")
    given = bound.values.get("argumentlist", bound.values.get("args"))
    arguments = given if isinstance(given, list) else [] if given is None else [given]
    if HOLE in name:
        call.state.reading.unread(
            "a type whose name is not known", call.site, flags=call.state.marks(name) & {"decoded"}
        )
        return call.state.result("object", call.marks())
    made = construct(call.reader, name, arguments, call.node)
    properties = bound.values.get("property")
    if isinstance(properties, dict) and isinstance(made, dict):
        return made | properties
    if isinstance(properties, dict) and isinstance(made, Instance):
        return Instance(made.type, (*made.arguments, properties))
    return made


def _add_type(call: Invocation) -> Any:
    """`Add-Type`: a type that is written here, or an assembly that Windows has."""
    bound = bind(call.arguments, _TYPE)
    path = bound.text("path") or bound.text("literalpath")
    if path:
        touch(call.state, "code.run", path, call.site)
    elif "typedefinition" in bound.values or "memberdefinition" in bound.values:
        if "download" in call.marks():
            call.state.reading.emit("code.remote", call.site)
        source = bound.text("typedefinition") or bound.text("memberdefinition")
        if source and HOLE not in source:
            call.state.reading.nest("csharp", source, call.site.behind("Add-Type"))
        call.state.reading.unread("what `add-type` loads", call.site, "Add-Type", frozenset({"native"}))
    else:
        call.state.reading.emit("out.print", call.site)
    return None


def _import(call: Invocation) -> Any:
    """`Import-Module`: a module that is installed, or a file."""
    from interlock.analyse.powershell.commands import add_ending, run_name

    bound = bind(call.arguments, _MODULE)
    for name in texts_of(bound.values.get("name", bound.values.get("path", call.given))):
        plain = add_ending(call.reader, unix_path(name))
        name = plain if plain != unix_path(name) else name
        if plain.lower().endswith(_MODULE_FILES) and not plain.lower().endswith(".dll"):
            run_name(call.reader, name, call._replace(arguments=[], given=None, piped=False))
        elif "/" in plain or plain.lower().endswith(".dll"):
            touch(call.state, "code.run", name, call.site)
        else:
            call.state.reading.emit("process.spawn", call.site, name)
    return None


def _invoke_method(call: Invocation) -> Any:
    """`Invoke-CimMethod Win32_Process Create`: a program that another service starts."""
    bound = bind(call.arguments, CMDLETS["invoke-cimmethod"])
    kind = " ".join(bound.text(name) for name in ("classname", "class", "path", "query", "inputobject"))
    kind = f"{kind} {text_of(call.given)}".lower()
    method = (bound.text("name") or bound.text("methodname")).lower()
    given = bound.values.get("argumentlist", bound.values.get("arguments"))
    for host in texts_of(bound.values.get("computername")):
        call.state.reading.url("net.connect", call.site, host, frozenset({"remote_run"}))
    if "win32_process" in kind and method == "create":
        line = given.get("commandline", given) if isinstance(given, dict) else (items_of(given) or [""])[0]
        return call.reader.run_line("Win32_Process.Create", text_of(line), call.node)
    if method in _HALTING:
        call.state.reading.emit("machine.halt", call.site)
        return None
    if method == "terminate":
        call.state.reading.emit("process.signal", call.site)
        return None
    return apply(call, "invoke-cimmethod", CMDLETS["invoke-cimmethod"], bound)


def _remove_instance(call: Invocation) -> Any:
    """`Remove-CimInstance`: of shadow copies it destroys backups."""
    texts = " ".join(text_of(argument.value) for argument in call.arguments)
    if "shadowcopy" in f"{texts} {text_of(call.given)}".lower():
        call.state.reading.emit("fs.delete", call.site, None, frozenset({"backups"}))
        return None
    return apply(
        call, "remove-ciminstance", CMDLETS["remove-ciminstance"], bind(call.arguments, CMDLETS["remove-ciminstance"])
    )


def _task_action(call: Invocation) -> Any:
    """`New-ScheduledTaskAction`: a command that a task will run."""
    bound = bind(call.arguments, _ACTION)
    call.reader.run_line("New-ScheduledTaskAction", f"{bound.text('execute')} {bound.text('argument')}", call.node)
    return call.state.result("action")


def _sql(call: Invocation) -> Any:
    bound = bind(call.arguments, _SQL)
    query = bound.text("query")
    if query:
        call.state.reading.nest("sql", query, call.site.behind("Invoke-Sqlcmd"))
    for path in texts_of(bound.values.get("inputfile")):
        touch(call.state, "code.run", path, call.site)
    return call.state.result("rows")


def _register_event(call: Invocation) -> Any:
    """`Register-ObjectEvent … -Action { … }`: a block that runs later."""
    for argument in call.arguments:
        if isinstance(argument.value, ScriptBlock):
            call.reader.run_block(argument.value, [])
    call.state.reading.emit("process.spawn", call.site, "event")
    return call.state.result("event")


def _from_json(call: Invocation) -> Any:
    """`ConvertFrom-Json`: what a text stands for, if it is known."""
    cmdlet = CMDLETS["convertfrom-json"]
    value = apply(call, "convertfrom-json", cmdlet, bind(call.arguments, cmdlet))
    text = lines_of(value)
    if text is None or len(text) > MAX_JSON:
        return value
    try:
        return _lower_keys(json.loads(text))
    except ValueError:
        return value


def _lower_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key.lower(): _lower_keys(one) for key, one in value.items()}
    return [_lower_keys(one) for one in value] if isinstance(value, list) else value


#: How the names of the types of members end.
_MEMBER_TYPES = ("method", "methods", "property", "properties", "propertyset", "memberset", "event", "all", "dynamic")


def _add_member(call: Invocation) -> Any:
    """`Add-Member`: a property or a method that an object is given; a block may be called."""
    bound = bind(call.arguments, _MEMBER)
    owner, value = bound.values.get("inputobject", call.given), bound.values.get("value")
    name = bound.text("notepropertyname") or bound.text("name")
    kind = bound.text("membertype").lower()
    if kind and value is None and "membertype" in bound.values and not kind.endswith(_MEMBER_TYPES):
        name, value = kind, bound.values.get("name")  # `Add-Member name value`
    value = bound.values.get("notepropertyvalue", value)
    members = bound.values.get("notepropertymembers")
    if isinstance(owner, dict):
        owner |= members if isinstance(members, dict) else {name.lower(): value}
    for one in items_of(value):
        if is_block(one):
            call.reader.run_code("Add-Member", one, call.node)
    call.state.reading.emit("out.print", call.site)
    return owner if "passthru" in bound.switches else None


OBJECTS: dict[str, Callable[[Invocation], Any]] = {
    "new-object": _new_object,
    "convertfrom-json": _from_json,
    **dict.fromkeys(("add-member", "update-typedata"), _add_member),
    "add-type": _add_type,
    "import-module": _import,
    **dict.fromkeys(("invoke-cimmethod", "invoke-wmimethod"), _invoke_method),
    **dict.fromkeys(("remove-ciminstance", "remove-wmiobject"), _remove_instance),
    "new-scheduledtaskaction": _task_action,
    "invoke-sqlcmd": _sql,
    **dict.fromkeys(
        ("register-objectevent", "register-engineevent", "register-wmievent", "register-cimindicationevent"),
        _register_event,
    ),
}
