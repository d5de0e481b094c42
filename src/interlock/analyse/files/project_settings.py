"""Settings of the project for a CI system, an editor or a package manager, and which changes of them are ordinary.

A pipeline runs with the project's own keys, an editor can run commands when a project is opened, and a package manager
can be sent elsewhere. Most changes of these files do nothing of the kind: a version, a step that runs the tests, a
formatter, a target of the compiler. They are `ordinary`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from interlock.analyse.addresses.hosts import host_flags
from interlock.analyse.addresses.package_sources import is_usual_source
from interlock.analyse.files.handmade_files import KnownContent
from interlock.analyse.files.traits import traits
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.projects import ProjectSettings
from interlock.model import Effect, Place
from interlock.patterns import late

_WRITES = frozenset({"fs.write", "fs.move"})
SETTINGS = frozenset({"ci_config", "ide_config", "package_config", "registry_key", "login"})
_FROM_ELSEWHERE = frozenset({"download", "decoded", "extracted"})
_ORDINARY = frozenset({"ordinary"})


def mark_ordinary(effects: list[Effect], files: Mapping[str, KnownContent], text: str) -> None:
    """Add `ordinary` to changes of the project's own settings without suspicious words.

    `files` are the contents that are known once the action has run, `text` is the text of the action.
    """
    for at, effect in enumerate(effects):
        if effect.kind not in _WRITES or SETTINGS.isdisjoint(effect.flags) or not _is_in_project(effect):
            continue
        if "login" in effect.flags and not _is_kept(effect):
            continue
        content = files.get(effect.resource.name) if effect.resource else None
        known = content.text if content is not None else None
        known = known if known is not None else _literal_text(effect, effects, text)
        if known is None and _is_of_build(effect) and _comes_from_project(effect, effects):
            known = ""
        if known is not None and not _tells(effect, known):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _ORDINARY)


def mark_ordinary_in_call(effects: list[Effect], walked: Sequence[tuple[str, Any]]) -> None:
    """Add `ordinary` to a pipeline that a tool writes, not to a shared branch, if no text of the call is suspicious."""
    table = read_table("project-settings", ProjectSettings)
    texts = [value for _, value in walked if isinstance(value, str)]
    if not any(key.lower() in table.pipeline_keys for key, _ in walked):
        return  # the new content comes from elsewhere
    if any(text.strip().lower().removeprefix("refs/heads/") in table.shared_branches for text in texts):
        return
    for at, effect in enumerate(effects):
        written = effect.kind in _WRITES and "ci_config" in effect.flags and _is_in_project(effect)
        if written and not any(_tells(effect, text) for text in texts):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _ORDINARY)


def _is_kept(effect: Effect) -> bool:
    """Whether a start-up file is one that the project keeps for others: `dotfiles/.bashrc`."""
    return effect.resource is not None and "login" in traits(effect.resource.name)


def _is_in_project(effect: Effect) -> bool:
    """Whether the project's own settings are changed, or a line is added to those of a build tool below home."""
    if effect.resource is None or not _FROM_ELSEWHERE.isdisjoint(effect.flags):
        return False
    added = effect.resource.place is Place.HOME and {"append", "package_config"} <= effect.flags
    return added or effect.resource.place is Place.WORKSPACE


def _tells(effect: Effect, text: str) -> bool:
    """Whether new content mentions something that needs approval."""
    table = read_table("project-settings", ProjectSettings)
    low = text.lower()
    if _is_of_build(effect):
        low, words = _ADDRESS.sub(_unusual, low.replace("\\:", ":")), table.builds
    else:
        words = next(words for flag, words in _words(table).items() if flag in effect.flags)
    if "ci_config" in effect.flags and any(_is_strange(found[1], found[2], table) for found in _ACTION.finditer(low)):
        return True
    unquoted = low.translate(_QUOTES)  # a shell runs `cu''rl` as well
    return any(word in low or word in unquoted for word in words)


_QUOTES = str.maketrans("", "", "'\"\\")


def _is_strange(owner: str, version: str, table: ProjectSettings) -> bool:
    """Whether the owner of an action is one typo away from a well-known one, or a stranger whose branch is followed."""
    if owner in table.action_owners:
        return False
    plain = owner.translate(_LETTERS)
    near = any(plain == known or (len(known) > 5 and _differ_by_one(plain, known)) for known in table.action_owners)
    return near or version in _BRANCHES


def _differ_by_one(first: str, second: str) -> bool:
    """Whether two names differ by one letter, or by two that changed places."""
    if len(first) == len(second):
        other = [at for at, (one, two) in enumerate(zip(first, second, strict=True)) if one != two]
        return len(other) == 1 or (len(other) == 2 and sorted(first) == sorted(second))
    short, long = sorted((first, second), key=len)
    return len(long) - len(short) == 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


_ACTION = late(r"(?<![\w./@-])([a-z0-9][\w-]*)/[\w./-]+@([\w.-]+)")
_LETTERS = str.maketrans("0135", "oles")
_BRANCHES = frozenset({"main", "master", "head", "latest", "dev", "develop"})


def _is_of_build(effect: Effect) -> bool:
    files = read_table("project-settings", ProjectSettings).build_files
    return effect.resource is not None and effect.resource.name.lower().endswith(files)


def _comes_from_project(effect: Effect, effects: list[Effect]) -> bool:
    """Whether a command copies the whole new content of a file from other files of the project."""
    sources = [one.resource for one in effects if _is_source(one, effect)]
    return bool(sources) and all(source is not None and source.place is Place.WORKSPACE for source in sources)


def _unusual(address: re.Match[str]) -> str:
    """Return an address, or nothing if it is on this machine, in its network or at a usual source of packages."""
    near = {"local", "private"} & host_flags(address[0])
    return "" if near or is_usual_source(address[0]) else address[0]


_ADDRESS = late(r"[a-z]+://[^\s\"'<>,]+")


def _words(table: ProjectSettings) -> dict[str, tuple[str, ...]]:
    packages = dict.fromkeys(("package_config", "registry_key"), table.packages)
    return {"login": table.shells, "ci_config": table.pipelines, "ide_config": table.editors, **packages}


def _literal_text(effect: Effect, effects: list[Effect], text: str) -> str | None:
    """Return the text of an edit, if it is complete; None if some of it comes from elsewhere."""
    start, end = effect.span
    if effect.via or _CALL.match(text, start):  # in a script, the new content may be put together anywhere
        return text
    own = _TEMPLATE.sub("", text[start:end])
    if not own or _EXPANDED.search(own) or any(_is_source(one, effect) for one in effects):
        return None
    return own


def _is_source(effect: Effect, written: Effect) -> bool:
    """Whether a command reads or moves a file other than the one that it writes."""
    if effect.kind not in _SOURCES or effect.resource is None:
        return False
    if written.resource is not None and effect.resource.name == written.resource.name:
        return False
    return written.span[0] <= effect.span[0] and effect.span[1] <= written.span[1]


_CALL = late(r"[A-Za-z_][\w.]*\(")
_EXPANDED = late(r"\$[\w{(]|`")
_SOURCES = frozenset({"fs.read", "fs.move", "net.fetch", "secret.read"})
#: Expressions of pipelines, which a shell does not expand: `${{ matrix.os }}`.
_TEMPLATE = late(r"\$\{\{[^{}]*\}\}")
