"""A scripted model: it calls the shell tool with one command, reads the result, and is done.

It speaks Anthropic's messages, OpenAI's responses and chat completions, and Gemini's content.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Shape = dict[str, Any]
_USED = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
#: The shell tools of agents that speak chat completions, and what else each must be given.
_SHELLS: dict[str, Shape] = {"bash": {"mode": "sync", "initial_wait": 5}, "run_shell_command": {"is_background": False}}
_COUNTED = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class Model:
    """One conversation: the command to run, and the results that the agent sent."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.results: list[str] = []

    def answer(self, path: str, asked: Shape) -> tuple[str, bytes]:
        """Return the content type and the body of an answer."""
        for name, speak in _LANGUAGES.items():
            if name in path:
                return speak(self, path, asked)
        return "application/json", b"{}"

    def wants(self, results: list[Any]) -> bool:
        """Keep the results; return whether the command is still to be run."""
        self.results += [json.dumps(result, ensure_ascii=False) for result in results]
        return not results


def _messages(model: Model, path: str, asked: Shape) -> tuple[str, bytes]:
    if "count_tokens" in path:
        return _json({"input_tokens": 1})
    blocks = [
        block for one in asked.get("messages", ()) if isinstance(one["content"], list) for block in one["content"]
    ]
    can = any(tool.get("name") == "Bash" for tool in asked.get("tools") or ())
    if model.wants([block for block in blocks if block.get("type") == "tool_result"]) and can:
        given = json.dumps({"command": model.command, "description": "do it"})
        block: Shape = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
        delta, why = {"type": "input_json_delta", "partial_json": given}, "tool_use"
    else:
        block, delta, why = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}, "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "told", "content": [], "usage": _USED}
    if not asked.get("stream"):
        return _json({**message, "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"})
    return _events(
        {"type": "message_start", "message": {**message, "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": _USED},
        {"type": "message_stop"},
    )


def _responses(model: Model, _path: str, asked: Shape) -> tuple[str, bytes]:
    items = [item for item in asked.get("input", ()) if isinstance(item, dict)]
    if model.wants([item for item in items if str(item.get("type")).endswith("_output")]):
        given = json.dumps({"cmd": model.command})
        item: Shape = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "exec_command",
            "arguments": given,
        }
    else:
        text = {"type": "output_text", "text": "done", "annotations": []}
        item = {"type": "message", "id": "m_1", "role": "assistant", "content": [text]}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": _USED}
    return _events(
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    )


def _completions(model: Model, _path: str, asked: Shape) -> tuple[str, bytes]:
    names = [tool.get("function", {}).get("name") for tool in asked.get("tools") or ()]
    shell = next((name for name in names if name in _SHELLS), None)
    if model.wants([one for one in asked.get("messages", ()) if one.get("role") == "tool"]) and shell:
        given = json.dumps({"command": model.command, "description": "do it", **_SHELLS[shell]})
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": shell, "arguments": given}}
        message, why = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    else:
        message, why = {"role": "assistant", "content": "done"}, "stop"
    shared = {"id": "c1", "created": 1, "model": "told", "object": "chat.completion.chunk"}
    return _events(
        {**shared, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**shared, "choices": [{"index": 0, "delta": {}, "finish_reason": why}], "usage": _COUNTED},
        "[DONE]",
    )


def _content(model: Model, path: str, asked: Shape) -> tuple[str, bytes]:
    parts = [part for one in asked.get("contents", ()) for part in one.get("parts", ())]
    if model.wants([part["functionResponse"] for part in parts if "functionResponse" in part]) and asked.get("tools"):
        given = {"command": model.command, "description": "do it"}
        part: Shape = {"functionCall": {"name": "run_shell_command", "args": given}}
    else:
        part = {"text": "done"}
    content = {"role": "model", "parts": [part]}
    answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "modelVersion": "told"}
    return _events(answer) if "stream" in path else _json(answer)


_LANGUAGES = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _completions,
    "enerateContent": _content,
}


def _json(value: Shape) -> tuple[str, bytes]:
    return "application/json", json.dumps(value).encode()


def _events(*events: Shape | str) -> tuple[str, bytes]:
    lines = []
    for event in events:
        named = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
        lines.append(f"{named}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "text/event-stream", "".join(lines).encode()


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Give the address at which the model answers."""

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._say("application/json", b'{"object": "list", "data": [], "models": []}')

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            self._say(*model.answer(self.path, json.loads(self.rfile.read(size) or b"{}")))

        def _say(self, kind: str, text: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
