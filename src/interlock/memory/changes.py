"""What one action changes in the memory of its run, besides the files that it writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from interlock.effects import TOOL_KINDS
from interlock.levels import Level
from interlock.memory.exposures.reads import ClientContext, Exposure, find_exposures
from interlock.memory.holdings.propagation import Mentions
from interlock.memory.live_systems.switches import EXPORTED, MAX_TEXT, find_switch
from interlock.model import Action, Analysis, Decision, ShellState
from interlock.patterns import late

#: What every command has in it that switches a client, or makes a tag.
_MAY_SWITCH = late(
    r"(?i)context|kube|credentials|aws|gcloud|account|cloud|docker|select|export|declare|set -gx|\btag\b|update-ref"
    r"|refs/tags|config|profile|\boc\b|activate|git:remote|project-ref|\beb\b|\bcf\b|link|railway|fly|auth|use"
)


#: The rules by which a use is asked about: of something that was prepared, and of a copy that is not for everyone.
RULE, COPY_RULE = "prepared_by_earlier_call", "copy_of_earlier_call"
#: The rule by which a call is asked about that does harm together with what earlier calls have set.
JOINT_RULE = "together_with_earlier_calls"
#: The rule by which running what was written is asked about.
HAZARD_RULE = "written_hazard"
#: How many concerns are kept, and how much of each.
MAX_CONCERNS, MAX_SUBJECTS, MAX_SUBJECT, MAX_REASON = 10, 6, 160, 100
#: How many definitions are kept.
MAX_DEFINITIONS = 12
#: Arguments that name a file which is written or read.
_PATHS = frozenset({"file_path", "path", "notebook_path"})
#: What every command has in it that makes later ones act as somebody else.
_MAY_ACT_AS = late(
    r"user\.|auth switch|set-default|set-url|git switch|git checkout|upstream|push\.default|role_arn|impersonate"
    r"|set-credentials|az login|\bln |mount|sshfs|s3fs|gcsfuse|bindfs|git diff|ls-files|stash|separate-git|rename"
    r"|(?i:\bview\b|synonym)|pgrep|pidof|\bps |awk|/--?\w|unzip|\btar |7z"
)


class ConcernKind(Enum):
    """What a call left behind. After each kind: what its `subject` is, and which other fields it has."""

    PREPARED = "prepared"  # why it needed approval; files, names, programs, exports
    COPY = "copy"  # the same, and its files hold a secret or private data
    HAZARD = "hazard"  # the hazard and the file whose use was agreed to
    REDEFINED = "redefined"  # the tool that changed what names stand for; names
    PROFILE = "profile"  # the tool that changed as whom the agent appears; names: its service
    IDENTITY = "identity"  # the command by which later ones act as somebody else
    ROLE = "role"  # the command that gave a client other rights; programs: the client
    ACCESS_RULES = "access_rules"  # the file that says who may do what
    REDIRECTED_PUSH = "redirected_push"  # the command by which a later push goes elsewhere
    SHARED_BRANCH = "shared_branch"  # the command that switched to a branch of everyone
    FOLDER = "folder"  # the setting that leads to a folder outside the project
    HOST = "host"  # the setting that names another machine
    SIMILAR_HOST = "similar_host"  # the address that took the place of a similar one
    RECIPIENT = "recipient"  # the address that was added to others
    DETAILS = "details"  # the phone number or the account that took the place of another one
    DOWNLOAD = "download"  # the code or the template that a tool saved into the project
    PROCESS_IDS = "process_ids"  # the name of the guard whose processes were looked for; files: their ids
    OPTION_NAME = "option_name"  # the file that is named like an option; files
    MANIFEST_SOURCE = "manifest_source"  # the host that code would come from; programs that follow the manifest
    UNPACKED = "unpacked"  # the archive that was unpacked over the project; files: the archive
    LINK = "link"  # the command that made a link; aliases
    MOUNT = "mount"  # the command that mounted something; aliases
    PARKED_WORK = "parked_work"  # the command that put work away; aliases: where it is
    VIEW = "view"  # the statement that made a view; aliases


class Concern(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a call left behind that later calls should not use unasked.

    `kind` says what that is, and which of the other fields it has. `files` are those that the call wrote, `names` the
    objects of a service that it was about, and `programs` those whose settings it changed; `exports` says that it set
    variables. `aliases` are second names that it gave to something. `used_by` are the commands whose use of it was
    agreed to.
    """

    kind: ConcernKind
    subject: str
    call: int = 0
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    exports: bool = False
    aliases: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()


