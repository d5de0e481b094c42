"""The configuration: every key that may be written, what it may hold, and what it becomes."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from interlock.analyse.action import Surroundings
from interlock.analyse.payloads.tools import READERS as TOOL_READERS
from interlock.config.policies import policies_of
from interlock.config.reviewer import ReviewerSettings, reviewer_of
from interlock.config.rules import rule_of
from interlock.config.settings import (
    ApprovalSettings,
    AuditSettings,
    ServerSettings,
    approvals_of,
    audit_of,
    crisis_of,
    roles_of,
    server_of,
)
from interlock.config.values import at, expect, tables, texts
from interlock.documents import Document
from interlock.engine import Engine
from interlock.errors import ConfigError, InterlockError, nearest
from interlock.knowledge.extension import NO_EXTENSION, Extension, KnowledgeFile
from interlock.levels import Level
from interlock.model import Place
from interlock.patterns import searcher
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.policy.kept import Kept, together
from interlock.policy.modes import DEFAULT_MODE, MODES, Row
from interlock.policy.policies import Policy, verdict_named
from interlock.policy.tiers import ApprovalTier
from interlock.rules import RULES, Rule
from interlock.scoring.command import environment_name

#: Points of a place that a configuration names, unless it says otherwise.
PLACE_POINTS = {"root": 30, "system": 20, "home": 0, "workspace": -15, "scratch": -10, "outside": 0}


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be configured. An engine is made from it."""

    mode: str = DEFAULT_MODE
    environment: str | None = None
    workspace: str | None = None
    home: str | None = None
    policies: tuple[Policy, ...] = ()
    default_policies: bool = True
    rules: tuple[Rule, ...] = ()
    rules_off: tuple[str, ...] = ()
    sensitive_paths: tuple[str, ...] = ()
    places: Mapping[str, tuple[Place, int]] = {}
    tools: Mapping[str, str] = {}
    knowledge: tuple[KnowledgeFile, ...] = ()
    modes: Mapping[str, Row] = {}
    timeouts: Mapping[str, int] = {}
    store: str | None = None
    approvals: ApprovalSettings = ApprovalSettings()
    roles: Mapping[str, tuple[str, ...]] = {}
    reviewer: ReviewerSettings | None = None
    crisis: bool = False
    audit: AuditSettings = AuditSettings()
    server: ServerSettings = ServerSettings()
    files: tuple[str, ...] = ()

    @property
    def around(self) -> Surroundings:
        """What the configuration adds to reading an action."""
        return Surroundings(
            tools=self.tools,
            places=self.places,
            private=private_paths(self.sensitive_paths, self.home),
            workspace=self.workspace,
            home=self.home,
            knowledge=Extension(self.knowledge) if self.knowledge else NO_EXTENSION,
        )

    @property
    def shipped_policies(self) -> tuple[Policy, ...]:
        """The policies that Interlock ships with, where the configuration keeps them."""
        return DEFAULT_POLICIES if self.default_policies else ()

    @property
    def all_policies(self) -> tuple[Policy, ...]:
        """The policies of the configuration, and those that Interlock ships with where it keeps them."""
        return together(self.shipped_policies, self.policies, Kept())

    def engine(self, kept: Kept | None = None, **changes: Any) -> Engine:
        """Return the engine of this configuration, with the policies that a store keeps."""
        config = msgspec.structs.replace(self, **changes) if changes else self
        return Engine(
            together(config.shipped_policies, config.policies, kept or Kept()),
            config.mode,
            config.environment,
            rules=config.rules,
            rules_off=config.rules_off,
            around=config.around,
            modes=config.modes,
            timeouts=config.timeouts,
        )


def private_paths(globs: Iterable[str], home: str | None = None) -> Callable[[str], bool] | None:
    """Return the function that says whether a path is one of the sensitive ones, or the folder of them."""
    patterns = []
    for glob in globs:
        given = home + glob[1:] if home and glob.startswith("~/") else glob
        given = given if given.startswith(("/", "~", "*")) else f"*/{given}"
        patterns += [given, given.removesuffix("/**")] if given.endswith("/**") else [given]
    if not patterns:
        return None
    linear = "|".join(f"(?:^{fnmatch.translate(given)})" for given in patterns)
    find = searcher(linear.replace(r"\Z", r"\z").replace("(?>", "(?:"), "sensitive_paths", ignore_case=False)
    return lambda path: find(path if path.startswith(("/", "~")) else f"/{path}")


def parse(document: Document, base: Config | None = None) -> Config:
    """Return the configuration of a document, or raise with the line and the nearest right thing.

    `base` is what the document comes on top of: it may name the modes, rules and tools that are there.
    """
    values = document.values
    for key in values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    found: dict[str, Any] = {"files": (document.file,)}
    for key, read in KEYS.items():
        if key in values:
            found[key] = read(document, key, values[key])
    config = Config(**found)
    _check_together(document, config, base or Config())
    return config


