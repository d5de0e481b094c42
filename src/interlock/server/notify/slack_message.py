"""A notification as a Slack message. Texts of agents go into rich text, in which nothing is markup."""

from __future__ import annotations

from typing import Any

from interlock.sanitise import plain
from interlock.server.notify.answer_tokens import ButtonTokens
from interlock.server.notify.channel import ENDED, Notification
from interlock.store.clock import MICROSECONDS, format_time

MAX_TITLE, MAX_SUMMARY, MAX_FACT, MAX_FACTS = 150, 2_000, 200, 10
APPROVE, REJECT, OPEN = "interlock.approve", "interlock.reject", "interlock.open"
_ELSEWHERE = "This approval needs more than a button. Open the request."


def message(notification: Notification, tokens: ButtonTokens | None) -> dict[str, Any]:
    """Return the fields of a message. Without tokens, it has no buttons to answer with."""
    return {
        "text": escape(_cut(notification.title, MAX_TITLE)),  # shown in the notification of a phone
        "blocks": [_rich_text(notification), *_notes(notification, tokens), _buttons(notification, tokens)],
        "mrkdwn": False,
        "parse": "none",
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def escape(text: str) -> str:
    """Return a text that Slack prints as it is: no mention, link or command.

    >>> escape("<!channel> & <https://evil.example|ok>")
    '&lt;!channel&gt; &amp; &lt;https://evil.example|ok&gt;'
    """
    return plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cut(text: str, limit: int) -> str:
    """Return a text on one line that Slack accepts: not empty, and not too long."""
    text = plain(text)
    return (text if len(text) <= limit else f"{text[: limit - 1]}…") or "–"


def _rich_text(notification: Notification) -> dict[str, Any]:
    facts = [part for name, value in notification.facts[:MAX_FACTS] for part in _fact(name, value)]
    sections = [
        {"type": "rich_text_section", "elements": [_text(notification.title, MAX_TITLE, bold=True)]},
        {"type": "rich_text_preformatted", "elements": [_text(notification.summary, MAX_SUMMARY)]},
        *([{"type": "rich_text_section", "elements": facts}] if facts else []),
    ]
    return {"type": "rich_text", "elements": sections}


def _fact(name: str, value: str) -> list[dict[str, Any]]:
    return [_text(f"{name}: ", MAX_FACT), _text(value, MAX_FACT, bold=True), {"type": "text", "text": "\n"}]


def _text(text: str, limit: int, *, bold: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": _cut(text, limit)} | ({"style": {"bold": True}} if bold else {})


def _notes(notification: Notification, tokens: ButtonTokens | None) -> list[dict[str, Any]]:
    """Return until when a request can be answered, and whether here."""
    notes = []
    if notification.kind != ENDED and notification.ends_at is not None:
        seconds = notification.ends_at // MICROSECONDS
        shown = f"{format_time(notification.ends_at)} UTC"
        notes.append(f"Expires <!date^{seconds}^{{date_short_pretty}} at {{time}}|{shown}>")
    if tokens is not None and not tokens.approve:
        notes.append(_ELSEWHERE)
    elements = [{"type": "mrkdwn", "text": note, "verbatim": True} for note in notes]
    return [{"type": "context", "elements": elements}] if elements else []


def _buttons(notification: Notification, tokens: ButtonTokens | None) -> dict[str, Any]:
    buttons = [_button(OPEN, "Open", url=notification.url)]
    if tokens is not None and tokens.reject:
        buttons.insert(0, _button(REJECT, "Reject", style="danger", value=tokens.reject))
    if tokens is not None and tokens.approve and len(plain(notification.summary)) <= MAX_SUMMARY:
        buttons.insert(0, _button(APPROVE, "Approve once", style="primary", value=tokens.approve))
    return {"type": "actions", "elements": buttons}


def _button(action: str, label: str, **fields: str) -> dict[str, Any]:
    return {"type": "button", "action_id": action, "text": {"type": "plain_text", "text": label}, **fields}