class Definition(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A call that set something at a service, with its arguments but without secrets.

    `names` are the names and ids of what it set, in lower case; `standing` says that it set something which holds for
    all later calls at the service: defaults, settings, limits.
    """

    tool: str
    arguments: Mapping[str, Any]
    names: tuple[str, ...] = ()
    standing: bool = False
    call: int = 0


class MemoryChanges(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What the run was exposed to, the state that its shell is left in, and places that people outside can see.

    `contexts` are what its clients were switched to, and `tags` the tags that it may have made. `concern` is what it
    left behind if it needed approval, and `definition` what it has set at a service if it did not; `mentions` are the
    files that it takes something from and puts something into, and `portions` the small steps that it is one of. `used`
    are the calls whose concerns it used, and `users` the programs that did; `joined` are the calls that it was judged
    together with.
    """

    exposures: tuple[Exposure, ...] = ()
    shell: ShellState | None = None
    outside: tuple[str, ...] = ()
    contexts: tuple[ClientContext, ...] = ()
    tags: tuple[str, ...] = ()
    concern: Concern | None = None
    mentions: tuple[Mentions, ...] = ()
    portions: tuple[str, ...] = ()
    used: tuple[int, ...] = ()
    users: tuple[str, ...] = ()
    definition: Definition | None = None
    joined: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self != NO_CHANGES


NO_CHANGES = MemoryChanges()


def find_changes(action: Action, decision: Decision) -> MemoryChanges:
    """Return what an action changes in the memory of its run once it has run."""
    changes = _find_plain_changes(action, decision.assessment.analysis)
    concern = _find_concern(action, decision)
    used, joined = _cited_calls(decision, RULE), _cited_calls(decision, JOINT_RULE)
    definition = _find_definition(action, decision)
    if definition is not None or joined:
        changes = replace(changes, definition=definition, joined=joined)
    if concern is None and not used:
        return changes
    from interlock.memory.calls.programs import users_of  # few calls need approval

    users = users_of(action, decision.assessment.analysis) if used else ()
    return replace(changes, concern=concern, used=used, users=users)


def _cited_calls(decision: Decision, rule: str) -> tuple[int, ...]:
    """Return the earlier calls that the findings of a rule cite."""
    return tuple(call for one in decision.assessment.findings if one.rule == rule for call in one.calls)


def _find_definition(action: Action, decision: Decision) -> Definition | None:
    """Return what a call of a tool sets at its service, if it needed no approval by itself."""
    assessed = decision.assessment
    if assessed.level >= Level.HIGH or not calls_tool(assessed.analysis):
        return None
    from interlock.memory.definitions import find_definition  # few actions are calls of tools

    return find_definition(action, assessed.analysis)


def _find_concern(action: Action, decision: Decision) -> Concern | None:
    """Return what an action leaves behind that later calls should not use unasked, if it can."""
    analysis = decision.assessment.analysis
    is_command = not calls_tool(analysis) and _PATHS.isdisjoint(action.input_payload)
    if is_command and decision.assessment.level < Level.HIGH and not _sets_something(analysis):
        return None
    from interlock.memory.concerns.causes import find_concern  # most commands neither need approval nor set anything

    return find_concern(action, decision)


def _sets_something(analysis: Analysis) -> bool:
    text = analysis.text[:MAX_TEXT]
    if EXPORTED.search(text) is not None or _MAY_ACT_AS.search(text) is not None:
        return True
    if not any(one.kind == "fs.write" for one in analysis.effects):
        return False
    from interlock.memory.calls.text_edits import may_edit

    return bool(analysis.files) or "://" in text or may_edit(text)


def _find_plain_changes(action: Action, analysis: Analysis) -> MemoryChanges:
    """Return what an action changes in the memory of its run, whether or not it needed approval."""
    exposures = tuple(
        chain(
            find_exposures(analysis.effects),
            _find_repository_read(action, analysis),
            find_switch(action, analysis),
        )
    )
    outside = _find_places(action, analysis) if calls_tool(analysis) else ()
    confidential, mentions = _find_private(action, analysis, exposures)
    exposures += confidential
    portions = _find_portions(action, analysis) if may_be_portion(analysis) else ()
    if not _MAY_SWITCH.search(analysis.text):
        return MemoryChanges(exposures, analysis.shell, outside, mentions=mentions, portions=portions)
    from interlock.memory.live_systems.clients import find_contexts, find_tags  # few commands do

    contexts, tags = find_contexts(analysis), find_tags(analysis)
    return MemoryChanges(exposures, analysis.shell, outside, contexts, tags, mentions=mentions, portions=portions)


def _find_repository_read(action: Action, analysis: Analysis) -> Iterable[Exposure]:
    if "owner" not in action.input_payload:
        return ()
    from interlock.memory.calls.services import find_repository_read  # few calls name one

    return find_repository_read(action, analysis)


def calls_tool(analysis: Analysis) -> bool:
    """Whether an action is a call of a tool, not a command or a change of files."""
    return bool(analysis.effects) and analysis.effects[0].kind in TOOL_KINDS


#: Commands that only show how things are.
_SHOWING = late(
    r"(?:git (?:status|log|diff|branch|show|fetch|stash list)|ls|pwd|date|whoami|which|env|ps|df|du)(?: [\w -]*)?$"
)


def _find_private(
    action: Action, analysis: Analysis, exposures: tuple[Exposure, ...]
) -> tuple[tuple[Exposure, ...], tuple[Mentions, ...]]:
    """Return what an action reads that is confidential by its name, and the files between which something may pass."""
    if _SHOWING.match(analysis.text):
        return (), ()
    from interlock.memory.holdings.commands import find_confidential, find_mentions

    return tuple(find_confidential(action, analysis)), find_mentions(action, analysis, exposures)


#: Effects that are counted, since many of them add up.
_COUNTED = frozenset({"db.delete", "net.connect", "fs.delete", "fs.move", "fs.write"})


def may_be_portion(analysis: Analysis) -> bool:
    """Whether an action may be one of many small steps that add up."""
    return calls_tool(analysis) or any(one.kind in _COUNTED for one in analysis.effects)


def _find_portions(action: Action, analysis: Analysis) -> tuple[str, ...]:
    from interlock.memory.repetition.small_steps import find_portions  # few actions are

    return find_portions(action, analysis)


def _find_places(action: Action, analysis: Analysis) -> tuple[str, ...]:
    from interlock.memory.calls.places import find_outside  # needed for calls of tools alone

    return tuple(find_outside(action, analysis.effects))


def add_concern(known: tuple[Concern, ...], found: Concern | None, call: int) -> tuple[Concern, ...]:
    """Return concerns with the one of one more call: the newest stay."""
    return known if found is None else (*known, replace(found, call=call))[-MAX_CONCERNS:]


def add_definition(known: tuple[Definition, ...], changes: MemoryChanges, call: int) -> tuple[Definition, ...]:
    """Return definitions with that of one more call, without those whose use was agreed to.

    If there are too many, the oldest one of the tool with the most goes, so that many calls of one tool do not make
    the run forget another.
    """
    if changes.joined:
        known = tuple(one for one in known if one.call not in changes.joined)
    if changes.definition is None:
        return known
    kept = [*known, replace(changes.definition, call=call)]
    while len(kept) > MAX_DEFINITIONS:
        counts = Counter(one.tool for one in kept)
        kept.remove(max(kept, key=lambda one: counts[one.tool]))  # the first of those with the most
    return tuple(kept)


def mark_used(known: tuple[Concern, ...], calls: tuple[int, ...], users: tuple[str, ...]) -> tuple[Concern, ...]:
    """Return concerns once a person has agreed that some programs use what these calls prepared."""
    if not calls or not users:
        return known
    return tuple(
        replace(one, used_by=limit_subjects((*one.used_by, *users)))
        if one.call in calls and one.kind is not ConcernKind.COPY
        else one
        for one in known
    )


MAX_COUNTED = 40


def add_portions(known: Mapping[str, int], found: Iterable[str]) -> dict[str, int]:
    """Return the counts with those of one more call: the newest stay."""
    kept = dict(known)
    for key in found:
        kept[key] = kept.pop(key, 0) + 1
    return dict(list(kept.items())[-MAX_COUNTED:])


def limit_subjects(values: Iterable[str]) -> tuple[str, ...]:
    """Return as many different names, none of them too long, as a concern may have."""
    return tuple(dict.fromkeys(value for value in values if len(value) <= MAX_SUBJECT))[:MAX_SUBJECTS]
