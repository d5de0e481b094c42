"""What is known while a PowerShell text is read: variables, functions, aliases, and where unknown values came from."""

from __future__ import annotations

from typing import Any, NamedTuple

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, Flow
from interlock.analyse.powershell.source import PowerShellSource
from interlock.analyse.powershell.values import is_known, text_of
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.values import Choice, unknown
from interlock.analyse.variables import read_variable
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import WindowsFolders

#: What variables hold that the text does not set.
_USUAL: dict[str, Any] = {
    "home": "~",
    "pwd": ".",
    "null": None,
    "true": True,
    "false": False,
    "pshome": "C:\\Windows\\System32\\WindowsPowerShell\\v1.0",
    "profile": "~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1",
    "psscriptroot": ".",
    "shellid": "Microsoft.PowerShell",
    "verbosepreference": "SilentlyContinue",
    "debugpreference": "SilentlyContinue",
    "erroractionpreference": "Continue",
    "ofs": " ",
}
_ENVIRONMENT = read_table("windows-folders", WindowsFolders).powershell
_SCOPES = ("global:", "script:", "local:", "private:", "using:", "variable:", "workflow:")
_GIVEN = frozenset({"_", "psitem", "input", "args", "psboundparameters"})


class PowerShellFunction(NamedTuple):
    """A function of the text: its parameters and where its body stands."""

    name: str
    source: PowerShellSource
    node: Node


