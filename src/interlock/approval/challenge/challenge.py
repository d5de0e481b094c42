"""Challenges: tasks by which an approver shows that they have read the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from interlock.approval.challenge.questions import QuizQuestion, questions_for
from interlock.approval.challenge.targets import MAX_NAME, list_targets
from interlock.approval.request import Approval, ChallengeResult
from interlock.errors import InvalidActionError, nearest
from interlock.patterns import late
from interlock.sanitise import plain

KINDS = ("auto_approve", "confirm", "quiz", "teach_back", "multi_party")
READING_SECONDS = 3.0
MIN_WORDS = 15
MIN_DIFFERENT = 8
#: This many consecutive words that also appear in the prompt count as copied.
COPIED_RUN = 4
MAX_ANSWER = 2_000
_WORD = late(r"[^\W_]+(?:['’-][^\W_]+)*")


class Challenge(msgspec.Struct, frozen=True):
    """The task of an approver before answering: read for `seconds`, and answer questions or explain in `words`.

    An explanation must mention one of `must_name`; what it copies from the `prompt` does not count.
    """

    kind: str
    seconds: float = 0.0
    questions: tuple[QuizQuestion, ...] = ()
    words: int = 0
    must_name: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()

    def public_view(self) -> dict[str, Any]:
        """Return what an approver may see: everything except the right answers."""
        return {
            "kind": self.kind,
            "seconds": self.seconds,
            "questions": [{"text": question.text, "choices": list(question.choices)} for question in self.questions],
            "words": self.words,
        }


def challenge_for(approval: Approval, kind: str | None = None, attempt: int = 0) -> Challenge:
    """Return the challenge of a request, of the kind that it needs or of another one; always the same for an attempt.

    Each attempt at a quiz has its choices in another order, and other questions if there are any.
    """
    kind = approval.needs.challenge if kind is None else kind
    if kind == "auto_approve":
        return Challenge(kind)
    if kind == "confirm":
        return Challenge(kind, READING_SECONDS)
    if kind in ("quiz", "multi_party"):
        return Challenge(kind, READING_SECONDS, questions_for(approval, attempt))
    if kind == "teach_back":
        names, prompt = tuple(_target_names(approval)), tuple(_prompt_texts(approval.decision))
        return Challenge(kind, READING_SECONDS, words=MIN_WORDS, must_name=names, prompt=prompt)
    raise InvalidActionError(f"unknown challenge `{kind}`{nearest(kind, KINDS)}")


def judge_challenge(challenge: Challenge, answers: Sequence[str], seconds: float) -> ChallengeResult:
    """Return the result of a challenge: whether it was passed, and if not, why, but not which answer was right."""
    why = _find_failure(challenge, answers, seconds)
    given = tuple(plain(answer[:MAX_ANSWER]) for answer in answers)
    wrong = _wrong_questions(challenge.questions, answers) if why and len(answers) == len(challenge.questions) else ()
    return ChallengeResult(kind=challenge.kind, passed=not why, seconds=seconds, answers=given, why=why, wrong=wrong)


def is_quiz_failure(challenge: Challenge, result: ChallengeResult) -> bool:
    """Whether a quiz was failed by a wrong answer, rather than by one that is missing or came too early."""
    return not result.passed and bool(result.wrong) and result.seconds >= challenge.seconds


def _find_failure(challenge: Challenge, answers: Sequence[str], seconds: float) -> str:
    if not seconds >= challenge.seconds:  # written this way, NaN does not pass
        return f"read for {seconds:.1f} s; read for at least {challenge.seconds:g} s"
    if challenge.questions:
        return _find_quiz_failure(challenge.questions, answers)
    return _find_explanation_failure(challenge, answers) if challenge.words else ""


def _find_quiz_failure(questions: Sequence[QuizQuestion], answers: Sequence[str]) -> str:
    if len(answers) != len(questions):
        return f"{len(questions)} answers are needed, found {len(answers)}"
    return "not every answer was correct" if _wrong_questions(questions, answers) else ""


def _wrong_questions(questions: Sequence[QuizQuestion], answers: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.text for one, answer in zip(questions, answers, strict=True) if answer != one.right)


def _find_explanation_failure(challenge: Challenge, answers: Sequence[str]) -> str:
    explanation = " ".join(answers)[:MAX_ANSWER]
    own = _own_words(explanation, challenge.prompt)
    if len(own) < challenge.words:
        return f"{challenge.words} words of your own are needed, found {len(own)}"
    if len(set(own)) < MIN_DIFFERENT:
        return f"at least {MIN_DIFFERENT} different words are needed, found {len(set(own))}"
    if not any(_mentions(explanation, name) for name in challenge.must_name):
        return "it must name what is affected: a file, a host or a table of the request"
    return ""


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _own_words(explanation: str, prompt: Sequence[str]) -> list[str]:
    """Return the words of an explanation that are not copied from the prompt."""
    prompt_runs = {run for text in prompt for run in _runs(_words(text))}
    words = _words(explanation)
    copied = {at + more for at, run in enumerate(_runs(words)) if run in prompt_runs for more in range(COPIED_RUN)}
    return [word for at, word in enumerate(words) if at not in copied]


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + COPIED_RUN]) for at in range(len(words) - COPIED_RUN + 1)]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _target_names(approval: Approval) -> Iterator[str]:
    """Yield the short names of the targets: the last part of a path, a host or a table; without any, the tool."""
    found = dict.fromkeys(
        _short_name(target.host, target.type) for target in list_targets(approval) if target.name.strip()
    )
    usable = [name for name in found if name and len(name) <= MAX_NAME]
    yield from usable or [plain(str(approval.action.get("toolName") or "")) or "tool"]


def _short_name(name: str, type_: str) -> str:
    last = name.rstrip("/").rpartition("/")[2] if type_ in ("file", "device", "repository", "package") else name
    return plain(last or name).strip()


def _prompt_texts(decision: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that the prompt shows."""
    for key in ("reasons", "recommendations"):
        yield from (str(text) for text in decision.get(key) or ())
    yield str(decision.get("estimatedImpact") or "")
