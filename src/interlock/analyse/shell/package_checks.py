"""Checks of package managers and build tools that a call switches off, and settings that it changes for later calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter

from interlock.analyse.files.paths import HOLE
from interlock.analyse.loading import report_loading
from interlock.analyse.shell.call import ShellCall
from interlock.knowledge.catalogue import programs_in
from interlock.patterns import late

_CHECK = (
    r"(?:ssl|tls|https?[-_.]?(?:verify|check)|certs?|certificates?|gpg|pgp|sigs?|signatures?|checksums?|integ(?:rity)?"
    r"|verif(?:y|ication)|validation|authentication|sandbox(?:ing)?|revoke|attestations?|provenance|sumdb|quarantine"
    r"|(?:verify|require|check|security)[-_]?hash(?:es)?|md5|sha\d*|digests?)"
)
_OFF = late(
    rf"(?i)^--?(?:(?:no|skip|disable|ignore|without|bypass)[-_]?(?:\w+[-_])?{_CHECK}(?:s|[-_]?(?:checks?|verify|verification|errors?))?"
    r"|(?:allow[-_])?(?:insecure|untrusted|unauthenticated|unsigned|unverified)(?:[-_][\w-]+)?|unsafely-[\w-]+"
    r"|lax-checksums|force-yes|no-secure|trust-all(?:-\w+)?)(?:=.*)?$"
)
_KEY = late(
    r"(?i)(?:ssl|tls|cert|gpg|pgp|sig|sign(?:ature)?s?|checksum|integrity|secur|https?|peer|repo_gpg|pkg_gpg|dependency|hash|local)?"
    r"[-_.]?(?:verif|validat|check|strict|require|secure)\w*|checksum\w*|\bcert$|sandbox$|enablestrictssl|ssl$|gpgcheck"
)
_KEY_ON = late(
    rf"(?i)insecure|unsafe_?https|trust_?all|allow_?all$|(?:ignore|skip|disable|bypass|allow_?empty)[\w.-]*{_CHECK}"
)
_GUARDED = late(rf"(?i){_CHECK}|secure|security")
_FALSE = frozenset("false 0 no off none never disable disabled ignore accept lenient insecure verify_none".split())
_TRUE = frozenset("true 1 yes on".split())
_SWITCHED = _FALSE | _TRUE
_flags_of = attrgetter("flags")
_PAIR = late(r"^(?:-{1,2}[A-Za-z]*?[=:]?)?([A-Za-z][\w.:/-]*?)=(.*)$", re.DOTALL)
_UNCHECKED = frozenset({"unsigned"})
_HARMLESS = frozenset({"--no-verify", "--no-sign", "--without-hashes", "--no-validation", "--no-integrity"})
_REHEARSED = frozenset({"--dry-run", "--help", "-h", "--simulate"})


def read_package_checks(call: ShellCall, program: str, first: int) -> None:
    """Report a check of certificates, signatures or checksums that is off, and settings that later calls obey.

    What the effects of the call since the `first` one say already is not reported again.
    """
    words, reading = call.words, call.scope.reading
    if not _REHEARSED.isdisjoint(words):
        return
    if program not in _WHOLE and sum(map(len, words)) <= MAX_KEPT and not _tells_anything(tuple(words)):
        return
    flags = frozenset(chain.from_iterable(map(_flags_of, reading.effects[first:])))
    for word in words[1:]:
        if word[:3] == "--n" and word.startswith("--node-options="):
            from interlock.analyse.variables import read_variable

            read_variable(reading, "NODE_OPTIONS", word.partition("=")[2], call.site)
    if flags.isdisjoint(_SAID):
        for name in _disabling_options(words):
            reading.emit("defence.disable", call.site, f"{program} {name}", _UNCHECKED)
            return
    if _SETTING.isdisjoint(flags) and "token" not in flags:
        _read_settings(call, program)
    _read_removal(call, program, first)


MAX_KEPT = 500  # characters of a command that is remembered


@lru_cache(maxsize=1024)
def _tells_anything(words: tuple[str, ...]) -> bool:
    """Whether a word of a call is about checks, or about settings of later calls."""
    if not _CONFIGURING.isdisjoint(words[1:4]) or any(word.startswith("--node-options=") for word in words):
        return True
    return next(_disabling_options(words), None) is not None


_SAID = frozenset({"unsigned", "untrusted", "tls", "certificates", "forced"})


def _disabling_options(words: Sequence[str]) -> Iterator[str]:
    """Yield the options and settings that switch a check off.

    >>> list(_disabling_options(["dnf", "--setopt=sslverify=false", "--nogpgcheck", "-Dgpg.skip=true"]))
    ['--setopt=sslverify=false', '--nogpgcheck']
    """
    for at, word in enumerate(words[1:], 1):
        if word == "--":
            return
        if word[:1] == "-" and word not in _HARMLESS and _OFF.match(word):
            if not word.lower().endswith(("=false", "=0", "=no")):
                yield word
        elif "=" in word:
            if _is_off(*_last_pair(word)):
                yield word
        elif at + 1 < len(words) and words[at + 1].lower() in _SWITCHED and _is_off(word, words[at + 1]):
            yield word


def _last_pair(word: str) -> tuple[str, str]:
    """Return the name and the value of a setting: of `--setopt=sslverify=false` and of `-Dssl.insecure=true`."""
    name, _, value = word.rpartition("=")
    return name.lstrip("-").rpartition("=")[2], value


def _is_off(name: str, value: str) -> bool:
    value = value.lower().strip("\"'")
    if value in _FALSE:
        return _KEY.search(name) is not None and _GUARDED.search(name) is not None and not _KEY_ON.search(name)
    return value in _TRUE and _KEY_ON.search(name) is not None


#: Subcommands that change the settings of later calls.
_CONFIGURING = frozenset({"config", "c", "hex.config", "user-config", "set", "option"})
_VERBS = frozenset("set add config update global local --set --add -w edit".split())
_SECRETS = late(
    r"(?i)(?:_auth(?:token)?|_password|token|oauth|http-basic|bearer|api_?key|password|secret|credentials?)(?:$|[.:\s])"
)
_RUNS = late(
    r"(?i)(?:^|[.:/])(?:script-shell|shell|git|node-options|onload-script|init-module|yarnpath|pnpmfile|global-pnpmfile"
    r"|scripts\.[\w-]+|local\.[\w-]+|plugins?|rustc-wrapper|linker|editor|pager|viewer"
    r"|pre-\w+-commands?|post-\w+-commands?|wrap-\w+-commands?)$"
)
_SIGN_IN = late(r"^[^/\s:]+:[^/\s:]+$")  # `user:password`
_TRUST = late(r"(?i)(?:^|[.:/])(?:ca|cafile|capath|ca-?cert|ssl_ca_cert|cacert|ca_bundle|cert)$")
_SOURCES = late(r"(?i)regist|index|mirror|repo|source|server|url|channel|proxy|trusted-host|rocks_servers|whitelist")
_OPEN = late(r"(?i)^(?:allow-plugins|unsafehttpwhitelist)$")
_EVERYTHING = frozenset({"true", "*", "1"})
_SETTING = frozenset({"package_source"})
_TOKEN = frozenset({"token"})


def _read_settings(call: ShellCall, program: str) -> None:
    """Report settings of a package manager by which later calls run code, trust somebody else or sign in."""
    words = call.words
    if _CONFIGURING.isdisjoint(words[1:4]):
        return
    at = next(at for at, word in enumerate(words[1:4], 1) if word in _CONFIGURING)
    if words[1] in ("pkg", "package") or "get" in words[at : at + 3]:
        return
    from interlock.analyse.addresses.hosts import host_flags
    from interlock.analyse.addresses.package_sources import is_usual_source
    from interlock.analyse.variables import read_variable

    reading, site = call.scope.reading, call.site
    for key, value in _settings([word for word in words[at + 1 :] if word not in _VERBS]):
        if _OPEN.match(key) and value.lower() in _EVERYTHING:
            reading.emit("defence.disable", site, f"{program} {key}", _UNCHECKED)
        elif key == "node-options":
            read_variable(reading, "NODE_OPTIONS", value, site)
        elif _RUNS.search(key) and value:
            reading.nest("shell", value, site.behind("config"))
            if value[:1] in ("/", "~"):
                report_loading(reading, site.behind("config"), value)
        elif _TRUST.search(key) and value[:1] in ("/", "~"):
            reading.emit("system.change", site, f"{key} {value}", _SETTING)
        elif value and (_SECRETS.search(key) or (program == "bundle" and _SIGN_IN.match(value))):
            reading.emit("process.run", site, key, _TOKEN)
        elif (
            "://" in value and _SOURCES.search(key) and not is_usual_source(value) and "local" not in host_flags(value)
        ):
            reading.emit("system.change", site, f"{key} {value}", _SETTING)


def _settings(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values of settings: `a b`, `a=b c=d`."""
    plain = [word for word in words if word[:1] != "-"]
    if any("=" in word and "://" not in word.partition("=")[0] for word in plain[:1]):
        for word in plain:
            name, _, value = word.partition("=")
            yield name, value
    elif len(plain) > 1:
        yield plain[0], " ".join(plain[1:])


#: Package managers whose packages are programs of the whole machine or account.
_WHOLE = programs_in("system-package-managers")
_ALL = late(r"^(?:all|\*|\.\*|\^.*|[\w.+-]{0,4}\*|--all|-a[A-Za-z]*)$")
_MANY = frozenset({"many"})


def _read_removal(call: ShellCall, program: str, first: int) -> None:
    """Report the removal of packages that nobody has named: all of them, a pattern, what another command lists."""
    reading = call.scope.reading
    if program not in _WHOLE or not any(effect.kind == "package.remove" for effect in reading.effects[first:]):
        return
    for word in call.words[2:]:
        if word[:1] == HOLE or _ALL.match(word):
            reading.emit("package.remove", call.site, program, _MANY)
            return
