"""The two protocols for asking a model: how a request is written, and where the reply holds the model's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from interlock.approval.reviewer.prompt import ReviewPrompt
from interlock.approval.reviewer.reply_parser import NoVerdictError, convert
from interlock.config.reviewer import ReviewerSettings

#: The token limit for Anthropic models. An answer is short, but a model that thinks first needs the room.
MAX_TOKENS = 4_096


class ModelProtocol(msgspec.Struct, frozen=True):
    """The protocol of one family of endpoints.

    `optional_settings` make answers steadier, but not every model accepts them: a request that is rejected because of
    them is sent once more without.
    """

    address: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    body: Callable[[ReviewerSettings, ReviewPrompt], dict[str, Any]]
    text: Callable[[Any], str]
    optional_settings: Callable[[ReviewPrompt], Mapping[str, Any]]


class _CompletionMessage(msgspec.Struct):
    content: str | None = None
    refusal: Any = None
    tool_calls: Any = None
    function_call: Any = None


class _CompletionChoice(msgspec.Struct):
    message: _CompletionMessage
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_CompletionChoice]


class _ContentBlock(msgspec.Struct):
    type: str
    text: str | None = None


class _Turn(msgspec.Struct):
    content: list[_ContentBlock]
    stop_reason: str | None = None


def _openai_address(endpoint: str) -> str:
    return f"{endpoint.rstrip('/')}/chat/completions"


def _openai_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _openai_body(settings: ReviewerSettings, prompt: ReviewPrompt) -> dict[str, Any]:
    system = {"role": "system", "content": prompt.system}
    return {"model": settings.model, "messages": [system, {"role": "user", "content": prompt.user}]}


def _openai_text(reply: Any) -> str:
    choices = convert(reply, _Completion, "the reply").choices
    if len(choices) != 1:
        raise NoVerdictError(f"the reply holds {len(choices)} answers, not one")
    message = choices[0].message
    if message.refusal:
        raise NoVerdictError("the model refused to answer")
    if message.tool_calls or message.function_call:
        raise NoVerdictError("the model called a tool instead of answering")
    _check_finished(choices[0].finish_reason, "stop")
    return message.content or ""


def _anthropic_address(endpoint: str) -> str:
    base = endpoint.rstrip("/")
    return f"{base}/messages" if urlsplit(base).path.endswith("/v1") else f"{base}/v1/messages"


def _anthropic_headers(key: str) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": key} if key else version


def _anthropic_body(settings: ReviewerSettings, prompt: ReviewPrompt) -> dict[str, Any]:
    return {
        "model": settings.model,
        "max_tokens": MAX_TOKENS,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.user}],
    }


def _anthropic_text(reply: Any) -> str:
    turn = convert(reply, _Turn, "the reply")
    if turn.stop_reason == "refusal":
        raise NoVerdictError("the model refused to answer")
    blocks = [block for block in turn.content if block.type not in ("thinking", "redacted_thinking")]
    if any(block.type != "text" for block in blocks):
        raise NoVerdictError("the model called a tool instead of answering")
    if len(blocks) != 1:
        raise NoVerdictError(f"the reply holds {len(blocks)} answers, not one")
    _check_finished(turn.stop_reason, "end_turn")
    return blocks[0].text or ""


def _check_finished(found: str | None, done: str) -> None:
    if found != done:
        raise NoVerdictError(f"the model did not finish its answer: it stopped with `{found}`, expected `{done}`")


def _anthropic_settings(prompt: ReviewPrompt) -> dict[str, Any]:
    return {"temperature": 0, "output_config": {"format": {"type": "json_schema", "schema": prompt.schema}}}


PROTOCOLS: Mapping[str, ModelProtocol] = {
    "openai": ModelProtocol(
        _openai_address,
        _openai_headers,
        _openai_body,
        _openai_text,
        lambda _prompt: {"temperature": 0, "response_format": {"type": "json_object"}},
    ),
    "anthropic": ModelProtocol(
        _anthropic_address,
        _anthropic_headers,
        _anthropic_body,
        _anthropic_text,
        _anthropic_settings,
    ),
}
