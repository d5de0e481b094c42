"""A notification as a Telegram message. Texts of agents are escaped, and set as code: nothing in them is a link."""

from __future__ import annotations

import html
from typing import Any

from interlock.sanitise import plain
from interlock.server.notify.answer_tokens import ButtonTokens
from interlock.server.notify.channel import ENDED, Notification
from interlock.store.clock import format_time

#: Together less than the 4,096 characters that a message may have.
MAX_TITLE, MAX_SUMMARY, MAX_FACT, MAX_FACTS = 200, 1_500, 120, 8
_ELSEWHERE = "This approval needs more than a button. Open the request."


def message(notification: Notification, tokens: ButtonTokens | None) -> dict[str, Any]:
    """Return the fields of a message. Without tokens, it has no buttons to answer with."""
    found = {"text": "\n".join(_lines(notification, tokens)), "parse_mode": "HTML"}
    keyboard = _keyboard(notification, tokens)
    return {
        **found,
        "link_preview_options": {"is_disabled": True},
        "reply_markup": {"inline_keyboard": keyboard},
    }


def escape(text: str, limit: int) -> str:
    """Return a text on one line, cut and escaped for Telegram's HTML.

    >>> escape('<a href="tg://user?id=1">x</a> & y', 99)
    '&lt;a href="tg://user?id=1"&gt;x&lt;/a&gt; &amp; y'
    """
    text = plain(text)
    return html.escape(text if len(text) <= limit else f"{text[: limit - 1]}…", quote=False)


def _lines(notification: Notification, tokens: ButtonTokens | None) -> list[str]:
    lines = [f"<b>{escape(notification.title, MAX_TITLE)}</b>"]
    lines.append(f"<pre>{escape(notification.summary, MAX_SUMMARY)}</pre>")
    for name, value in notification.facts[:MAX_FACTS]:
        lines.append(f"{escape(name, MAX_FACT)}: <code>{escape(value, MAX_FACT)}</code>")
    if notification.kind != ENDED and notification.ends_at is not None:
        lines.append(f"Expires {format_time(notification.ends_at)[:16]} UTC")
    if tokens is not None and not tokens.approve:
        lines.append(_ELSEWHERE)
    lines.append(html.escape(notification.url, quote=False))
    return lines


def _keyboard(notification: Notification, tokens: ButtonTokens | None) -> list[list[dict[str, str]]]:
    answers = []
    if tokens is not None and tokens.approve and len(plain(notification.summary)) <= MAX_SUMMARY:
        answers.append({"text": "Approve once", "callback_data": tokens.approve})
    if tokens is not None and tokens.reject:
        answers.append({"text": "Reject", "callback_data": tokens.reject})
    rows = [answers] if answers else []
    if notification.url.startswith("https://"):  # Telegram rejects buttons with addresses of this machine
        rows.append([{"text": "Open", "url": notification.url}])
    return rows
