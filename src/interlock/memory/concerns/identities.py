"""Switches of identity, of the target of clients, and of access rules, which matter for the actions that follow."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.knowledge.tool_names import split_words
from interlock.memory.calls.text_edits import Edit
from interlock.memory.calls.tool_services import tool_service_of
from interlock.memory.calls.words import command_words, memory_words
from interlock.memory.changes import MAX_TEXT
from interlock.memory.model import Concern, ConcernKind
from interlock.model import Action, Analysis
from interlock.patterns import late
from interlock.sanitise import quotable

# Commands after which later ones act as somebody else.
_IDENTITY = late(
    r"\bgit config (?:--\w+ ){0,2}user\.(?:name|email) [^\n;&|]{3,80}|\b(?:gh|glab) auth switch\b[^\n;&|]{0,80}"
)
# Commands after which a push goes to another place than the one it names.
_REDIRECTED = late(
    r"\bgit remote set-url (?:--push )?\S+ (?![\"']?\$\()[^\n;&|\s]{3,160}"
    r"|\bgit branch (?:--set-upstream-to|-u)[= ]\S*/(?:main|master|develop|release\S*|prod\S*)\b[^\n;&|]{0,60}"
    r"|(?P<switch>\bgit (?:switch|checkout) (?:main|master|develop|release/\S+|production)\b)"
    r"|\bgit config (?:--\w+ ){0,2}(?:push\.default (?:upstream|matching)|remote\.\w+\.push)[^\n;&|]{0,60}"
)
# Commands that give a client new rights.
_ROLES = late(
    r"\b(?P<aws>aws) configure set [^\n;&|]{0,40}?role_arn[^\n;&|]{0,120}"
    r"|\b(?P<gcloud>gcloud) config set auth/impersonate[^\n;&|]{0,120}"
    r"|\b(?P<kubectl>kubectl) config set-credentials[^\n;&|]{0,120}"
    r"|\b(?P<az>az) login --(?:identity|service-principal)[^\n;&|]{0,120}"
)
_DEFAULT_REPOSITORY = late(r"\bgh repo set-default [^\n;&|\s]{3,80}")
_PUSHES = frozenset({ConcernKind.REDIRECTED_PUSH, ConcernKind.SHARED_BRANCH})
_NEW = late(r"\bgit init\b|\bmktemp\b|/tmp/")
_RULES = late(
    r"(?i)(?:^|/)[\w.-]*(?:roles?|approvers?|approvals?|permissions?|rbac|acl|entitlements|delegations?|spending|limits)[\w.-]*"
    r"\.(?:ya?ml|toml|json|csv|ini|hcl)$|(?:^|/)(?:CODEOWNERS|OWNERS|MAINTAINERS)$"
)


def find_identity_change(analysis: Analysis) -> Concern | None:
    """Return a concern about a command after which later ones act as somebody else."""
    text = analysis.text[:MAX_TEXT]
    if "shell" not in analysis.languages or _NEW.search(text):
        return None
    found = _IDENTITY.search(text)
    return Concern(ConcernKind.IDENTITY, quotable(found[0].strip())) if found else None


def find_profile_change(action: Action) -> Concern | None:
    """Return a concern about a call by which the agent appears as somebody else, or gets another role."""
    words = frozenset(split_words(action.tool_name))
    if words.isdisjoint(memory_words().profiles) or words.isdisjoint({"set", "update", "change", "edit"}):
        return None
    return Concern(ConcernKind.PROFILE, quotable(action.tool_name), names=(tool_service_of(action.tool_name),))


def find_redirected_push(analysis: Analysis) -> Concern | None:
    """Return a concern about a command after which a push goes elsewhere, or to a shared branch."""
    found = _REDIRECTED.search(analysis.text[:MAX_TEXT]) if "shell" in analysis.languages else None
    if found is None:
        return None
    kind = ConcernKind.SHARED_BRANCH if found["switch"] else ConcernKind.REDIRECTED_PUSH
    return Concern(kind, quotable(found[0].strip()))


def find_role_change(analysis: Analysis) -> Concern | None:
    """Return a concern about a command that gives a client other rights."""
    found = _ROLES.search(analysis.text[:MAX_TEXT]) if "shell" in analysis.languages else None
    if found is None:
        return None
    client = next(value for value in found.groupdict().values() if value)
    return Concern(ConcernKind.ROLE, quotable(found[0].strip()), programs=(client,))


def find_default_repository(analysis: Analysis) -> Concern | None:
    """Return a concern about a command after which GitHub's client works on another repository."""
    found = _DEFAULT_REPOSITORY.search(analysis.text[:MAX_TEXT]) if "shell" in analysis.languages else None
    return Concern(ConcernKind.DEFAULT_REPOSITORY, quotable(found[0]), programs=("gh",)) if found else None


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
