"""Approval tiers: whether a person or a model must approve an action, and how long it may wait."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Any

from interlock.analyse.code import read_ambiguous
from interlock.analyse.files.paths import Places
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading
from interlock.errors import InvalidActionError
from interlock.levels import Level
from interlock.model import Assessment, Finding
from interlock.rules import RuleIndex, rules_requiring
from interlock.rules.findings import find
from interlock.sanitise import clean


class ApprovalTier(IntEnum):
    """The strictness of the approval that an action needs."""

    SAFE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


def _info(name: str, human: bool, llm: bool, timeout: int | None, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "human_required": human,
        "llm_required": llm,
        "timeout_seconds": timeout,
        "description": description,
    }


TIER_INFO: dict[ApprovalTier, dict[str, Any]] = {
    ApprovalTier.SAFE: _info("Safe", False, False, None, "Read-only operations, no approval needed"),
    ApprovalTier.LOW: _info("Low", False, True, None, "Write operations, LLM approval sufficient"),
    ApprovalTier.MEDIUM: _info("Medium", True, True, 60, "External actions, human confirmation required"),
    ApprovalTier.HIGH: _info("High", True, True, 30, "Sensitive operations, quick timeout"),
    ApprovalTier.CRITICAL: _info("Critical", True, True, 10, "Crisis or dangerous operations, fastest timeout"),
}

_BY_TIER = {
    ApprovalTier.SAFE: "read_file search_files web_search session_search list_files get_file_content memory_search "
    "skills_list skills_search",
    ApprovalTier.LOW: "write_file create_file patch_file delete_file execute_code terminal run_script skill_install",
    ApprovalTier.MEDIUM: "send_message web_fetch browser_navigate api_call gitea_create_issue gitea_create_pr git_push "
    "deploy",
    ApprovalTier.HIGH: "config_change env_change key_rotation access_grant permission_change backup_restore",
    ApprovalTier.CRITICAL: "kill_process rm_rf format_disk shutdown crisis_override",
}
ACTION_TIERS: dict[str, ApprovalTier] = {name: tier for tier, names in _BY_TIER.items() for name in names.split()}

# Rules whose tier differs from the one of their level.
RULE_TIERS = {
    "sudo_command": ApprovalTier.MEDIUM,
    "container_delete": ApprovalTier.MEDIUM,
    "container_removed": ApprovalTier.MEDIUM,
    "volume_delete": ApprovalTier.MEDIUM,
    "network_request": ApprovalTier.MEDIUM,
    "permissions_system_wide": ApprovalTier.HIGH,
    "world_writable": ApprovalTier.HIGH,
    "eval_code": ApprovalTier.HIGH,
    "file_delete": ApprovalTier.LOW,
    "cluster_delete_all": ApprovalTier.HIGH,
}
LEVEL_TIERS = {
    Level.SAFE: ApprovalTier.SAFE,
    Level.LOW: ApprovalTier.LOW,
    Level.MEDIUM: ApprovalTier.LOW,
    Level.HIGH: ApprovalTier.HIGH,
    Level.CRITICAL: ApprovalTier.CRITICAL,
}


@cache
def _index() -> RuleIndex:
    return RuleIndex(rules_requiring)


def finding_tier(finding: Finding) -> ApprovalTier:
    """Return the tier of a finding: its rule's own, or the one of its level."""
    return RULE_TIERS.get(finding.rule, LEVEL_TIERS[finding.level])


def command_tier(command: str) -> ApprovalTier:
    """Return the tier of a command by its effects."""
    reading = Reading(Places(), LANGUAGES)
    read_ambiguous(reading, clean(command))
    findings = find(reading.effects, _index())
    return max((finding_tier(finding) for finding in findings), default=ApprovalTier.SAFE)


def detect_tier(action: str, command: str = "") -> ApprovalTier:
    """Return the tier of an action: the stricter of its name's and its command's.

    >>> detect_tier("terminal", "rm -rf /").name, detect_tier("read_file").name, detect_tier("anything").name
    ('CRITICAL', 'SAFE', 'LOW')
    """
    if not isinstance(action, str) or not isinstance(command, str):
        raise InvalidActionError("`detect_tier` takes the name of an action and a command, both strings")
    named = ACTION_TIERS.get(action, ApprovalTier.LOW)
    return max(named, command_tier(command)) if command and command.strip() else named


def requires_human_approval(tier: ApprovalTier) -> bool:
    """Whether a person must approve."""
    return bool(TIER_INFO[tier]["human_required"])


def requires_llm_approval(tier: ApprovalTier) -> bool:
    """Whether a model must approve."""
    return bool(TIER_INFO[tier]["llm_required"])


def get_timeout(tier: ApprovalTier) -> int | None:
    """Return the time limit of a tier in seconds, or None if it has none."""
    timeout: int | None = TIER_INFO[tier]["timeout_seconds"]
    return timeout


def should_auto_approve(action: str, command: str = "") -> bool:
    """Whether an action needs no approval."""
    return detect_tier(action, command) == ApprovalTier.SAFE


def decision_tier(tool_name: str, assessment: Assessment) -> ApprovalTier:
    """Return the tier of a decision: the strictest of the tool name's, its findings' and its level's."""
    named = ACTION_TIERS.get(tool_name)
    found = max((finding_tier(finding) for finding in assessment.findings), default=ApprovalTier.SAFE)
    if assessment.level is Level.LOW and all(f.rule in ("file_read", "print_output") for f in assessment.findings):
        found = ApprovalTier.SAFE
    if named is None:
        named = ApprovalTier.SAFE if assessment.level is Level.SAFE else ApprovalTier.LOW
    return max(named, found, LEVEL_TIERS[assessment.level] if assessment.level >= Level.HIGH else ApprovalTier.SAFE)
