"""Settings of the project that a CI system, an editor or a package manager reads: is a change of them ordinary work?

A pipeline runs with the project's own keys, an editor can run commands when a project is opened, and a package manager
can be sent elsewhere. Most changes of these files do nothing of the kind: a version, a step that runs the tests, a
formatter, a target of the compiler. They are `ordinary`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.analyse.handmade import Content
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import ProjectSettings
from interlock.model import Effect, Place

_WRITES = frozenset({"fs.write", "fs.move"})
SETTINGS = frozenset({"ci_config", "ide_config", "package_config", "registry_key"})
_FROM_ELSEWHERE = frozenset({"download", "decoded", "extracted"})
_ORDINARY = frozenset({"ordinary"})


def mark_ordinary(effects: list[Effect], files: Mapping[str, Content], text: str) -> None:
    """Add `ordinary` to changes of the project's own settings that mention nothing telling.

    `files` are the contents that are known once the action has run, `text` is the text of the action.
    """
    for at, effect in enumerate(effects):
        if effect.kind not in _WRITES or SETTINGS.isdisjoint(effect.flags) or not _is_from_here(effect, effects):
            continue
        content = files.get(effect.resource.name) if effect.resource else None
        known = content.text if content is not None else None
        if not _tells(effect, _text_of(effect, text) if known is None else known):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _ORDINARY)


def _is_from_here(effect: Effect, effects: list[Effect]) -> bool:
    """Whether a file of the project changes, and its content comes from the action or the project."""
    if effect.resource is None or effect.resource.place is not Place.WORKSPACE:
        return False
    return _FROM_ELSEWHERE.isdisjoint(effect.flags) and not any(_is_outside(one, effect.call) for one in effects)


def _tells(effect: Effect, text: str) -> bool:
    """Whether new content mentions something that a person should look at."""
    table = read_table("project-settings", ProjectSettings)
    low = text.lower()
    words = next(words for flag, words in _words(table).items() if flag in effect.flags)
    return any(word in low for word in words)


def _words(table: ProjectSettings) -> dict[str, tuple[str, ...]]:
    packages = dict.fromkeys(("package_config", "registry_key"), table.packages)
    return {"ci_config": table.pipelines, "ide_config": table.editors, **packages}


def _text_of(effect: Effect, text: str) -> str:
    """Return the text that new content can come from: the command's own, or all of it if values come from elsewhere."""
    start, end = effect.span
    own = text[start:end]
    return own if own and not effect.via and "$" not in own and "`" not in own else text


def _is_outside(effect: Effect, call: int) -> bool:
    """Whether a command takes content from a file outside the project, or from the network."""
    if effect.call != call or effect.kind not in ("fs.read", "net.fetch", "secret.read"):
        return False
    return effect.resource is not None and effect.resource.place is not Place.WORKSPACE
