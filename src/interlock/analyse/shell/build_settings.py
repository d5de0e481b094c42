"""Settings of builds: servers that do a part of the work, and folders that a build empties."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.addresses.package_sources import is_usual_source
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import programs_in, read_table
from interlock.knowledge.table_types.projects import Manifests
from interlock.model import Place
from interlock.patterns import late

_URL = late(r"(?:https?|grpcs?|rediss?|ftp|s3|tcp|git)://[^\s\"'`,;)\]}]+")
# Words before an address by which builds get packages, tools and code from it.
_SOURCES = late(
    r"(?i)repo|registr|resolver|substituter|mirror|distribution|dist-?url|nodedir|index|channel|remote_downloader|sources?\b"
    r"|overlay|override|feed|setup-info|pypi|upstream|specs|bucket|\b--url\b|resolution"
)
# Words before an address at which builds are cached, executed or recorded.
_SERVERS = late(
    r"(?i)cache|executor|backend|engine_?address|enterprise|develocity|scan|bes_|remote[_-]|scheduler|coordinator|host\.url|server[-._]?url"
)
#: Hosts of services at which builds are usually analysed, cached or recorded.
_USUAL_SERVERS = frozenset(
    "sonarcloud.io www.sonarcloud.io sonarqube.us scans.gradle.com gradle.com api.nx.app api.vercel.com".split()
)
_SOURCE = frozenset({"package_source"})
_REROUTED = frozenset({"rerouted"})


def read_addresses(call: ShellCall, first: int) -> None:
    """Report an address outside that a build gets packages from, or at which it is cached, executed or recorded."""
    reading = call.scope.reading
    if any(effect.kind == "code.remote" for effect in reading.effects[first:]):
        return
    for at, word in enumerate(call.words[1:], 1):
        found = _URL.search(word) if "://" in word else None
        if found is None or {"local", "private"} & host_flags(found[0]) or is_usual_source(found[0]):
            continue
        before = f"{call.words[at - 1] if at > 1 else ''} {word[: found.start()]}"
        if _SOURCES.search(before):
            reading.emit("system.change", call.site, f"{call.program} {found[0]}", _SOURCE)
        elif _SERVERS.search(before) and host_of(found[0]) not in _USUAL_SERVERS:
            reading.emit("system.change", call.site, f"{call.program} {found[0]}", _REROUTED)
        elif call.program in _TAKING and _is_taken(call.words[at - 1], word) and not is_usual_place(found[0]):
            reading.emit("code.remote", call.site, found[0])


#: Programs that build, install or run what is at an address among their arguments.
_TAKING = programs_in("builders-from-addresses")
_TAKES = late(
    r"^(?:--?(?:git|source|url|from|file|f|s|u|t|taskfile|install|add|plugin|template|path|rebuild|recompile))?$"
)


def _is_taken(before: str, word: str) -> bool:
    """Whether an address is an operand, or the value of an option that says where something comes from."""
    if word[:1] == "-":
        return _TAKES.match(word.partition("=")[0]) is not None
    return before[:1] != "-" or _TAKES.match(before) is not None


def is_usual_place(url: str) -> bool:
    """Whether projects of all kinds are published at the host of a URL: at a forge."""
    return host_of(url).removeprefix("www.") in _FORGES and not url.startswith("http://")


_FORGES = frozenset("github.com gitlab.com bitbucket.org codeberg.org git.sr.ht".split())


_EMPTIES = late(
    r"(?i)^(?:[\w:-]*(?:clean|clobber|purge|uninstall|wipe)\w*|--(?:emptyOutDir|clean|wipe|delete-output\S*))$"
)
_SETTING = late(r"^(?:-{0,2}[\w.:-]*=)(.+)$")
_WHOLE = frozenset({Place.HOME, Place.ROOT, Place.SYSTEM})


def read_emptied_folders(call: ShellCall) -> None:
    """Report a home or a system folder that a build empties: `make clean BUILD_DIR=~`, `--outDir ~ --emptyOutDir`."""
    if not any(map(_EMPTIES.match, call.words[1:])):
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


#: Build tools whose task `install` copies what was built, to `/usr/local` unless another prefix is named.
_INSTALLING = programs_in("installing-builders")
_PREFIX = late(r"(?i)^(?:--?|)(?:prefix|destdir)=(.+)$")
_PREFIX_OPTIONS = frozenset({"--prefix", "--destdir"})


def read_installation(call: ShellCall, program: str) -> None:
    """Report the folder of the system that a build installs into as root: `sudo make install`."""
    if program not in _INSTALLING or not any(word in ("install", "--install") for word in call.words[1:]):
        return
    prefix = "/usr/local"
    for at, word in enumerate(call.words[1:], 1):
        found = _PREFIX.match(word)
        if found:
            prefix = found[1]
        elif word in _PREFIX_OPTIONS and at + 1 < len(call.words):
            prefix = call.words[at + 1]
    call.scope.reading.file("fs.write", call.site, f"{prefix.rstrip('/')}/bin", frozenset({"executable"}))


_ARCHIVE = late(
    r"\.(?:whl|tar\.\w+|tgz|zip|deb|rpm|apk|gem|crate|nupkg|vsix|snap|flatpak|rockspec|rock|ez|jar|scm|rb|pkg|msi|AppImage)$"
)
#: Options whose value is where packages come from.
_FROM = late(
    r"^(?:-[eirfEd]|--(?:editable|requirement|constraint|find-links|path|from|local|file|gemfile|source|manifest-path|working-dir))$"
)


def read_foreign_packages(call: ShellCall, first: int) -> None:
    """Report a package or a project that is installed from a place in which anybody can put files: `/tmp/x.whl`."""
    reading = call.scope.reading
    if any("run" in effect.flags for effect in reading.effects[first:]):  # the paths are arguments of the package
        return
    for at, word in enumerate(call.words[1:], 1):
        option, path = call.words[at - 1], word
        if word[:2] == "--" and "=" in word:
            option, _, path = word.partition("=")
        path = path.removeprefix("file://")
        if path[:1] not in ("/", "~"):
            continue
        if _ARCHIVE.search(path) or option[:1] != "-" or _FROM.match(option):
            if any("loader" in effect.flags for effect in reading.effects[first:]):
                return  # it is reported already
            report_loading(reading, call.site.behind(call.program), path)


_MANAGERS = programs_in("followers-of-sources")
_MANIFESTS = read_table("manifests", Manifests).with_sources
_EDITED = (*_MANIFESTS, ".wrap")
_SOURCE_LINE = late(
    r"(?i)(?:index-url|find-links|trusted-host|\bsource|registr\w*|distributionurl|source_url|repositor\w*|maven|mirror|channels?)"
    r"[^\n]{0,40}?(https?://[^\s\"'<>)]+)"
)


def read_manifests(call: ShellCall, program: str) -> None:
    """Report a source of packages outside that this run has written into a file which a package manager reads."""
    reading = call.scope.reading
    if program not in _MANAGERS:
        return
    for path, held in list(reading.files.items()):
        if held.text is None or not path.endswith(_MANIFESTS):
            continue
        for found in _SOURCE_LINE.finditer(held.text.replace("\\:", ":")):
            if not is_usual_source(found[1]) and not {"local", "private"} & host_flags(found[1]):
                reading.emit("system.change", call.site, f"{program} {found[1]}", _SOURCE)
                break


_SUBSTITUTION = late(r"s([#|,@!/~])(.+?)(?<!\\)\1(.*?)(?<!\\)\1")
_HOST = late(r"[\w-]+(?:\.[\w-]+)+")


def read_edited_manifests(call: ShellCall, first: int) -> None:
    """Report an edit that makes a package manager take packages from elsewhere: `sed -i s#rubygems.org#x# Gemfile`."""
    reading = call.scope.reading
    written = [
        effect.resource.name for effect in reading.effects[first:] if effect.kind == "fs.write" and effect.resource
    ]
    if not any(name.endswith(_EDITED) for name in written):
        return
    for word in call.words[1:]:
        for address in _find_inserted_addresses(word):
            usual = is_usual_source(address) or is_usual_place(address)
            if not usual and not {"local", "private"} & host_flags(address):
                reading.emit("system.change", call.site, f"{written[0]} {address}", _SOURCE)
                return


def _find_inserted_addresses(word: str) -> list[str]:
    """Return the addresses that an edit puts into a file: with a scheme, or in place of a usual source.

    >>> _find_inserted_addresses("s#https://rubygems.org#http://example.com/gems#")
    ['http://example.com/gems']
    >>> _find_inserted_addresses("s#services.gradle.org/x#example.com/x#"), _find_inserted_addresses("s/1.0/2.0/")
    (['https://example.com'], [])
    """
    plain = word.replace("\\", "")
    found = []
    for part in _SUBSTITUTION.finditer(word):
        old, new = part[2].replace("\\", ""), part[3].replace("\\", "")
        urls = [url[0] for url in _URL.finditer(new)]
        replaced = any(is_usual_source(f"https://{host[0]}") for host in _HOST.finditer(old))
        found += urls or ([f"https://{host[0]}" for host in _HOST.finditer(new)] if replaced else [])
    return found or ([url[0] for url in _URL.finditer(plain)] if not _SUBSTITUTION.search(word) else [])
