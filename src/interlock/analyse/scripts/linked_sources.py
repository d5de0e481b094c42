"""Sources that a run has written and that a script loads, put into one text, so that values can be followed through it.

A file names the folder, another one deletes what it is given, and a third one calls it: only together do they tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import normpath

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.model import Effect
from interlock.patterns import late

_JAVASCRIPT = frozenset({"javascript", "typescript", "tsx"})
MAX_SOURCES, MAX_CHARS = 12, 60_000
#: Endings that a script leaves out when it loads a file.
_ENDINGS = ("", *".js .ts .mjs .cjs .jsx .tsx .json /index.js /index.ts .rb .php .pl .pm .lua".split())
_PATH = r"[\"'](?P<path>[^\"'\n]{1,200})[\"']"
_NEAR = r"[\"'](?P<path>\.{1,2}/[^\"'\n]{1,200})[\"']"
#: How a script takes in another one as if it stood there.
_INCLUDED = {
    "ruby": late(rf"\b(?:require_relative|load|require)[\s(]+(?:File\.expand_path\()?{_PATH}[^\n;]*"),
    "php": late(rf"\b(?:include|require)(?:_once)?[\s(]+(?:__DIR__\s*\.\s*)?{_PATH}\s*\)?\s*;"),
    "perl": late(rf"\b(?:require|do)[\s(]+{_PATH}\)?\s*;"),
    "r": late(rf"\bsource\(\s*{_PATH}[^\n)]*\)"),
    "julia": late(rf"\binclude\(\s*{_PATH}\s*\)"),
    "lua": late(rf"\bdofile\(?\s*{_PATH}\s*\)?"),
}
_REQUIRED = late(rf"(?:await\s+)?\b(?:require|import)\(\s*{_NEAR}\s*\)")
_IMPORTED = late(rf"(?m)^[ \t]*import\s+(?:(?P<what>[^\"';]{{1,300}}?)\s+from\s+)?{_NEAR};?")
_EXPORTED = late(r"(?m)^[ \t]*export\s+(?=(?:async\s+)?(?:function\*?|const|let|var|class)\s+(?P<name>[\w$]+))")
_DEFAULT = late(r"(?m)^[ \t]*export\s+default\s+")
_NAMED_DEFAULT = late(r"(?m)^[ \t]*export\s+default\s+(?=(?:async\s+)?(?:function|class)\s+(?P<name>[\w$]+))")
_LISTED = late(r"(?m)^[ \t]*export\s*\{(?P<names>[^}]{0,600})\}\s*;?")
_WHOLE = late(r"\bmodule\.exports\s*=(?!=)")
_MEMBER = late(r"\b(?:module\.)?exports\.(?P<name>[\w$]+)\s*=(?!=)")


def link_sources(language: str, text: str, files: Mapping[str, Flow]) -> str:
    """Return a script with the files of the run in it that it loads, or an empty text if it loads none."""
    if language not in _INCLUDED and language not in _JAVASCRIPT:
        return ""
    linker = _Linker(files)
    linked = linker.join(text, _INCLUDED[language]) if language in _INCLUDED else linker.link(text)
    found = "\n".join([*linker.parts, linked])
    return found if linker.seen and len(found) <= MAX_CHARS else ""


class _Linker:
    """The texts of files that were loaded so far."""

    def __init__(self, files: Mapping[str, Flow]) -> None:
        self.files = files
        self.seen: dict[str, str] = {}  # path → the expression that stands for what the file exports
        self.parts: list[str] = []

    def find(self, named: str) -> str:
        """Return the path of a file whose text is known, by the end of its name, or an empty text."""
        inner = normpath(named).lstrip("./")
        names = tuple(f"/{inner}{ending}" for ending in _ENDINGS) if inner else ()
        found = next((path for path in self.files if names and path.endswith(names)), "")
        text = self.files[found].text if found else None
        return found if text is not None and HOLE not in text and len(self.seen) < MAX_SOURCES else ""

    def join(self, text: str, pattern: re.Pattern[str]) -> str:
        """Return a text with the files in it that it takes in."""

        def replace(named: str, original: str) -> str:
            path = self.find(named)
            if not path or path in self.seen:
                return original
            self.seen[path] = ""
            inner = (self.files[path].text or "").replace("<?php", "").replace("?>", "")
            return f"\n{self.join(inner, pattern)}\n"

        return pattern.sub(lambda found: replace(found["path"], found[0]), text)

    def link(self, text: str) -> str:
        """Return a text of JavaScript in which what it imports is a value that stands before it."""
        text = _IMPORTED.sub(lambda found: self._import(found["what"] or "", found["path"]) or found[0], text)
        return _REQUIRED.sub(lambda found: self._export(found["path"]) or found[0], text)

    def _import(self, what: str, named: str) -> str:
        """Return the declarations that say the same as an import."""
        value = self._export(named)
        if not value:
            return ""
        default, _, listed = what.partition("{")
        lines = [f"const {{{_to_pattern(listed.rpartition('}')[0])}}} = {value};"] if listed else []
        for one in default.split(","):
            name = one.replace("type ", "").strip()
            if name.startswith("*"):
                lines.append(f"const {name.rpartition(' ')[2]} = {value};")
            elif name:
                lines.append(f"const {name} = {value}.default || {value};")
        return " ".join(lines) or ";"

    def _export(self, named: str) -> str:
        """Put the text of a file before the script, once; return the expression for what it exports."""
        path = self.find(named)
        if not path or path in self.seen:
            return self.seen.get(path, "")
        value = self.seen[path] = f"__linked{len(self.seen)}"
        text = self.files[path].text or ""
        if path.endswith(".json"):
            self.parts.append(f"var {value} = {text.strip() or '{}'};")
            return value
        self.parts.append(_as_value(self.link(text), value))
        return value


def _as_value(text: str, value: str) -> str:
    """Return a module as plain statements that leave what it exports in a variable."""
    names = {found["name"]: found["name"] for found in _EXPORTED.finditer(text)}
    for found in _LISTED.finditer(text):
        for one in found["names"].split(","):
            name, _, shown = one.strip().partition(" as ")
            names |= {shown.strip() or name.strip(): name.strip()} if name.strip() else {}
    default = _NAMED_DEFAULT.search(text)
    names |= {"default": default["name"]} if default else {}
    text = _LISTED.sub("", _EXPORTED.sub("", _NAMED_DEFAULT.sub("", text)))
    if _DEFAULT.search(text):
        text, names["default"] = _DEFAULT.sub(f"var {value}_default = ", text), f"{value}_default"
    whole = _WHOLE.search(text) is not None
    text = _WHOLE.sub(f"var {value} =", text)
    for found in _MEMBER.finditer(text):
        names[found["name"]] = f"{value}_{found['name']}"
    text = _MEMBER.sub(lambda found: f"var {value}_{found['name']} =", text)
    if whole:
        return text
    return f"{text}\nvar {value} = {{{', '.join(f'{shown}: {name}' for shown, name in names.items())}}};"


def _to_pattern(names: str) -> str:
    """Return the names of an import as those of a pattern: `a as b` becomes `a: b`."""
    return names.replace(" as ", ": ").replace("type ", "")


def read_linked(reading: Reading, language: str, text: str, site: Site, read: Callable[[str, Site], object]) -> None:
    """Read a script together with the sources that it loads, and add the effects that only this shows."""
    linked = link_sources(language, text, reading.files)
    if not linked:
        return
    known = {(one.kind, one.resource, one.flags) for one in reading.effects}
    first, opaque, unparsed = len(reading.effects), len(reading.opaque), len(reading.unparsed)
    reading.spend(len(linked) // 16)
    read(linked, site.replace(base=-1))
    found = [one for one in reading.effects[first:] if one.kind != "code.opaque" and not _is_unknown(one)]
    reading.effects[first:] = [one for one in found if (one.kind, one.resource, one.flags) not in known]
    del reading.opaque[opaque:], reading.unparsed[unparsed:]


def _is_unknown(effect: Effect) -> bool:
    """Whether nothing tells what an effect is on, or only the name of a parameter: calls of the function tell more."""
    name = effect.resource.name if effect.resource else "$"
    return name[:1] == "$" and not name.startswith("$HOME")
