"""`RiskAssessor`: the risk of an action given as a dict, by the shipped rules and the caller's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from interlock.analyse.code import read_ambiguous, read_code
from interlock.analyse.files.paths import Places
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.reading import Reading
from interlock.errors import InvalidActionError
from interlock.levels import Level
from interlock.model import Analysis
from interlock.patterns import Searcher, late, searcher
from interlock.payload import text_of
from interlock.rules import RULES, Rule
from interlock.scoring.combine import BACKUP, NOTHING_FOUND, REVIEW
from interlock.scoring.command import MAX_RESOURCES

ToolRiskLevel = Level


@dataclass
class RiskAssessment:
    """How risky an action is, and why."""

    level: Level
    reasons: list[str] = field(default_factory=list)
    affected_resources: list[str] = field(default_factory=list)
    reversible: bool = True
    estimated_impact: str = ""
    recommendations: list[str] = field(default_factory=list)

    @property
    def requires_approval(self) -> bool:
        """Whether an action of this level usually needs an approval."""
        return self.level >= Level.HIGH


@dataclass(frozen=True)
class EffectPattern:
    """The pattern of a shipped rule: it matches the effects of the code, not its text."""

    rule: Rule

    def __call__(self, action: dict[str, Any]) -> bool:
        """Whether the code of an action has an effect that the rule matches."""
        return self.on(analyse_code(action))

    def on(self, analysis: Analysis) -> bool:
        """Whether the rule matches any effect."""
        return any(self.rule.matches(effect) for effect in analysis.effects)


@dataclass(frozen=True)
class RiskRule:
    """One rule: a regular expression over `action["code"]`, or a callable that gets the whole dict."""

    name: str
    pattern: str | Callable[[dict[str, Any]], bool]
    risk_level: Level
    reason: str
    reversible: bool = True


class _DefaultRules:
    """Returns a new list on each access, so that callers cannot change each other's rules."""

    def __get__(self, instance: object, owner: type) -> list[RiskRule]:
        return [RiskRule(rule.name, EffectPattern(rule), rule.level, rule.reason, rule.reversible) for rule in RULES]


class RiskAssessor:
    """Assesses the risk of actions given as dicts: `{"action": "code", "code": "…"}`.

    >>> RiskAssessor().assess({"code": "rm -rf x"}).level.value
    'critical'
    """

    DEFAULT_RULES = _DefaultRules()

    def __init__(
        self,
        rules: list[RiskRule] | None = None,
        custom_assessor: Callable[[dict[str, Any]], RiskAssessment] | None = None,
    ) -> None:
        self.rules: list[RiskRule] = []
        self._searchers: dict[str, Searcher] = {}
        self.custom_assessor = custom_assessor
        for rule in rules or self.DEFAULT_RULES:
            self.add_rule(rule)

    def add_rule(self, rule: RiskRule) -> None:
        """Add a rule, or raise if its pattern does not compile."""
        if isinstance(rule.pattern, str):
            self._searchers[rule.pattern] = searcher(rule.pattern, f"rule `{rule.name}`")
        self.rules.append(rule)

    def remove_rule(self, name: str) -> bool:
        """Remove the rules with that name; return whether there was one."""
        kept = [rule for rule in self.rules if rule.name != name]
        found = len(kept) < len(self.rules)
        self.rules[:] = kept
        return found

    def assess(self, action: dict[str, Any]) -> RiskAssessment:
        """Return how risky an action is."""
        if self.custom_assessor is not None:
            return self.custom_assessor(action)
        code, analysis = code_of(action), analyse_code(action)
        triggered = [
            (rule, reason) for rule in self.rules if (reason := self._check(rule, action, code, analysis)) is not None
        ]
        if not triggered:
            return RiskAssessment(Level.SAFE, [NOTHING_FOUND], estimated_impact=Level.SAFE.impact)
        level = max(rule.risk_level for rule, _ in triggered)
        reversible = all(rule.reversible for rule, _ in triggered)
        return RiskAssessment(
            level=level,
            reasons=list(dict.fromkeys(reason for _, reason in triggered)),
            affected_resources=resources(code, analysis),
            reversible=reversible,
            estimated_impact=level.impact,
            recommendations=_advice(level, reversible),
        )

    def _check(self, rule: RiskRule, action: dict[str, Any], code: str, analysis: Analysis) -> str | None:
        """Return the reason of a rule that matches, or None. A rule that raises counts as a match."""
        pattern = rule.pattern
        if isinstance(pattern, str):
            found = self._searchers.get(pattern) or searcher(pattern, f"rule `{rule.name}`")
            return rule.reason if found(code) else None
        if isinstance(pattern, EffectPattern):
            return rule.reason if pattern.on(analysis) else None
        try:
            return rule.reason if pattern(action) else None
        except Exception as error:  # a failing rule must not let anything through
            return f"{rule.reason} (rule `{rule.name}` raised {type(error).__name__}: {error})"


def code_of(action: dict[str, Any]) -> str:
    """Return the code of an action dict, or raise if it is not text."""
    if not isinstance(action, dict):
        raise InvalidActionError(f"an action is a dict, found `{type(action).__name__}`")
    code = action.get("code")
    if code is None:
        return ""
    if isinstance(code, (list, tuple)) and all(isinstance(line, str) for line in code):
        code = "\n".join(code)
    text = text_of(code)
    if text is None:
        raise InvalidActionError(f"`code` must be text, found `{type(code).__name__}`")
    return text


def analyse_code(action: dict[str, Any]) -> Analysis:
    """Analyse the code of an action dict in every language that accepts it, with nothing known about its context."""
    text = code_of(action)
    reading = Reading(Places(), LANGUAGES)
    languages: tuple[str, ...] = ()
    language = action.get("language")
    if isinstance(language, str) and language.lower() in LANGUAGES:
        read_code(reading, text, language.lower())
    elif text.strip():
        languages = read_ambiguous(reading, text)
    return reading.close(text, languages)


def _advice(level: Level, reversible: bool) -> list[str]:
    if level < Level.HIGH:
        return []
    return [REVIEW] if reversible else [REVIEW, BACKUP]


_QUOTED_PATH = late(r"""["']((?:~|\.{1,2})?/[^\s"'<>|]{1,256}|[\w.-]{1,64}\.[A-Za-z]\w{0,4})["']""")
_URL = late(r"""https?://[^\s"'<>`\\]{1,2000}""")


def resources(code: str, analysis: Analysis) -> list[str]:
    """Return the files, URLs and tables that an action may touch: each once, in order of appearance."""
    found: dict[str, int] = {}
    for effect in analysis.effects:
        if effect.resource is not None and effect.resource.type in ("file", "url", "table") and effect.resource.name:
            _add(found, str(effect.resource), _position(code, effect.resource.name, effect.span[0]))
    for match in _URL.finditer(code):
        _add(found, f"url:{_strip_punctuation(match.group(0))}", match.start())
    for match in _QUOTED_PATH.finditer(code):
        _add(found, f"file:{match.group(1)}", match.start())
    ordered: Iterable[str] = sorted(found, key=lambda name: found[name])
    return list(ordered)[:MAX_RESOURCES]


def _strip_punctuation(url: str) -> str:
    """Return a URL without trailing punctuation; balanced brackets stay."""
    while url and (url[-1] in ".,;:!?" or (url[-1] == ")" and url.count("(") < url.count(")"))):
        url = url[:-1]
    return url


def _add(found: dict[str, int], name: str, position: int) -> None:
    found[name] = min(position, found.get(name, position))


def _position(code: str, name: str, otherwise: int) -> int:
    at = code.find(name)
    return at if at >= 0 else otherwise
