"""A model as reviewer: it approves, rejects or escalates. Whatever goes wrong escalates to a person."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.approval.reviewer.exchange import post
from interlock.approval.reviewer.protocols import PROTOCOLS
from interlock.approval.reviewer.question import Question, question_of
from interlock.approval.reviewer.reply import Given, UnansweredError, given_in, strict
from interlock.config.reviewer import ReviewerSettings
from interlock.patterns import late
from interlock.policy.tiers import plain

#: How long a reason may be, in characters.
MAX_REASON = 500

#: From which length on a key is one. Shorter ones are words, as a model on this machine takes them.
SECRET_LENGTH = 8

#: The statuses by which an endpoint says that it does not take one of the settings.
_NOT_TAKEN = (400, 422)
_KEY = late(r"[!-~]+")


def review(settings: ReviewerSettings, approval: Approval, *, deadline_seconds: float | None = None) -> Answer:
    """Return a model's answer to a request for approval.

    It comes within `timeout_seconds` of the settings, and within `deadline_seconds` where that is sooner. Nothing
    that the endpoint does raises: without a verdict that is certain, the answer is to escalate.
    """
    until = time.monotonic() + _limit(settings, deadline_seconds)
    try:
        question = _question(settings, approval)
        given = _ask(settings, question, until)
    except UnansweredError as problem:
        return _answer(settings, AnswerVerdict.ESCALATE, f"the model gave no verdict: {problem}")
    if question.cut and given.verdict is AnswerVerdict.APPROVE:
        why = f"the action is too long to be shown to a model, so that it cannot approve it; it said: {given.reason}"
        return _answer(settings, AnswerVerdict.ESCALATE, why)
    return _answer(settings, given.verdict, given.reason)


def _limit(settings: ReviewerSettings, deadline_seconds: float | None) -> float:
    return settings.timeout_seconds if deadline_seconds is None else min(settings.timeout_seconds, deadline_seconds)


def _question(settings: ReviewerSettings, approval: Approval) -> Question:
    try:
        return question_of(approval, settings.max_chars)
    except (TypeError, ValueError, RecursionError):
        raise UnansweredError("the action cannot be written as JSON") from None


def _ask(settings: ReviewerSettings, question: Question, until: float) -> Given:
    protocol = PROTOCOLS[settings.protocol]
    body = protocol.body(settings, question)
    try:
        reply = _send(settings, {**body, **protocol.wishes}, until)
    except UnansweredError as problem:
        if problem.status not in _NOT_TAKEN:
            raise
        reply = _send(settings, body, until)
    return given_in(protocol.text(strict(reply, "the reply")), question.nonce)


def _send(settings: ReviewerSettings, body: dict[str, Any], until: float) -> str:
    if time.monotonic() >= until:
        raise UnansweredError("there was no time left to ask")
    protocol = PROTOCOLS[settings.protocol]
    headers = {"Content-Type": "application/json", "User-Agent": "interlock", "Connection": "close"}
    headers |= protocol.headers(_key(settings))
    reply = post(protocol.address(settings.endpoint), headers, json.dumps(body).encode("ascii"), until)
    try:
        return reply.decode("utf-8")
    except UnicodeDecodeError:
        raise UnansweredError("the reply is no UTF-8 text") from None


def _key(settings: ReviewerSettings) -> str:
    if settings.key_variable is None:
        return ""
    key = os.environ.get(settings.key_variable, "").strip()
    if not key:
        raise UnansweredError(f"the environment variable `{settings.key_variable}` is not set")
    if not _KEY.fullmatch(key):
        raise UnansweredError(f"the environment variable `{settings.key_variable}` holds no key")
    return key


def _answer(settings: ReviewerSettings, verdict: AnswerVerdict, reason: str) -> Answer:
    return Answer(approver=f"model:{settings.name}", verdict=verdict, reason=_shown(settings, reason), model=True)


def _shown(settings: ReviewerSettings, reason: str) -> str:
    """Return a reason that a terminal can show and a log can keep: on one line, short, without the key."""
    key = os.environ.get(settings.key_variable or "", "").strip()
    shown = plain(reason.replace(key, "***") if len(key) >= SECRET_LENGTH else reason)
    return shown if len(shown) <= MAX_REASON else shown[: MAX_REASON - 1] + "…"
