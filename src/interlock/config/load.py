"""Loading the configuration: the server's bundle, the owner's files, then the project's, which may only tighten."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from interlock.config.home import MACHINE_FILE, NAME, own_folder, owner_paths
from interlock.config.knowledge import find_named_files, find_own_files, load_knowledge, read_declared_tools
from interlock.config.schema import Config, ManagedLayer, parse
from interlock.documents import Document, Layer
from interlock.errors import ConfigError, nearest
from interlock.policy.policies import Policy

if TYPE_CHECKING:
    from interlock.config.central import CentralSettings


def load(
    path: str | Path | None = None,
    *,
    start: str | Path | None = None,
    workspace: str | Path | None = None,
    trusting: bool = False,
    layers: list[Layer] | None = None,
) -> Config:
    """Return the configuration: the owner's, and the project's on top.

    The project's is `path`, or every `interlock.toml` from the root down to `start` (the working folder): a nearer one
    adds to a farther one, and cannot hide it. A file that an agent could have written may only tighten, unless the
    user trusts it. With `trusting`, every file counts as trusted: for checks and tests, which let nothing run.
    If a server or the administrator manages this machine, no file can loosen their configuration.
    The documents that were loaded are added to `layers`, the weakest first.
    """
    layers = [] if layers is None else layers
    here = Path(start or Path.cwd()).resolve()
    known = find_own_files(lambda file: is_agent_writable(file, here, workspace))
    config = Config(knowledge=known, files=tuple(one.file for one in known))
    owned = [read(path) for path in owner_paths()]
    errors: list[ConfigError] = []  # of all files, so that they can be corrected at once
    try:
        config = _with_central(config, owned, layers)
    except ConfigError as error:
        errors.append(error)
    outer = config if config.managed is not None else None
    for document in owned:
        try:
            config = _add(config, document, here, workspace, outer, layers, trusted=True)
        except ConfigError as error:
            errors.append(error)
        if document.file == str(MACHINE_FILE):
            config = outer = msgspec.structs.replace(config, managed=config.managed or ManagedLayer())
    for project in [Path(path)] if path is not None else find_config_files(here, own_folder() / NAME):
        try:
            document = _read_project(project)
            trusted = trusting or not is_agent_writable(project, here, workspace, config.workspace)
            config = _add(config, document, here, workspace, outer, layers, trusted=trusted)
        except ConfigError as error:
            errors.append(error)
    if errors:
        raise _join(errors)
    return _as_additions(config) if outer is not None else config


def _read_project(path: Path) -> Document:
    """Return the file of a project, or raise if it has settings that only the owner's file can have."""
    document = read(path)
    if "central" in document.values:
        raise document.error(f"`central` belongs in `{own_folder() / NAME}`, not in a project", "central")
    return document


def _join(errors: list[ConfigError]) -> ConfigError:
    from interlock.config.all_errors import join_errors

    return join_errors(errors)


def _with_central(config: Config, owned: list[Document], layers: list[Layer]) -> Config:
    """Return a configuration with the bundle of the server that the owner's files name, if they name one."""
    central = _central_in(owned)
    if central is None:
        return config
    from interlock.config.managed import add_central

    return msgspec.structs.replace(add_central(config, central, layers), central=central)


def find_central() -> CentralSettings | None:
    """Return the server that this machine pulls its policies from, if there is one."""
    return _central_in([read(path) for path in owner_paths() if "central" in read_text(path)])


def _central_in(owned: list[Document]) -> CentralSettings | None:
    """Return the settings of the first of the owner's files that names a server."""
    for document in owned:
        if "central" in document.values:
            from interlock.config.central import read_central

            return read_central(document, "central", document.values["central"])
    return None


def _as_additions(config: Config) -> Config:
    """Return a configuration whose descriptions of programs only add to the built-in ones."""
    added = tuple(msgspec.structs.replace(one, own=False) for one in config.knowledge)
    return msgspec.structs.replace(config, knowledge=added)


