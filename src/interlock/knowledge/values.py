"""Values as conditions of programs name them, with stars for what may differ, and groups of such values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class ValueGroup(NamedTuple):
    """Values that mean the same to most programs, and what they mean."""

    meaning: str
    values: tuple[str, ...]


_REMOTE_PORTS = (
    "20 21 22 23 111 135 139 445 512 513 514 873 1433 1434 1521 2049 2181 2375 2376 2379 2380 3306 3389 4444 5432 5433"
    " 5601 5672 5900 5901 5984 5985 6379 6443 7001 8500 9042 9092 9200 9300 10250 11211 15672 27017 27018 50000"
)
#: The groups of values. `*` stands for any text without `/`, `**` for any text, and `\*` for a star.
VALUE_GROUPS = {
    "any_interface": ValueGroup(
        "The address of every network interface, so that other machines can connect.",
        (
            *("0", "0.0.0.0", "0.0.0.0:*", "::", "[::]", "[::]:*", ":*", r"\*", r"\*:*"),  # noqa: S104
            *("*://0.0.0.0**", "*://[::]**"),
        ),
    ),
    "any_address": ValueGroup("A range that holds every address.", ("0.0.0.0/0", "::/0")),
    "this_machine": ValueGroup(
        "An address of this machine.",
        (
            *("localhost", "localhost:**", "*.localhost", "*.localhost:**", "127.*", "127.*:**", "::1", "[::1]**"),
            *("*://localhost", "*://localhost/**", "*://localhost:**", "*://127.*", "*://127.*/**", "*://[::1]**"),
            *("unix:**", "/**.sock"),
        ),
    ),
    "private_network": ValueGroup(
        "An address in a private network, or a name without a domain.",
        ("10.*", "192.168.*", "*://10.*", "*://10.*/**", "*://192.168.*", "*://192.168.*/**"),
    ),
    "web_address": ValueGroup("An address of the web.", ("http://**", "https://**")),
    "url": ValueGroup("An address from which something is fetched.", ("*://**", "git@**", "*::*://**")),
    "temporary_folder": ValueGroup(
        "A path in a folder where anyone may put files.",
        ("/tmp/**", "/var/tmp/**", "/dev/shm/**", "/private/tmp/**", "/Users/Shared/**", r"\\**"),
    ),
    "whole_home": ValueGroup(
        "All of a home, or a folder that holds homes or the system.",
        (
            *("~", "~/", "/root", "/root/", "/home", "/home/", "/home/*", "/home/*/", "/Users", "/Users/", "/Users/*"),
            *("/Users/*/", "/", "/etc", "/etc/", "/var", "/var/"),
            *(rf"{home}/\**" for home in ("~", "", "/root", "/home/*", "/Users/*")),  # `~/*`
            *(rf"{home}/\*\***" for home in ("~", "", "/root", "/home/*", "/Users/*")),  # `~/**/*.js`
        ),
    ),
    "startup_file": ValueGroup(
        "A file of a home that runs at sign-in, or belongs to SSH.",
        tuple(
            f"{home}/{name}"
            for home in ("~", "/root", "/home/*", "/Users/*")
            for name in (".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".bash_aliases", ".ssh/**")
        ),
    ),
    "shell": ValueGroup(
        "A shell.", tuple(f"{start}{name}" for start in ("", "/**/") for name in "sh bash dash zsh ksh fish".split())
    ),
    "interpreter": ValueGroup(
        "A shell or an interpreter, with or without arguments.",
        tuple(
            f"{folder}{name}{arguments}"
            for folder in ("", "**/")
            for name in "sh bash dash zsh ksh fish python* perl ruby node php".split()
            for arguments in ("", " **")
        ),
    ),
    "remote_port": ValueGroup(
        "A port through which machines are managed, or on which databases listen.",
        tuple(f"{port}{protocol}" for port in _REMOTE_PORTS.split() for protocol in ("", "/*")),
    ),
    "disk_image": ValueGroup(
        "A file with the image of a disk.",
        tuple(f"**.{ending}" for ending in "img raw bin iso qcow2 vhd vhdx vmdk hdd disk dd".split()),
    ),
    "secret_name": ValueGroup(
        "A name of secrets.",
        tuple(
            f"**{name}**"
            for name in "secret passw token credential vault api_key apikey access_key private_key".split()
        ),
    ),
    "system_folder": ValueGroup("A path in a folder of the system's programs.", ("/usr/**", "/opt/**", "/lib**")),
    "yes": ValueGroup("What switches something on.", ("1", "true", "yes", "on", "y", "t", "enable", "enabled")),
    "no": ValueGroup(
        "What switches something off.", ("0", "false", "no", "off", "n", "f", "none", "disable", "disabled")
    ),
}

_STARS = re.compile(r"\\\*|\*\*?")
_MEANINGS = {"**": ".*", "*": "[^/]*", r"\*": r"\*"}


@lru_cache(maxsize=1024)
def value_pattern(values: tuple[str, ...]) -> str:
    r"""Return the regular expression that matches any of several values, in any case.

    >>> matches = re.compile(value_pattern(("/tmp/**", r"\*:80"))).match
    >>> [bool(matches(text)) for text in ("/TMP/a/b", "*:80", "x:80", "a/tmp/b")]
    [True, True, False, False]
    """
    return rf"(?is)\A(?:{'|'.join(map(_as_pattern, values))})\Z"


def group_values(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of several groups."""
    return tuple(value for name in names for value in VALUE_GROUPS[name].values)


def _as_pattern(value: str) -> str:
    found, start = "", 0
    for part in _STARS.finditer(value):
        found += re.escape(value[start : part.start()]) + _MEANINGS[part[0]]
        start = part.end()
    return found + re.escape(value[start:])
