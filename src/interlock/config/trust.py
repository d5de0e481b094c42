"""Trust: the settings that a configuration file inside the workspace may change, and the files that the user trusts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from interlock.analyse.files.paths import Places
from interlock.config.home import own_folder
from interlock.config.machine import DISPOSABLE
from interlock.config.schema import Config
from interlock.config.settings import STRICTNESS
from interlock.documents import Document
from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.model import Place
from interlock.policy.modes import BEYOND_LEVELS, first_weaker_level, mode_row
from interlock.scoring.command import environment_points

_OWNER_ONLY = (
    "automation", "store", "approvals", "roles", "reviewer", "crisis", "audit", "retention", "server",
    "sign_in", "central", "channels",
)  # fmt: skip
_TIGHT_PLACES = (Place.ROOT, Place.SYSTEM)


def _trust_list() -> Path:
    return own_folder() / "trusted.json"


def read_trusted_files() -> dict[str, str]:
    """Return the files that the user trusts, each with the digest of its content at that time."""
    import json

    try:
        found = json.loads(_trust_list().read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"the list of trusted files cannot be read: {error}", file=str(_trust_list())) from None
    if not isinstance(found, dict):
        raise ConfigError("the list of trusted files must be a table of paths", file=str(_trust_list()))
    return {str(path): str(digest) for path, digest in found.items()}


def is_trusted(path: Path, document: Document) -> bool:
    """Whether the user trusts exactly this content of this file."""
    return read_trusted_files().get(str(path.resolve())) == document.digest


def trust(path: Path, document: Document | None) -> None:
    """Trust a file with the content of `document`; without a document, trust it no longer."""
    import json

    known = read_trusted_files()
    known.pop(str(path.resolve()), None)
    if document is not None:
        known[str(path.resolve())] = document.digest
    draft = _trust_list().with_suffix(".new")
    try:
        own_folder().mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
        draft.replace(_trust_list())
    except OSError as error:
        raise ConfigError(f"the list of trusted files cannot be written: {error.strerror}", file=str(draft)) from None


def refuse_loosening(base: Config, config: Config, document: Document) -> None:
    """Raise for the settings that loosen the policy, in a file that an agent could have written."""
    errors = [
        document.error(
            f"{what} loosens, and an agent could have written this file; move it to "
            f"`{own_folder() / 'interlock.toml'}`, or run `interlock trust {document.file}` once you have read it",
            *path,
        )
        for what, path in find_loosening(base, config, document, owned=False)
    ]
    if errors:
        from interlock.config.all_errors import join_errors

        raise join_errors(errors)


Loosening = Iterator[tuple[str, tuple[str | int, ...]]]


def find_loosening(base: Config, config: Config, document: Document, *, owned: bool) -> Loosening:
    """Yield the settings of a document that loosen `base`, and their keys. The owner's file may set storage places."""
    yield from _loosening_values(base, config, document)
    yield from _loosening_approvals(base, config, document) if owned else _owner_only(document)
    yield from _loosening_policies(base, config)
    yield from _loosening_analysis(base, config)


def _owner_only(document: Document) -> Loosening:
    for name in _OWNER_ONLY:
        if name in document.values:
            yield f"`{name}` (a project may not say who approves, or what is recorded)", (name,)


def _loosening_approvals(base: Config, config: Config, document: Document) -> Loosening:
    """Yield the settings that make an approval easier to get, in a file that may otherwise set who approves."""
    given = document.values
    if "central" in given and base.central not in (None, config.central):
        yield "naming a different server than the administrator's", ("central",)
    for name in ("remember_days", "expire_hours", "extend_days", "quiz_tries"):
        if "approvals" in given and getattr(config.approvals, name) > getattr(base.approvals, name):
            yield f"`{name}` of {getattr(config.approvals, name)}", ("approvals", name)
    if "approvals" in given and config.approvals.quiz_pause < base.approvals.quiz_pause:
        yield f"`quiz_pause` of {config.approvals.quiz_pause}", ("approvals", "quiz_pause")
    if "approvals" in given and base.approvals.require_reviewer and not config.approvals.require_reviewer:
        yield "removing the reviewer", ("approvals", "require_reviewer")
    if config.reviewer is not None and config.reviewer.lifts_up_to is not None and config.reviewer != base.reviewer:
        yield "letting a model lift requests", ("reviewer", "lifts")
    if config.crisis and not base.crisis:
        yield "letting text mark a crisis", ("crisis",)
    asked = {name for policy in base.policies if policy.approval for name in policy.approval.who}
    for name in config.roles:
        if name in base.roles or f"@{name}" in asked:
            yield f"members of the role `{name}`", ("roles", name)


