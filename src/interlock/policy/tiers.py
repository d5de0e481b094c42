"""Approval tiers: what it takes to approve an action (person, model, time), by its name and its command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any

from interlock.analyse.code import read_ambiguous
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.paths import Places
from interlock.analyse.reading import Reading
from interlock.errors import InvalidActionError
from interlock.levels import Level
from interlock.model import Ask, Assessment, Finding, Needs
from interlock.patterns import late
from interlock.rules import RULES, Index
from interlock.rules.find import find
from interlock.sanitise import clean, plain
from interlock.scoring.factors import CHALLENGES


class ApprovalTier(IntEnum):
    """How much it takes to approve an action."""

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

# Rules whose tier is not the one of their level.
RULE_TIERS = {
    "sudo_command": ApprovalTier.MEDIUM,
    "container_delete": ApprovalTier.MEDIUM,
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
def _index() -> Index:
    return Index(RULES)


#: How long a request waits in the modes other than `tiers`: long enough to read, answer and find somebody.
PATIENCE_SECONDS = 300


def finding_tier(finding: Finding) -> ApprovalTier:
    """Return the tier that a finding asks for: its rule's where the rule has one, else its level's."""
    return RULE_TIERS.get(finding.rule, LEVEL_TIERS[finding.level])


def command_tier(command: str) -> ApprovalTier:
    """Return the tier of a command by what it does."""
    reading = Reading(Places(), LANGUAGES)
    read_ambiguous(reading, clean(command))
    findings = find(reading.effects, _index())
    return max((finding_tier(finding) for finding in findings), default=ApprovalTier.SAFE)


def detect_tier(action: str, command: str = "") -> ApprovalTier:
    """Return the tier of an action: the strictest of its name's and its command's.

    >>> detect_tier("terminal", "rm -rf /").name, detect_tier("read_file").name, detect_tier("anything").name
    ('CRITICAL', 'SAFE', 'LOW')
    """
    if not isinstance(action, str) or not isinstance(command, str):
        raise InvalidActionError("`detect_tier` takes the name of an action and a command, both texts")
    named = ACTION_TIERS.get(action, ApprovalTier.LOW)
    return max(named, command_tier(command)) if command and command.strip() else named


def requires_human_approval(tier: ApprovalTier) -> bool:
    """Whether a person must approve."""
    return bool(TIER_INFO[tier]["human_required"])


def requires_llm_approval(tier: ApprovalTier) -> bool:
    """Whether a model must approve."""
    return bool(TIER_INFO[tier]["llm_required"])


def get_timeout(tier: ApprovalTier) -> int | None:
    """Return the time limit of a tier in seconds, or None where nobody waits."""
    timeout: int | None = TIER_INFO[tier]["timeout_seconds"]
    return timeout


def should_auto_approve(action: str, command: str = "") -> bool:
    """Whether nobody needs to approve."""
    return detect_tier(action, command) == ApprovalTier.SAFE


def decision_tier(tool_name: str, assessment: Assessment) -> ApprovalTier:
    """Return the tier of a decision: the strictest of the tool's name, its findings and its level."""
    named = ACTION_TIERS.get(tool_name)
    found = max((finding_tier(finding) for finding in assessment.findings), default=ApprovalTier.SAFE)
    if assessment.level is Level.LOW and all(f.rule in ("file_read", "print_output") for f in assessment.findings):
        found = ApprovalTier.SAFE
    if named is None:
        named = ApprovalTier.SAFE if assessment.level is Level.SAFE else ApprovalTier.LOW
    return max(named, found, LEVEL_TIERS[assessment.level] if assessment.level >= Level.HIGH else ApprovalTier.SAFE)