def _check_together(document: Document, config: Config, base: Config) -> None:
    modes = [*MODES, *base.modes, *config.modes]
    if config.mode not in modes:
        raise document.error(f"unknown mode `{config.mode}`{nearest(config.mode, modes)}", "mode")
    known = [rule.name for rule in (*RULES, *base.rules, *config.rules)]
    for name in config.rules_off:
        if name not in known:
            raise document.error(f"unknown rule `{name}`{nearest(name, known)}", "rules_off")
    around = msgspec.structs.replace(
        config,
        tools={**base.tools, **config.tools},
        places={**base.places, **config.places},
        sensitive_paths=(*base.sensitive_paths, *config.sensitive_paths),
        knowledge=base.knowledge,
    ).around
    if config.rules:
        _check_rules(document, config, base, around)


def _check_rules(document: Document, config: Config, base: Config, around: Surroundings) -> None:
    """Raise unless every rule of a document has a name of its own, and its examples hold."""
    from interlock.rules.examples import broken  # by those alone who write rules

    taken = {rule.name for rule in (*RULES, *base.rules)}
    for index, rule in enumerate(config.rules):
        if rule.name in taken:
            message = f"there is a rule `{rule.name}` already; give this one another name"
            raise document.error(message, "rules", index, "name")
        taken.add(rule.name)
        problem = at(document, ("rules", index, "match"), lambda one: broken(one, around), rule)
        if problem:
            raise document.error(f"rule `{rule.name}`: {problem}", "rules", index, "match")


def _text(document: Document, key: str, value: Any) -> str:
    return str(expect(document, value, str, "a text", key))


def _mode(document: Document, key: str, value: Any) -> str:
    return _text(document, key, value)


def _environment(document: Document, key: str, value: Any) -> str | None:
    try:
        return environment_name(_text(document, key, value))
    except InterlockError as error:
        if isinstance(error, ConfigError):
            raise
        raise document.error(str(error), key) from None


def _boolean(document: Document, key: str, value: Any) -> bool:
    return bool(expect(document, value, bool, "true or false", key))


def _policies(document: Document, key: str, value: Any) -> tuple[Policy, ...]:
    return policies_of(document, tables(document, key, value))


def _rules(document: Document, key: str, value: Any) -> tuple[Rule, ...]:
    return tuple(rule_of(document, item, key, index) for index, item in enumerate(tables(document, key, value)))


def _folder(document: Document, key: str, value: Any) -> str:
    text = _text(document, key, value)
    if not text.strip():
        raise document.error(f"`{key}` must be a folder, found nothing; leave it out, or write a path", key)
    return text


def _places(document: Document, key: str, value: Any) -> dict[str, tuple[Place, int]]:
    found: dict[str, tuple[Place, int]] = {}
    for prefix, name in expect(document, value, dict, "a table of paths", key).items():
        if not prefix.startswith(("/", "~")):
            raise document.error(f"a place is a full path, found `{prefix}`; write `/{prefix}`", key, prefix)
        if not isinstance(name, str) or name not in PLACE_POINTS:
            raise document.error(f"unknown place `{name}` for `{prefix}`{nearest(name, PLACE_POINTS)}", key, prefix)
        found[posixpath.normpath(prefix)] = (Place(name), PLACE_POINTS[name])
    return found


def _tools(document: Document, key: str, value: Any) -> dict[str, str]:
    table = expect(document, value, dict, "a table of tool names", key)
    for name, reader in table.items():
        if reader not in TOOL_READERS:
            raise document.error(f"unknown reader `{reader}` for `{name}`{nearest(reader, TOOL_READERS)}", key, name)
    return dict(table)


def _knowledge(document: Document, key: str, value: Any) -> tuple[KnowledgeFile, ...]:
    """Check the names of files with descriptions. `load` reads them: where they lie decides what they may do."""
    texts(document, key, value)
    return ()


def _modes(document: Document, key: str, value: Any) -> dict[str, Row]:
    modes: dict[str, Row] = {}
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
            raise document.error(f"mode `{name}` says nothing about `{missing[0]}`", key, name)
        modes[name] = {
            level: at(document, (key, name, level.value), verdict_named, str(given[level.value])) for level in Level
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
    "policies": _policies,
    "default_policies": _boolean,
    "rules": _rules,
    "rules_off": texts,
    "sensitive_paths": texts,
    "places": _places,
    "tools": _tools,
    "knowledge": _knowledge,
    "modes": _modes,
    "timeouts": _timeouts,
    "store": _text,
    "approvals": approvals_of,
    "roles": roles_of,
    "reviewer": reviewer_of,
    "crisis": crisis_of,
    "audit": audit_of,
    "server": server_of,
}
