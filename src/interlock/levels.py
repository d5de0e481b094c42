"""The ordered scales, `Level` and `Verdict`, and the mappings between them."""

from __future__ import annotations

from enum import Enum


class OrderedEnum(Enum):
    """An enum whose members compare by the order in which they are written."""

    rank: int

    def __init__(self, _value: str) -> None:
        self.rank = len(type(self).__members__)

    def __lt__(self, other: object) -> bool:
        return self.rank < other.rank if type(other) is type(self) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.rank <= other.rank if type(other) is type(self) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.rank > other.rank if type(other) is type(self) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.rank >= other.rank if type(other) is type(self) else NotImplemented

    def __str__(self) -> str:
        return str(self.value)

    # Members are compared by identity, so this hash agrees, and it is not computed in Python as that of `Enum` is.
    __hash__ = object.__hash__


class Level(OrderedEnum):
    """How risky an action is, from `SAFE` to `CRITICAL`."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @classmethod
    def of(cls, score: float) -> Level:
        """Return the band of a 0–100 score: 0–25 low, 26–50 medium, 51–75 high, 76–100 critical."""
        if score <= MOST_LOW:
            return cls.LOW
        if score <= 50:
            return cls.MEDIUM
        return cls.HIGH if score <= 75 else cls.CRITICAL

    @property
    def floor(self) -> int:
        """The lowest score that an action with a finding of this level can have."""
        return FLOORS[self]

    @property
    def impact(self) -> str:
        """What an action of this level may lead to, in one phrase."""
        return IMPACTS[self]


#: The highest score of the level `LOW`.
MOST_LOW = 25
FLOORS = {Level.SAFE: 0, Level.LOW: 0, Level.MEDIUM: 26, Level.HIGH: 51, Level.CRITICAL: 76}

IMPACTS = {
    Level.SAFE: "No significant impact expected",
    Level.LOW: "Minor impact, easily reversible",
    Level.MEDIUM: "Moderate impact, generally reversible",
    Level.HIGH: "Significant impact, may require manual intervention to undo",
    Level.CRITICAL: "Potentially severe and irreversible impact",
}


class Verdict(OrderedEnum):
    """What happens to an action. Of several verdicts the strictest applies: they are combined by `max`."""

    ALLOW = "allow"
    WARN = "warn"
    REQUIRE_APPROVAL = "require_approval"
    BLOCK = "block"

    @property
    def severity(self) -> Level:
        """The severity of the risk event that a policy with this action creates."""
        return SEVERITIES[self]


SEVERITIES = {
    Verdict.ALLOW: Level.LOW,
    Verdict.WARN: Level.MEDIUM,
    Verdict.REQUIRE_APPROVAL: Level.HIGH,
    Verdict.BLOCK: Level.CRITICAL,
}