def _add(
    config: Config,
    document: Document,
    here: Path,
    workspace: str | Path | None,
    outer: Config | None,
    layers: list[Layer],
    *,
    trusted: bool,
) -> Config:
    """Return a configuration with a document on top; `outer` is what even a trusted document cannot loosen."""
    from interlock.config.trust import is_trusted, merge, refuse_loosening

    path, written = Path(document.file), document
    vouched = trusted or is_trusted(path, document)
    ignored: tuple[str, ...] = ()
    if vouched and outer is not None:
        from interlock.config.tighten import keep_stricter

        limit = msgspec.structs.replace(outer, modes=config.modes)  # the mode in force may be a local one
        given, document, ignored = keep_stricter(limit, document, lambda kept: _parse(kept, config))
    else:
        given = _parse(document, config)
    if not vouched:
        refuse_loosening(config, given, document)
    loaded = [
        load_knowledge(file, own=vouched and not is_agent_writable(file, here, workspace, config.workspace))
        for file in find_named_files(document, document.values.get("knowledge", ()), path.resolve().parent)
    ]
    declared = read_declared_tools(document, own=vouched)
    merged = merge(config, msgspec.structs.replace(given, knowledge=()), document)
    if ignored and merged.managed is not None:
        managed = msgspec.structs.replace(merged.managed, ignored=(*merged.managed.ignored, *ignored))
        merged = msgspec.structs.replace(merged, managed=managed)
    layers.append(Layer(written, document))
    return msgspec.structs.replace(
        merged,
        knowledge=(*merged.knowledge, *loaded, *declared),
        files=(*merged.files, *(one.file for one in loaded)),
    )


def _parse(document: Document, config: Config) -> Config:
    """Return the configuration of a document alone; a relative folder in it is relative to its file."""
    given = parse(document, config)
    folder = Path(document.file).resolve().parent
    for name in ("workspace", "home"):
        if name in document.values:
            try:
                full = str((folder / Path(str(getattr(given, name))).expanduser()).resolve())
            except (ValueError, RuntimeError, OSError) as error:
                raise document.error(f"`{name}` is not a folder: {error}", name) from None
            given = msgspec.structs.replace(given, **{name: full})
    return given


def read(path: Path) -> Document:
    """Return a file as a document, or raise if it is not valid TOML."""
    return Document(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return the text of a file, or raise if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ConfigError("file not found", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"this is not UTF-8 text: {error.reason} at byte {error.start}", file=str(path)) from None
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(path)) from None


def find_config_files(here: Path, own: Path) -> list[Path]:
    """Return every configuration file from the root down to a folder."""
    candidates = [folder / NAME for folder in (*reversed(here.parents), here)]
    return [path for path in candidates if (path.exists() or path.is_symlink()) and path not in (own, MACHINE_FILE)]


def is_agent_writable(path: Path, here: Path, *workspaces: str | Path | None) -> bool:
    """Whether an agent could have written a file: it is in the workspace, the repository, the working folder or above.

    Both a symlink's own path and its target count.
    """
    roots = [here, *(folder for folder in here.parents if (folder / ".git").exists())]
    roots += [Path(workspace).expanduser().resolve() for workspace in workspaces if workspace]
    for found in (path.resolve(), path.absolute()):
        if any(found.is_relative_to(root) for root in roots) or here.is_relative_to(found.parent):
            return True
    return False


class _Json(Document):
    """Policies in JSON, with the interface of a document; only the line of each policy is known."""

    def __init__(self, text: str, file: str) -> None:
        import json

        self.file = file
        try:
            values: Any = json.loads(text)
        except json.JSONDecodeError as error:
            raise ConfigError(f"this is not JSON: {error.msg.lower()}", file=file, line=error.lineno) from None
        except (RecursionError, ValueError) as error:
            raise ConfigError(f"this JSON cannot be read: {error}", file=file) from None
        self.values = values if isinstance(values, dict) and "policies" in values else {"policies": values}
        if isinstance(self.values["policies"], dict):
            self.values = {"policies": [self.values["policies"]]}
        starts = [match.start() for match in re.finditer(r'"policy_?[iI]d"', text)]
        self._lines = {("policies", index): text.count("\n", 0, at) + 1 for index, at in enumerate(starts)}


def load_policies(path: Path) -> tuple[Policy, ...]:
    """Return the policies of a file, or raise with the line and a correction."""
    from interlock.config.policies import read_policies
    from interlock.config.readers import KEYS

    text = read_text(path)
    document = _Json(text, str(path)) if text.lstrip()[:1] in ("{", "[") and path.suffix != ".toml" else read(path)
    for key in document.values:
        if key not in KEYS:
            raise document.error(f"unknown key `{key}`{nearest(key, KEYS)}", key)
    items = document.values.get("policies")
    if not isinstance(items, list) or not items:
        raise document.error("the file has no policies; write `[[policies]]`, or a JSON list of policies", "policies")
    if not isinstance(document, _Json):
        parse(document)
    return read_policies(document, items)
