"""Switches of identity, of the target of clients, and of access rules, which matter for the actions that follow."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from interlock.knowledge.tool_names import split_words
from interlock.memory.additions import MAX_REASON
from interlock.memory.calls.command_lines import CommandLine, name_of, read_command_line
from interlock.memory.calls.switches import Switch, find_switches
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import command_words, memory_words
from interlock.memory.model import Concern, ConcernKind
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.sanitise import quotable

#: What commands set → the kind of concern, the gravest first.
_KINDS = {
    "role": ConcernKind.ROLE,
    "push": ConcernKind.REDIRECTED_PUSH,
    "shared_branch": ConcernKind.SHARED_BRANCH,
    "identity": ConcernKind.IDENTITY,
    "default_repository": ConcernKind.DEFAULT_REPOSITORY,
}
_OF_CLIENTS = frozenset({ConcernKind.ROLE, ConcernKind.DEFAULT_REPOSITORY})
_WIDE = frozenset({"--global", "--system"})
_TEMPORARY = ("/tmp/", "/var/tmp/")
_PUSHES = frozenset({ConcernKind.REDIRECTED_PUSH, ConcernKind.SHARED_BRANCH})
_RULES = late(
    r"(?i)(?:^|/)[\w.-]*(?:roles?|approvers?|approvals?|permissions?|rbac|acl|entitlements|delegations?|spending|limits)[\w.-]*"
    r"\.(?:ya?ml|toml|json|csv|ini|hcl)$|(?:^|/)(?:CODEOWNERS|OWNERS|MAINTAINERS)$"
)


def find_switch_concern(action: Action, analysis: Analysis) -> Concern | None:
    """Return a concern about a command after which later ones act as somebody else, or somewhere else."""
    found: dict[str, Switch] = {one.sets: one for one in reversed([*find_switches(analysis)]) if one.sets in _KINDS}
    for sets, kind in _KINDS.items():
        one = found.get(sets)
        if one is not None and not (kind is ConcernKind.IDENTITY and _is_new_repository(one, action, analysis)):
            programs = (one.client,) if kind in _OF_CLIENTS else ()
            return Concern(kind, quotable(one.text[:MAX_REASON]), programs=programs)
    return None


def _is_new_repository(switch: Switch, action: Action, analysis: Analysis) -> bool:
    """Whether an identity is set in a repository that the action makes, or in one of temporary files."""
    if switch.line is None or not _WIDE.isdisjoint(switch.line.options):
        return False
    lines = [read_command_line(call) for call in analysis.commands if name_of(call) == "git"]
    made = {_folder_of(line, action, line.plain_operands[1:]) for line in lines if line.begins_with("init")}
    folder = _folder_of(switch.line, action)
    return folder in made or f"{folder}/".startswith(_TEMPORARY)


def _folder_of(line: CommandLine, action: Action, named: tuple[str, ...] = ()) -> str:
    """Return the folder that git works in, or the one that it is given."""
    parts = (action.cwd or "", line.call.folder, line.options.get("-C", ""), *named[:1])
    return posixpath.normpath(posixpath.join(*parts))


def find_profile_change(action: Action) -> Concern | None:
    """Return a concern about a call by which the agent appears as somebody else, or gets another role."""
    words = frozenset(split_words(action.tool_name))
    if words.isdisjoint(memory_words().profiles) or words.isdisjoint({"set", "update", "change", "edit"}):
        return None
    return Concern(ConcernKind.PROFILE, quotable(action.tool_name), names=(tool_service_of(action.tool_name),))


def find_access_rules(edits: Iterable[Edit]) -> Concern | None:
    """Return a concern about a file of access rules, if an action edits one."""
    path = next((edit.path for edit in edits if (edit.old or edit.loose) and _RULES.search(edit.path)), "")
    name = quotable(path.rpartition("/")[2])
    return Concern(ConcernKind.ACCESS_RULES, name) if name else None


def words_of_use(kind: ConcernKind) -> frozenset[str] | None:
    """Return the words of the commands and calls that a change of this kind affects; None if it affects any command."""
    if kind in _PUSHES:
        return frozenset({"push"})
    if kind is ConcernKind.PROFILE:
        return memory_words().speaking
    if kind is ConcernKind.IDENTITY:
        return command_words().signing
    return command_words().applying if kind is ConcernKind.ACCESS_RULES else None
