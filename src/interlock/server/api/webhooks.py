"""`/v1/webhooks`: subscriptions to new records, and the log of their deliveries."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.model import Struct
from interlock.server.api.parameters import MANAGE, ApiRequest, CursorParameter, PageSize, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.pagination import cut_page
from interlock.server.schemas import Page
from interlock.server.service import Service
from interlock.server.webhooks.delivery import Delivery, list_newest
from interlock.server.webhooks.outbox import retry
from interlock.server.webhooks.signing import new_secret
from interlock.server.webhooks.webhook import DEFAULT_KINDS, Webhook
from interlock.store.paging import PageCursor, parse_cursor

WebhookUrl = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000, description="`https://host/path`")]
RecordKinds = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=40)]],
    msgspec.Meta(min_length=1, max_length=50, description="kinds of records, or families such as `approval`"),
]


class NewWebhook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A webhook to create."""

    url: WebhookUrl
    kinds: RecordKinds = msgspec.field(default_factory=lambda: list(DEFAULT_KINDS))


class CreatedWebhook(Struct, frozen=True, kw_only=True):
    """A webhook that was created. `secret` signs its messages, and is shown only this once."""

    webhook: Webhook
    secret: str


class WebhookChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a webhook. `rotateSecret` gives it a new secret, which takes effect at once."""

    url: WebhookUrl | None = None
    kinds: RecordKinds | None = None
    state: Literal["active", "off"] | None = None
    rotate_secret: bool = False


class UpdatedWebhook(Struct, frozen=True, kw_only=True):
    """A webhook after a change, and its secret if that is new; it is shown only this once."""

    webhook: Webhook
    secret: str | None = None


class WebhookList(Struct, frozen=True, kw_only=True):
    """All webhooks, without their secrets."""

    items: list[Webhook]


class PingResult(Struct, frozen=True, kw_only=True):
    """The result of sending a test message."""

    delivered: bool
    status: int | None
    error: str


@get("/webhooks", opt={"right": MANAGE}, responses=problem_responses(), summary="All webhooks", tags=["webhooks"])
async def list_webhooks(service: ServiceDependency) -> WebhookList:
    """List the webhooks."""
    return WebhookList(items=await to_thread(service.webhook_worker.webhooks.list))


@post(
    "/webhooks",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Create a webhook",
    description="New records are sent to the URL, signed as the Standard Webhooks convention says, at least once each "
    "and in approximate order. The response holds the secret, which is not shown again. Without `kinds`, approvals and "
    "matched policies are sent. Hosts in the internal network have to be listed in `server.webhooks_inside`.",
    tags=["webhooks"],
)
async def create_webhook(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewWebhook]) -> CreatedWebhook:
    """Create a webhook."""
    webhook, secret = await to_thread(service.webhook_worker.webhooks.create, data.url, data.kinds, request.user.name)
    return CreatedWebhook(webhook=webhook, secret=secret)


@get(
    "/webhooks/{webhook_id:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="One webhook",
    tags=["webhooks"],
)
async def get_webhook(service: ServiceDependency, webhook_id: FromPath[str]) -> Webhook:
    """Show a webhook."""
    return await to_thread(service.webhook_worker.webhooks.get, webhook_id)


@patch(
    "/webhooks/{webhook_id:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Change a webhook, switch it on or off, or give it a new secret",
    description="While a webhook is off, nothing is queued or sent. Switched on again, it gets what was queued before, "
    "and records from then on.",
    tags=["webhooks"],
)
async def change_webhook(
    request: ApiRequest, service: ServiceDependency, webhook_id: FromPath[str], data: JSONBody[WebhookChange]
) -> UpdatedWebhook:
    """Change a webhook."""
    given = {"url": data.url, "kinds": data.kinds, "state": data.state}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if data.rotate_secret:
        changes["secret"] = new_secret()
    if not changes:
        return UpdatedWebhook(webhook=await to_thread(service.webhook_worker.webhooks.get, webhook_id))
    changed = await to_thread(service.webhook_worker.webhooks.change, webhook_id, request.user.name, **changes)
    return UpdatedWebhook(webhook=changed, secret=changes.get("secret"))


@delete(
    "/webhooks/{webhook_id:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Remove a webhook",
    tags=["webhooks"],
)
async def remove_webhook(request: ApiRequest, service: ServiceDependency, webhook_id: FromPath[str]) -> Webhook:
    """Remove a webhook."""
    return await to_thread(service.webhook_worker.webhooks.remove, webhook_id, request.user.name)


@post(
    "/webhooks/{webhook_id:str}/test",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Test a webhook",
    description="Sends a message of the kind `ping` now, and returns the result. It is not retried.",
    tags=["webhooks"],
)
async def ping_webhook(request: ApiRequest, service: ServiceDependency, webhook_id: FromPath[str]) -> PingResult:
    """Send a test message."""
    result = await service.webhook_worker.ping(webhook_id, request.user.name)
    return PingResult(delivered=not result.error, status=result.status, error=result.error)


@get(
    "/webhooks/{webhook_id:str}/deliveries",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="The deliveries of a webhook, newest records first",
    tags=["webhooks"],
)
async def list_deliveries(
    service: ServiceDependency, webhook_id: FromPath[str], limit: PageSize = 100, cursor: CursorParameter = None
) -> Page[Delivery]:
    """List the deliveries."""
    before = parse_cursor(cursor).at if cursor else 2**62
    found = await to_thread(_load_deliveries, service, webhook_id, limit + 1, before)
    items, next_cursor = cut_page(found, limit, lambda delivery: PageCursor(delivery.record_seq, ""))
    return Page(items=items, next=next_cursor)


def _load_deliveries(service: Service, webhook_id: str, limit: int, before: int) -> list[Delivery]:
    """Return deliveries of a webhook, which may have been removed."""
    webhook = service.webhook_worker.webhooks.get(webhook_id)
    with service.journal.database.read() as connection:
        return list_newest(connection, webhook.webhook_id, limit, before)


@post(
    "/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}/retry",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Retry a delivery",
    tags=["webhooks"],
)
async def retry_delivery(service: ServiceDependency, webhook_id: FromPath[str], delivery_id: FromPath[str]) -> Delivery:
    """Retry a delivery, whatever its state."""
    return await service.journal.acommit(lambda transaction: retry(transaction, webhook_id, delivery_id))


ROUTES: list[Any] = [
    list_webhooks,
    create_webhook,
    get_webhook,
    change_webhook,
    remove_webhook,
    ping_webhook,
    list_deliveries,
    retry_delivery,
]
