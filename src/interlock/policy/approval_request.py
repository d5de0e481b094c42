"""A request for approval as a plain value, and the prompt that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interlock.policy.tiers import TIER_INFO, ApprovalTier, detect_tier, get_timeout
from interlock.sanitise import plain


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
    """Return a request to approve an action, with its tier and time limit."""
    tier = detect_tier(action, command)
    return ApprovalRequest(action, tier, command, reason, session_key, get_timeout(tier))


MAX_SHOWN = 100


def format_approval_prompt(request: ApprovalRequest) -> str:
    """Return a request as text for a person. Nothing in the action can add a line to it."""
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
