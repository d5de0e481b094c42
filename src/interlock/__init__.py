"""Interlock decides, before it runs, whether an AI agent's action may run.

>>> from interlock import Action, Engine
>>> Engine().decide(Action.shell("ls")).verdict
<Verdict.ALLOW: 'allow'>
"""

from typing import TYPE_CHECKING

from interlock.engine import Engine
from interlock.errors import ActionRefused, ApprovalError, ConfigError, InterlockError, InvalidActionError, StoreError
from interlock.levels import Level, Verdict
from interlock.model import (
    Action,
    Assessment,
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
    RunState,
)
from interlock.policy.conditions import Condition
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.policy.modes import MODES, ApprovalPolicy
from interlock.policy.policies import Policy, PolicySet
from interlock.policy.tiers import (
    ACTION_TIERS,
    CRISIS_BYPASS_ACTIONS,
    TIER_INFO,
    ApprovalRequest,
    ApprovalTier,
    create_approval_request,
    detect_tier,
    format_approval_prompt,
    get_timeout,
    is_crisis_bypass,
    requires_human_approval,
    requires_llm_approval,
    should_auto_approve,
)
from interlock.rules import RULES, Rule, effect
from interlock.scoring.assessor import RiskAssessment, RiskAssessor, RiskRule, ToolRiskLevel
from interlock.scoring.command import score_command
from interlock.scoring.factors import ActionContext, DefaultRiskScorer, Scorer
from interlock.scoring.scorers import CompositeRiskScorer, FixedRiskScorer, MaxRiskScorer
from interlock.version import VERSION

if TYPE_CHECKING:
    from interlock.gate import Gate, Outcome

__version__ = VERSION


def __getattr__(name: str) -> object:
    """Return what touches the world when it is asked for: whoever only decides does not wait for a database."""
    if name in ("Gate", "Outcome"):
        from interlock import gate

        return getattr(gate, name)
    raise AttributeError(f"module `interlock` has no `{name}`")


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
    "Resource",
    "RiskAssessment",
    "RiskAssessor",
    "RiskRule",
    "Rule",
    "RunState",
    "Scorer",
    "StoreError",
    "ToolRiskLevel",
    "Verdict",
    "create_approval_request",
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
