"""`/v1/webhooks`: who is told of what is recorded, and what became of telling them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.model import Struct
from interlock.server.api.shared import MANAGE, Call, CursorText, Limit, Served, problems, threaded
from interlock.server.webhooks.delivery import Delivery, newest
from interlock.server.webhooks.outbox import retry
from interlock.server.webhooks.signing import new_secret
from interlock.server.webhooks.webhook import DEFAULT_KINDS, Webhook
from interlock.server.wire import Page
from interlock.store.paging import PageCursor, parse_cursor

Address = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000, description="`https://host/path`")]
Kinds = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=40)]],
    msgspec.Meta(min_length=1, max_length=50, description="kinds of records, or families of them, such as `approval`"),
]


class NewWebhook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A webhook to set up."""

    url: Address
    kinds: Kinds = msgspec.field(default_factory=lambda: list(DEFAULT_KINDS))


class MadeWebhook(Struct, frozen=True, kw_only=True):
    """A webhook that was set up. `secret` is shown this once; messages are signed with it."""

    webhook: Webhook
    secret: str


class ChangeWebhook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is changed about a webhook. `rotateSecret` gives it a new secret, which counts at once."""

    url: Address | None = None
    kinds: Kinds | None = None
    state: Literal["active", "off"] | None = None
    rotate_secret: bool = False


class ChangedWebhook(Struct, frozen=True, kw_only=True):
    """A webhook as it is now, and its secret where that is a new one; it is shown this once."""

    webhook: Webhook
    secret: str | None = None


class WebhookList(Struct, frozen=True, kw_only=True):
    """All webhooks, without their secrets."""

    items: list[Webhook]


class Pinged(Struct, frozen=True, kw_only=True):
    """What became of a message that was sent as a trial."""

    delivered: bool
    status: int | None
    error: str


@get("/webhooks", opt={"right": MANAGE}, responses=problems(), summary="All webhooks", tags=["webhooks"])
async def list_webhooks(service: Served) -> WebhookList:
    """List the webhooks."""
    return WebhookList(items=await threaded(service.courier.webhooks.list))


@post(
    "/webhooks",
    opt={"right": MANAGE},
    responses=problems(),
    summary="Set up a webhook",
    description="Records from now on are sent to the URL, signed after the Standard Webhooks convention, at least "
    "once each, and in about their order. The secret is in the answer, and is not shown again. Without `kinds`, it is "
    "told of approvals and of policies that matched. A host inside the network has to be named in "
    "`server.webhooks_inside`.",
    tags=["webhooks"],
)
async def make_webhook(request: Call, service: Served, data: JSONBody[NewWebhook]) -> MadeWebhook:
    """Set up a webhook."""
    made, secret = await threaded(service.courier.webhooks.make, data.url, data.kinds, request.user.name)
    return MadeWebhook(webhook=made, secret=secret)


@get(
    "/webhooks/{webhook_id:str}", opt={"right": MANAGE}, responses=problems(), summary="One webhook", tags=["webhooks"]
)
async def get_webhook(service: Served, webhook_id: FromPath[str]) -> Webhook:
    """Show a webhook."""
    return await threaded(service.courier.webhooks.get, webhook_id)


@patch(
    "/webhooks/{webhook_id:str}",
    opt={"right": MANAGE},
    responses=problems(),
    summary="Change a webhook, switch it on or off, or give it a new secret",
    description="While it is off, nothing is noted for it and nothing sent; switched on, it is told of what had waited "
    "before, and of records from then on.",
    tags=["webhooks"],
)
async def change_webhook(
    request: Call, service: Served, webhook_id: FromPath[str], data: JSONBody[ChangeWebhook]
) -> ChangedWebhook:
    """Change a webhook."""
    given = {"url": data.url, "kinds": data.kinds, "state": data.state}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if data.rotate_secret:
        changes["secret"] = new_secret()
    if not changes:
        return ChangedWebhook(webhook=await threaded(service.courier.webhooks.get, webhook_id))
    changed = await threaded(service.courier.webhooks.change, webhook_id, request.user.name, **changes)
    return ChangedWebhook(webhook=changed, secret=changes.get("secret"))


@delete(
    "/webhooks/{webhook_id:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(),
    summary="Remove a webhook",
    tags=["webhooks"],
)
async def remove_webhook(request: Call, service: Served, webhook_id: FromPath[str]) -> Webhook:
    """Remove a webhook."""
    return await threaded(service.courier.webhooks.remove, webhook_id, request.user.name)


@post(
    "/webhooks/{webhook_id:str}/test",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(),
    summary="Try a webhook",
    description="Sends a message of the kind `ping` now, and says what came back. It is not sent again.",
    tags=["webhooks"],
)
async def try_webhook(request: Call, service: Served, webhook_id: FromPath[str]) -> Pinged:
    """Send a message that tells of nothing."""
    reply = await service.courier.ping(webhook_id, request.user.name)
    return Pinged(delivered=not reply.error, status=reply.status, error=reply.error)


@get(
    "/webhooks/{webhook_id:str}/deliveries",
    opt={"right": MANAGE},
    responses=problems(),
    summary="What became of telling a webhook, the newest records first",
    tags=["webhooks"],
)
async def list_deliveries(
    service: Served, webhook_id: FromPath[str], limit: Limit = 100, cursor: CursorText = None
) -> Page[Delivery]:
    """List the deliveries."""
    before = parse_cursor(cursor).at if cursor else 2**62
    items = await threaded(delivered, service, webhook_id, limit + 1, before)
    more = str(PageCursor(items[limit - 1].record_seq, "")) if len(items) > limit else None
    return Page(items=items[:limit], next=more)


def delivered(service: Served, webhook_id: FromPath[str], limit: int, before: int) -> list[Delivery]:
    """Return what became of telling a webhook that there is, or was."""
    found = service.courier.webhooks.get(webhook_id)
    with service.journal.database.read() as connection:
        return newest(connection, found.webhook_id, limit, before)


@post(
    "/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}/retry",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(),
    summary="Send something once more",
    tags=["webhooks"],
)
async def retry_delivery(service: Served, webhook_id: FromPath[str], delivery_id: FromPath[str]) -> Delivery:
    """Send something once more, whatever became of it."""
    return await service.journal.acommit(lambda transaction: retry(transaction, webhook_id, delivery_id))


ROUTES: list[Any] = [
    list_webhooks,
    make_webhook,
    get_webhook,
    change_webhook,
    remove_webhook,
    try_webhook,
    list_deliveries,
    retry_delivery,
]
