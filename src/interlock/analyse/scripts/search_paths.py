"""Search paths of modules: a foreign folder among them, such as `/tmp`, can hold any code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import is_foreign_code
from interlock.analyse.scripts.values import ScriptFunction, as_text, choices

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

_LOADED = frozenset({"foreign", "loader"})
_COMPUTED = frozenset({"computed"})
#: Language → the names under which it keeps where modules are found.
_LISTS = {
    "javascript": frozenset({"module.paths", "require.main.paths"}),
    "lua": frozenset({"package.cpath", "package.path"}),
    "perl": frozenset({"INC"}),
    "ruby": frozenset({"$LOAD_PATH"}),
}
#: Settings of PHP that name files or folders of code.
SETTINGS = frozenset({"auto_append_file", "auto_prepend_file", "extension_dir", "include_path"})


def is_search_path(script: Script, name: str) -> bool:
    """Whether a name stands for the folders in which modules are found."""
    return name in _LISTS.get(script.syntax.name, ())


def add_search_path(script: Script, value: Any, start: Any) -> None:
    """Report folders that belong to nobody among those in which modules are found from now on."""
    for one in choices(value):
        if isinstance(one, ScriptFunction):
            script.reading.unread("modules that a function of the script makes", script.where(start), flags=_COMPUTED)
        elif isinstance(one, list):
            for part in one:
                add_search_path(script, part, start)
        else:
            _report_folders(script, as_text(one), start)


def _report_folders(script: Script, text: str, start: Any) -> None:
    for entry in re.split(r"[;:\s]+", text):
        folder = entry.partition("?")[0].rstrip("/")
        if folder[:1] not in ("/", "~") or HOLE in folder:
            continue
        if is_foreign_code(script.reading, f"{folder}/module", script.site.cwd):
            script.reading.file("code.run", script.where(start), folder, _LOADED)
