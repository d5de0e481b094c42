"""Whether an action has a granted shape: all of its words and effects must be covered."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.approval.shape.grantable import is_grantable
from interlock.approval.shape.holes import PLAIN_WORD, Hole
from interlock.approval.shape.shape import Candidate, CoveredEffect, Shape, other_arguments, value_digest
from interlock.approval.shape.statement import split_statement
from interlock.levels import Level
from interlock.model import Effect

MAX_WORDS = 40


def matches(shape: Shape, candidate: Candidate) -> bool:
    """Whether an action is one of those that the text of a shape describes."""
    return (
        is_grantable(candidate)
        and candidate.frame == shape.frame
        and _matches_risk(shape, candidate)
        and _matches_arguments(shape, candidate)
        and _matches_words(shape, candidate)
        and all(
            any(covers_effect(pattern, effect) for pattern in shape.effects)
            for effect in candidate.decision.assessment.effects
        )
    )


def _matches_risk(shape: Shape, candidate: Candidate) -> bool:
    """Whether an action is no more risky, and meets no rule or policy that the approver did not see."""
    decision, assessed = candidate.decision, candidate.decision.assessment
    return (
        assessed.level <= shape.level
        and assessed.score <= shape.score
        and assessed.reversible >= shape.reversible
        and rules_that_count(candidate) <= set(shape.rules)
        and candidate.memory_rule in ("", *shape.rules)
        and {match.policy_id for match in decision.matched_policies} <= set(shape.policies)
    )


def rules_that_count(candidate: Candidate) -> set[str]:
    """Return the rules that must have matched the approved action too: all, or those above low for an edit."""
    least = Level.MEDIUM if candidate.path_key else Level.SAFE
    return {finding.rule for finding in candidate.decision.assessment.findings if finding.level >= least}


def _matches_arguments(shape: Shape, candidate: Candidate) -> bool:
    given = other_arguments(candidate)
    if set(given) != set(shape.fixed) | set(shape.arguments):
        return False
    fixed = all(value_digest(given[name]) == digest for name, digest in shape.fixed.items())
    folder = candidate.action.cwd or ""
    return fixed and all(hole.takes(given[name], folder) for name, hole in shape.arguments.items())


def _matches_words(shape: Shape, candidate: Candidate) -> bool:
    is_code = candidate.command_key or candidate.statement_key
    if not shape.words or not is_code:
        return not shape.words and not is_code
    split = split_command if candidate.command_key else split_statement
    words = split(candidate.decision.assessment.analysis.text)
    if words is None or not fit_words(shape.words, words, candidate.action.cwd or ""):
        return False
    pushes = any(isinstance(part, Hole) and part.kind == "branch" for part in shape.words)
    return not pushes or not candidate.is_tag(words[-1])  # a pushed branch is the last word


def split_command(text: str) -> list[str] | None:
    """Return the words of a command that is nothing but plain words with a space between them, else None.

    So there is no quote, variable, pattern, redirection, second command or line, and no assignment before the program.

    >>> split_command("git push origin topic"), split_command("FOO=1 npm test"), split_command("npm test; ls")
    (['git', 'push', 'origin', 'topic'], None, None)
    """
    words = text.split(" ")
    if len(words) > MAX_WORDS or not all(PLAIN_WORD.fullmatch(word) for word in words):
        return None
    is_name = not set(words[0]) & set("=/@%:,") and words[0][0] not in "-+."
    return words if is_name else None


def fit_words(pattern: Sequence[str | Hole], words: Sequence[str], folder: str) -> bool:
    """Whether words fit a pattern; a hole that repeats takes one word or more."""
    if not pattern:
        return not words
    first, rest = pattern[0], pattern[1:]
    if not words or not (first.takes(words[0], folder) if isinstance(first, Hole) else first == words[0]):
        return False
    again = isinstance(first, Hole) and first.repeats and fit_words(pattern, words[1:], folder)
    return again or fit_words(rest, words[1:], folder)


def covers_effect(pattern: CoveredEffect, effect: Effect) -> bool:
    """Whether an effect is the one of a pattern: the same kind, way and flags, on a resource that fits."""
    resource = effect.resource
    if (pattern.kind, pattern.flags, pattern.via) != (effect.kind, tuple(sorted(effect.flags)), effect.via):
        return False
    if resource is None:
        return pattern.type == ""
    place = resource.place.value if resource.place else ""
    if (pattern.type, pattern.place) != (resource.type, place):
        return False
    if not any(isinstance(part, Hole) for part in pattern.name):
        return " ".join(map(str, pattern.name)) == resource.name
    parts = [resource.name] if len(pattern.name) == 1 else resource.name.split(" ")
    return len(parts) == len(pattern.name) and all(
        wanted.takes_resource(part) if isinstance(wanted, Hole) else wanted == part
        for wanted, part in zip(pattern.name, parts, strict=True)
    )
