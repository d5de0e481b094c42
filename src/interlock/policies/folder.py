"""Policies in a folder: read every TOML file in it, and report all errors at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from interlock.config.load import read
from interlock.config.policies import read_policy
from interlock.config.schema import Config
from interlock.documents import Document
from interlock.errors import ConfigError, InterlockError, near_miss
from interlock.policies.policy_input import PolicyInput, compile_policy, policy_input

MAX_FILES = 1_000
MAX_FILE_BYTES = 1_000_000
_ELSEWHERE = "; a folder to apply can only contain `[[policies]]`; settings belong to the server"


class PolicyLocation(NamedTuple):
    """The file and line of a policy."""

    file: str
    line: int | None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class FolderContents(NamedTuple):
    """The policies of a folder, and the file and line of each."""

    policies: list[PolicyInput]
    places: dict[str, PolicyLocation]


class FolderError(InterlockError):
    """Some files of a folder do not load; `errors` has all of them."""

    def __init__(self, errors: list[ConfigError]) -> None:
        self.errors = errors
        super().__init__("\n".join(map(str, errors)))


def read_folder(folder: Path) -> FolderContents:
    """Return the policies of a folder and its subfolders, or raise with all errors.

    Hidden folders and files of test cases are skipped.
    """
    contents, errors = FolderContents([], {}), list[ConfigError]()
    for file in list_policy_files(folder):
        try:
            _add_file(file, contents, errors)
        except ConfigError as error:
            errors.append(error.at(str(file), None))
    if errors:
        raise FolderError(errors)
    return contents


def list_policy_files(folder: Path) -> list[Path]:
    """Return the TOML files of a folder and its subfolders, sorted."""
    if not folder.is_dir():
        raise InterlockError(f"there is no folder `{folder}`")
    found = [Path(parent, name) for parent, _, names in os.walk(folder, onerror=_raise) for name in names]
    found = [file for file in found if is_policy_file(file.relative_to(folder).as_posix())]
    if len(found) > MAX_FILES:
        raise InterlockError(f"`{folder}` has {len(found):,} TOML files; at most {MAX_FILES:,} are read")
    return sorted(found)


def is_policy_file(path: str) -> bool:
    """Whether a path names a TOML file, and no part of it is hidden.

    >>> [is_policy_file(path) for path in ("a/b.toml", "a/.b/c.toml", "a/b.json")]
    [True, False, False]
    """
    return path.endswith(".toml") and not any(part.startswith(".") for part in path.split("/"))


def _raise(error: OSError) -> None:
    raise InterlockError(f"`{error.filename}` cannot be read: {error.strerror}")


def _add_file(file: Path, contents: FolderContents, errors: list[ConfigError]) -> None:
    """Add the policies and the errors of a file."""
    if not file.is_file():
        raise ConfigError("this is not a file", file=str(file))
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ConfigError(f"the file is larger than {MAX_FILE_BYTES:,} bytes", file=str(file))
    document = read(file)
    if "cases" in document.values:
        return
    for key in document.values:
        if key != "policies":
            hint = near_miss(key, ["policies"]) or _ELSEWHERE
            raise document.error(f"unknown key `{key}`{hint}", key, 0)
    items = document.values.get("policies", [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise document.error("policies are tables; write `[[policies]]`", "policies")
    for index, item in enumerate(items):
        place = PolicyLocation(str(file), document.line(("policies", index)))
        errors += [error.at(*place) for error in _add_policy(document, index, item, place, contents)]


def _add_policy(
    document: Document, index: int, item: dict[str, Any], place: PolicyLocation, contents: FolderContents
) -> Iterator[ConfigError]:
    try:
        given = policy_input(read_policy(document, item, "policies", index))
        compile_policy(given, Config())
    except ConfigError as error:
        yield error
        return
    except TypeError as error:  # a list or a table where a field holds words or numbers
        yield ConfigError(f"a condition compares a field with a value of the wrong type: {error}")
        return
    if given.policy_id in contents.places:
        first = contents.places[given.policy_id]
        yield ConfigError(f"two policies have the id `{given.policy_id}`; the other one is at {first}")
        return
    contents.policies.append(given)
    contents.places[given.policy_id] = place
