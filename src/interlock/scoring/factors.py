"""The score of a function call by its name, arguments, docstring, hints and novelty."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import msgspec

from interlock.analyse.payloads.verbs import DESTRUCTIVE, MAX_NAME, MUTATING, READING, words_of
from interlock.levels import Level
from interlock.patterns import late
from interlock.payload import MAX_LEAVES, format_value, leaves


class ActionContext(msgspec.Struct, frozen=True):
    """A function call that is about to be made."""

    function_name: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = {}
    docstring: str | None = None
    hints: Mapping[str, Any] | None = None
    session_id: str | None = None


class ScoreFactor(msgspec.Struct, frozen=True):
    """One factor of a score: its raw value, its weight, and its reason."""

    name: str
    raw: float
    weight: float
    detail: str = ""

    @property
    def contribution(self) -> float:
        """The points that this factor adds to the score."""
        return self.raw * self.weight


class Explanation(msgspec.Struct, frozen=True):
    """A score, and the five factors that add up to it."""

    score: float
    factors: tuple[ScoreFactor, ...]

    @property
    def level(self) -> Level:
        """The level of the score's band."""
        return level_of(self.score)

    @property
    def challenge(self) -> str:
        """What a person has to do before an action with this score runs."""
        return CHALLENGES[self.level]


class Scorer(Protocol):
    """A scorer of function calls, from 0 to 1."""

    def score(self, ctx: ActionContext, /) -> float:
        """Return the score."""


WEIGHTS = {"function_name": 0.30, "arguments": 0.25, "docstring": 0.20, "hints": 0.15, "novelty": 0.10}
#: The bands: lower and upper end, level, and the range of the 0–100 scale that a band maps to.
BANDS = (
    (0.0, 0.3, Level.LOW, 0, 25),
    (0.3, 0.6, Level.MEDIUM, 26, 50),
    (0.6, 0.8, Level.HIGH, 51, 75),
    (0.8, 1.0, Level.CRITICAL, 76, 100),
)
CHALLENGES = {
    Level.SAFE: "auto_approve",
    Level.LOW: "auto_approve",
    Level.MEDIUM: "confirm",
    Level.HIGH: "quiz",
    Level.CRITICAL: "multi_party",
}

VERB_SCORES = ((DESTRUCTIVE, 0.95), (MUTATING, 0.55), (READING, 0.10))
UNKNOWN_VERB = 0.40


