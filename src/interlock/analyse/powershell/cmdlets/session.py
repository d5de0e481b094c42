"""Cmdlets for the session itself: variables, aliases, the folder, paths, what is typed and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.binding import bind
from interlock.analyse.powershell.cmdlets import CMDLETS
from interlock.analyse.powershell.cmdlets.reading import apply
from interlock.analyse.powershell.command_names import find_command
from interlock.analyse.powershell.drives import unix_path
from interlock.analyse.powershell.files import full_key
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.state import plain_name
from interlock.analyse.powershell.values import items_of, text_of, texts_of

_VARIABLE = Parameters(
    positional="Name Value",
    valued="Name Value Scope Option Description Visibility Include Exclude",
    switches="Force PassThru ValueOnly",
)
_ALIAS = Parameters(
    positional="Name Value",
    valued="Name Value Scope Option Description",
    switches="Force PassThru",
)
_LOCATION = Parameters(
    positional="Path",
    valued="Path LiteralPath StackName",
    switches="PassThru",
)
_JOIN = Parameters(
    positional="Path ChildPath AdditionalChildPath",
    valued="Path ChildPath AdditionalChildPath Credential",
    switches="Resolve",
)
_SPLIT = Parameters(
    positional="Path",
    valued="Path LiteralPath Credential",
    switches="Leaf Parent Qualifier NoQualifier LeafBase Extension Resolve IsAbsolute",
)
_OUTPUT = Parameters(
    positional="InputObject",
    valued="InputObject",
    switches="NoEnumerate",
)
_STRING = Parameters(
    positional="Property Separator",
    valued="Property Separator InputObject OutputPrefix OutputSuffix FormatString",
    switches="SingleQuote DoubleQuote UseCulture",
)
_NAMED = Parameters(
    positional="Name",
    valued="Name Module Noun Verb CommandType TotalCount",
    switches="All",
)
_READLINE = Parameters(
    valued="HistorySaveStyle HistorySavePath MaximumHistoryCount",
)


def _set_variable(call: Invocation) -> Any:
    bound = bind(call.arguments, _VARIABLE)
    call.state.set(bound.text("name"), bound.values.get("value", call.given), call.site)


def _get_variable(call: Invocation) -> Any:
    bound = bind(call.arguments, _VARIABLE)
    call.state.reading.emit("out.print", call.site)
    name = bound.text("name")
    call.state.referenced.add(plain_name(name))  # its `Value` can be set
    return call.state.get(name, call.site) if name and "*" not in name and HOLE not in name else call.state.result(name)


def _clear_variable(call: Invocation) -> None:
    name = plain_name(bind(call.arguments, _VARIABLE).text("name"))
    if name in call.state.variables:
        call.state.set(name, None, call.site)


def _set_alias(call: Invocation) -> Any:
    bound = bind(call.arguments, _ALIAS)
    name, value = bound.text("name").lower(), bound.text("value")
    if value:
        call.state.aliases[name] = value
    call.state.reading.emit("out.print", call.site)


def _set_location(call: Invocation) -> Any:
    bound = bind(call.arguments, _LOCATION)
    path = bound.text("path") or bound.text("literalpath") or text_of(call.given)
    if path and path != "-":
        state = call.state
        state.drive = full_key(state.drive, path)
        if not state.drive:
            state.location = state.reading.places.resolve(unix_path(path), state.location)
    call.state.reading.emit("out.print", call.site)


def _join(call: Invocation) -> Any:
    bound = bind(call.arguments, _JOIN)
    names = ("path", "childpath", "additionalchildpath")
    parts = [text_of(one) for name in names for one in items_of(bound.values.get(name))]
    return "\\".join(part.rstrip("\\/") or part for part in parts if part)


def _split(call: Invocation) -> Any:
    bound = bind(call.arguments, _SPLIT)
    path = bound.text("path") or bound.text("literalpath") or text_of(call.given)
    head, _, last = path.replace("\\", "/").rpartition("/")
    if HOLE in last:
        return path
    if bound.switches & {"leaf", "leafbase", "extension"}:
        return last.rpartition(".")[0] or last if "leafbase" in bound.switches else last
    return head or (path if "qualifier" in bound.switches else ".")


def _output(call: Invocation) -> Any:
    bound = bind(call.arguments, _OUTPUT)
    call.state.reading.emit("out.print", call.site)
    return bound.values.get("inputobject", call.given)


def _location(call: Invocation) -> Any:
    call.state.reading.emit("out.print", call.site)
    return call.state.location or "."


def _join_string(call: Invocation) -> Any:
    """`Join-String`: what comes in, as one text."""
    bound = bind(call.arguments, _STRING)
    call.state.reading.emit("out.print", call.site)
    items = items_of(bound.values.get("inputobject", call.given))
    return bound.text("outputprefix") + bound.text("separator").join(map(text_of, items)) + bound.text("outputsuffix")


def _prompt(call: Invocation) -> Any:
    call.state.reading.emit("out.print", call.site)
    return call.state.result("input", frozenset({"input"}))


def _command(call: Invocation) -> Any:
    """`Get-Command`, `Get-Alias`: the name that is asked for; a pattern stands for each that it matches."""
    bound = bind(call.arguments, _NAMED)
    call.state.reading.emit("out.print", call.site)
    names = texts_of(bound.values.get("name"))
    return find_command(call.state, names[0]) if len(names) == 1 else call.state.result("command")


def _keep_history(call: Invocation) -> Any:
    """`Set-PSReadLineOption -HistorySaveStyle SaveNothing`: what is typed is not kept."""
    bound = bind(call.arguments, _READLINE)
    if bound.text("historysavestyle").lower() == "savenothing":
        call.state.reading.emit("trace.erase", call.site, "history", frozenset({"history"}))
    else:
        call.state.reading.emit("out.print", call.site)


def _execution_policy(call: Invocation) -> Any:
    """`Set-ExecutionPolicy`: for this process alone it changes nothing that lasts."""
    cmdlet = CMDLETS["set-executionpolicy"]
    bound = bind(call.arguments, cmdlet)
    if bound.text("scope").lower() == "process":
        call.state.reading.emit("system.tune", call.site, "execution policy")
        return None
    return apply(call, "set-executionpolicy", cmdlet, bound)


def _plain_text(call: Invocation) -> Any:
    """`ConvertFrom-SecureString -AsPlainText`: a password that is shown."""
    cmdlet = CMDLETS["convertfrom-securestring"]
    if any(argument.parameter.lower().startswith("aspl") for argument in call.arguments):
        call.state.reading.emit("secret.read", call.site, "password")
    return apply(call, "convertfrom-securestring", cmdlet, bind(call.arguments, cmdlet))


SESSION: dict[str, Callable[[Invocation], Any]] = {
    **dict.fromkeys(("set-variable", "new-variable"), _set_variable),
    "get-variable": _get_variable,
    **dict.fromkeys(("clear-variable", "remove-variable"), _clear_variable),
    **dict.fromkeys(("set-alias", "new-alias"), _set_alias),
    **dict.fromkeys(("set-location", "push-location"), _set_location),
    "get-location": _location,
    "join-path": _join,
    "split-path": _split,
    "write-output": _output,
    "read-host": _prompt,
    "join-string": _join_string,
    **dict.fromkeys(("get-command", "get-alias"), _command),
    "set-psreadlineoption": _keep_history,
    "set-executionpolicy": _execution_policy,
    "convertfrom-securestring": _plain_text,
}
