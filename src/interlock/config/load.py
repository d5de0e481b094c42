"""Finding and loading configuration: the person's own file, then the project's, which may only tighten."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from interlock.config.knowledge import load_knowledge, named_knowledge, own_knowledge
from interlock.config.policies import policies_of
from interlock.config.schema import KEYS, Config, parse
from interlock.config.trust import is_trusted, merge, own_folder, refuse_loosening
from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.policy.policies import Policy

NAME = "interlock.toml"


def load(
    path: str | Path | None = None, *, start: str | Path | None = None, workspace: str | Path | None = None
) -> Config:
    """Return the configuration: the person's own, and the project's on top.

    The project's is `path`, or every `interlock.toml` from the root down to `start` (the working folder), so that a
    nearer one can add to a farther one but not hide it. A file that an agent could have written may only tighten,
    unless a person has trusted it.
    """
    here = Path(start or Path.cwd()).resolve()
    known = own_knowledge()
    config = Config(knowledge=known, files=tuple(one.file for one in known))
    own = own_folder() / NAME
    if own.exists() or own.is_symlink():
        config = _add(config, own, here, workspace, trusted=True)
    for project in [Path(path)] if path is not None else find(here, own):
        agents = is_agents(project, here, workspace, config.workspace)
        config = _add(config, project, here, workspace, trusted=not agents)
    return config


def _add(config: Config, path: Path, here: Path, workspace: str | Path | None, *, trusted: bool) -> Config:
    document = read(path)
    given = parse(document, config)
    folder = path.resolve().parent
    for name in ("workspace", "home"):
        if name in document.values:  # a relative path is seen from its file
            try:
                full = str((folder / Path(str(getattr(given, name))).expanduser()).resolve())
            except (ValueError, RuntimeError, OSError) as error:
                raise document.error(f"`{name}` is no folder: {error}", name) from None
            given = msgspec.structs.replace(given, **{name: full})
    vouched = trusted or is_trusted(path, document)
    if not vouched:
        refuse_loosening(config, given, document)
    loaded = [
        load_knowledge(file, own=vouched and not is_agents(file, here, workspace, config.workspace))
        for file in named_knowledge(document, document.values.get("knowledge", ()), folder)
    ]
    given = msgspec.structs.replace(given, knowledge=tuple(loaded))
    merged = merge(config, given, document)
    return msgspec.structs.replace(merged, files=(*merged.files, *(one.file for one in given.knowledge)))


def read(path: Path) -> Document:
    """Return a file as a document, or raise with what is wrong with it."""
    return Document(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return the text of a file, or raise with why it cannot be had."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ConfigError("there is no such file", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is no UTF-8 text: {error.reason} at byte {error.start}", file=str(path)) from None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(path)) from None


def find(here: Path, own: Path) -> list[Path]:
    """Return every configuration from the root down to a folder."""
    candidates = [folder / NAME for folder in (*reversed(here.parents), here)]
    return [path for path in candidates if (path.exists() or path.is_symlink()) and path != own]


def is_agents(path: Path, here: Path, *workspaces: str | Path | None) -> bool:
    """Whether a file lies where an agent works: in the workspace, the repository, the working folder, or above it.

    Where a link stands counts as well as where it leads: either end could be the agent's.
    """
    roots = [here, *(folder for folder in here.parents if (folder / ".git").exists())]
    roots += [Path(workspace).expanduser().resolve() for workspace in workspaces if workspace]
    for found in (path.resolve(), path.absolute()):
        if any(found.is_relative_to(root) for root in roots) or here.is_relative_to(found.parent):
            return True
    return False


class _Json(Document):
    """A JSON text with the look of a document; its lines are those of the policies in it."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        try:
            values: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError(f"this is no JSON: {error.msg.lower()}", file=file, line=error.lineno) from None
        except (RecursionError, ValueError) as error:
            raise ConfigError(f"this is no JSON that can be read: {error}", file=file) from None
        self.values = values if isinstance(values, dict) and "policies" in values else {"policies": values}
        if isinstance(self.values["policies"], dict):
            self.values = {"policies": [self.values["policies"]]}
        starts = [match.start() for match in re.finditer(r'"policy_?[iI]d"', text)]
        self._lines = {("policies", index): text.count("\n", 0, at) + 1 for index, at in enumerate(starts)}


def load_policies(path: Path) -> tuple[Policy, ...]:
    """Return the policies of a file, every one compiled, or raise with the line and what to write instead."""
    text = read_text(path)
    document = _Json(text, str(path)) if text.lstrip()[:1] in ("{", "[") and path.suffix != ".toml" else read(path)
    for key in document.values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    items = document.values.get("policies")
    if not isinstance(items, list) or not items:
        raise document.error("there are no policies in it; write `[[policies]]`, or a list of them in JSON", "policies")
    if not isinstance(document, _Json):
        parse(document)
    return policies_of(document, items)
