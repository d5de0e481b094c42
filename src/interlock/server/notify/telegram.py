"""Telegram as a channel: messages with buttons to one person's private chat, edited once the request has ended."""

from __future__ import annotations

from threading import Event
from typing import Any

from interlock.audit.journal import Journal
from interlock.config.channels import ChannelSettings
from interlock.server.notify.answer_tokens import AnswerTokens
from interlock.server.notify.channel import ChannelError, Notification, Receipt
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.chat_api import CALL_SECONDS, MAX_WAIT, TOO_MANY, ApiReply, ChatApi, read_token
from interlock.server.notify.stored_settings import StoredSettings, guard_for
from interlock.server.notify.telegram_message import message
from interlock.server.webhooks.address_policy import AddressPolicy

API_URL = "https://api.telegram.org"
#: How long Telegram holds a request for updates while there are none.
POLL_SECONDS = 25
MAX_ALERT = 200
_PEER = "Telegram"
#: Errors of an edit after which there is nothing left to edit.
_GONE = ("message is not modified", "message to edit not found", "message can't be edited")


class TelegramChannel:
    """A Telegram bot, by its token. `recipient` is the id of a person's private chat with it."""

    interactive = True

    def __init__(self, settings: ChannelSettings, journal: Journal, policy: AddressPolicy | None = None) -> None:
        self.name, self._settings = settings.name, settings
        self._api = ChatApi(settings.values.get("api_url", API_URL), _PEER, policy)
        self._tokens, self._accounts = AnswerTokens(journal), ChatAccounts(journal)

    @property
    def poll_name(self) -> str:
        """The name under which polling is leased. Another bot in a stored channel begins with its own updates."""
        if not isinstance(self._settings, StoredSettings):
            return self.name
        bot_id = self._settings.read_secret("token").partition(":")[0]
        return f"{self.name}:{bot_id[:20]}"

    def send(self, notification: Notification, recipient: str) -> Receipt:
        """Send a message with buttons, or raise `ChannelError`."""
        self._accounts.check_linked(self.name, notification.person, recipient)
        tokens = self._tokens.create(self.name, notification) if notification.approval_id else None
        found = self._call("sendMessage", {"chat_id": recipient, **message(notification, tokens)})
        message_id = found.get("message_id") if isinstance(found, dict) else None
        return Receipt({"chat_id": recipient, "message_id": str(message_id or "")})

    def update(self, notification: Notification, recipient: str, receipt: Receipt) -> None:
        """Replace a message by one without buttons to answer with, or raise `ChannelError`."""
        message_id = receipt.address.get("message_id", "")
        if not message_id.isdigit():
            return
        where = {"chat_id": receipt.address.get("chat_id", recipient), "message_id": int(message_id)}
        self._call("editMessageText", {**where, **message(notification, None)}, fine=_GONE)

    def connect(self) -> str:
        """Check the token; return the bot that it belongs to, or raise `ChannelError`."""
        found = self._call("getMe", {})
        return f"@{found.get('username')}" if isinstance(found, dict) and found.get("username") else "the bot"

    def say(self, chat_id: str, text: str) -> None:
        """Send a plain text to a chat."""
        self._call("sendMessage", {"chat_id": chat_id, "text": text, "link_preview_options": {"is_disabled": True}})

    def acknowledge(self, callback_id: str, text: str, *, alert: bool) -> None:
        """Show a person the result of pressing a button."""
        body = {"callback_query_id": callback_id, "text": text[:MAX_ALERT], "show_alert": alert}
        self._call("answerCallbackQuery", body, fine=("query is too old",))

    def get_updates(self, offset: int, stop: Event) -> list[dict[str, Any]]:
        """Return what has happened since an update; wait for a while if there is nothing yet."""
        body = {"offset": offset, "timeout": POLL_SECONDS, "allowed_updates": ["message", "callback_query"]}
        found = self._call("getUpdates", body, seconds=POLL_SECONDS + CALL_SECONDS, stop=stop)
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def _call(
        self,
        method: str,
        body: dict[str, Any],
        fine: tuple[str, ...] = (),
        *,
        seconds: float = CALL_SECONDS,
        stop: Event | None = None,
    ) -> Any:
        path = f"{self._api.base}/bot{read_token(self._settings)}/{method}"
        reply = self._api.call(path, body, seconds=seconds, stop=stop)
        if reply.status == 200 and reply.body.get("ok") is True:
            return reply.body.get("result")
        error = str(reply.body.get("description", f"status {reply.status}"))[:200]
        if not any(text in error for text in fine):
            passing = reply.status in (200, TOO_MANY) or reply.status >= 500
            raise ChannelError(f"{_PEER} answered `{error}`", final=not passing, wait=_wait(reply))
        return None


def _wait(reply: ApiReply) -> float | None:
    """Return how many seconds Telegram asks to wait."""
    parameters = reply.body.get("parameters")
    given = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return min(float(given), MAX_WAIT) if isinstance(given, int) else reply.wait


CHANNELS = {
    "telegram": lambda settings, policy, journal: TelegramChannel(settings, journal, guard_for(settings, policy)),
}
