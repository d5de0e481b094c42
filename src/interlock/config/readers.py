"""One reader for each key of `interlock.toml`: it checks the value and returns what the configuration holds."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from interlock.analyse.payloads.tools import READERS as TOOL_READERS
from interlock.config.central import read_central
from interlock.config.channels import read_channels
from interlock.config.machine import MACHINES
from interlock.config.observe import read_observe
from interlock.config.organisation import read_organisation
from interlock.config.policies import read_policies
from interlock.config.reviewer import read_reviewer
from interlock.config.rules import read_rule
from interlock.config.settings import (
    read_approvals,
    read_audit,
    read_crisis,
    read_memory,
    read_retention,
    read_roles,
    read_server,
)
from interlock.config.sign_in import read_sign_in
from interlock.config.values import choice, expect, read_at, tables, texts
from interlock.documents import Document
from interlock.errors import ConfigError, InterlockError, nearest
from interlock.levels import Level
from interlock.model import Place
from interlock.patterns import late
from interlock.policy.modes import MODES, LevelVerdicts
from interlock.policy.policies import Policy, parse_verdict
from interlock.policy.tiers import ApprovalTier
from interlock.rules import Rule
from interlock.scoring.command import environment_name

#: The points of a place that a configuration names.
PLACE_POINTS = {"root": 30, "system": 20, "home": 0, "workspace": -15, "scratch": -10, "outside": 0}


def _text(document: Document, key: str, value: Any) -> str:
    return str(expect(document, value, str, "a string", key))


def _mode(document: Document, key: str, value: Any) -> str:
    return _text(document, key, value)


def _environment(document: Document, key: str, value: Any) -> str | None:
    try:
        return environment_name(_text(document, key, value))
    except InterlockError as error:
        if isinstance(error, ConfigError):
            raise
        raise document.error(str(error), key) from None


def _machine(document: Document, key: str, value: Any) -> str:
    return choice(document, _text(document, key, value), list(MACHINES), key)


def _boolean(document: Document, key: str, value: Any) -> bool:
    return bool(expect(document, value, bool, "true or false", key))


def _policies(document: Document, key: str, value: Any) -> tuple[Policy, ...]:
    return read_policies(document, tables(document, key, value))


def _rules(document: Document, key: str, value: Any) -> tuple[Rule, ...]:
    return tuple(read_rule(document, item, key, index) for index, item in enumerate(tables(document, key, value)))


def _folder(document: Document, key: str, value: Any) -> str:
    text = _text(document, key, value)
    if not text.strip():
        raise document.error(f"`{key}` must be a folder, found an empty string; leave it out, or write a path", key)
    return text


def _places(document: Document, key: str, value: Any) -> dict[str, tuple[Place, int]]:
    found: dict[str, tuple[Place, int]] = {}
    for prefix, name in expect(document, value, dict, "a table of paths", key).items():
        if not prefix.startswith(("/", "~")):
            raise document.error(f"a place is an absolute path, found `{prefix}`; write `/{prefix}`", key, prefix)
        if not isinstance(name, str) or name not in PLACE_POINTS:
            raise document.error(f"unknown place `{name}` for `{prefix}`{nearest(name, PLACE_POINTS)}", key, prefix)
        found[posixpath.normpath(prefix)] = (Place(name), PLACE_POINTS[name])
    return found


def _tools(document: Document, key: str, value: Any) -> dict[str, str]:
    """Return the readers of tools. Tables declare what tools do: `load` reads them, as it does files of knowledge."""
    table = expect(document, value, dict, "a table of tool names", key)
    readers = {name: reader for name, reader in table.items() if not isinstance(reader, dict)}
    for name, reader in readers.items():
        if reader not in TOOL_READERS:
            raise document.error(f"unknown reader `{reader}` for `{name}`{nearest(reader, TOOL_READERS)}", key, name)
    return readers


def _knowledge(document: Document, key: str, value: Any) -> tuple[()]:
    """Check the names of files with descriptions. `load` reads them: where they lie decides what they may do."""
    texts(document, key, value)
    return ()


def _hosts(document: Document, key: str, value: Any) -> tuple[str, ...]:
    """Return names of hosts in lower case. Each stands for itself and for every name below it."""
    found = texts(document, key, value)
    for index, host in enumerate(found):
        if not _HOST.fullmatch(host):
            raise document.error(
                f"a host is a name or an address such as `files.example.com`, found `{host}`", key, index
            )
    return tuple(host.lower() for host in found)


_HOST = late(r"[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?")


def _modes(document: Document, key: str, value: Any) -> dict[str, LevelVerdicts]:
    modes: dict[str, LevelVerdicts] = {}
    for name, given in expect(document, value, dict, "a table of modes", key).items():
        if name in MODES:
            raise document.error(f"mode `{name}` is built in; give yours another name", key, name)
        expect(document, given, dict, "a table of levels", key, name)
        levels = [level.value for level in Level]
        for level in given:
            if level not in levels:
                raise document.error(f"unknown level `{level}`{nearest(level, levels)}", key, name, level)
        missing = [level.value for level in Level if level.value not in given]
        if missing:
            raise document.error(f"mode `{name}` has no verdict for `{missing[0]}`", key, name)
        modes[name] = {
            level: read_at(document, (key, name, level.value), parse_verdict, str(given[level.value]))
            for level in Level
        }
    return modes


def _timeouts(document: Document, key: str, value: Any) -> dict[str, int]:
    tiers = [tier.name.lower() for tier in ApprovalTier]
    found = {}
    for tier, seconds in expect(document, value, dict, "a table of tiers", key).items():
        if tier not in tiers:
            raise document.error(f"unknown tier `{tier}`{nearest(tier, tiers)}", key, tier)
        if expect(document, seconds, int, "a number of seconds", key, tier) <= 0:
            raise document.error(f"`{tier}` must be above zero, found `{seconds}`", key, tier)
        found[tier] = int(seconds)
    return found


KEYS: dict[str, Callable[[Document, str, Any], Any]] = {
    "mode": _mode,
    "environment": _environment,
    "workspace": _folder,
    "home": _folder,
    "machine": _machine,
    "policies": _policies,
    "default_policies": _boolean,
    "rules": _rules,
    "rules_off": texts,
    "second_opinion": _boolean,
    "memory": read_memory,
    "sensitive_paths": texts,
    "trusted_hosts": _hosts,
    "organisation": read_organisation,
    "places": _places,
    "tools": _tools,
    "knowledge": _knowledge,
    "modes": _modes,
    "timeouts": _timeouts,
    "store": _text,
    "approvals": read_approvals,
    "roles": read_roles,
    "reviewer": read_reviewer,
    "automation": _boolean,
    "crisis": read_crisis,
    "audit": read_audit,
    "retention": read_retention,
    "observe": read_observe,
    "server": read_server,
    "sign_in": read_sign_in,
    "central": read_central,
    "channels": read_channels,
}
