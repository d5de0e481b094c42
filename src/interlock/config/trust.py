"""Trust: what a file inside the workspace may say, and which of those files a person has vouched for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from interlock.analyse.tools import TOOLS, plain_name
from interlock.config.positions import Document
from interlock.config.schema import Config
from interlock.errors import ConfigError
from interlock.levels import Verdict
from interlock.model import Place
from interlock.policy.modes import mode_row, weaker
from interlock.scoring.command import environment_points

_TIGHT_PLACES = (Place.ROOT, Place.SYSTEM)
_LANGUAGES = ("shell", "python", "sql")


def own_folder() -> Path:
    """Return the folder of the person's own configuration."""
    return Path(os.environ.get("INTERLOCK_HOME") or Path.home() / ".interlock")


def _register() -> Path:
    return own_folder() / "trusted.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def trusted_files() -> dict[str, str]:
    """Return the files that the person has vouched for, each with the digest of what it said then."""
    try:
        found = json.loads(_register().read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"the list of trusted files cannot be read: {error}", file=str(_register())) from None
    if not isinstance(found, dict):
        raise ConfigError("the list of trusted files must be a table of paths", file=str(_register()))
    return {str(path): str(digest) for path, digest in found.items()}


def is_trusted(path: Path) -> bool:
    """Whether a person has vouched for exactly this content of this file."""
    return trusted_files().get(str(path.resolve())) == _digest(path)


def trust(path: Path, *, revoke: bool = False) -> None:
    """Vouch for a file as it is now, or take that back."""
    known = trusted_files()
    known.pop(str(path.resolve()), None)
    if not revoke:
        known[str(path.resolve())] = _digest(path)
    own_folder().mkdir(parents=True, exist_ok=True)
    draft = _register().with_suffix(".new")
    draft.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
    draft.replace(_register())


def tighten(base: Config, config: Config, document: Document, folder: Path) -> Config:
    """Return `base` with what a file that an agent could have written adds to it; refuse what loosens."""
    _refuse_loosening(base, config, document, folder)
    return merge(base, config, document)


def _refuse_loosening(base: Config, config: Config, document: Document, folder: Path) -> None:
    for what, path in (
        *_loosening_values(base, config, document, folder),
        *_loosening_policies(base, config),
        *_loosening_readings(base, config),
    ):
        raise document.error(
            f"{what} loosens, and an agent could have written this file; put it into "
            f"`{own_folder() / 'interlock.toml'}`, or run `interlock trust {document.file}` once you have read it",
            *path,
        )


Loosening = Iterator[tuple[str, tuple[str | int, ...]]]


def _loosening_values(base: Config, config: Config, document: Document, folder: Path) -> Loosening:
    given = document.values
    if "mode" in given:
        level = weaker(mode_row(config.mode, config.modes), mode_row(base.mode, base.modes))
        if level is not None:
            yield f"mode `{config.mode}` (milder than `{base.mode}` at {level.value})", ("mode",)
    if "environment" in given and environment_points(config.environment) < environment_points(base.environment):
        yield f"environment `{config.environment}`", ("environment",)
    if "workspace" in given and not _inside(folder / (config.workspace or ""), folder):
        yield f"workspace `{config.workspace}`", ("workspace",)
    if "home" in given and config.home != base.home:
        yield f"home `{config.home}`", ("home",)
    if config.rules_off:
        yield f"switching off `{config.rules_off[0]}`", ("rules_off",)


def _loosening_policies(base: Config, config: Config) -> Loosening:
    if not config.default_policies:
        yield "switching the default policies off", ("default_policies",)
    taken = {policy.policy_id for policy in base.all_policies}
    for index, policy in enumerate(config.policies):
        if policy.action is Verdict.ALLOW:
            yield f"policy `{policy.policy_id}` (it allows)", ("policies", index, "action")
        if policy.policy_id in taken:
            yield f"replacing policy `{policy.policy_id}`", ("policies", index, "policy_id")


def _loosening_readings(base: Config, config: Config) -> Loosening:
    for prefix, (place, _) in config.places.items():
        if place not in _TIGHT_PLACES:
            yield f"place `{place.value}` for `{prefix}`", ("places", prefix)
    for name, reader in config.tools.items():
        if plain_name(name) in TOOLS or name in base.tools or reader not in _LANGUAGES:
            yield f"reading `{name}` as `{reader}`", ("tools", name)


def _inside(path: Path, folder: Path) -> bool:
    return path.expanduser().resolve().is_relative_to(folder.resolve())


def merge(base: Config, config: Config, document: Document) -> Config:
    """Return `base` with what a document says on top: single values replaced, collections joined."""
    changes: dict[str, object] = {"files": (*base.files, document.file)}
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
