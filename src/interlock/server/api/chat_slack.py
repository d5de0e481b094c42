"""`POST /v1/channels/{name}/slack`: pressed buttons and commands from Slack, authenticated by Slack's signature."""

from __future__ import annotations

import logging
import time
from asyncio import to_thread
from typing import Any

from litestar import Request, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from interlock.errors import ConfigError, InterlockError
from interlock.server.api.parameters import ServiceDependency
from interlock.server.authorization import OPEN
from interlock.server.notify.chat_commands import ChatCommands, ChatReply
from interlock.server.notify.chats import Chats
from interlock.server.notify.slack import SlackChannel
from interlock.server.notify.slack_events import SlackEvent, parse_event
from interlock.server.notify.slack_message import escape
from interlock.server.notify.slack_signature import refuse_replay, verify
from interlock.server.problems import RequestError

#: Slack waits three seconds. An answer that takes longer is recorded all the same.
ANSWER_SECONDS = 2.0
HELP = (
    "To link your account, create a code under Settings → Chat accounts in Interlock, then type /interlock link CODE."
)
ChatsDependency = NamedDependency[Chats]
_LOG = logging.getLogger("interlock.server")


@post("/channels/{name:str}/slack", opt={"right": OPEN}, status_code=200, include_in_schema=False)
async def receive(
    request: Request[Any, Any, Any], service: ServiceDependency, chats: ChatsDependency, name: FromPath[str]
) -> dict[str, Any]:
    """Take a pressed button or a command."""
    channel = chats.get_slack(name)
    body = await request.body()
    headers = {header.lower(): value for header, value in request.headers.items()}
    signature = verify(await to_thread(_signing_secret, channel), headers, body, time.time())
    await service.journal.acommit(lambda transaction: refuse_replay(transaction, name, signature))
    event = parse_event(name, body)
    if event is None:
        return {}
    if event.response_url:
        channel.check_response_url(event.response_url)
    if event.text is not None:
        reply = await to_thread(_run_command, chats.commands, event)
        return {"response_type": "ephemeral", "text": escape(reply.text)}
    if event.token:
        await chats.finish(to_thread(_press, channel, chats.commands, event), ANSWER_SECONDS)
    return {}


def _signing_secret(channel: SlackChannel) -> str:
    """Return the secret of a channel, or raise without telling strangers where it should be."""
    try:
        return channel.signing_secret
    except ConfigError as error:
        _LOG.error("requests of Slack are rejected: %s", error)
        raise RequestError(503, "this channel is not ready; see the server's log") from None


def _run_command(commands: ChatCommands, event: SlackEvent) -> ChatReply:
    verb, _, code = (event.text or "").strip().partition(" ")
    return commands.link(event.sender, code) if verb == "link" and code else ChatReply(HELP)


def _press(channel: SlackChannel, commands: ChatCommands, event: SlackEvent) -> None:
    """Give the answer of a button, and tell the person what happened."""
    reply = commands.press(event.sender, event.token)
    try:
        if event.response_url:
            channel.respond(event.response_url, reply.text)
        if reply.notification is not None:
            channel.update(reply.notification, event.sender.member, event.message)
    except InterlockError as error:  # the answer is recorded, and its page shows it
        _LOG.warning("channel %s: %s", channel.name, error)


ROUTES = [receive]
