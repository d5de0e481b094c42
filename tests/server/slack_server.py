"""Slack on this machine: its Web API with the limits that it enforces, and the requests that it signs."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from interlock.server.notify.slack_signature import sign
from tests.server.chat_server import Answer
from tests.server.client import Client, Reply

TOKEN, SECRET = "xoxb-for-tests", "8f742231b10e8888abcd99yyyzzz85a5"
TEAM = "T0TEAM"


@dataclass
class Posted:
    """A message, as Slack shows it now."""

    channel: str
    ts: str
    shown: dict[str, Any]

    @property
    def buttons(self) -> dict[str, dict[str, Any]]:
        """The buttons by their ids."""
        found = [block for block in self.shown["blocks"] if block["type"] == "actions"]
        return {one["action_id"]: one for block in found for one in block["elements"]}

    @property
    def words(self) -> str:
        """All texts of the blocks."""
        return "\n".join(_texts(self.shown["blocks"]))


def _texts(part: Any) -> list[str]:
    if isinstance(part, list):
        return [text for one in part for text in _texts(one)]
    if isinstance(part, dict):
        own = [part["text"]] if isinstance(part.get("text"), str) else []
        return own + [text for value in part.values() if isinstance(value, dict | list) for text in _texts(value)]
    return []


@dataclass
class SlackServer:
    """A workspace with one app."""

    url: str = ""
    messages: list[Posted] = field(default_factory=list)
    responses: list[dict[str, Any]] = field(default_factory=list)
    limited: int = 0  # how many of the next calls are rate limited
    members: set[str] = field(default_factory=lambda: {"UANN", "UBOB", "UEVE"})
    over: threading.Event = field(default_factory=threading.Event)

    # the Web API

    def handle(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Answer a call of the API, or take what is sent to a response address."""
        if path.startswith("/response/"):
            self.responses.append(body)
            return Answer(200, {"ok": True})
        if headers.get("authorization") != f"Bearer {TOKEN}":
            return Answer(200, {"ok": False, "error": "invalid_auth"})
        if self.limited:
            self.limited -= 1
            return Answer(429, {"ok": False, "error": "ratelimited"}, (("Retry-After", "1"),))
        if path == "/api/auth.test":
            return Answer(200, {"ok": True, "user": "interlock", "team": "Shop", "team_id": TEAM})
        error = find_error(body)
        if error:
            return Answer(200, {"ok": False, "error": error})
        return {"/api/chat.postMessage": self._post, "/api/chat.update": self._update}[path](body)

    def _post(self, body: dict[str, Any]) -> Answer:
        if body["channel"] not in self.members:
            return Answer(200, {"ok": False, "error": "channel_not_found"})
        posted = Posted(f"D{body['channel']}", f"{time.time():.6f}", body)
        self.messages.append(posted)
        return Answer(200, {"ok": True, "channel": posted.channel, "ts": posted.ts})

    def _update(self, body: dict[str, Any]) -> Answer:
        for one in self.messages:
            if (one.channel, one.ts) == (body["channel"], body["ts"]):
                one.shown = body
                return Answer(200, {"ok": True, "ts": one.ts})
        return Answer(200, {"ok": False, "error": "message_not_found"})

    def of(self, member: str) -> list[Posted]:
        """Return the messages to a member."""
        return [one for one in self.messages if one.channel == f"D{member}"]

    def find(self, ts: str) -> Posted:
        """Return a message by its time stamp."""
        return next(one for one in self.messages if one.ts == ts)

    # what people do

    def pressed(self, posted: Posted, action: str, member: str, **changes: Any) -> bytes:
        """Return the body that Slack sends when a member presses a button."""
        payload = {
            "type": "block_actions",
            "trigger_id": f"{time.time_ns()}.1",
            "user": {"id": member, "username": "somebody", "team_id": TEAM},
            "team": {"id": TEAM, "domain": "example"},
            "container": {"type": "message", "channel_id": posted.channel, "message_ts": posted.ts},
            "actions": [{"type": "button", "block_id": "b", **posted.buttons[action]}],
            "response_url": f"{self.url}/response/1",
            **changes,
        }
        return urlencode({"payload": json.dumps(payload)}).encode()

    def typed(self, text: str, member: str) -> bytes:
        """Return the body that Slack sends when a member types `/interlock …`."""
        fields = {"command": "/interlock", "text": text, "user_id": member, "team_id": TEAM}
        return urlencode({**fields, "response_url": f"{self.url}/response/2"}).encode()


def deliver(port: int, body: bytes, *, at: float | None = None, secret: str = SECRET, channel: str = "ops") -> Reply:
    """Sign a body, and send it to a server."""
    headers = sign(secret, int(time.time() if at is None else at), body)
    return Client(port, {**headers, "content-type": "application/x-www-form-urlencoded"}).send(
        "POST", f"/v1/channels/{channel}/slack", body
    )


def find_error(body: dict[str, Any]) -> str:
    """Return the error that Slack reports for a message that breaks its limits."""
    blocks = body.get("blocks", [])
    if not body.get("text") or len(blocks) > 50:
        return "invalid_blocks"
    for block in blocks:
        if block["type"] not in ("rich_text", "context", "actions") or not block["elements"]:
            return "invalid_blocks"
        for one in block["elements"]:
            if one["type"] == "button" and (len(one["text"]["text"]) > 75 or len(one.get("value", "-")) > 2_000):
                return "invalid_blocks"
    return "invalid_blocks" if any(not text or len(text) > 3_000 for text in _texts(blocks)) else ""
