"""`/v1/channels`: the channels for notifications; those in the store are added, changed, tested and removed here."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.model import Struct
from interlock.server.administration.channel_changes import (
    ChannelInput,
    add_channel,
    change_channel,
    set_state,
    split_values,
)
from interlock.server.administration.channel_test import try_channel
from interlock.server.administration.channels import ChannelState, list_channels
from interlock.server.api.parameters import MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.stored_channels import StoredChannel
from interlock.server.service import Service

ChannelName = Annotated[str, msgspec.Meta(max_length=40, description="lower-case letters, digits and dashes")]
Values = Annotated[
    dict[Annotated[str, msgspec.Meta(max_length=40)], Annotated[str, msgspec.Meta(max_length=2_000)]],
    msgspec.Meta(
        max_length=10,
        description="`token`, `signing_secret` and `api_url` for Slack; `token` and `api_url` for Telegram; "
        "`url` for Apprise. Secrets are never returned.",
    ),
]


class NewChannel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel to add."""

    name: ChannelName
    kind: Annotated[str, msgspec.Meta(max_length=40, description="`slack`, `telegram` or `apprise`")]
    values: Values = msgspec.field(default_factory=dict)


class ChannelChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a channel. Values that are missing stay as they are; an empty `api_url` is removed."""

    values: Values | None = None
    state: Literal["active", "paused"] | None = None


class ChannelList(Struct, frozen=True, kw_only=True):
    """The channel to browsers, those of configuration files and those of the store."""

    items: list[ChannelState]


class TriedChannel(Struct, frozen=True, kw_only=True):
    """The result of a test: the account at the service, how many messages were sent, and why it failed."""

    account: str = ""
    sent: int = 0
    error: str = ""


@get("/channels", opt={"right": SEE}, responses=problem_responses(), summary="All channels", tags=["channels"])
async def list_all(service: ServiceDependency) -> ChannelList:
    """List the channels."""
    return ChannelList(items=await to_thread(list_channels, service))


@post(
    "/channels",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Add a channel",
    description="It is used at once by every server on the store. A name that a configuration file uses is refused. "
    "Addresses in the internal network have to be listed in `server.webhooks_inside`.",
    tags=["channels"],
)
async def create(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewChannel]) -> StoredChannel:
    """Add a channel."""
    settings, secrets = split_values(data.kind, data.values)
    given = ChannelInput(name=data.name, kind=data.kind, settings=settings, secrets=secrets)
    return await to_thread(add_channel, service, given, request.user.name)


@get(
    "/channels/{name:str}",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="One channel of the store",
    tags=["channels"],
)
async def get_channel(service: ServiceDependency, name: FromPath[str]) -> StoredChannel:
    """Show a stored channel."""
    return await to_thread(service.notifier.stored_channels.get, name)


@patch(
    "/channels/{name:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Change, pause or resume a channel",
    description="A paused channel sends nothing and takes no answers. If `api_url` changes, the secrets must be sent "
    "again, since they would go to another address.",
    tags=["channels"],
)
async def change(
    request: ApiRequest, service: ServiceDependency, name: FromPath[str], data: JSONBody[ChannelChange]
) -> StoredChannel:
    """Change a channel."""
    return await to_thread(_change, service, name, data, request.user.name)


def _change(service: Service, name: str, data: ChannelChange, actor: str) -> StoredChannel:
    found = service.notifier.stored_channels.get(name)
    if data.values is not None:
        settings, secrets = split_values(found.kind, data.values)
        kept = {key: value for key, value in {**found.settings, **settings}.items() if value}
        found = change_channel(service, name, kept, secrets, actor)
    return found if data.state is None else set_state(service, name, data.state, actor)


@delete(
    "/channels/{name:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Remove a channel",
    tags=["channels"],
)
async def remove(request: ApiRequest, service: ServiceDependency, name: FromPath[str]) -> StoredChannel:
    """Remove a channel."""
    return await to_thread(service.notifier.stored_channels.remove, name, request.user.name)


@post(
    "/channels/{name:str}/test",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Test a channel",
    description="Checks the token of a chat, and sends a test message to the caller's own addresses.",
    tags=["channels"],
)
async def test(request: ApiRequest, service: ServiceDependency, name: FromPath[str]) -> TriedChannel:
    """Test a channel."""

    def work() -> TriedChannel:
        try:
            done = try_channel(service, name, request.user.name, connect=True)
        except ChannelError as error:
            return TriedChannel(error=str(error))
        return TriedChannel(account=done.account, sent=done.sent)

    return await to_thread(work)


ROUTES: list[Any] = [list_all, create, get_channel, change, remove, test]
