"""Challenges: what it takes, besides a yes, to approve. They show that somebody has read what they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from interlock.approval.challenge.questions import Question, questions_for
from interlock.approval.challenge.touched import MAX_NAME, touched
from interlock.approval.request import Approval, Taken
from interlock.errors import InvalidActionError, nearest
from interlock.patterns import late
from interlock.sanitise import plain

__all__ = ["KINDS", "Challenge", "Question", "challenge_for", "judge"]

KINDS = ("auto_approve", "confirm", "quiz", "teach_back", "multi_party")
READING_SECONDS = 3.0
MIN_WORDS = 15
MIN_DIFFERENT = 8
#: So many words in the same order as in the prompt are the prompt's own.
COPIED_RUN = 4
MAX_ANSWER = 2_000
_WORD = late(r"[^\W_]+(?:['’-][^\W_]+)*")


class Challenge(msgspec.Struct, frozen=True):
    """What an approver does before answering: reads for `seconds`, and answers or explains.

    `told` are the prompt's own sentences, which are nobody's own words.
    """

    kind: str
    seconds: float = 0.0
    questions: tuple[Question, ...] = ()
    words: int = 0
    must_name: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    def shown(self) -> dict[str, Any]:
        """Return what an approver may see: all but which answers are right."""
        return {
            "kind": self.kind,
            "seconds": self.seconds,
            "questions": [{"text": asked.text, "choices": list(asked.choices)} for asked in self.questions],
            "words": self.words,
        }


def challenge_for(approval: Approval, kind: str | None = None) -> Challenge:
    """Return the challenge of a request: of the kind that it needs, or of another one. The same each time."""
    kind = approval.needs.challenge if kind is None else kind
    if kind == "auto_approve":
        return Challenge(kind)
    if kind == "confirm":
        return Challenge(kind, READING_SECONDS)
    if kind in ("quiz", "multi_party"):
        return Challenge(kind, READING_SECONDS, questions_for(approval))
    if kind == "teach_back":
        names, told = tuple(_names(approval)), tuple(_told(approval.decision))
        return Challenge(kind, READING_SECONDS, words=MIN_WORDS, must_name=names, told=told)
    raise InvalidActionError(f"unknown challenge `{kind}`{nearest(kind, KINDS)}")


def judge(challenge: Challenge, answers: Sequence[str], seconds: float) -> Taken:
    """Return whether a challenge was passed, and if not why; never which answer would have been right."""
    why = _why_not(challenge, answers, seconds)
    given = tuple(plain(answer[:MAX_ANSWER]) for answer in answers)
    return Taken(kind=challenge.kind, passed=not why, seconds=seconds, answers=given, why=why)


def _why_not(challenge: Challenge, answers: Sequence[str], seconds: float) -> str:
    if not seconds >= challenge.seconds:  # so written, a time that is no number does not pass either
        return f"read for {seconds:.1f} s; it takes at least {challenge.seconds:g} s"
    if challenge.questions:
        return _quiz_why_not(challenge.questions, answers)
    return _told_why_not(challenge, answers) if challenge.words else ""


def _quiz_why_not(questions: Sequence[Question], answers: Sequence[str]) -> str:
    if len(answers) != len(questions):
        return f"{len(questions)} answers are needed, found {len(answers)}"
    wrong = any(answer != asked.right for asked, answer in zip(questions, answers, strict=True))
    return "not every answer was right" if wrong else ""


def _told_why_not(challenge: Challenge, answers: Sequence[str]) -> str:
    said = " ".join(answers)[:MAX_ANSWER]
    own = _own_words(said, challenge.told)
    if len(own) < challenge.words:
        return f"{challenge.words} words of your own are needed, found {len(own)}"
    if len(set(own)) < MIN_DIFFERENT:
        return f"at least {MIN_DIFFERENT} different words are needed, found {len(set(own))}"
    if not any(_named(name, said) for name in challenge.must_name):
        return "it must name what is affected: a file, a host or a table of the request"
    return ""


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _own_words(said: str, told: Sequence[str]) -> list[str]:
    """Return the words that do not stand in the prompt in the same order."""
    theirs = {run for text in told for run in _runs(_words(text))}
    words = _words(said)
    copied = {at + more for at, run in enumerate(_runs(words)) if run in theirs for more in range(COPIED_RUN)}
    return [word for at, word in enumerate(words) if at not in copied]


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + COPIED_RUN]) for at in range(len(words) - COPIED_RUN + 1)]


def _named(name: str, said: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said, re.IGNORECASE) is not None


def _names(approval: Approval) -> Iterator[str]:
    """Yield how a person would call what is affected: the last part of a path, a host, a table; else the tool."""
    found = dict.fromkeys(_short(touch.host, touch.type) for touch in touched(approval.decision) if touch.name.strip())
    usable = [name for name in found if name and len(name) <= MAX_NAME]
    yield from usable or [plain(str(approval.action.get("toolName") or "")) or "tool"]


def _short(name: str, type_: str) -> str:
    last = name.rstrip("/").rpartition("/")[2] if type_ in ("file", "device", "repository", "package") else name
    return plain(last or name).strip()


def _told(decision: Mapping[str, Any]) -> Iterator[str]:
    """Yield every sentence of the prompt."""
    for key in ("reasons", "recommendations"):
        yield from (str(text) for text in decision.get(key) or ())
    yield str(decision.get("estimatedImpact") or "")
