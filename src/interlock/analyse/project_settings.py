"""Settings of the project that a CI system, an editor or a package manager reads: is a change of them ordinary work?

A pipeline runs with the project's own keys, an editor can run commands when a project is opened, and a package manager
can be sent elsewhere. Most changes of these files do nothing of the kind: a version, a step that runs the tests, a
formatter, a target of the compiler. They are `ordinary`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.analyse.handmade import Content
from interlock.analyse.traits import traits
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import ProjectSettings
from interlock.model import Effect, Place
from interlock.patterns import late

_WRITES = frozenset({"fs.write", "fs.move"})
SETTINGS = frozenset({"ci_config", "ide_config", "package_config", "registry_key", "login"})
_FROM_ELSEWHERE = frozenset({"download", "decoded", "extracted"})
_ORDINARY = frozenset({"ordinary"})


def mark_ordinary(effects: list[Effect], files: Mapping[str, Content], text: str) -> None:
    """Add `ordinary` to changes of the project's own settings that mention nothing telling.

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
        if known is not None and not _tells(effect, known):
            effects[at] = msgspec.structs.replace(effect, flags=effect.flags | _ORDINARY)


def _is_kept(effect: Effect) -> bool:
    """Whether a start-up file is one that the project keeps for others: `dotfiles/.bashrc`."""
    return effect.resource is not None and "login" in traits(effect.resource.name)


def _is_in_project(effect: Effect) -> bool:
    in_project = effect.resource is not None and effect.resource.place is Place.WORKSPACE
    return in_project and _FROM_ELSEWHERE.isdisjoint(effect.flags)


def _tells(effect: Effect, text: str) -> bool:
    """Whether new content mentions something that a person should look at."""
    table = read_table("project-settings", ProjectSettings)
    low = text.lower()
    words = next(words for flag, words in _words(table).items() if flag in effect.flags)
    return any(word in low for word in words)


def _words(table: ProjectSettings) -> dict[str, tuple[str, ...]]:
    packages = dict.fromkeys(("package_config", "registry_key"), table.packages)
    return {"login": table.shells, "ci_config": table.pipelines, "ide_config": table.editors, **packages}


def _literal_text(effect: Effect, effects: list[Effect], text: str) -> str | None:
    """Return the text of an edit, if all that it puts into the file stands there; None if it comes from elsewhere."""
    if effect.via:  # in a script, the new content may be put together anywhere
        return text
    start, end = effect.span
    own = _TEMPLATE.sub("", text[start:end])
    if not own or _EXPANDED.search(own) or any(_is_source(one, effect) for one in effects):
        return None
    return own


def _is_source(effect: Effect, written: Effect) -> bool:
    """Whether a command reads or moves another file than the one that it writes."""
    if effect.kind not in _SOURCES or effect.resource is None:
        return False
    if written.resource is not None and effect.resource.name == written.resource.name:
        return False
    return written.span[0] <= effect.span[0] and effect.span[1] <= written.span[1]


_EXPANDED = late(r"\$[\w{(]|`")
_SOURCES = frozenset({"fs.read", "fs.move", "net.fetch", "secret.read"})
#: Expressions of pipelines, which a shell does not expand: `${{ matrix.os }}`.
_TEMPLATE = late(r"\$\{\{[^{}]*\}\}")
