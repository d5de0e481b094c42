"""The two protocols that models are asked by: how a question is put, and where the text of the answer stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from interlock.approval.request import AnswerVerdict
from interlock.approval.reviewer.question import Question
from interlock.approval.reviewer.reply import UnansweredError, formed
from interlock.config.reviewer import ReviewerSettings

#: How long an answer of an Anthropic model may be. An answer is short; a model that thinks first needs the room.
MAX_TOKENS = 4_096

_ANSWER_SCHEMA = {
    "type": "object",
    "properties": {
        "nonce": {"type": "string"},
        "verdict": {"type": "string", "enum": [verdict.value for verdict in AnswerVerdict]},
        "reason": {"type": "string"},
    },
    "required": ["nonce", "verdict", "reason"],
    "additionalProperties": False,
}


class Protocol(msgspec.Struct, frozen=True):
    """One protocol.

    `wishes` are settings that make an answer steadier but that not every model takes: an endpoint that refuses a
    request for them is asked once more without.
    """

    address: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    body: Callable[[ReviewerSettings, Question], dict[str, Any]]
    text: Callable[[Any], str]
    wishes: Mapping[str, Any]


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: Any = None
    tool_calls: Any = None
    function_call: Any = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class _Block(msgspec.Struct):
    type: str
    text: str | None = None


class _Turn(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None


def _openai_address(endpoint: str) -> str:
    return f"{endpoint.rstrip('/')}/chat/completions"


def _openai_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _openai_body(settings: ReviewerSettings, question: Question) -> dict[str, Any]:
    system = {"role": "system", "content": question.system}
    return {"model": settings.model, "messages": [system, {"role": "user", "content": question.user}]}


def _openai_text(reply: Any) -> str:
    choices = formed(reply, _Completion, "the reply").choices
    if len(choices) != 1:
        raise UnansweredError(f"the reply holds {len(choices)} answers, not one")
    message = choices[0].message
    if message.refusal:
        raise UnansweredError("the model refused to answer")
    if message.tool_calls or message.function_call:
        raise UnansweredError("the model called a tool instead of answering")
    _must_be_done(choices[0].finish_reason, "stop")
    return message.content or ""


def _anthropic_address(endpoint: str) -> str:
    base = endpoint.rstrip("/")
    return f"{base}/messages" if urlsplit(base).path.endswith("/v1") else f"{base}/v1/messages"


def _anthropic_headers(key: str) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": key} if key else version


def _anthropic_body(settings: ReviewerSettings, question: Question) -> dict[str, Any]:
    return {
        "model": settings.model,
        "max_tokens": MAX_TOKENS,
        "system": question.system,
        "messages": [{"role": "user", "content": question.user}],
    }


def _anthropic_text(reply: Any) -> str:
    turn = formed(reply, _Turn, "the reply")
    if turn.stop_reason == "refusal":
        raise UnansweredError("the model refused to answer")
    blocks = [block for block in turn.content if block.type not in ("thinking", "redacted_thinking")]
    if any(block.type != "text" for block in blocks):
        raise UnansweredError("the model called a tool instead of answering")
    if len(blocks) != 1:
        raise UnansweredError(f"the reply holds {len(blocks)} answers, not one")
    _must_be_done(turn.stop_reason, "end_turn")
    return blocks[0].text or ""


def _must_be_done(found: str | None, done: str) -> None:
    if found != done:
        raise UnansweredError(f"the model did not finish its answer: it stopped with `{found}`, not `{done}`")


PROTOCOLS: Mapping[str, Protocol] = {
    "openai": Protocol(
        _openai_address,
        _openai_headers,
        _openai_body,
        _openai_text,
        {"temperature": 0, "response_format": {"type": "json_object"}},
    ),
    "anthropic": Protocol(
        _anthropic_address,
        _anthropic_headers,
        _anthropic_body,
        _anthropic_text,
        {"temperature": 0, "output_config": {"format": {"type": "json_schema", "schema": _ANSWER_SCHEMA}}},
    ),
}
