"""Find the concern that a call leaves behind: something it prepared whose use by later calls needs approval.

A person who approves a changed setting, a copied key or a new workflow has not approved everything that follows from
it. So the first use by each program needs approval as well; the reason names the call that prepared it.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import split_words
from interlock.levels import Level
from interlock.memory.additions import MAX_REASON, limit_subjects
from interlock.memory.calls.arguments import argument_values
from interlock.memory.calls.command_lines import find_exports
from interlock.memory.calls.places import is_item_name
from interlock.memory.calls.programs import commands_or_tool, find_programs
from interlock.memory.calls.text_edits import find_edits
from interlock.memory.calls.tool_services import mcp_server_of
from interlock.memory.calls.words import memory_words
from interlock.memory.concerns.aliases import find_alias
from interlock.memory.concerns.filtered_records import find_filtered_record
from interlock.memory.concerns.identities import (
    find_access_rules,
    find_profile_change,
    find_switch_concern,
)
from interlock.memory.concerns.loosened_values import find_loosening
from interlock.memory.concerns.real_targets import find_real_target
from interlock.memory.concerns.settings import find_settings
from interlock.memory.concerns.steering_files import find_steering_file
from interlock.memory.model import COPY_RULE, HAZARD_RULE, PREPARED_RULE, Concern, ConcernKind
from interlock.memory.written_files.downloads import find_download, find_unpacking
from interlock.memory.written_files.manifests import find_manifest_edit
from interlock.model import Action, Analysis, Decision, Finding
from interlock.payload import leaves
from interlock.sanitise import quotable

MAX_KIND, MIN_ID, MIN_NAME = 20, 100, 3
_WRITING = frozenset({"fs.write", "fs.move", "fs.link", "data.export"})
#: Flags of effects that put sensitive data into a file.
_HOLDING = frozenset("secret variable environment printed personal records dump mail browser diagnostics".split())
#: Effects that change how later commands work: those of the same program, or all of them.
_SETTING = frozenset({"system.change", "vcs.change", "defence.disable"})
_DOING = frozenset({"net.fetch", "code.remote", "package.install", "process.spawn", "process.run"})
_ALL_VARIABLES = ("set -a", "set -o allexport")


def find_concerns(action: Action, decision: Decision) -> tuple[Concern, ...]:
    """Return what an action leaves behind once it has run, as far as its use by later calls needs approval."""
    analysis, findings = decision.assessment.analysis, decision.assessment.findings
    worst = findings[0] if findings and decision.assessment.level >= Level.HIGH else None
    asked = _find_asked(action, analysis, worst) if worst is not None and worst.rule != PREPARED_RULE else None
    if asked is None and (worst is None or worst.rule != PREPARED_RULE):
        return tuple(one for one in _find_unasked(action, analysis) if one is not None)
    edits = find_edits(action, analysis)
    return tuple(one for one in (asked, find_loosening(edits), find_real_target(edits)) if one is not None)


def _find_asked(action: Action, analysis: Analysis, worst: Finding) -> Concern | None:
    """Return the concern of an action that needed approval, by its worst finding."""
    if worst.rule == HAZARD_RULE:
        return Concern(ConcernKind.HAZARD, worst.subject, used_by=limit_subjects(commands_or_tool(action, analysis)))
    holds, prepares = worst.rule == COPY_RULE or _holds(analysis), worst.rule in memory_words().preparing
    is_tool = bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS
    concern = Concern(
        ConcernKind.COPY if holds else ConcernKind.PREPARED,
        quotable(worst.reason[:MAX_REASON]),
        files=limit_subjects(_files_of(action, analysis)) if holds or (prepares and not _does_more(analysis)) else (),
        names=limit_subjects(_names_of(action)) if is_tool else (),
        programs=limit_subjects(_programs_of(analysis)) if prepares or worst.rule == COPY_RULE else (),
        exports=prepares and _exports(analysis),
    )
    return concern if concern.files or concern.names or concern.programs or concern.exports else None


def _find_unasked(action: Action, analysis: Analysis) -> Iterator[Concern | None]:
    """Yield the concerns of an action that needed no approval, or needed it for something else; None is no concern."""
    yield find_alias(action, analysis)
    yield find_steering_file(analysis)
    yield find_manifest_edit(analysis)
    yield find_unpacking(analysis)
    yield find_filtered_record(analysis)
    if analysis.effects and analysis.effects[0].kind in TOOL_KINDS:
        yield find_download(action) or find_profile_change(action) or _find_redefinition(action, analysis)
        return
    edits = find_edits(action, analysis)
    yield find_loosening(edits)
    yield find_real_target(edits)
    yield from find_settings(action, analysis, edits)
    yield find_switch_concern(action, analysis)
    yield find_access_rules(edits)


def _find_redefinition(action: Action, analysis: Analysis) -> Concern | None:
    """Return a concern about a contact, a list, a view or the like, if a call changes what its name stands for.

    What else a call has set is judged together with the call that uses it.
    """
    known, words = memory_words(), frozenset(split_words(action.tool_name))
    if analysis.effects[0].kind == "tool.read" or words.isdisjoint(known.defining):
        return None
    called = words | frozenset(word for _, value in leaves(action.input_payload) for word in _plain_words(value))
    if called.isdisjoint(known.definitions):
        return None
    names = limit_subjects((*_names_of(action), *_find_defined_names(action)))
    return Concern(ConcernKind.REDEFINED, quotable(action.tool_name), names=names) if names else None


def _find_defined_names(action: Action) -> Iterator[str]:
    """Yield the plain names of lists, segments, views and the like that a call is about: `beta`, `customers`."""
    for key, value in argument_values(action.input_payload):
        is_name = isinstance(value, str) and MIN_NAME <= len(value) <= MAX_KIND and value.isalpha()
        if is_name and not memory_words().definitions.isdisjoint(split_words(key)):
            yield value


def _plain_words(value: object) -> tuple[str, ...]:
    """Return the words of a short name, such as that of a service or of a kind of record."""
    return split_words(value) if isinstance(value, str) and len(value) <= MAX_KIND and value.islower() else ()


def _files_of(action: Action, analysis: Analysis) -> Iterator[str]:
    """Yield the files that an action writes, except folders with much other content."""
    wide = {"/tmp", "/var/tmp", "/dev/shm", action.workspace, action.cwd, action.home}
    written = (one.resource.name for one in analysis.effects if one.kind in _WRITING and one.resource)
    for path in (*written, *analysis.files):
        if path.startswith("/") and not path.startswith("/dev/") and path.rstrip("/*") not in wide:
            yield path


def _holds(analysis: Analysis) -> bool:
    return any(one.kind == "secret.read" or not one.flags.isdisjoint(_HOLDING) for one in analysis.effects) or any(
        not one.marks.isdisjoint(_HOLDING) for one in analysis.files.values()
    )


def _names_of(action: Action) -> Iterator[str]:
    """Yield the names of what a call is about. What was typed into a page is sent by a click in the same browser."""
    if not memory_words().browsers.isdisjoint(split_words(action.tool_name)):
        yield browser_of(action)
    for key, value in argument_values(action.input_payload):
        if is_item_name(value):
            yield value
        elif isinstance(value, int) and not isinstance(value, bool) and value >= MIN_ID and key.lower().endswith("id"):
            yield str(value)


def _programs_of(analysis: Analysis) -> tuple[str, ...]:
    """Return the programs whose settings or stored data a command changes."""
    changes = any(one.kind in _SETTING for one in analysis.effects)
    return find_programs(analysis) if changes and not _does_more(analysis) else ()


def _does_more(analysis: Analysis) -> bool:
    """Whether a command does more than prepare something for later."""
    return any(one.kind in _DOING for one in analysis.effects)


def _exports(analysis: Analysis) -> bool:
    """Whether a command does hardly anything besides setting variables."""
    if any(one.kind in _DOING and one.kind != "code.remote" for one in analysis.effects):
        return False
    exports_all = any(" ".join(call.words[:3]).startswith(_ALL_VARIABLES) for call in analysis.commands)
    return exports_all or next(find_exports(analysis), None) is not None


def browser_of(action: Action) -> str:
    """Return the name under which the browser of a call is remembered."""
    return f"browser {mcp_server_of(action.tool_name) or 'in use'}"