def needs_of(tier: ApprovalTier, level: Level, mode: str, timeouts: Mapping[str, int] | None = None) -> Needs:
    """Return what an approval takes, by tier and level: the strictest of both tables."""
    info = TIER_INFO[tier]
    challenge = CHALLENGES[level]
    human = info["human_required"] or mode != "tiers"
    timeout = info["timeout_seconds"] if mode == "tiers" else PATIENCE_SECONDS
    if timeouts and tier.name.lower() in timeouts:
        timeout = timeouts[tier.name.lower()]
    return Needs(
        tier=tier.name.lower(),
        human=human,
        model=info["llm_required"],
        challenge="confirm" if challenge == "auto_approve" and human else challenge,
        approvers=2 if challenge == "multi_party" else 1,
        timeout_seconds=timeout,
    )


#: Challenges, the easiest first.
CHALLENGE_ORDER = ("auto_approve", "confirm", "quiz", "teach_back", "multi_party")


def tighten(needs: Needs, ask: Ask) -> Needs:
    """Return the strictest of what an approval takes and what a policy asks besides. A policy asks for a person."""
    challenge = max(needs.challenge, ask.challenge, "confirm", key=CHALLENGE_ORDER.index)
    limits = [limit for limit in (needs.timeout_seconds, ask.timeout_seconds) if limit is not None]
    return Needs(
        tier=needs.tier,
        human=True,
        model=needs.model or ask.model,
        challenge=challenge,
        approvers=max(needs.approvers, ask.approvers, 2 if challenge == "multi_party" else 1),
        timeout_seconds=min(limits, default=None),
        who=(*needs.who, ask.who) if ask.who else needs.who,
        reason=needs.reason or ask.reason,
    )


@dataclass
class ApprovalRequest:
    """A request for approval."""

    action: str
    tier: ApprovalTier
    command: str
    reason: str
    session_key: str
    timeout_seconds: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the request as a plain dict."""
        info = TIER_INFO[self.tier]
        return {
            "action": self.action,
            "tier": self.tier.value,
            "tier_name": info["name"],
            "command": self.command,
            "reason": self.reason,
            "session_key": self.session_key,
            "timeout": self.timeout_seconds,
            "human_required": info["human_required"],
            "llm_required": info["llm_required"],
        }


def create_approval_request(action: str, command: str, reason: str, session_key: str) -> ApprovalRequest:
    """Return a request for approving an action, with the tier and the time limit that it has."""
    tier = detect_tier(action, command)
    return ApprovalRequest(action, tier, command, reason, session_key, get_timeout(tier))


MAX_SHOWN = 100


def format_approval_prompt(request: ApprovalRequest) -> str:
    """Return a request as a person reads it. Nothing in the action can add a line of its own."""
    info = TIER_INFO[request.tier]
    cut = "..." if len(request.command) > MAX_SHOWN else ""
    lines = [
        f"⚠️ Approval Required (Tier {request.tier.value}: {info['name']})",
        "",
        f"Action: {plain(request.action)}",
        f"Command: {plain(request.command[:MAX_SHOWN])}{cut}",
        f"Reason: {plain(request.reason)}",
        "",
    ]
    if info["human_required"]:
        lines.append("👤 Human approval required")
    if info["llm_required"]:
        lines.append("🤖 LLM approval required")
    if info["timeout_seconds"]:
        lines.append(f"⏱️ Timeout: {info['timeout_seconds']}s")
    return "\n".join(lines)


CRISIS_BYPASS_ACTIONS = frozenset({"send_message", "check_crisis", "notify_crisis"})
_CRISIS = late(r"(?<![\w#])(?:988|crisis|suicide|self-harm|lifeline)(?![\w])", re.IGNORECASE)


def is_crisis_bypass(action: str, context: str = "", *, context_bypass: bool = False) -> bool:
    """Whether an action must not wait because somebody's life may depend on it.

    What a context says counts only with `context_bypass`: anybody could write "988" into a page that an
    agent reads.
    """
    return action in CRISIS_BYPASS_ACTIONS or (context_bypass and _CRISIS.search(context) is not None)
