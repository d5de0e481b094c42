"""What one action changes in the memory of its run, besides the files that it writes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from msgspec.structs import replace

from interlock.effects import TOOL_KINDS
from interlock.levels import Level
from interlock.memory.exposures.reads import find_exposures
from interlock.memory.model import (
    JOINT_RULE,
    PREPARED_RULE,
    Concern,
    DataFlow,
    Definition,
    Exposure,
    MemoryChanges,
)
from interlock.model import Action, Analysis, Decision, kind_of
from interlock.patterns import late

#: Arguments that name a file which is written or read.
_PATHS = frozenset({"file_path", "path", "notebook_path"})
#: Every name of a live system contains one of these words.
_MAY_NAME_LIVE = late(r"(?i)prod|prd|live")
#: Programs that may give something another name, park work, unpack an archive or look for guards.
_PREPARING = frozenset(
    "ln cp mv git docker podman nerdctl unzip tar gtar bsdtar 7z 7za pgrep pidof ps awk procs".split()
)
#: Effects of commands that change files, and of programs without a description, which may.
_WRITING = frozenset({"fs.write", "fs.move", "process.run"})
#: Every name of a record of who did what contains one of these words (`record_words` in `run-files.toml`).
_MAY_THIN = late(
    r"(?i)log|audit|event|access|histor|trail|journal|action|securit|auth|activit|transcript|session|ledger|account|protokoll|registro"
)
#: Frequent programs that set nothing for later commands.
_INERT = frozenset(
    (
        "ls cat cd echo printf pwd grep rg find head tail wc sort uniq sed awk cut tr xargs test [ true false diff "
        "mkdir touch cp mv rm chmod jq which python python3 node pytest make go cargo pip tsc date sleep tee stat file "
        "basename dirname env sudo bash sh"
    ).split()
)
#: Effects of commands that only look.
_LOOKING = frozenset({"vcs.read", "fs.read", "out.print", "system.read"})
#: Words of statements that define views, and names of files that look like options.
_VIEWS = late(r"(?i)\b(?:view|synonym)\b|/--?\w")
#: Commands that only show a state.
_SHOWING = late(
    r"(?:git (?:status|log|diff|branch|show|fetch|stash list)|ls|pwd|date|whoami|which|env|ps|df|du)(?: [\w -]*)?$"
)
#: Effects that are counted, since many of them add up.
_COUNTED = frozenset({"db.delete", "net.connect", "fs.delete", "fs.move", "fs.write"})
MAX_TEXT = 200_000


def find_changes(action: Action, decision: Decision) -> MemoryChanges:
    """Return what an action changes in the memory of its run once it has run."""
    changes = _find_plain_changes(action, decision.assessment.analysis)
    concerns = _find_concerns(action, decision)
    used, joined = _find_cited_calls(decision, PREPARED_RULE), _find_cited_calls(decision, JOINT_RULE)
    definition = _find_definition(action, decision)
    if definition is not None or joined:
        changes = replace(changes, definition=definition, joined=joined)
    if not concerns and not used:
        return changes
    from interlock.memory.calls.programs import commands_or_tool  # few calls need approval

    users = commands_or_tool(action, decision.assessment.analysis) if used else ()
    first = concerns[0] if concerns else None
    return replace(changes, concern=first, others=concerns[1:], used=used, users=users)


def _find_cited_calls(decision: Decision, rule: str) -> tuple[int, ...]:
    """Return the earlier calls that the findings of a rule cite."""
    return tuple(call for one in decision.assessment.findings if one.rule == rule for call in one.calls)


def _find_definition(action: Action, decision: Decision) -> Definition | None:
    """Return what a call of a tool sets at its service, if it needed no approval by itself."""
    assessed = decision.assessment
    if assessed.level >= Level.HIGH or not calls_tool(assessed.analysis):
        return None
    from interlock.memory.definitions import find_definition  # few actions are calls of tools

    return find_definition(action, assessed.analysis)


def _find_concerns(action: Action, decision: Decision) -> tuple[Concern, ...]:
    """Return the concerns that an action leaves behind: things whose use by later calls needs approval."""
    analysis = decision.assessment.analysis
    is_command = not calls_tool(analysis) and _PATHS.isdisjoint(action.input_payload)
    if is_command and decision.assessment.level < Level.HIGH and not _sets_something(analysis):
        return ()
    from interlock.memory.concerns.new_concerns import (
        find_concerns,  # most commands neither need approval nor set anything
    )

    return find_concerns(action, decision)


def _sets_something(analysis: Analysis) -> bool:
    if not _PREPARING.isdisjoint(_program_names(analysis)) or _may_switch(analysis) or _VIEWS.search(analysis.text):
        return True
    if not any(one.kind in _WRITING for one in analysis.effects):
        return False
    from interlock.memory.calls.text_edits import may_edit

    text = analysis.text[:MAX_TEXT]
    return bool(analysis.files) or "://" in text or _MAY_THIN.search(text) is not None or may_edit(analysis)


def _program_names(analysis: Analysis) -> set[str]:
    """Return the programs that an action runs, without a git that only looks at a repository."""
    found = {one.words[0].rpartition("/")[2] for one in analysis.commands}
    if "git" in found and _LOOKING.issuperset(map(kind_of, analysis.effects)):
        found.remove("git")
    return found


def _may_switch(analysis: Analysis) -> bool:
    """Whether a command of an action may set something for later ones."""
    if _program_names(analysis) <= _INERT:
        return False
    from interlock.memory.calls.switches import may_switch  # most commands only look, build and test

    return any(map(may_switch, analysis.commands))


def _find_plain_changes(action: Action, analysis: Analysis) -> MemoryChanges:
    """Return what an action changes in the memory of its run, whether or not it needed approval."""
    exposures = tuple(
        chain(
            find_exposures(analysis.effects),
            _find_repository_read(action, analysis),
            _find_switch(action, analysis),
        )
    )
    outside = _find_places(action, analysis) if calls_tool(analysis) else ()
    confidential, flows = _find_private(action, analysis, exposures)
    exposures += confidential
    steps = _find_steps(action, analysis) if _may_be_step(analysis) else ()
    if not _may_switch(analysis):
        return MemoryChanges(exposures, analysis.shell, outside, flows=flows, steps=steps)
    from interlock.memory.live_systems.clients import find_contexts, find_tags  # few commands do

    contexts, tags = find_contexts(analysis), find_tags(analysis)
    return MemoryChanges(exposures, analysis.shell, outside, contexts, tags, flows=flows, steps=steps)


def _find_repository_read(action: Action, analysis: Analysis) -> Iterable[Exposure]:
    if "owner" not in action.input_payload:
        return ()
    from interlock.memory.exposures.repositories import find_repository_read  # few calls name one

    return find_repository_read(action, analysis)


def _find_switch(action: Action, analysis: Analysis) -> Iterable[Exposure]:
    """Return the live system that an action switches to. A command that writes nothing has to name one."""
    is_plain = action.tool_name.isalpha() and action.tool_name[1:].islower()
    writes = not analysis.languages or any(one.kind == "fs.write" for one in analysis.effects)
    if is_plain and not writes and not _names_live_system(analysis):
        return ()
    from interlock.memory.live_systems.switches import find_switch  # few actions switch anything

    return find_switch(action, analysis)


def _names_live_system(analysis: Analysis) -> bool:
    """Whether an action may name a live system: in its text, or in words that this is not written with."""
    if _MAY_NAME_LIVE.search(analysis.text[:MAX_TEXT]):
        return True
    return any(_MAY_NAME_LIVE.search(word) for one in analysis.commands for word in one.words)


def calls_tool(analysis: Analysis) -> bool:
    """Whether an action is a call of a tool, not a command or a change of files."""
    return bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS


def _find_private(
    action: Action, analysis: Analysis, exposures: tuple[Exposure, ...]
) -> tuple[tuple[Exposure, ...], tuple[DataFlow, ...]]:
    """Return the exposures to files with confidential names, and the flows between files."""
    if _SHOWING.match(analysis.text):
        return (), ()
    from interlock.memory.exposures.confidential import find_confidential
    from interlock.memory.taint.data_flows import find_flows

    return tuple(find_confidential(action, analysis)), find_flows(action, analysis, exposures)


def _may_be_step(analysis: Analysis) -> bool:
    """Whether an action may be one of many small steps that add up."""
    return calls_tool(analysis) or any(one.kind in _COUNTED for one in analysis.effects)


def _find_steps(action: Action, analysis: Analysis) -> tuple[str, ...]:
    from interlock.memory.repetition.small_steps import find_steps  # few actions are

    return find_steps(action, analysis)


def _find_places(action: Action, analysis: Analysis) -> tuple[str, ...]:
    from interlock.memory.calls.places import find_outside  # needed for calls of tools alone

    return tuple(find_outside(action, analysis.effects))
