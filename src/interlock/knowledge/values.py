"""Values as conditions of programs name them, with stars for what may differ, and groups of such values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class ValueGroup(NamedTuple):
    """Values that mean the same to most programs, and what they mean."""

    meaning: str
    values: tuple[str, ...]


#: The groups of values. `*` stands for any text without `/`, `**` for any text, and `\*` for a star.
VALUE_GROUPS = {
    "any_interface": ValueGroup(
        "The address of every network interface, so that other machines can connect.",
        ("0", "0.0.0.0", "0.0.0.0:*", "::", "[::]", "[::]:*", r"\*", r"\*:*", "*://0.0.0.0**", "*://[::]**"),  # noqa: S104
    ),
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
