"""Finding and loading configuration: the person's own file, then the project's, which may only tighten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from interlock.config.policies import policy_of
from interlock.config.positions import Document
from interlock.config.schema import KEYS, Config, parse
from interlock.config.trust import is_trusted, merge, own_folder, tighten
from interlock.errors import ConfigError, nearest
from interlock.policy.policies import Policy, PolicySet

NAME = "interlock.toml"


def load(
    path: str | Path | None = None, *, start: str | Path | None = None, workspace: str | Path | None = None
) -> Config:
    """Return the configuration: the person's own, and the project's on top.

    The project's file is `path`, or the nearest `interlock.toml` in `start` (the working folder) or above it. If
    it lies in the workspace, an agent could have written it: it may only tighten, unless a person has trusted it.
    """
    here = Path(start or Path.cwd()).resolve()
    config = Config()
    own = own_folder() / NAME
    if own.is_file():
        document = read(own)
        config = merge(config, parse(document), document)
    project = Path(path) if path is not None else find(here, own)
    if project is None or project.resolve() == own.resolve():
        return config
    document = read(project)
    folder = project.resolve().parent
    if is_agents(project, here, workspace) and not is_trusted(project):
        config = tighten(config, parse(document), document, folder)
    else:
        config = merge(config, parse(document), document)
    return _resolved(config, document, folder)


def read(path: Path) -> Document:
    """Return a file as a document, or raise with what is wrong with it."""
    try:
        return Document(path.read_text("utf-8"), str(path))
    except FileNotFoundError:
        raise ConfigError("there is no such file", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is no UTF-8 text: {error.reason} at byte {error.start}", file=str(path)) from None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(path)) from None


def find(here: Path, own: Path) -> Path | None:
    """Return the nearest configuration in a folder or above it."""
    for folder in (here, *here.parents):
        candidate = folder / NAME
        if candidate.is_file() and candidate.resolve() != own.resolve():
            return candidate
    return None


def is_agents(path: Path, here: Path, workspace: str | Path | None) -> bool:
    """Whether a file lies where an agent works: in the workspace, the repository, or the working folder."""
    roots = [here, *([Path(workspace).expanduser().resolve()] if workspace else [])]
    roots += [folder for folder in here.parents if (folder / ".git").exists()]
    found = path.resolve()
    return any(found.is_relative_to(root) for root in roots) or here.is_relative_to(found.parent)


def _resolved(config: Config, document: Document, folder: Path) -> Config:
    """Return the configuration with paths made full: a relative one is seen from its file."""
    changes = {}
    for name in ("workspace", "home"):
        if name in document.values:
            changes[name] = str((folder / Path(str(getattr(config, name))).expanduser()).resolve())
    return msgspec.structs.replace(config, **changes) if changes else config


class _Json(Document):
    """A JSON text with the look of a document; its errors name the policy, not the line."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._lines = {}
        try:
            values: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError(f"this is no JSON: {error.msg.lower()}", file=file, line=error.lineno) from None
        self.values = values if isinstance(values, dict) else {"policies": values}


def load_policies(path: Path) -> tuple[Policy, ...]:
    """Return the policies of a file, every one compiled, or raise with the line and what to write instead."""
    document = _Json(path.read_text("utf-8"), str(path)) if path.suffix == ".json" and path.is_file() else read(path)
    for key in document.values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    items = document.values.get("policies")
    if not isinstance(items, list) or not items:
        raise document.error("there are no policies in it; write `[[policies]]`", "policies")
    policies = tuple(_policy(document, item, index) for index, item in enumerate(items))
    PolicySet(policies)
    return policies


def _policy(document: Document, item: Any, index: int) -> Policy:
    if not isinstance(item, dict):
        raise document.error(f"a policy is a table, found `{item!r}`", "policies", index)
    return policy_of(document, item, "policies", index)
