"""The drives of the session itself: `alias:`, `function:`, `variable:` and `env:`, which cmdlets for files change."""

from __future__ import annotations

from typing import Any

from interlock.analyse.powershell.binding import BoundArguments, bind
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.state import PowerShellFunction, PowerShellState
from interlock.analyse.powershell.values import ScriptBlock, text_of
from interlock.patterns import late

_PLACE = late(r"(?i)(?:[\w.]+\\)?(alias|function|variable|env|environment)::?[\\/]?(.*)")
_ITEM = Parameters(
    positional="Path Value",
    valued="Path LiteralPath Name Value ItemType Type Destination NewName Encoding Include Exclude Filter Option",
    switches="Force PassThru NoNewline Recurse Container AsByteStream",
)
_MOVED = Parameters(
    positional="Path Destination",
    valued="Path LiteralPath Destination NewName Include Exclude Filter",
    switches="Force PassThru Recurse Container",
)
_SETTING = frozenset({"set-item", "new-item", "set-content", "add-content"})
_MOVING = frozenset({"copy-item", "move-item", "rename-item"})
_READING = frozenset({"get-item", "get-content", "get-childitem"})
_GOING = frozenset({"set-location", "push-location"})


def read_provider(call: Invocation, cmdlet: str) -> Any:
    """Carry out a cmdlet on an alias, a function or a variable; `NotImplemented` if it is about anything else."""
    if cmdlet in _SETTING:
        return None if _set_item(call) else NotImplemented
    if cmdlet in _MOVING:
        return None if _move_item(call, cmdlet == "rename-item") else NotImplemented
    if cmdlet in _GOING and _PLACE.fullmatch(_path(bind(call.arguments, _ITEM))):
        call.state.reading.unread("names that are set in the session itself", call.site)
        return None
    if cmdlet in _READING:
        return _get_item(call)
    return NotImplemented


def _get_item(call: Invocation) -> Any:
    """`Get-Item variable:x`, `Get-Content env:x`: what it holds, if the text has set it."""
    place = _place(_path(bind(call.arguments, _ITEM)))
    drive, _, name = place.partition(":")
    state = call.state
    if drive == "function" and name in state.functions:
        return make_block(state.functions[name])
    if drive == "alias":
        return state.aliases.get(name, NotImplemented)
    return state.variables.get(name if drive == "variable" else place, NotImplemented)


def make_block(function: PowerShellFunction) -> ScriptBlock:
    """Return the body of a function as a block."""
    bodies = [one for one in function.node.named_children if one.type == "script_block"]
    return ScriptBlock(function.source, bodies[-1] if bodies else function.node)


def _path(bound: BoundArguments) -> str:
    return bound.text("path") or bound.text("literalpath")


def _place(text: str, name: str = "") -> str:
    """Return an item of a drive as a variable is named: `function:f`; nothing for a file."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return ""
    drive = found[1].lower().removesuffix("ironment")
    return f"{drive}:{found[2].strip(chr(92) + '/') or name}".lower()


def _set_item(call: Invocation) -> bool:
    bound = bind(call.arguments, _ITEM)
    place = _place(_path(bound), bound.text("name"))
    if not place:
        return False
    set_place(call.state, place, bound.values.get("value", call.given), call)
    call.state.reading.emit("out.print", call.site)
    return True


def set_place(state: PowerShellState, place: str, value: Any, call: Invocation) -> None:
    """Set an alias, a function or a variable."""
    drive, _, name = place.partition(":")
    if drive == "alias":
        state.aliases[name] = text_of(value)
        return
    if drive == "function":
        state.functions.pop(name, None)
    state.set(place if drive != "variable" else name, value, call.site)


def _move_item(call: Invocation, renames: bool) -> bool:
    bound = bind(call.arguments, _MOVED)
    place = _place(_path(bound))
    if not place:
        return False
    drive, _, name = place.partition(":")
    target = bound.text("newname") or bound.text("destination")
    new = _place(target, name).partition(":")[2] or (target.lower() if renames else "")
    state = call.state
    if drive == "function" and name in state.functions:
        state.functions[new] = state.functions[name]
    elif drive == "alias":
        state.aliases[new] = state.aliases.get(name, name)
    else:
        state.set(f"{drive}:{new}", state.get(place, call.site), call.site)
    return True
