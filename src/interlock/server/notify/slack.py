"""Slack as a channel: messages with buttons to one person, updated once the request has ended."""

from __future__ import annotations

from typing import Any

from interlock.audit.journal import Journal
from interlock.config.channels import ChannelSettings
from interlock.errors import InterlockError
from interlock.server.notify.answer_tokens import AnswerTokens
from interlock.server.notify.channel import ChannelError, Notification, Receipt
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.chat_api import TOO_MANY, ApiReply, ChatApi, origin_of, read_token
from interlock.server.notify.slack_message import escape, message
from interlock.server.notify.stored_settings import guard_for
from interlock.server.webhooks.address_policy import AddressPolicy, parse_webhook_url

API_URL = "https://slack.com/api"
_PEER = "Slack"
#: Errors after which a retry may succeed. All others need a change of the settings or the account.
_PASSING = frozenset({"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"})
#: Errors of an update after which there is nothing left to update.
_GONE = frozenset({"message_not_found", "channel_not_found", "is_inactive"})


class SlackChannel:
    """A Slack app, by its bot token. `recipient` is a member id."""

    interactive = True

    def __init__(self, settings: ChannelSettings, journal: Journal, policy: AddressPolicy | None = None) -> None:
        self.name, self._settings = settings.name, settings
        self._url = settings.values.get("api_url", API_URL)
        self._policy = policy
        self._api = ChatApi(self._url, _PEER, policy)
        self._tokens, self._accounts = AnswerTokens(journal), ChatAccounts(journal)

    @property
    def signing_secret(self) -> str:
        """The secret with which Slack signs its requests."""
        return self._settings.read_secret("signing_secret")

    def send(self, notification: Notification, recipient: str) -> Receipt:
        """Send a message with buttons, or raise `ChannelError`."""
        self._accounts.check_linked(self.name, notification.person, recipient)
        tokens = self._tokens.create(self.name, notification) if notification.approval_id else None
        reply = self._call("chat.postMessage", {"channel": recipient, **message(notification, tokens)})
        return Receipt({"channel": str(reply.get("channel", "")), "ts": str(reply.get("ts", ""))})

    def update(self, notification: Notification, recipient: str, receipt: Receipt) -> None:  # noqa: ARG002
        """Replace a message by one without buttons to answer with, or raise `ChannelError`."""
        where = {"channel": receipt.address.get("channel", ""), "ts": receipt.address.get("ts", "")}
        self._call("chat.update", {**where, **message(notification, None)}, fine=_GONE)

    def respond(self, response_url: str, text: str) -> None:
        """Tell the person who pressed a button what happened, or raise if the address is not Slack's."""
        self.check_response_url(response_url)
        api = ChatApi(response_url, _PEER, self._policy)
        body = {"response_type": "ephemeral", "replace_original": False, "text": escape(text)}
        reply = api.call(api.base, body)
        if reply.status != 200:
            raise ChannelError(f"{_PEER} answered with status {reply.status}")

    def connect(self) -> str:
        """Check the token; return the account that it belongs to, or raise `ChannelError`."""
        reply = self._call("auth.test", {})
        return f"{reply.get('user', 'the app')} in {reply.get('team', 'the workspace')}"

    def check_response_url(self, url: str) -> None:
        """Raise unless a URL from a payload is at Slack: at the host of the API, or at its `hooks.` host."""
        parse_webhook_url(url)
        scheme, host, port = origin_of(self._url)
        if origin_of(url) not in ((scheme, host, port), ("https", f"hooks.{host}", 443)):
            raise InterlockError("the response address is not at Slack; nothing was sent there")

    def _call(self, method: str, body: dict[str, Any], fine: frozenset[str] = frozenset()) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {read_token(self._settings)}"}
        reply = self._api.call(f"{self._api.base}/{method}", body, headers)
        error = _error_of(reply)
        if error and error not in fine:
            passing = error in _PASSING or reply.status == TOO_MANY or reply.status >= 500
            raise ChannelError(f"{_PEER} answered `{error}`", final=not passing, wait=reply.wait)
        return reply.body


def _error_of(reply: ApiReply) -> str:
    """Return the name of an error, or nothing."""
    if reply.status == TOO_MANY:
        return "ratelimited"
    if reply.status != 200:
        return f"status {reply.status}"
    return "" if reply.body.get("ok") is True else str(reply.body.get("error", "no valid reply"))[:80]


CHANNELS = {
    "slack": lambda settings, policy, journal: SlackChannel(settings, journal, guard_for(settings, policy)),
}
