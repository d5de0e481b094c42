"""Loading: the origin of code that a command runs or loads, and settings that determine it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from interlock.analyse.addresses.destinations import share_address
from interlock.analyse.addresses.hosts import host_flags, host_of, is_url
from interlock.analyse.files.created_files import NOT_OURS, find_made_outside, find_spoiled, is_made
from interlock.analyse.files.paths import HOLE
from interlock.analyse.languages import ENDINGS, language_of
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.files import Loading
from interlock.model import Place
from interlock.patterns import late

_TABLE = read_table("loading", Loading)
_TOOLCHAINS = frozenset(_TABLE.toolchains)
_GENERATING = frozenset(_TABLE.generating_words)
_SHELLS = frozenset(_TABLE.shells)
#: Programs that run none of the files that they are given.
CHECKERS = frozenset(_TABLE.checkers)
#: Endings of files that hold data.
DATA_ENDINGS = _TABLE.data_endings
#: The folder that `mktemp -d` prints: it is new, so all that is in it was put there by this action.
FRESH = "/tmp/mktemp"
_FOREIGN = frozenset({"foreign"})
_LOADER = frozenset({"foreign", "loader"})
_REROUTED = frozenset({"rerouted"})


@cache
def _generators() -> dict[str, tuple[str, ...]]:
    """Return the programs that print code for a shell, with the arguments that make them do so."""
    found: dict[str, list[str]] = {}
    for entry in _TABLE.generators:
        program, _, word = entry.partition(" ")
        found.setdefault(program, []).append(word)
    return {program: tuple(words) for program, words in found.items()}


def is_listed_generator(program: str, words: Sequence[str]) -> bool:
    """Whether the manual of a command says that it prints code for a shell: `ssh-agent -s`, `direnv hook zsh`.

    >>> is_listed_generator("ssh-agent", ["ssh-agent", "-s"]), is_listed_generator("direnv", ["direnv", "status"])
    (True, False)
    """
    known = _generators().get(program)
    return known is not None and any(not word or word in words[1:3] for word in known)


def is_shaped_as_generator(words: Sequence[str]) -> bool:
    """Whether a command asks a program for code for a shell in the usual words: `some-tool completion zsh`.

    >>> is_shaped_as_generator(["tool", "completion", "zsh"]), is_shaped_as_generator(["tool", "run", "x"])
    (True, False)
    """
    last = words[-1]
    if ("=" not in last and last not in _ENDING_GENERATORS) or len(words) < 2:
        return False
    if last in _SHELLS:
        return not _GENERATING.isdisjoint(words[1:-1])
    name, _, shell = last.partition("=")
    return name in _PRINTS_CODE or (shell in _SHELLS and name in _GENERATING)


_PRINTS_CODE = frozenset("completion completions shellenv shell-init --completion hook-env".split())
#: Last words of such commands, apart from those with a `=`.
_ENDING_GENERATORS = _SHELLS | _PRINTS_CODE


def is_foreign_code(reading: Reading, path: str, cwd: str | None) -> bool:
    """Whether the code at a path comes from outside the project, the toolchain and this run.

    Scratch folders are foreign, and so are hidden folders below home in which no known tool installs programs.
    """
    if share_address(path):  # a folder that another machine shares
        return True
    place, _, full = reading.places.locate(path, cwd)
    if full is None or place not in (Place.SCRATCH, Place.HOME) or full == "/dev/null":
        return False
    if full == FRESH or full.startswith((FRESH + "/", "/dev/fd", "/dev/std")) or is_written_here(reading, full):
        return False
    inner = _below_home(reading, full)
    if inner is None:
        return place is Place.SCRATCH
    parts = inner.split("/")
    if len(parts) == 1 and _STARTUP.search(inner):
        return False
    return inner[:1] == "." and not any("/".join(parts[:count]) in _TOOLCHAINS for count in (1, 2, 3))


_STARTUP = late(
    r"(?:rc|profile|login|logout|env|aliases|functions|exports|path|\.(?:ba|z|k)?sh|\.fish)$"
)  # `~/.bashrc`


def _below_home(reading: Reading, full: str) -> str | None:
    """Return the part of a path below the home folder, or None if it is elsewhere."""
    for home in (reading.places.home, "~"):
        if home and full.startswith(home + "/"):
            return full[len(home) + 1 :]
    return None


def is_written_here(reading: Reading, full: str) -> bool:
    """Whether this run wrote or built a file. Downloads and earlier files do not count."""
    held = reading.files.get(full) if reading.files else None
    if held is not None:
        return held.marks.isdisjoint(NOT_OURS)
    made = reading.made | find_made_outside(reading.effects)
    return full not in reading.downloaded and is_made(made - find_spoiled(made, reading.effects), full)


def is_downloaded(reading: Reading, path: str, cwd: str | None) -> bool:
    """Whether this run downloaded a file, a folder around it or files in it."""
    full = reading.places.resolve(path, cwd) or path
    if full in reading.downloaded or path in reading.downloaded:
        return True
    if not reading.files:
        return False
    folder = full
    while folder:
        held = reading.files.get(folder)
        if held is not None:
            return "download" in held.marks
        cut = folder.rfind("/")
        folder = folder[:cut] if cut > 0 else ""
    inside = full.rstrip("/") + "/"
    if (cwd or reading.places.cwd or "").startswith(full):
        return False
    return any(
        name.startswith(inside) and "download" in held.marks and not name.endswith(DATA_ENDINGS)
        for name, held in reading.files.items()
    )


def report_loading(reading: Reading, site: Site, path: str) -> None:
    """Report code that is loaded from a path or an address, if it is foreign or was downloaded."""
    if path.startswith("data:"):
        encoded = frozenset({"decoded"} if ";base64," in path else {"unread"})
        reading.unread("code in a `data:` address", site, flags=encoded)
    elif is_url(path):
        if "local" not in host_flags(path) and not path.startswith("file:"):
            reading.emit("code.remote", site, path)
    elif is_downloaded(reading, path, site.cwd):
        reading.emit("code.remote", site, path)
    elif is_foreign_code(reading, path, site.cwd):
        reading.file("code.run", site, path, _LOADER)
    else:
        _read_written(reading, site, path)


def _read_written(reading: Reading, site: Site, path: str) -> None:
    """Read code that is loaded, if this run wrote it; a module may be named without its ending."""
    full = reading.places.resolve(path, site.cwd) or path
    for name in (full, *(f"{full}{ending}" for ending in ENDINGS)) if reading.files else ():
        held = reading.files.get(name)
        if held is None or held.text is None:
            continue
        language = language_of(name, held.text)
        if language and language != "make":  # recipes run only where their targets are built
            reading.nest(language, held.text, site.behind(path))
            return
    if path.startswith(("./", "../", "/")) and path.endswith(tuple(ENDINGS)):
        reading.file("code.run", site, path)


def report_service(reading: Reading, site: Site, name: str, addresses: str) -> None:
    """Report that part of the work is sent to a server outside this machine and its network."""
    hosts = [host for host in addresses.replace(",", " ").split() if host[:1] not in ("-", "/", HOLE)]
    hosts = [host for host in hosts if not host.startswith(("unix:", "file:")) and ("." in host or ":" in host)]
    if any(not {"local", "private"} & host_flags(host) for host in hosts):
        reading.emit("system.change", site, f"{name} {addresses}", _REROUTED)


def report_endpoint(reading: Reading, site: Site, addresses: str) -> None:
    """Report the servers outside this machine and its network that a client is told to connect to."""
    for address in addresses.replace(",", " ").split():
        if address[:1] in ("-", "/", HOLE) or address.startswith(("unix:", "file:", "npipe:", "fd:")):
            continue
        if not {"local", "private"} & host_flags(address if is_url(address) else f"https://{address}"):
            reading.url("net.connect", site, host_of(address))


def script_flags(reading: Reading, path: str, cwd: str | None) -> frozenset[str]:
    """Return the flags of a script or program that is run by its path."""
    return _FOREIGN if is_foreign_code(reading, path, cwd) else frozenset()
