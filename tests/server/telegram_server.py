"""Telegram on this machine: the methods of its Bot API that a bot uses, with the limits that it enforces."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from tests.server.chat_server import Answer

TOKEN = "123456:for-tests"
TAGS = {"b", "code", "pre"}


class _Reader(HTMLParser):
    """Reads Telegram's HTML: the text, the tags, and which text is code."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.code, self.open, self.bad = "", "", [""], False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag."""
        self.open.append(tag)
        self.bad = self.bad or tag not in TAGS or bool(attrs)

    def handle_endtag(self, tag: str) -> None:
        """Close a tag."""
        self.bad = self.bad or self.open.pop() != tag

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self.text += data
        self.code += data if self.open[-1] in ("code", "pre") else ""


@dataclass
class Sent:
    """A message, as Telegram shows it now."""

    message_id: int
    chat_id: str
    text: str
    code: str
    keyboard: list[list[dict[str, str]]]

    @property
    def buttons(self) -> dict[str, str]:
        """What the buttons carry, by their labels."""
        return {one["text"]: one.get("callback_data", "") for row in self.keyboard for one in row}


@dataclass
class TelegramServer:
    """A Telegram server with one bot."""

    url: str = ""
    messages: list[Sent] = field(default_factory=list)
    alerts: list[dict[str, Any]] = field(default_factory=list)
    limited: int = 0  # how many of the next messages are rate limited
    conflicts: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    _updates: list[dict[str, Any]] = field(default_factory=list)
    _polling: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Any = field(default_factory=lambda: itertools.count(1_000))

    # the Bot API

    def handle(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Answer a call of a method."""
        bot, _, method = path.removeprefix("/").partition("/")
        if bot != f"bot{TOKEN}":
            return _failed(401, "Unauthorized")
        if method == "sendMessage" and self.limited:
            self.limited -= 1
            return _failed(429, "Too Many Requests: retry after 1", retry_after=1)
        return getattr(self, f"_{method}")(body)  # type: ignore[no-any-return]

    def _getUpdates(self, body: dict[str, Any]) -> Answer:  # noqa: N802
        if not self._polling.acquire(blocking=False):
            self.conflicts += 1
            return _failed(409, "Conflict: terminated by other getUpdates request")
        try:
            self._updates = [one for one in self._updates if one["update_id"] >= body["offset"]]
            deadline = time.monotonic() + body["timeout"]
            while not self._updates and time.monotonic() < deadline and not self.over.wait(0.01):
                pass
            return _done(list(self._updates))
        finally:
            self._polling.release()

    def _getMe(self, body: dict[str, Any]) -> Answer:  # noqa: N802
        return _done({"id": 123456, "is_bot": True, "username": "shop_bot"})

    def _sendMessage(self, body: dict[str, Any]) -> Answer:  # noqa: N802
        sent = _read(next(self._numbers), str(body["chat_id"]), body)
        if sent is None:
            return _failed(400, "Bad Request: can't parse entities")
        self.messages.append(sent)
        return _done({"message_id": sent.message_id})

    def _editMessageText(self, body: dict[str, Any]) -> Answer:  # noqa: N802
        for index, one in enumerate(self.messages):
            if one.message_id == body["message_id"]:
                edited = _read(one.message_id, one.chat_id, body)
                if edited is None:
                    return _failed(400, "Bad Request: can't parse entities")
                self.messages[index] = edited
                return _done({"message_id": one.message_id})
        return _failed(400, "Bad Request: message to edit not found")

    def _answerCallbackQuery(self, body: dict[str, Any]) -> Answer:  # noqa: N802
        self.alerts.append(body)
        return _done(True)

    def of(self, member: int) -> list[Sent]:
        """Return the messages in the private chat of a member."""
        return [one for one in self.messages if one.chat_id == str(member)]

    def find(self, message_id: int | str) -> Sent:
        """Return a message by its id, as it is shown now."""
        return next(one for one in self.messages if str(one.message_id) == str(message_id))

    # what people do

    def press(self, data: str, member: int, message_id: int = 1, **chat: Any) -> str:
        """Press a button of a message; return the id of the query."""
        number = next(self._numbers)
        message = {"message_id": message_id, "chat": {"id": member, "type": "private", **chat}}
        query = {"id": str(number), "from": {"id": member}, "message": message, "data": data}
        self._updates.append({"update_id": number, "callback_query": query})
        return str(number)

    def write(self, text: str, member: int, **more: Any) -> None:
        """Write a message to the bot."""
        message = {"message_id": 2, "from": {"id": member}, "chat": {"id": member, "type": "private"}, "text": text}
        self._updates.append({"update_id": next(self._numbers), "message": {**message, **more}})


def _done(result: Any) -> Answer:
    return Answer(200, {"ok": True, "result": result})


def _failed(status: int, description: str, **parameters: int) -> Answer:
    body = {"ok": False, "error_code": status, "description": description, "parameters": parameters}
    return Answer(status, body)


def _read(number: int, chat_id: str, body: dict[str, Any]) -> Sent | None:
    """Return a message as it is shown, or None if it breaks a limit."""
    reader = _Reader()
    if body.get("parse_mode") == "HTML":
        reader.feed(body["text"])
        reader.close()
    else:
        reader.text = body["text"]
    keyboard = body.get("reply_markup", {}).get("inline_keyboard", [])
    data = [one.get("callback_data", "-") for row in keyboard for one in row]
    if reader.bad or reader.open != [""] or len(reader.text) > 4_096 or any(len(one.encode()) > 64 for one in data):
        return None
    return Sent(number, chat_id, reader.text, reader.code, keyboard)
