"""Modules that a script loads: by name, from a registry, from an address, or out of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.analyse.addresses.hosts import host_of, is_url
from interlock.analyse.files.paths import HOLE
from interlock.analyse.languages import ENDINGS
from interlock.analyse.scripts.pure import from_base64
from interlock.analyse.scripts.values import Ref, as_text, is_unknown, unknown
from interlock.analyse.scripts.written_files import run_written
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import Packages
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.scripts.script import Script

#: Hosts that serve the packages of registries as modules.
_REGISTRIES = frozenset(read_table("packages", Packages).module_hosts)
_VERSION = late(r"(?<=[^/])@[^/]*")
_ENTITY = late(r"%([0-9a-fA-F]{2})")


def load_module(script: Script, text: str, start: Any) -> Any:
    """Report what loading a module runs, if it is no package; return the module."""
    if text.startswith("data:"):
        body = text.partition(",")[2]
        code = (
            from_base64(body) if ";base64," in text[:100] else _ENTITY.sub(lambda found: chr(int(found[1], 16)), body)
        )
        return script.code("import", script.syntax.name, code, start)
    text = text.removeprefix("file://")
    if is_url(text):
        if host_of(text) not in _REGISTRIES:
            script.reading.url("code.remote", script.where(start), text)
            return unknown("module")
        text = text.partition("://")[2].partition("/")[2].removeprefix("npm/").removeprefix("x/")
    if HOLE in text or not text:
        if is_unknown(text) or script.reading.marks(text) & {"download", "decoded", "input"}:
            script.opaque("a module whose name is computed", text, start)
        return unknown("module")
    for scheme in ("node:", "npm:", "jsr:"):
        text = text.removeprefix(scheme).lstrip("/") if text.startswith(scheme) else text
    data = _load_file(script, text, start) if text[:1] in ("/", ".", "~") else None
    if data is not None and "secret" in script.marks(data):
        return data
    name = _VERSION.sub("", text).replace("/", ".")
    if name == "bun":
        return Ref("Bun")
    if text[:1] not in ("/", "."):
        script.imported.add(name.partition(".")[0] if name[:1] != "@" else name.split(".")[0])
    return Ref(name)


def _load_file(script: Script, path: str, start: Any) -> Any:
    """Report the code that a module loads from a path: a file of this run, a download, or a file at a foreign path.

    A JSON file is data: it is read, and its content returned.
    """
    if path.endswith(".json"):
        return script.read_file(path, start)
    endings = [ending for ending, language in ENDINGS.items() if language == script.syntax.name and ending[0] == "."]
    for name in dict.fromkeys((path, *(path + ending for ending in endings))):
        if run_written(script, "require", name, start):
            break
    return None


def import_library(script: Script, arguments: list[Any]) -> None:
    """Note the library that `library(…)` or `using …` makes known."""
    for argument in arguments[:8]:
        name = argument.name if isinstance(argument, Ref) else as_text(argument)
        if name and HOLE not in name:
            script.imported.add(name)
