"""Package managers with unusual arguments: `pacman`, `apt -o`, `pip config`; and registry settings."""

from __future__ import annotations

import re
from collections.abc import Callable

from interlock.analyse.addresses.hosts import host_flags
from interlock.analyse.addresses.package_sources import is_usual_source
from interlock.analyse.argv import parse
from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.patterns import late

_FORCES = frozenset({"--nodeps", "--overwrite", "--dbonly", "--disable-sandbox"})
_READING = {"S": "silgpw", "R": "p", "U": "p"}


def _pacman(call: ShellCall) -> Flow:
    """`pacman`: a capital letter is the operation, small letters are its options."""
    name = call.program
    letters = "".join(word[1:] for word in call.words[1:] if re.fullmatch(r"-[A-Za-z]+", word))
    long = {word.partition("=")[0] for word in call.words[1:] if word.startswith("--")}
    does = next((letter for letter in letters if letter in "SRUQFTDV"), "")
    for option, letter in (("--sync", "S"), ("--remove", "R"), ("--upgrade", "U")):
        does = letter if option in long else does
    if not does and name in ("yay", "paru") and len(call.words) == 1:
        does = "S"
    if name == "aura" and letters[:1] in ("A", "C"):  # from the packages of users, and an older version
        does = "S"
    packages = [word for word in call.words[1:] if not word.startswith("-")]
    kind = {"S": "package.install", "U": "package.install", "R": "package.remove"}.get(does, "package.read")
    refresh = does == "S" and not packages and not set(letters) & set("u")
    if refresh or set(letters) & set(_READING.get(does, "")) or long & {"--print", "--search", "--info"}:
        kind = "package.read"
    flags = {"system"} | ({"forced"} if letters.count("d") > 1 or not long.isdisjoint(_FORCES) else set())
    for package in packages or [""]:
        if package:
            call.scope.reading.on(kind, call.site, package, frozenset(flags))
        else:
            call.scope.reading.emit(kind, call.site, None, frozenset(flags))
    return UNKNOWN


_INVOKES = late(
    r"(?i)^(?:-o|--option=)?((?:apt|dpkg|dir|acquire)::[\w:-]*(?:invoke|pre-install-pkgs|commandline|proxyautodetect|proxy-auto-detect)[\w:-]*)=(.*)$",
    re.DOTALL,
)


def _apt(call: ShellCall) -> Flow:
    """`apt`: analyse the command of `-o APT::…::Pre-Invoke=…`."""
    for word in call.words[1:]:
        found = _INVOKES.match(word)
        if found:
            call.scope.reading.nest("shell", found[2].strip("{};\"' "), call.site.behind("apt -o"))
    return read(call, PROGRAMS[call.program])


_MACRO = late(r"%\((.*)\)", re.DOTALL)


def _rpm(call: ShellCall) -> Flow:
    """`rpm`: analyse the commands that macros run, as in `--eval '%(id)'`."""
    for word in call.words[1:]:
        found = _MACRO.search(word)
        if found:
            call.scope.reading.nest("shell", found[1], call.site.behind("rpm macro"))
    return read(call, PROGRAMS[call.program])


_SOURCES = late(
    r"(?i)(?:^|[:.])(?:registry|index-url|extra-index-url|index|trusted-host|find-links|npmregistryserver|proxy|https-proxy|http-proxy|pypi\.url|url)$"
)
_CHECKS = late(r"(?i)(?:^|[:.])(?:strict-ssl|enablestrictssl|enablehttpsignorechecks|verify|secure-http|disable-tls)$")
_RUNS = late(
    r"(?i)(?:^|[:.])(?:script-shell|shell|git|node-options|onload-script|init-module|prepublish|yarnpath|plugins?|userconfig|globalconfig|pnpmfile|global-pnpmfile|repositories)$"
)


def registry_setting(call: ShellCall, rest: list[str]) -> bool:
    """Analyse `config set NAME VALUE`; return whether a value is set.

    Settings of the registry, of certificate checks and of programs to run are reported as such.
    """
    words = [word for word in rest if not word.startswith("-")]
    words = words[1:] if words[:1] == ["set"] else words
    key, equals, value = words[0].partition("=") if words else ("", "", "")
    value = value if equals else " ".join(words[1:2])
    reading, site = call.scope.reading, call.site
    if not value:
        return False
    if _SOURCES.search(key) and "local" not in host_flags(value) and not is_usual_source(value):
        reading.emit("system.change", site, f"{key} {value}", frozenset({"package_source"}))
    elif _CHECKS.search(key) and value.lower() in ("false", "0", "no", "off"):
        reading.emit("defence.disable", site, key, frozenset({"tls"}))
    elif _RUNS.search(key):
        reading.nest("shell", value, site.behind("config"))
        reading.emit("system.change", site, f"{key} {value}", frozenset({"package_source"}))
    else:
        reading.emit("process.run", site, "config set")
    return True


def _pip(call: ShellCall) -> Flow:
    parsed = parse(call.words, PROGRAMS["pip"])
    rest = call.words[parsed.rest :]
    if parsed.operands and parsed.operands[0].text == "config" and "set" in rest and registry_setting(call, rest):
        return UNKNOWN
    return read(call, PROGRAMS["pip"])


PACKAGE_MANAGERS: dict[str, Callable[[ShellCall], Flow]] = {
    **dict.fromkeys(("pacman", *PROGRAMS["yay"].names, "aura"), _pacman),
    **dict.fromkeys(("apt", "apt-get", "aptitude"), _apt),
    **dict.fromkeys(("pip", "pip3"), _pip),
    **dict.fromkeys(("rpm", "rpmbuild"), _rpm),
}
