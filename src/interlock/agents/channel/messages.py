"""The messages of a Claude Code channel: an MCP server over standard input and output, one JSON object a line."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import IO, Any

import msgspec

from interlock.version import VERSION

PROTOCOL = "2025-06-18"
MAX_LINE = 1_000_000
CAPABILITIES: dict[str, Any] = {"experimental": {"claude/channel": {}, "claude/channel/permission": {}}}
INSTRUCTIONS = (
    "Interlock relays permission prompts to the people who answer its approval requests. It sends no messages and "
    "has no tools."
)
PERMISSION_REQUEST = "notifications/claude/channel/permission_request"
PERMISSION = "notifications/claude/channel/permission"
_METHOD_NOT_FOUND = -32_601


class PermissionPrompt(msgspec.Struct, frozen=True):
    """A permission prompt that Claude Code shows in its terminal. `input_preview` is cut if it is long."""

    request_id: str
    tool_name: str
    description: str = ""
    input_preview: str = ""


class ChannelServer:
    """Answers Claude Code's messages, and hands each permission prompt to `relay`, which may answer it later."""

    def __init__(self, output: IO[bytes], relay: Callable[[PermissionPrompt], None]) -> None:
        self._output, self._relay, self._lock = output, relay, threading.Lock()

    def serve(self, source: IO[bytes]) -> None:
        """Handle messages until Claude Code closes the stream."""
        while line := source.readline(MAX_LINE):
            self._handle(line)

    def answer(self, request_id: str, *, allow: bool) -> None:
        """Answer a permission prompt. Claude Code ignores it if the person at the terminal was first."""
        params = {"request_id": request_id, "behavior": "allow" if allow else "deny"}
        self._send({"method": PERMISSION, "params": params})

    def _handle(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return  # not a message: nothing can be answered
        if not isinstance(message, dict):
            return
        if "id" in message and "method" in message:
            self._send({"id": message["id"], **self._reply(str(message["method"]), message.get("params"))})
        elif message.get("method") == PERMISSION_REQUEST:
            self._receive(message.get("params"))

    def _receive(self, params: Any) -> None:
        try:
            prompt = msgspec.convert(params, PermissionPrompt)
        except msgspec.ValidationError:
            return  # a form that we do not know stays in the terminal
        self._relay(prompt)

    def _reply(self, method: str, params: Any) -> dict[str, Any]:
        if method == "initialize":
            version = params.get("protocolVersion") if isinstance(params, dict) else None
            server = {"name": "interlock", "version": VERSION}
            result = {"protocolVersion": version or PROTOCOL, "capabilities": CAPABILITIES, "serverInfo": server}
            return {"result": {**result, "instructions": INSTRUCTIONS}}
        if method == "ping":
            return {"result": {}}
        return {"error": {"code": _METHOD_NOT_FOUND, "message": f"unknown method `{method[:80]}`"}}

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._output.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
            self._output.flush()
