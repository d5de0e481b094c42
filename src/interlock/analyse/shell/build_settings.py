"""Settings of builds: servers that do a part of the work, and folders that a build empties."""

from __future__ import annotations

from interlock.analyse.hosts import host_flags
from interlock.analyse.package_sources import is_usual_source
from interlock.analyse.shell.call import Call
from interlock.model import Place
from interlock.patterns import late

_URL = late(r"(?:https?|grpcs?|rediss?|ftp|s3|tcp|git)://[^\s\"'`,;)\]}]+")
# Words before an address by which builds get packages, tools and code from it.
_SOURCES = late(
    r"(?i)repositor|registr|resolver|substituter|mirror|dist-?url|nodedir|index-url|channel|remote_downloader"
)
# Words before an address at which builds are cached, executed or recorded.
_SERVERS = late(
    r"(?i)cache|executor|backend|engine_?address|enterprise|develocity|scan|bes_|remote[_-]|scheduler|coordinator"
)
_SOURCE = frozenset({"package_source"})
_REROUTED = frozenset({"rerouted"})


def read_addresses(call: Call) -> None:
    """Report an address outside that a build gets packages from, or at which it is cached, executed or recorded."""
    reading = call.scope.reading
    for at, word in enumerate(call.words[1:], 1):
        found = _URL.search(word) if "://" in word else None
        if found is None or {"local", "private"} & host_flags(found[0]) or is_usual_source(found[0]):
            continue
        before = f"{call.words[at - 1] if at > 1 else ''} {word[: found.start()]}"
        if _SOURCES.search(before):
            reading.emit("system.change", call.site, f"{call.program} {found[0]}", _SOURCE)
        elif _SERVERS.search(before):
            reading.emit("system.change", call.site, f"{call.program} {found[0]}", _REROUTED)


_EMPTIES = late(
    r"(?i)^(?:[\w:-]*(?:clean|clobber|purge|uninstall|wipe)\w*|--(?:emptyOutDir|clean|wipe|delete-output\S*))$"
)
_SETTING = late(r"^(?:-{0,2}[\w.:-]*=)(.+)$")
_WHOLE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})


def read_emptied_folders(call: Call) -> None:
    """Report a home or a system folder that a build empties: `make clean BUILD_DIR=~`, `--outDir ~ --emptyOutDir`."""
    if not any(_EMPTIES.match(word) for word in call.words[1:]):
        return
    reading, cwd = call.scope.reading, call.scope.cwd
    for word in call.words[1:]:
        setting = _SETTING.match(word)
        path = setting[1] if setting else word
        if path[:1] not in ("/", "~"):
            continue
        place, _, full = reading.places.locate(path, cwd)
        if place in _WHOLE and full is not None and reading.places.is_top(full, place):
            reading.file("fs.delete", call.site, path, frozenset({"recursive"}))
