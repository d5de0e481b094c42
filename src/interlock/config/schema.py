"""The configuration, and how it is parsed and checked."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.analyse.action import Surroundings
from interlock.config.loaded_files import own_files
from interlock.config.machine import detect_machine
from interlock.config.settings import (
    ApprovalSettings,
    AuditSettings,
    MemorySettings,
    ObserveSettings,
    RetentionSettings,
    ServerSettings,
)
from interlock.documents import Document
from interlock.engine import Engine
from interlock.errors import ConfigError, nearest
from interlock.knowledge.extension import NO_EXTENSION, Extension, KnowledgeFile
from interlock.model import Place
from interlock.patterns import searcher
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.policy.modes import DEFAULT_MODE, MODES, LevelVerdicts
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import StoredPolicies, merge_policies
from interlock.rules import all_rules

if TYPE_CHECKING:
    from interlock.analyse.tools.organisation import Organisation
    from interlock.config.central import CentralSettings
    from interlock.config.channels import ChannelSettings
    from interlock.config.reviewer import ReviewerSettings
    from interlock.config.sign_in import SignInSettings
    from interlock.rules import Rule


class ManagedLayer(msgspec.Struct, frozen=True, kw_only=True):
    """An outer layer is in force, which local files and policies can only tighten.

    `version` is that of the bundle, if there is one, and `ignored` lists the looser settings in the owner's files.
    """

    version: str | None = None
    ignored: tuple[str, ...] = ()


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be configured."""

    mode: str = DEFAULT_MODE
    environment: str | None = None
    workspace: str | None = None
    home: str | None = None
    machine: str | None = None
    policies: tuple[Policy, ...] = ()
    default_policies: bool = True
    rules: tuple[Rule, ...] = ()
    rules_off: tuple[str, ...] = ()
    second_opinion: bool = True
    memory: MemorySettings = MemorySettings()
    sensitive_paths: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    organisation: Organisation | None = None
    places: Mapping[str, tuple[Place, int]] = {}
    tools: Mapping[str, str] = {}
    knowledge: tuple[KnowledgeFile, ...] = ()
    modes: Mapping[str, LevelVerdicts] = {}
    timeouts: Mapping[str, int] = {}
    store: str | None = None
    approvals: ApprovalSettings = ApprovalSettings()
    roles: Mapping[str, tuple[str, ...]] = {}
    reviewer: ReviewerSettings | None = None
    automation: bool = False
    crisis: bool = False
    audit: AuditSettings = AuditSettings()
    retention: RetentionSettings = RetentionSettings()
    observe: ObserveSettings = ObserveSettings()
    server: ServerSettings = ServerSettings()
    sign_in: SignInSettings | None = None
    central: CentralSettings | None = None
    channels: Mapping[str, ChannelSettings] = {}
    managed: ManagedLayer | None = None
    files: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()  # the keys that files or a bundle set

    @property
    def around(self) -> Surroundings:
        """The settings for the analysis of actions."""
        return Surroundings(
            tools=self.tools,
            places=self.places,
            private=private_paths(self.sensitive_paths, self.home),
            workspace=self.workspace,
            home=self.home,
            trusted_hosts=self.trusted_hosts,
            organisation=self.organisation,
            knowledge=Extension(self.knowledge) if self.knowledge else NO_EXTENSION,
            guarded=own_files(self.store, self.files),
            machine=self.machine or detect_machine(),
        )

    @property
    def shipped_policies(self) -> tuple[Policy, ...]:
        """The policies that Interlock ships with, unless the configuration switches them off."""
        return DEFAULT_POLICIES if self.default_policies else ()

    @property
    def all_policies(self) -> tuple[Policy, ...]:
        """The policies of the configuration, and the shipped ones that are in force."""
        return merge_policies(self.shipped_policies, self.policies, StoredPolicies())

    def engine(self, stored: StoredPolicies | None = None, **changes: Any) -> Engine:
        """Return the engine of this configuration, with the policies of a store and with some settings changed."""
        config = msgspec.structs.replace(self, **changes) if changes else self
        if stored is not None and self.managed is not None:
            from interlock.config.tighten import stricter_policies

            stored = stricter_policies(stored)
        return Engine(
            merge_policies(config.shipped_policies, config.policies, stored or StoredPolicies()),
            config.mode,
            config.environment,
            rules=config.rules,
            rules_off=config.rules_off,
            second_opinion=config.second_opinion,
            memory=config.memory.strictness,
            around=config.around,
            modes=config.modes,
            timeouts=config.timeouts,
        )


def private_paths(globs: Iterable[str], home: str | None = None) -> Callable[[str], bool] | None:
    """Return a function that says whether a path matches a sensitive glob, or is the folder of a `/**` glob."""
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
    """Return the configuration of a document, or raise with the line of every error and a suggestion.

    `base` is the configuration below: the document may refer to its modes, rules and tools.
    """
    try:
        return _parse(document, base)
    except ConfigError as error:
        from interlock.config.all_errors import find_all

        raise find_all(document, lambda rest: _parse(rest, base), error) from None


def _parse(document: Document, base: Config | None) -> Config:
    """Return the configuration of a document, or raise for the first error."""
    from interlock.config.readers import KEYS

    values = document.values
    for key in values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    found: dict[str, Any] = {"files": (document.file,)}
    for key, read in KEYS.items():
        if key in values:
            found[key] = read(document, key, values[key])
    config = Config(**found)
    _check_references(document, config, base or Config())
    return config


def _check_references(document: Document, config: Config, base: Config) -> None:
    modes = [*MODES, *base.modes, *config.modes]
    if config.mode not in modes:
        raise document.error(f"unknown mode `{config.mode}`{nearest(config.mode, modes)}", "mode")
    known = [rule.name for rule in (*all_rules(), *base.rules, *config.rules)] if config.rules_off else []
    for name in config.rules_off:
        if name not in known:
            raise document.error(f"unknown rule `{name}`{nearest(name, known)}", "rules_off")
    around = msgspec.structs.replace(
        config,
        tools={**base.tools, **config.tools},
        places={**base.places, **config.places},
        sensitive_paths=(*base.sensitive_paths, *config.sensitive_paths),
        trusted_hosts=(*base.trusted_hosts, *config.trusted_hosts),
        knowledge=base.knowledge,
    ).around
    if config.rules:
        _check_rules(document, config, base, around)


def _check_rules(document: Document, config: Config, base: Config, around: Surroundings) -> None:
    """Raise unless every rule of a document has a unique name, and its examples hold."""
    from interlock.config.values import read_at
    from interlock.rules.examples import example_problem

    taken = {rule.name for rule in (*all_rules(), *base.rules)}
    for index, rule in enumerate(config.rules):
        if rule.name in taken:
            message = f"a rule `{rule.name}` already exists; give this one another name"
            raise document.error(message, "rules", index, "name")
        taken.add(rule.name)
        problem = read_at(document, ("rules", index, "match"), lambda one: example_problem(one, around), rule)
        if problem:
            raise document.error(f"rule `{rule.name}`: {problem}", "rules", index, "match")
