"""Modes: a table from mode and level to a verdict, which says whether an approval is needed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from interlock.errors import ConfigError, nearest
from interlock.levels import Level, Verdict
from interlock.model import Assessment

_LETTERS = {"a": Verdict.ALLOW, "w": Verdict.WARN, "?": Verdict.REQUIRE_APPROVAL, "x": Verdict.BLOCK}

LevelVerdicts = Mapping[Level, Verdict]


def row(letters: str) -> LevelVerdicts:
    """Return a row of the table: one letter for each level, `a` allow, `w` warn, `?` approval, `x` block."""
    return MappingProxyType({level: _LETTERS[letter] for level, letter in zip(Level, letters, strict=True)})


#: Columns: safe, low, medium, high, critical.
MODES: Mapping[str, LevelVerdicts] = MappingProxyType(
    {
        "off": row("xxxxx"),
        "assist": row("aa??x"),
        "full": row("aaa?x"),
        "tiers": row("a????"),
        "challenges": row("aa???"),
        "auto_approve": row("aaaaa"),
        "auto_deny": row("axxxx"),
        "confirm_all": row("?????"),
        "confirm_high_risk": row("aaa??"),
        "confirm_medium_and_up": row("aa???"),
        "custom": row("aaa??"),
    }
)
DEFAULT_MODE = "full"
#: Modes that depend on more than the level of an action, so their rows cannot be compared for strictness.
BEYOND_LEVELS = frozenset({"tiers", "custom"})


class ApprovalPolicy(Enum):
    """The approval policies by name; each is a mode."""

    AUTO_APPROVE = "auto_approve"
    AUTO_DENY = "auto_deny"
    CONFIRM_ALL = "confirm_all"
    CONFIRM_HIGH_RISK = "confirm_high_risk"
    CONFIRM_MEDIUM_AND_UP = "confirm_medium_and_up"
    CUSTOM = "custom"

    @classmethod
    def default(cls) -> ApprovalPolicy:
        """Return the policy that applies when none is chosen."""
        return cls.CONFIRM_HIGH_RISK

    def verdict(self, level: Level) -> Verdict:
        """Return the verdict on an action of a level."""
        return MODES[self.value][level]


def mode_row(mode: str, extra: Mapping[str, LevelVerdicts] | None = None) -> LevelVerdicts:
    """Return the row of a mode, or raise with the nearest name."""
    found = (extra or {}).get(mode) or MODES.get(mode)
    if found is None:
        raise ConfigError(f"unknown mode `{mode}`{nearest(mode, [*MODES, *(extra or {})])}")
    return found


def mode_verdict(mode: str, mode_table: LevelVerdicts, assessment: Assessment, level: Level) -> Verdict:
    """Return the verdict of the mode. In `custom`, the assessment itself says whether it needs an approval."""
    if mode == "custom":
        return Verdict.REQUIRE_APPROVAL if assessment.requires_approval else Verdict.ALLOW
    return mode_table[level]


def first_weaker_level(new: LevelVerdicts, old: LevelVerdicts) -> Level | None:
    """Return the first level at which one row is milder than another, or None."""
    return next((level for level in Level if new[level] < old[level]), None)
