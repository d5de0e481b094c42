"""Ask a model to review a request: it approves, rejects or escalates. Every failure escalates to a person."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.approval.reviewer.endpoint import post_to_endpoint
from interlock.approval.reviewer.prompt import ReviewPrompt, build_prompt
from interlock.approval.reviewer.protocols import PROTOCOLS
from interlock.approval.reviewer.reply_parser import ModelVerdict, NoVerdictError, parse_answer, parse_strict_json
from interlock.approval.reviewer.second_stage import Judgement, RunSoFar, build_second_prompt
from interlock.config.reviewer import ReviewerSettings
from interlock.patterns import late
from interlock.sanitise import plain

#: The longest reason that is kept, in characters.
MAX_REASON = 500

#: API keys shorter than this are placeholders, as local models accept them, and are not masked.
SECRET_LENGTH = 8

#: The statuses by which an endpoint rejects one of the settings.
_SETTING_REJECTED = (400, 422)
_KEY = late(r"[!-~]+")


def judge_authorisation(
    settings: ReviewerSettings,
    approval: Approval,
    run: RunSoFar,
    *,
    deadline_seconds: float | None = None,
    count: Callable[[Mapping[str, Any]], None] | None = None,
) -> Answer:
    """Return a model's answer to whether the person's own words cover an action. It fails as `review` does.

    `count` is called with the tokens that the endpoint says were used.
    """
    deadline = time.monotonic() + _timeout(settings, deadline_seconds)
    try:
        if not run.requests:
            raise NoVerdictError("the person's own words are not known")
        prompt = _build(lambda: build_second_prompt(approval, run, settings.max_chars))
        found = parse_answer(_ask(settings, prompt, deadline, count), prompt.nonce, Judgement)
    except NoVerdictError as problem:
        return _no_verdict(settings, problem)
    answer = _make_answer(settings, prompt, found.verdict, found.reason)
    return msgspec.structs.replace(answer, risk=found.risk.value, authorisation=found.authorisation.value)


def review(settings: ReviewerSettings, approval: Approval, *, deadline_seconds: float | None = None) -> Answer:
    """Return a model's answer to a request for approval.

    It returns within the settings' `timeout_seconds`, or within `deadline_seconds` if that is sooner. It never raises
    because of the endpoint: without a valid verdict, the answer is to escalate.
    """
    deadline = time.monotonic() + _timeout(settings, deadline_seconds)
    try:
        prompt = _build(lambda: build_prompt(approval, settings.max_chars))
        found = parse_answer(_ask(settings, prompt, deadline), prompt.nonce, ModelVerdict)
    except NoVerdictError as problem:
        return _no_verdict(settings, problem)
    return _make_answer(settings, prompt, found.verdict, found.reason)


def _timeout(settings: ReviewerSettings, deadline_seconds: float | None) -> float:
    return settings.timeout_seconds if deadline_seconds is None else min(settings.timeout_seconds, deadline_seconds)


def _build(build: Callable[[], ReviewPrompt]) -> ReviewPrompt:
    try:
        return build()
    except (TypeError, ValueError, RecursionError):
        raise NoVerdictError("the action cannot be encoded as JSON") from None


def _ask(
    settings: ReviewerSettings,
    prompt: ReviewPrompt,
    deadline: float,
    count: Callable[[Mapping[str, Any]], None] | None = None,
) -> str:
    """Return the text of a model's answer."""
    protocol = PROTOCOLS[settings.protocol]
    body = protocol.body(settings, prompt)
    try:
        reply = _send(settings, {**body, **protocol.optional_settings(prompt)}, deadline)
    except NoVerdictError as problem:
        if problem.status not in _SETTING_REJECTED:
            raise
        reply = _send(settings, body, deadline)
    found = parse_strict_json(reply, "the reply")
    usage = found.get("usage") if isinstance(found, dict) else None
    if count is not None and isinstance(usage, dict):
        count(usage)
    return protocol.text(found)


def _send(settings: ReviewerSettings, body: dict[str, Any], deadline: float) -> str:
    if time.monotonic() >= deadline:
        raise NoVerdictError("the deadline passed before the model was asked")
    protocol = PROTOCOLS[settings.protocol]
    headers = {"Content-Type": "application/json", "User-Agent": "interlock"}
    headers |= protocol.headers(_api_key(settings))
    reply = post_to_endpoint(protocol.address(settings.endpoint), headers, json.dumps(body).encode("ascii"), deadline)
    try:
        return reply.decode("utf-8")
    except UnicodeDecodeError:
        raise NoVerdictError("the reply is not UTF-8 text") from None


def _api_key(settings: ReviewerSettings) -> str:
    if settings.key_variable is None:
        return ""
    key = os.environ.get(settings.key_variable, "").strip()
    if not key:
        raise NoVerdictError(f"the environment variable `{settings.key_variable}` is not set")
    if not _KEY.fullmatch(key):
        raise NoVerdictError(f"the environment variable `{settings.key_variable}` does not hold a valid key")
    return key


def _no_verdict(settings: ReviewerSettings, problem: NoVerdictError) -> Answer:
    return _answer(settings, AnswerVerdict.ESCALATE, f"the model gave no verdict: {problem}")


def _make_answer(settings: ReviewerSettings, prompt: ReviewPrompt, verdict: AnswerVerdict, reason: str) -> Answer:
    """Return an answer. A model approves nothing that it has not seen whole."""
    if prompt.cut and verdict is AnswerVerdict.APPROVE:
        why = "the action is too long for a model to see all of it, so the model cannot approve it"
        return _answer(settings, AnswerVerdict.ESCALATE, f"{why}; it said: {reason}")
    return _answer(settings, verdict, reason)


def _answer(settings: ReviewerSettings, verdict: AnswerVerdict, reason: str) -> Answer:
    return Answer(
        approver=f"model:{settings.name}", verdict=verdict, reason=_printable_reason(settings, reason), model=True
    )


def _printable_reason(settings: ReviewerSettings, reason: str) -> str:
    """Return a reason that is safe for terminals and logs: one line, short, with the API key masked."""
    key = os.environ.get(settings.key_variable or "", "").strip()
    text = plain(reason.replace(key, "***") if len(key) >= SECRET_LENGTH else reason)
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 1] + "…"
