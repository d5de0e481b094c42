"""Effects that follow only from all effects of an action together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from interlock.analyse.files.created_files import LASTING
from interlock.analyse.files.handmade_files import CHANGES, mark_handmade
from interlock.analyse.files.paths import REBUILT
from interlock.lazy import LazyModule
from interlock.model import Effect, Place, Resource, kind_of

if TYPE_CHECKING:
    from interlock.analyse import hidden_text
    from interlock.analyse.other_agents import instructions
    from interlock.analyse.reading import Reading
else:
    hidden_text = LazyModule("interlock.analyse.hidden_text")
    instructions = LazyModule("interlock.analyse.other_agents.instructions")

_EMPTIED = frozenset({"into_rebuilt"})
_INSTRUCTIONS = frozenset({"instructions"})
_DISGUISED = frozenset({"disguised"})
_DECEPTIVE = frozenset({"deceptive"})
#: Flags of files with instructions for agents.
_TAUGHT = frozenset({"agent_rules", "ide_config"})
_SETTINGS = frozenset({"ci_config", "ide_config", "package_config", "registry_key", "login"})
#: Kinds of effects that make or use nothing by its name.
_LOOKING = frozenset(
    "out.print fs.read fs.delete fs.move system.read process.run db.read vcs.read message.send".split()
)
#: Kinds and flags of effects that are checked again once the whole action is known.
_REVIEWED_KINDS = LASTING | CHANGES | {"process.signal", "message.send"}
_REVIEWED_FLAGS = _TAUGHT | _SETTINGS


def needs_review(effects: Iterable[Effect], text: str) -> bool:
    """Whether an action has effects that are checked together."""
    if not text.isascii():
        return True
    return not _REVIEWED_KINDS.isdisjoint(map(kind_of, effects)) or _have_flags(effects, _REVIEWED_FLAGS)


def _have_flags(effects: Iterable[Effect], flags: frozenset[str]) -> bool:
    """Whether one of several effects has one of some flags."""
    return any(effect.flags and not flags.isdisjoint(effect.flags) for effect in effects)


def review_effects(reading: Reading, text: str, languages: tuple[str, ...]) -> None:
    """Report effects, and mark effects, that follow only from all effects together."""
    if "python" in languages and "fs.write" in reading.kinds_since(0):
        from interlock.analyse.files.written_commands import report_written_commands

        report_written_commands(reading, text)
    if "process.signal" in reading.kinds_since(0):
        from interlock.analyse.process_lookups import report_process_lookups

        report_process_lookups(reading, text)
    if reading.has_links:
        _mark_moves(reading)
    if reading.has_changed_files:
        _report_poisoned(reading, text)
    if not text.isascii():
        _report_mixed_letters(reading)
    if _have_flags(reading.effects, _TAUGHT):
        from interlock.analyse.other_agents.instruction_files import report_poisoned_file

        report_poisoned_file(reading.effects, text, reading.files)
    if "@" in text and "message.send" in reading.kinds_since(0):
        _report_false_correspondent(reading, text)
    mark_handmade(reading.effects, reading.files, reading.places.home, reading.is_backup)
    if _have_flags(reading.effects, _SETTINGS):
        from interlock.analyse.files.project_settings import mark_ordinary

        mark_ordinary(reading.effects, reading.files, text)


def _mark_moves(reading: Reading) -> None:
    """Mark files from outside the project that a command moves to where the next build or install deletes them."""
    emptied = {(one.call, one.span) for one in reading.effects if one.kind == "fs.write" and _is_rebuilt(one)}
    for at, one in enumerate(reading.effects) if emptied else ():
        if one.kind == "fs.move" and one.resource and (one.call, one.span) in emptied and _is_elsewhere(one.resource):
            reading.effects[at] = Effect(one.kind, one.resource, one.flags | _EMPTIED, one.span, one.via, one.call)


def _is_rebuilt(effect: Effect) -> bool:
    """Whether a build recreates the written file; the place of a relative path may be unknown."""
    if effect.resource is None or effect.resource.place is not Place.UNKNOWN:
        return "rebuilt" in effect.flags
    return not REBUILT.isdisjoint(effect.resource.name.split("/"))


def _is_elsewhere(resource: Resource) -> bool:
    """Whether a file is outside the project, in somebody's home folder."""
    return resource.place is Place.HOME or (resource.place is Place.UNKNOWN and resource.name[:1] == "~")


def _report_poisoned(reading: Reading, text: str) -> None:
    """Add an effect for each file into which this action writes instructions that would mislead an agent."""
    changed = {path: flow.text for path, flow in reading.files.items() if flow is not reading.seeds.get(path)}
    for path in instructions.find_poisoned_files((path, content) for path, content in changed.items() if content):
        resource, flags = reading.places.resource(path)
        reading.effects.append(Effect("fs.write", resource, flags | _INSTRUCTIONS, (0, len(text)), (), reading.call))
    if any(content and hidden_text.conceals(content) for content in changed.values()):
        reading.effects.append(Effect("code.opaque", None, _DISGUISED, (0, len(text)), (), reading.call))


def _report_false_correspondent(reading: Reading, text: str) -> None:
    """Add an effect for a message with a deceptive sender or link."""
    from interlock.analyse.addresses.deception import find_false_correspondent

    found = find_false_correspondent(text)
    if found:
        resource = Resource("url", found)
        reading.effects.append(Effect("net.connect", resource, _DECEPTIVE, (0, len(text)), (), reading.call))


def _report_mixed_letters(reading: Reading) -> None:
    """Add an effect for a name that is made or used and has letters of another script among plain ones."""
    for effect in reading.effects:
        if effect.resource and effect.kind not in _LOOKING and hidden_text.mixes_letters(effect.resource.name):
            reading.effects.append(Effect("code.opaque", None, _DISGUISED, effect.span, (), reading.call))
            return
