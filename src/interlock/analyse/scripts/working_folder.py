"""The folder in which a script, or a program that it starts, works: names of files are relative to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.knowledge.function import Function
from interlock.model import Place

if TYPE_CHECKING:
    from interlock.analyse.reading import Site
    from interlock.analyse.scripts.script import Script

_HARMLESS = frozenset({Place.SCRATCH, Place.WORKSPACE, Place.UNKNOWN})
_OPTIONS = ("cwd", "chdir", "working_dir")


def enter_folder(script: Script, _found: Function, _owner: Any, arguments: list[Any], _start: Any) -> None:
    """`process.chdir(path)`: from here on, names are relative to another folder, if it is known.

    Where it is not certain that it is entered, only a folder counts in which more is at stake.
    """
    entered = _in_folder(script, arguments[0] if arguments else None)
    if not script.is_uncertain() or script.reading.places.locate(entered.cwd or "")[0] not in _HARMLESS:
        script.site = entered


def find_started_site(script: Script, arguments: list[Any]) -> Site:
    """Return where a program works that a call starts: `spawn("make", {cwd: path})`."""
    for argument in arguments:
        for name in _OPTIONS if isinstance(argument, dict) else ():
            if name in argument:
                return _in_folder(script, argument[name])
    return script.site


def _in_folder(script: Script, path: Any) -> Site:
    site = script.site
    if not isinstance(path, str) or HOLE in path or not path:
        return site
    return site.replace(cwd=script.reading.places.resolve(path, site.cwd) or path)
