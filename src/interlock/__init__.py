"""Interlock decides, before it runs, whether an AI agent's action may run.

>>> from interlock import Action, Engine
>>> Engine().decide(Action.shell("ls")).verdict
<Verdict.ALLOW: 'allow'>
"""

from interlock.version import VERSION

TYPE_CHECKING = False  # type checkers take it as true; importing `typing` would slow every hook down
if TYPE_CHECKING:
    from interlock.engine import Engine
    from interlock.errors import (
        ActionRefused,
        ApprovalError,
        ConfigError,
        InterlockError,
        InvalidActionError,
        ServerError,
        StoreError,
    )
    from interlock.gate import Gate, Outcome
    from interlock.gate.declaration import declare
    from interlock.gate.executor import RunExecutor, carry_run
    from interlock.gate.remote.address import RemoteOptions
    from interlock.levels import Level, Verdict
    from interlock.memory.state import RunState
    from interlock.model import (
        Action,
        Assessment,
        Cause,
        Coverage,
        Decision,
        Effect,
        Factor,
        Finding,
        Match,
        Needs,
        Override,
        Place,
        Resource,
        RunDetails,
    )
    from interlock.policy.approval_request import ApprovalRequest, create_approval_request, format_approval_prompt
    from interlock.policy.conditions import Condition
    from interlock.policy.crisis import CRISIS_BYPASS_ACTIONS, is_crisis_bypass
    from interlock.policy.defaults import DEFAULT_POLICIES
    from interlock.policy.modes import MODES, ApprovalPolicy
    from interlock.policy.policies import Policy
    from interlock.policy.policy_set import PolicySet
    from interlock.policy.tiers import (
        ACTION_TIERS,
        TIER_INFO,
        ApprovalTier,
        detect_tier,
        get_timeout,
        requires_human_approval,
        requires_llm_approval,
        should_auto_approve,
    )
    from interlock.rules import RULES, Rule, effect
    from interlock.scoring.assessor import RiskAssessment, RiskAssessor, RiskRule, ToolRiskLevel
    from interlock.scoring.command import score_command
    from interlock.scoring.factors import ActionContext, DefaultRiskScorer, Scorer
    from interlock.scoring.scorers import CompositeRiskScorer, FixedRiskScorer, MaxRiskScorer

__version__ = VERSION

#: The module of each name, imported on first access: a hook that asks the daemon needs none of them.
_HOMES = {
    "engine": "Engine",
    "errors": "ActionRefused ApprovalError ConfigError InterlockError InvalidActionError ServerError StoreError",
    "gate": "Gate Outcome",
    "gate.declaration": "declare",
    "gate.executor": "RunExecutor carry_run",
    "gate.remote.address": "RemoteOptions",
    "levels": "Level Verdict",
    "memory.state": "RunState",
    "model": (
        "Action Assessment Cause Coverage Decision Effect Factor Finding Match Needs Override Place Resource RunDetails"
    ),
    "policy.approval_request": "ApprovalRequest create_approval_request format_approval_prompt",
    "policy.conditions": "Condition",
    "policy.crisis": "CRISIS_BYPASS_ACTIONS is_crisis_bypass",
    "policy.defaults": "DEFAULT_POLICIES",
    "policy.modes": "MODES ApprovalPolicy",
    "policy.policies": "Policy",
    "policy.policy_set": "PolicySet",
    "policy.tiers": (
        "ACTION_TIERS TIER_INFO ApprovalTier detect_tier get_timeout requires_human_approval requires_llm_approval "
        "should_auto_approve"
    ),
    "rules": "RULES Rule effect",
    "scoring.assessor": "RiskAssessment RiskAssessor RiskRule ToolRiskLevel",
    "scoring.command": "score_command",
    "scoring.factors": "ActionContext DefaultRiskScorer Scorer",
    "scoring.scorers": "CompositeRiskScorer FixedRiskScorer MaxRiskScorer",
}


def __getattr__(name: str) -> object:
    home = next((home for home, names in _HOMES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module `interlock` has no `{name}`")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"interlock.{home}"), name)
    return found


__all__ = [
    "ACTION_TIERS",
    "CRISIS_BYPASS_ACTIONS",
    "DEFAULT_POLICIES",
    "MODES",
    "RULES",
    "TIER_INFO",
    "Action",
    "ActionContext",
    "ActionRefused",
    "ApprovalError",
    "ApprovalPolicy",
    "ApprovalRequest",
    "ApprovalTier",
    "Assessment",
    "Cause",
    "CompositeRiskScorer",
    "Condition",
    "ConfigError",
    "Coverage",
    "Decision",
    "DefaultRiskScorer",
    "Effect",
    "Engine",
    "Factor",
    "Finding",
    "FixedRiskScorer",
    "Gate",
    "InterlockError",
    "InvalidActionError",
    "Level",
    "Match",
    "MaxRiskScorer",
    "Needs",
    "Outcome",
    "Override",
    "Place",
    "Policy",
    "PolicySet",
    "RemoteOptions",
    "Resource",
    "RiskAssessment",
    "RiskAssessor",
    "RiskRule",
    "Rule",
    "RunDetails",
    "RunExecutor",
    "RunState",
    "Scorer",
    "ServerError",
    "StoreError",
    "ToolRiskLevel",
    "Verdict",
    "carry_run",
    "create_approval_request",
    "declare",
    "detect_tier",
    "effect",
    "format_approval_prompt",
    "get_timeout",
    "is_crisis_bypass",
    "requires_human_approval",
    "requires_llm_approval",
    "score_command",
    "should_auto_approve",
]
