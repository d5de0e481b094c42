"""Events from Slack: a pressed button, or the command `/interlock`. Only the sender in them is trusted."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qs

import msgspec

from interlock.errors import InterlockError
from interlock.server.notify.channel import Receipt
from interlock.server.notify.chat_commands import Sender
from interlock.server.notify.slack_message import APPROVE, REJECT

MAX_FIELDS = 50
MAX_TOKEN, MAX_TEXT = 100, 200


class SlackEvent(NamedTuple):
    """A button with its `token` and `message`, or a command with its `text`; neither for events without an answer."""

    sender: Sender
    response_url: str
    token: str = ""
    text: str | None = None
    message: Receipt = Receipt({})


class _User(msgspec.Struct, frozen=True):
    id: str
    team_id: str = ""


class _Team(msgspec.Struct, frozen=True):
    id: str = ""


class _SlackAction(msgspec.Struct, frozen=True):
    action_id: str = ""
    value: str = ""


class _Container(msgspec.Struct, frozen=True):
    channel_id: str = ""
    message_ts: str = ""


class _SlackPayload(msgspec.Struct, frozen=True):
    type: str
    user: _User
    team: _Team | None = None
    actions: list[_SlackAction] = []
    container: _Container = _Container()
    response_url: str = ""


_DECODER = msgspec.json.Decoder(_SlackPayload)


def parse_event(channel: str, body: bytes) -> SlackEvent | None:
    """Return what a signed request says, or None if it only checks the address; raise if it is malformed."""
    try:
        form = parse_qs(body.decode("utf-8"), max_num_fields=MAX_FIELDS)
        given = {name: values[0] for name, values in form.items()}
        return _parse(channel, given)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise InterlockError("the body is not a Slack payload") from None


def _parse(channel: str, given: dict[str, str]) -> SlackEvent | None:
    if "ssl_check" in given:
        return None
    if "payload" in given:
        return _parse_button_press(channel, _DECODER.decode(given["payload"]))
    sender = Sender("slack", channel, given.get("user_id", ""), given.get("team_id", ""))
    return SlackEvent(sender, given.get("response_url", ""), text=given.get("text", "")[:MAX_TEXT])


def _parse_button_press(channel: str, payload: _SlackPayload) -> SlackEvent:
    team = payload.user.team_id or (payload.team.id if payload.team else "")
    action = payload.actions[0] if payload.actions and payload.type == "block_actions" else _SlackAction()
    token = action.value if action.action_id in (APPROVE, REJECT) else ""
    sender, where = Sender("slack", channel, payload.user.id, team), payload.container
    message = Receipt({"channel": where.channel_id, "ts": where.message_ts})
    return SlackEvent(sender, payload.response_url, token[:MAX_TOKEN], message=message)