class PowerShellState:
    """The session that a text runs in."""

    __slots__ = (
        "aliases",
        "arguments",
        "assumed",
        "calling",
        "decoded",
        "depth",
        "drive",
        "functions",
        "location",
        "namespaces",
        "reading",
        "referenced",
        "seen",
        "shared",
        "shells",
        "site",
        "sockets",
        "source",
        "stdin",
        "streams",
        "uncalled",
        "unnamed",
        "urls",
        "variables",
    )

    def __init__(self, reading: Reading, source: PowerShellSource, site: Site, stdin: Flow) -> None:
        self.reading, self.source, self.site, self.stdin = reading, source, site, stdin
        self.variables: dict[str, Any] = {}
        self.functions: dict[str, PowerShellFunction] = {}
        self.aliases: dict[str, str] = {}
        self.uncalled: dict[str, PowerShellFunction] = {}
        self.unnamed: dict[str, Flow] = {}  # what files hold whose names are not known, `$temporary.ps1`
        self.namespaces: list[str] = []  # those whose types are called by their last names
        self.calling: tuple[str, ...] = ()
        self.arguments: list[Any] | None = None
        self.assumed = False  # whether what is read is a function that the text does not call
        self.location = site.cwd
        self.drive = ""  # where it stands outside the file system: a key of the registry
        self.urls: dict[str, str] = {}  # unknown values that were fetched, and where from
        self.shared: dict[str, Any] = {}  # variables that a function set for the whole session
        self.referenced: set[str] = set()  # variables that are changed through references as well
        self.sockets: list[str] = []
        self.shells = False  # whether something runs what it is given, so that with a socket it is a remote shell
        self.depth = 0
        self.streams: set[str] = set()  # texts that stand for a stream, and not for a path
        self.decoded: set[str] = set()  # texts that something else hid
        self.seen: dict[
            PowerShellSource, set[tuple[int, int]]
        ] = {}  # the commands and calls of each text that were read

    def see(self, node: Node) -> None:
        """Note that a command or a call is read."""
        self.seen.setdefault(self.source, set()).add((node.start_byte, node.end_byte))

    def has_seen(self, source: PowerShellSource, node: Node) -> bool:
        """Whether a command or a call was read."""
        return (node.start_byte, node.end_byte) in self.seen.get(source, ())

    def at(self, node: Node) -> Site:
        """Return where a node stands."""
        return Site(self.source.span(node), self.site.via, self.location)

    # unknown values

    def result(self, name: str, marks: frozenset[str] = NONE, url: str = "") -> str:
        """Return a value that is not known, with where it came from."""
        value = unknown(name)
        inner = value.strip(HOLE)
        if marks:
            self.reading.taints[inner] = self.reading.taints.get(inner, NONE) | marks
        if url:
            self.urls[inner] = url
        return value

    def marks(self, *values: Any) -> frozenset[str]:
        """Return where the unknown parts of values came from."""
        found = NONE
        for value in values:
            found |= self.reading.marks(text_of(value))
        return found

    def origin(self, value: Any) -> str:
        """Return the address that a value was fetched from."""
        parts = text_of(value).split(HOLE)[1::2]
        return next((self.urls[part] for part in parts if part in self.urls), "")

    def flow(self, value: Any, text: str | None) -> Flow:
        """Return a value as what runs into a program."""
        return Flow(text, self.marks(value), self.origin(value))

    # variables

    def get(self, name: str, site: Site) -> Any:
        """Return what a variable holds."""
        name = plain_name(name)
        if name in self.variables:
            return self.variables[name]
        if name.startswith("env:"):
            return self.environment(name[4:], site)
        if name in _GIVEN:
            if name == "args" and self.arguments is not None:
                return list(self.arguments)
            if name == "input" and self.stdin.text is not None:
                return self.stdin.text
            return self.result(name, self.stdin.marks | {"input"})
        if name in _USUAL:
            return _USUAL[name]
        return unknown(name)

    def environment(self, name: str, site: Site) -> Any:
        """Return a variable of the environment."""
        if f"env:{name}" in self.variables:
            return self.variables[f"env:{name}"]
        known = _ENVIRONMENT.get(name)
        if known is not None:
            return known
        self.reading.emit("env.read", site, name.upper() or None)
        return unknown(name.upper())

    def set(self, name: str, value: Any, site: Site) -> None:
        """Set a variable; some of the environment act on what runs later."""
        shared = any(scope in name.lower() for scope in ("global:", "script:"))
        name = plain_name(name)
        self.variables[name] = value
        if name.startswith("alias:"):
            self.aliases[name[6:]] = text_of(value)
        if shared or name.startswith("env:"):
            self.shared[name] = value
        if name.startswith("env:"):
            self.reading.export(name[4:].upper(), text_of(value), site)
            read_variable(self.reading, name[4:].upper(), text_of(value), site)

    def set_referenced(self, before: Any, value: Any) -> None:
        """Set what a reference refers to: each variable that may be meant holds what it held, or the new value."""
        for name in self.referenced & self.variables.keys():
            held = self.variables[name]
            if not is_known(before) or held == before:
                self.variables[name] = self.shared[name] = Choice(tuple(flat_ways([held, value])))

    def merge(self, ways: list[dict[str, Any]]) -> None:
        """Set each variable to what it may hold after one of several ways was taken."""
        merged: dict[str, Any] = {}
        for name in dict.fromkeys(name for way in ways for name in way):
            values: list[Any] = []
            for way in ways:
                value = way.get(name, _USUAL.get(name, unknown(name)))
                if not any(value is one or value == one for one in values):
                    values.append(value)
            merged[name] = values[0] if len(values) == 1 else Choice(tuple(flat_ways(values)))
        self.variables = merged


def flat_ways(values: list[Any]) -> list[Any]:
    """Return values with the choices among them taken apart, not more than a few."""
    found: list[Any] = []
    for value in values:
        found += value.values if isinstance(value, Choice) else [value]
    return found[:4]


def plain_name(name: str) -> str:
    """Return a variable's name in lower case, without its sign, its braces and the scope that it is in.

    >>> plain_name("$Script:Path"), plain_name("${env:X}"), plain_name("@args")
    ('path', 'env:x', 'args')
    """
    name = name.lstrip("$@").lower()
    if name.startswith("{"):
        name = name.strip("{}")
    for scope in _SCOPES:
        name = name.removeprefix(scope)
    return name