_TELLING_CREDENTIALS = ("production", "secret", "password", "token", "key", "credential")
_TELLING_SQL = ("drop", "delete", "truncate", "alter")
_TELLING = (*_TELLING_CREDENTIALS, *_TELLING_SQL)
#: These words and their plurals.
_CREDENTIALS = frozenset(form for word in _TELLING_CREDENTIALS for form in (word, f"{word}s"))
_SQL = frozenset(form for word in _TELLING_SQL for form in (word, f"{word}s"))
_DOT_ENV = late(r"(?<![\w.])\.env\b")
_SHELL = late(r"\brm\s+-(?:rf|fr)\b|\bsudo\b|\bchmod\s+(?:-R\s+)?0?777\b", re.IGNORECASE)
#: Addresses: a sign, how often it is in each of them at least, and their pattern.
_NETWORK = (
    ("://", 1, late(r"(?<![\w+.-])[a-z][a-z0-9+.-]{0,30}://\S", re.IGNORECASE)),
    ("@", 1, late(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w")),
    (".", 3, late(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")),
    (
        ":",
        2,
        late(
            r"(?<![\w:])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
            r"|(?=[0-9a-f:]{0,40}::)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![\w:])",
            re.IGNORECASE,
        ),
    ),
)
_HIGH_WORDS = late(r"\b(?:irreversibl|permanent|destructiv|dangerous|production|critical)\w*", re.IGNORECASE)
_CAUTION_WORDS = late(r"\b(?:careful|warning|caution)\w*", re.IGNORECASE)
MAX_VALUE = 10_000
MAX_TOTAL = 100_000


def level_of(score: float) -> Level:
    """Return the level of a 0–1 score: below 0.3 low, below 0.6 medium, below 0.8 high, else critical."""
    return next((level for _, upper, level, _, _ in BANDS if round(score, 9) < upper), Level.CRITICAL)


def to_common_scale(score: float) -> int:
    """Return a 0–1 score on the 0–100 scale, each band mapped onto the band of the same level.

    >>> to_common_scale(0.0), to_common_scale(0.72), to_common_scale(1.0)
    (0, 65, 100)
    """
    score = clamp(score)
    for lower, upper, _, low, high in BANDS:
        if score < upper or upper == 1.0:
            return round(low + (score - lower) / (upper - lower) * (high - low))
    return 100


def clamp(score: float) -> float:
    """Return a score within 0–1; one that is not a number is the worst."""
    return min(max(score, 0.0), 1.0) if score == score else 1.0


def explain(ctx: ActionContext, call_number: int = 1) -> Explanation:
    """Return the score of a call with its factors. `call_number` counts the calls of the function so far."""
    raws = rate(ctx, call_number)
    factors = tuple(
        [ScoreFactor(name, raw, WEIGHTS[name], detail) for name, (raw, detail) in zip(WEIGHTS, raws, strict=True)]
    )
    return Explanation(clamp(sum([factor.contribution for factor in factors])), factors)


def rate(ctx: ActionContext, call_number: int) -> tuple[tuple[float, str], ...]:
    """Return the raw value of each factor of a call, from 0 to 1, with its reason."""
    return (
        score_name(ctx.function_name),
        score_arguments(ctx.args, ctx.kwargs),
        score_docstring(ctx.docstring),
        score_hints(ctx.hints) if ctx.hints else (0.0, "none"),
        (score_novelty(call_number), f"call {call_number}"),
    )


@lru_cache(maxsize=1024)
def share_points(raws: tuple[float, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the score of a call on the common scale, and how many of its points each factor adds.

    >>> share_points((0.95, 0.05, 0.1, 0.0, 0.9))
    (35, (24, 1, 2, 0, 8))
    """
    contributions = [raw * weight for raw, weight in zip(raws, WEIGHTS.values(), strict=True)]
    total = clamp(sum(contributions))
    score = to_common_scale(total)
    shares = [score * one / total if total else 0.0 for one in contributions]
    points = [int(share) for share in shares]
    by_remainder = sorted(range(len(points)), key=lambda index: points[index] - shares[index])
    for index in by_remainder[: score - sum(points)]:
        points[index] += 1
    return score, tuple(points)


@lru_cache(maxsize=1024)
def score_name(name: str) -> tuple[float, str]:
    """Return the score of a function's name by its riskiest word, and that word."""
    words = words_of(name)
    for verbs, score in VERB_SCORES:
        found = sorted(words & verbs)
        if found:
            return score, f"`{found[0]}`"
    return UNKNOWN_VERB, "no known verb"


def score_arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[float, str]:
    """Return the score of the riskiest name or value of the arguments, including nested ones, and why."""
    if not args and not kwargs:
        return 0.0, "none"
    worst, left = _NOTHING, MAX_TOTAL
    for name, value in leaves([list(args), kwargs]) if args else leaves(kwargs, 1, _MOST_NAMED):
        text = value[:MAX_VALUE] if type(value) is str else format_value(value, MAX_VALUE)
        worst = max(
            worst,
            _judge_name(name) if len(name) <= _SHORT else _judge(name),
            _judge_name(text) if len(text) <= _SHORT else _judge(text),
        )
        left -= len(text) + len(name)
        if left < 0:
            break
    return worst


_NOTHING = (0.05, "nothing sensitive")
_MOST_NAMED = MAX_LEAVES - 2  # without the list of both kinds of arguments, and the one of those without a name


@lru_cache(maxsize=4096)
def _judge_name(text: str) -> tuple[float, str]:
    """Return the score of a short text. Names of arguments come again with every call."""
    return _judge(text)


_SHORT = 40


def _words_of(text: str) -> frozenset[str]:
    return words_of(text) if len(text) <= MAX_NAME else frozenset(re.findall(r"[a-z]+", text.lower()))


def _judge(text: str) -> tuple[float, str]:
    low = text.casefold()
    words = _words_of(text) if [one for one in _TELLING if one in low] else frozenset()
    if words & _SQL or (("rm" in low or "sudo" in low or "chmod" in low) and _SHELL.search(text)):
        return 0.90, "dangerous SQL or shell"
    if words & _CREDENTIALS or (".env" in text and _DOT_ENV.search(text)):
        return 0.70, "credentials or production"
    for sign, times, address in _NETWORK:
        if text.count(sign) >= times and address.search(text):
            return 0.50, "network address"
    return _NOTHING


def score_docstring(docstring: str | None) -> tuple[float, str]:
    """Return the score of a docstring by its words of warning, and the first of them."""
    if not docstring or not docstring.strip():
        return 0.10, "none"
    for words, score in ((_HIGH_WORDS, 0.85), (_CAUTION_WORDS, 0.50)):
        found = words.search(docstring)
        if found:
            return score, f"`{found.group(0).lower()}`"
    return 0.05, "no warning"


def score_hints(hints: Mapping[str, Any] | None) -> tuple[float, str]:
    """Return the score of the caller's hints: 0.30 for each flag that is set, plus the largest number, scaled."""
    flags = [name for name, value in (hints or {}).items() if value is True]
    numbers = [
        float(min(max(value, 0), 10_000))
        for value in (hints or {}).values()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    scaled = max((min(max(number, 0.0) / 10_000, 1.0) * 0.8 for number in numbers if number == number), default=0.0)
    return clamp(0.30 * len(flags) + scaled), ", ".join(map(str, flags)) or ("numbers" if numbers else "none")


def score_novelty(call_number: int) -> float:
    """Return the score of novelty: 0.9 for the first call of a function, 0.1 from the tenth on."""
    return max(0.9 - (max(call_number, 1) - 1) * 0.8 / 9, 0.1)


class DefaultRiskScorer:
    """Scores calls by five factors. Each `score` counts one call of that function in that session."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str | None, str], int] = {}
        self._lock = threading.Lock()

    def score(self, ctx: ActionContext) -> float:
        """Return the score of a call, and count it."""
        key = (ctx.session_id, ctx.function_name)
        with self._lock:
            number = self._calls[key] = self._calls.get(key, 0) + 1
        return explain(ctx, number).score

    def explain(self, ctx: ActionContext) -> Explanation:
        """Return the score that the next call would have, with its factors; counts nothing."""
        return explain(ctx, self._calls.get((ctx.session_id, ctx.function_name), 0) + 1)
