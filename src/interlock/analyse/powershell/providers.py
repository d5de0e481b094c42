"""The drives of the session itself: `alias:`, `function:`, `variable:` and `env:`, which cmdlets for files change."""

from __future__ import annotations

from typing import Any

from interlock.analyse.powershell.binding import BoundArguments, bind
from interlock.analyse.powershell.invocation import Invocation
from interlock.analyse.powershell.parameters import Parameters
from interlock.analyse.powershell.state import PowerShellState
from interlock.analyse.powershell.values import text_of
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
_GOING = frozenset({"set-location", "push-location"})


def read_provider(call: Invocation, cmdlet: str) -> bool:
    """Carry out a cmdlet on an alias, a function or a variable; return whether it was one."""
    if cmdlet in _SETTING:
        return _set_item(call)
    if cmdlet in _MOVING:
        return _move_item(call, cmdlet == "rename-item")
    if cmdlet in _GOING and _PLACE.fullmatch(_path(bind(call.arguments, _ITEM))):
        call.state.reading.unread("names that are set in the session itself", call.site)
        return True
    return False


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
