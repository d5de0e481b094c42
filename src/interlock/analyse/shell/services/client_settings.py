"""Settings that a client keeps for later calls: its keys, the servers that it talks to, and whether it checks them."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.addresses.hosts import host_flags, host_of
from interlock.analyse.files.paths import HOLE
from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.services.local_systems import is_this_machine
from interlock.analyse.shell.services.service_requests import is_service
from interlock.patterns import late

_KEEPING = frozenset({"config", "configure", "settings", "preferences"})
_SPLIT = late(r"[^a-z0-9]+")
_UNTRUE = frozenset({"false", "no", "0", "off", "none", ""})
_CHECKS = frozenset({"ssl", "tls", "verification", "verify", "certificate", "certificates"})
_OFF = frozenset({"disable", "disabled", "insecure", "skip", "no"})
_AUTHORITIES = frozenset({"ca", "cacert", "cabundle"})
_SERVERS = frozenset("endpoint endpoints overrides url uri host hostname server address proxy registry api".split())
_RUN = frozenset({"credential_process", "credential_helper"})
_SECRET = frozenset({"secret"})


def read_client_settings(call: ShellCall) -> None:
    """Report a setting that replaces a key, leads the client to another server or turns its checks off."""
    words = call.words
    if "login" in words:
        _read_sign_in(call, words[words.index("login") + 1 :])
        return
    at = words.index("set")
    if words[at - 1] in _KEEPING:
        for name, value in _pairs(words[at + 1 :]):
            _read_setting(call, name, value)


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values of settings: `name value`, `name=value`."""
    plain = [word for at, word in enumerate(words) if word[:1] != "-" and words[at - 1][:2] != "--"]
    if plain and "=" not in plain[0]:
        yield plain[0], plain[1] if len(plain) > 1 else ""
    for word in plain:
        name, equals, value = word.partition("=")
        if equals:
            yield name, value


def _read_setting(call: ShellCall, name: str, value: str) -> None:
    reading, site = call.scope.reading, call.site
    parts = set(_SPLIT.split(name.lower()))
    if name.rpartition(".")[2] in _RUN:
        reading.nest("shell", value, call.inner(0).behind(call.program))
        reading.emit("system.change", site, name, frozenset({"rerouted"}))
    elif _CHECKS & parts and (bool(_OFF & parts) is (value.lower() not in _UNTRUE)):
        reading.emit("defence.disable", site, name, frozenset({"tls"}))
    elif (_AUTHORITIES & parts and value) or (_SERVERS & parts and _is_elsewhere(value)):
        reading.emit("system.change", site, f"{name} {value}".strip(), frozenset({"rerouted"}))
    elif value and is_secret_name(name.rpartition("/")[2].rpartition(".")[2]):
        reading.emit("fs.write", site, f"the settings of {call.program}", _SECRET)


def _is_elsewhere(value: str) -> bool:
    """Whether an address is neither of this machine nor of a known service."""
    if "." not in value and "://" not in value:
        return False
    address = value if "://" in value else f"https://{value}"
    return not is_this_machine(address) and not is_service(address)


def _read_sign_in(call: ShellCall, words: list[str]) -> None:
    """Report the host that a client signs in at, if it is made to look like another one."""
    for word in words:
        if "." in word and HOLE not in word and word[:1] not in ("-", "/", "."):
            address = word if "://" in word else f"https://{word}"
            flags = host_flags(address) & _DECEPTIVE
            if flags:
                call.scope.reading.emit("net.connect", call.site, host_of(address), flags)


_DECEPTIVE = frozenset({"deceptive"})
