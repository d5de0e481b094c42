"""Notifications of browsers and phones (Web Push): encrypted for one browser, and sent to its vendor's service."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

import msgspec

from interlock.config.channels import BROWSER
from interlock.errors import InterlockError, TamperedError
from interlock.http_client import HttpError, post
from interlock.server.notify.browsers import Browser, Browsers
from interlock.server.notify.channel import ENDED, ChannelError, Notification, Receipt
from interlock.server.notify.push_key import PushKey
from interlock.server.webhooks.address_policy import AddressPolicy, origin
from interlock.store.clock import MICROSECONDS, now

TIMEOUT_SECONDS = 15.0
#: How long a push service keeps a message for a browser that is not running, and how long a signature is valid.
MAX_TTL, SIGNED_SECONDS = 86_400, 12 * 3_600
#: The body of a message is cut, since push services take up to 4,096 bytes.
MAX_BODY = 600
#: Statuses of a push service for a browser that is gone.
_GONE = (404, 410)
#: The contact for push services, if the server has no public URL.
_CONTACT = "mailto:interlock@example.invalid"


class WebPushChannel:
    """Sends to the browsers that people have registered. A recipient is the id of a browser."""

    name, interactive = BROWSER, False

    def __init__(self, browsers: Browsers, key: PushKey, policy: AddressPolicy, url: str) -> None:
        self._browsers, self._key, self._policy = browsers, key, policy
        self._contact = url if url.startswith("https://") else _CONTACT

    def send(self, notification: Notification, recipient: str) -> Receipt:
        """Show a notification in a browser."""
        try:
            browser = self._browsers.get_verified(recipient)
        except TamperedError as error:
            raise ChannelError(str(error), final=True) from None
        if browser is None:
            raise ChannelError("the browser was removed", final=True)
        self._push(notification, browser)
        return Receipt({})

    def update(self, notification: Notification, recipient: str, receipt: Receipt) -> None:  # noqa: ARG002 - protocol
        """Replace the notification: the browser knows it by the request's id."""
        self.send(notification, recipient)

    def _push(self, notification: Notification, browser: Browser) -> None:
        body = encrypt(message_for(notification), browser)
        headers = {
            "content-type": "application/octet-stream",
            "content-encoding": "aes128gcm",
            "ttl": str(_seconds_to_live(notification)),
            "urgency": "normal" if notification.kind == ENDED else "high",
            **self._authorization(browser),
        }
        try:
            target = self._policy.check(browser.endpoint)
            deadline = time.monotonic() + TIMEOUT_SECONDS
            status = post(target, headers, body, deadline=deadline, max_reply=1_024).status
        except HttpError as error:
            raise ChannelError(error.failure.describe("the push service")) from None
        except InterlockError as error:
            raise ChannelError(str(error), final=True) from None
        self._check(status, browser)

    def _check(self, status: int, browser: Browser) -> None:
        if status in _GONE:
            self._browsers.remove(browser.browser_id, browser.person, "interlock")
            raise ChannelError("the browser no longer accepts notifications and was removed", final=True)
        if not 200 <= status < 300:
            final = status in (400, 401, 403, 413)
            raise ChannelError(f"the push service answered with status {status}", final=final)

    def _authorization(self, browser: Browser) -> dict[str, str]:
        from py_vapid import Vapid02

        claims = {"aud": origin(browser.endpoint), "exp": int(time.time()) + SIGNED_SECONDS, "sub": self._contact}
        signed: dict[str, str] = Vapid02.from_raw(self._key.secret.encode()).sign(claims)
        return signed


def is_installed() -> bool:
    """Whether the libraries for Web Push are installed."""
    from importlib.util import find_spec

    return find_spec("pywebpush") is not None


def message_for(notification: Notification) -> bytes:
    """Return what the service worker shows. It holds a path, so that it can lead nowhere but to these pages."""
    lines = [notification.summary, *(f"{name}: {value}" for name, value in notification.facts[:3])]
    message: dict[str, Any] = {
        "title": notification.title,
        "body": "\n".join(lines)[:MAX_BODY],
        "path": urlsplit(notification.url).path,
        "tag": notification.approval_id or "test",
        "ended": notification.kind == ENDED,
    }
    return msgspec.json.encode(message)


def encrypt(message: bytes, browser: Browser) -> bytes:
    """Return a message encrypted for one browser (RFC 8291)."""
    try:
        from pywebpush import WebPusher
    except ImportError:
        raise ChannelError("Web Push is not installed; run `pip install interlock[channels]`", final=True) from None
    keys = {"p256dh": browser.public_key, "auth": browser.auth}
    try:
        body: bytes = WebPusher({"endpoint": browser.endpoint, "keys": keys}).encode(message)["body"]
    except ValueError:
        raise ChannelError("the browser's key is not valid; remove the browser and add it again", final=True) from None
    return body


def _seconds_to_live(notification: Notification) -> int:
    """Return for how many seconds a message is worth showing: until the request expires."""
    if notification.ends_at is None:
        return MAX_TTL
    return max(60, min(MAX_TTL, (notification.ends_at - now().wall) // MICROSECONDS))