def _loosening_values(base: Config, config: Config, document: Document) -> Loosening:
    given = document.values
    for name in config.modes:
        if name in base.modes:
            yield f"redefining mode `{name}`", ("modes", name)
    if "mode" in given:
        yield from _loosening_mode(base, config)
    if "environment" in given and (base.environment or environment_points(config.environment) < 0):
        yield f"environment `{config.environment}` in place of `{base.environment}`", ("environment",)
    if "workspace" in given and not (base.workspace and _inside(config.workspace, base.workspace)):
        yield f"workspace `{config.workspace}`", ("workspace",)
    if "home" in given and config.home not in (base.home, str(Path.home())):
        yield f"home `{config.home}`", ("home",)
    yield from _switches(base, config, document)
    if "observe" in given:
        yield "`observe` (observed actions are not stopped)", ("observe",)
    if config.timeouts:
        yield "changing how long a request waits", ("timeouts", next(iter(config.timeouts)))


def _loosening_mode(base: Config, config: Config) -> Loosening:
    new, old = mode_row(config.mode, {**config.modes, **base.modes}), mode_row(base.mode, base.modes)
    level = first_weaker_level(new, old)
    if level is not None:
        yield f"mode `{config.mode}` (milder than `{base.mode}` at {level.value})", ("mode",)
    elif config.mode != base.mode and BEYOND_LEVELS & {config.mode, base.mode}:
        asks_always = config.mode not in BEYOND_LEVELS and min(new.values()) >= Verdict.REQUIRE_APPROVAL
        if not asks_always and max(old.values()) > Verdict.ALLOW:
            yield f"mode `{config.mode}` (in part milder than `{base.mode}`)", ("mode",)


def _switches(base: Config, config: Config, document: Document) -> Loosening:
    """Yield the checks that a configuration switches off."""
    if config.rules_off:
        yield f"switching off `{config.rules_off[0]}`", ("rules_off",)
    if base.second_opinion and not config.second_opinion:
        yield "switching the second opinion off", ("second_opinion",)
    strictness = STRICTNESS.index(config.memory.strictness)
    if "memory" in document.values and strictness < STRICTNESS.index(base.memory.strictness):
        yield f"memory strictness `{config.memory.strictness}`", ("memory", "strictness")


def _loosening_policies(base: Config, config: Config) -> Loosening:
    if not config.default_policies:
        yield "switching the default policies off", ("default_policies",)
    taken = {policy.policy_id for policy in base.all_policies}
    for index, policy in enumerate(config.policies):
        if policy.action is Verdict.ALLOW:
            yield f"policy `{policy.policy_id}` (it allows)", ("policies", index, "action")
        if policy.approval is not None and policy.approval.liftable:
            yield f"policy `{policy.policy_id}` (a model may lift it)", ("policies", index, "approval", "liftable")
        if policy.policy_id in taken:
            yield f"replacing policy `{policy.policy_id}`", ("policies", index, "policy_id")


def _loosening_analysis(base: Config, config: Config) -> Loosening:
    if config.machine == DISPOSABLE and base.machine != DISPOSABLE:
        yield f"machine `{DISPOSABLE}`", ("machine",)
    for prefix, (place, points) in config.places.items():
        was, before, _ = Places(extra=base.places).locate(prefix)
        if place not in _TIGHT_PLACES or was in _TIGHT_PLACES or points < before:
            yield f"place `{place.value}` for `{prefix}`", ("places", prefix)
    if config.trusted_hosts:
        yield f"trusting the host `{config.trusted_hosts[0]}`", ("trusted_hosts",)
    if config.organisation:
        yield "changing who counts as inside", ("organisation",)
    for name, reader in config.tools.items():
        yield f"reading `{name}` as `{reader}`", ("tools", name)


def _inside(path: str | None, folder: str) -> bool:
    return Path(path or "").resolve().is_relative_to(Path(folder).expanduser().resolve())


def merge(base: Config, config: Config, document: Document) -> Config:
    """Return `base` with a document on top: single values are replaced, collections are joined."""
    changes: dict[str, object] = {
        "files": (*base.files, document.file),
        "given": base.given.union(document.values),
    }
    for name in document.values:
        new, old = getattr(config, name), getattr(base, name)
        if name == "policies":
            ids = {policy.policy_id for policy in new}
            changes[name] = (*(policy for policy in old if policy.policy_id not in ids), *new)
        elif isinstance(new, tuple):
            changes[name] = (*old, *new)
        elif isinstance(new, dict):
            changes[name] = {**old, **new}
        else:
            changes[name] = new
    return msgspec.structs.replace(base, **changes)
