"""Tools that search: for text in files, for files by name, and in the code of a host.

A search by a tool is judged like the same search in a shell, so it is read as the command that does the same.
"""

from __future__ import annotations

import shlex

from interlock.analyse.code import read_code
from interlock.analyse.files.traits import traits
from interlock.analyse.payloads.tools import (
    HOSTED_KEYS,
    LIMITING_KEYS,
    NAME_SEARCHING,
    PATH_KEYS,
    SEARCH_KEYS,
    plain_name,
)
from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import is_key_shape
from interlock.knowledge.services import find_tool
from interlock.model import Action
from interlock.patterns import late
from interlock.payload import texts

#: Qualifiers in queries of code hosts; some say how the files are called.
_QUALIFIER = late(r"(?:^|\s)(?:repo|org|user|owner|project|group|lang|language|path|file|filename|ext|extension):\S")
_FILE = late(r"(?:^|\s)(?:path|file|filename):[\"']?([^\s\"']+)")
_ENDING = late(r"(?:^|\s)(?:ext|extension):\.?(\w+)")
_GLOB = late(r"[*?\[{]")
#: Services that keep files of code, and tools for files of this machine.
_WITH_CODE = frozenset({"Filesystem", "GitHub", "GitLab", "Bitbucket", "Gitea", "Azure DevOps"})
_MODES = {"files_with_matches": "-l ", "count": "-c "}


def read_search(reading: Reading, action: Action) -> str:
    """Report what a tool searches, and whether it looks for secrets; return the first folder or pattern."""
    payload = action.input_payload
    patterns, paths = texts(payload, SEARCH_KEYS), texts(payload, PATH_KEYS)
    known = find_tool(action.tool_name) if patterns and not paths else None
    if known and known.service not in _WITH_CODE:
        from interlock.analyse.payloads.unknown_tools import read_service_tool  # imported on first use

        read_service_tool(reading, action, known.tool)
    elif not HOSTED_KEYS.isdisjoint(map(str.lower, payload)) or any(map(_QUALIFIER.search, patterns)):
        for query in patterns or paths:
            _report_query(reading, query)
    elif plain_name(action.tool_name) in NAME_SEARCHING:
        for pattern in patterns or paths:
            read_code(reading, _find_command(pattern, paths if patterns else []), "shell")
    else:
        limits = texts(payload, LIMITING_KEYS)
        mode = _MODES.get(str(payload.get("output_mode")), "")
        options = mode + "".join(f"-g {shlex.quote(glob)} " for glob in limits)
        where = " ".join(map(_quote, paths)) or "."
        for pattern in [one for one in patterns if one not in limits] or [""]:
            read_code(reading, f"rg {options}-e {shlex.quote(pattern)} -- {where}", "shell")
    return next(iter([*paths, *patterns]), "")


def _find_command(pattern: str, folders: list[str]) -> str:
    """Return the command that lists the files which a pattern matches.

    >>> _find_command("src/**/*.ts", []), _find_command("~/.ssh/id_*", ["."])
    ("find src -name '*.ts'", "find ~/.ssh -name 'id_*'")
    """
    before, slash, name = pattern.rpartition("/")
    glob = _GLOB.search(before)
    fixed = before if glob is None else before[: glob.start()].rpartition("/")[0]
    if pattern[:1] in ("/", "~"):
        folders = [fixed or slash]
    elif fixed:
        folders = [f"{folder}/{fixed}" for folder in folders] or [fixed]
    return f"find {' '.join(map(_quote, folders or ['.']))} -name {shlex.quote(name or '*')}"


def _quote(path: str) -> str:
    """Return a path as a word of a shell, which still expands `~`."""
    return f"~/{shlex.quote(path[2:])}" if path[:2] == "~/" and path[2:] else path if path == "~" else shlex.quote(path)


def _report_query(reading: Reading, query: str) -> None:
    """Report a search in the code of a host, flagged if it is for keys or for files that hold secrets."""
    names = [*_FILE.findall(query), *(f"x.{ending}" for ending in _ENDING.findall(query))]
    seeks = is_key_shape(query) or any("secret" in traits(name) for name in names)
    reading.emit("fs.read", Site((0, len(query))), query, frozenset({"secret_search"}) if seeks else frozenset())
