"""The pages of webhooks: list with health, create, change, test, switch on and off, and deliveries with retries."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import problem_from
from interlock.server.webhooks.delivery import list_newest
from interlock.server.webhooks.health import WebhookHealth, read_health
from interlock.server.webhooks.outbox import retry
from interlock.server.webhooks.sender import SendResult
from interlock.server.webhooks.signing import new_secret
from interlock.server.webhooks.webhook import ACTIVE, DEFAULT_KINDS, OFF

HERE = "/settings/webhooks"
PER_PAGE = 50
#: The families of records that the form offers. Others are typed.
OFFERED = {
    "approval": "Approval requests and answers",
    "risk": "Actions that matched a policy",
    "decision": "Every decision",
    "override": "Overridden verdicts",
    "run": "Runs that start, pause and end",
    "stop": "Stops of agents and keys",
    "policy": "Changes of policies",
    "person": "Changes of people",
    "access": "Changes of API keys",
    "setting": "Changes of settings",
    "session": "Sign-ins",
}


@get(HERE, opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_webhooks(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the webhooks."""

    def work() -> Response[str]:
        service = pages.service
        with service.journal.database.read() as connection:
            health = read_health(connection)
        found = [(one, health.get(one.webhook_id, WebhookHealth())) for one in service.webhook_worker.webhooks.list()]
        return pages.render(
            request, "webhooks.html", webhooks=found, changes=recent_changes(service, request.user.name, "webhooks")
        )

    return await to_thread(work)


@get(HERE + "/new", opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_form(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the form for a new webhook."""
    return await to_thread(_form, request, pages, "", list(DEFAULT_KINDS))


@post(HERE + "/new", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def create_webhook(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Create a webhook, and show its secret once."""
    form = await request.form()
    url, kinds = field(form, "url"), _kinds(form)

    def work() -> Response[str]:
        try:
            made, secret = pages.service.webhook_worker.webhooks.create(url, kinds, request.user.name)
        except InterlockError as error:
            return _form(request, pages, url, kinds, error)
        return _page(request, pages, made.webhook_id, secret=secret)

    return await to_thread(work)


@get(HERE + "/{webhook_id:str}", opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_webhook(
    request: PageRequest,
    pages: PagesDependency,
    webhook_id: FromPath[str],
    before: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
) -> Response[str]:
    """Show a webhook and its deliveries."""
    return await to_thread(_page, request, pages, webhook_id, before=before)


@post(HERE + "/{webhook_id:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_webhook(request: PageRequest, pages: PagesDependency, webhook_id: FromPath[str]) -> Response[Any]:
    """Change a webhook, test it, switch it on or off, or remove it, depending on the button."""
    form = await request.form()
    button, url, kinds = field(form, "button"), field(form, "url"), _kinds(form)
    if button == "test":
        result = await pages.service.webhook_worker.ping(webhook_id, request.user.name)
        return await to_thread(_page, request, pages, webhook_id, tested=result)
    confirmed = is_confirmed(form)
    return await to_thread(_change, request, pages, webhook_id, button, url, kinds, confirmed=confirmed)


@post(
    HERE + "/{webhook_id:str}/deliveries/{delivery_id:str}/retry",
    opt={"right": Right.MANAGE},
    status_code=200,
    include_in_schema=False,
)
async def retry_delivery(pages: PagesDependency, webhook_id: FromPath[str], delivery_id: FromPath[str]) -> Redirect:
    """Retry a delivery."""
    await pages.service.journal.acommit(lambda transaction: retry(transaction, webhook_id, delivery_id))
    return Redirect(f"{HERE}/{webhook_id}#deliveries", status_code=303)


def _kinds(form: Any) -> list[str]:
    """Return the kinds of records that a form names: those that are ticked, and those that are typed."""
    ticked = [kind for kind in OFFERED if field(form, f"kind_{kind}")]
    return [*ticked, *(word for word in field(form, "more").replace(",", " ").split() if word not in ticked)]


def _form(
    request: PageRequest, pages: PageRenderer, url: str, kinds: list[str], error: InterlockError | None = None
) -> Response[str]:
    return pages.render(
        request,
        "webhook_new.html",
        status=200 if error is None else problem_from(error).status,
        url=url,
        kinds=kinds,
        offered=OFFERED,
        error="" if error is None else str(error),
    )


def _page(
    request: PageRequest,
    pages: PageRenderer,
    webhook_id: str,
    error: InterlockError | None = None,
    *,
    before: int = 0,
    secret: str = "",
    tested: SendResult | None = None,
    typed: tuple[str, list[str]] | None = None,
) -> Response[str]:
    service = pages.service
    webhook = service.webhook_worker.webhooks.get(webhook_id)
    with service.journal.database.read() as connection:
        found = list_newest(connection, webhook.webhook_id, PER_PAGE + 1, before or 2**62)
        health = read_health(connection).get(webhook.webhook_id, WebhookHealth())
    url, kinds = typed or (webhook.url, list(webhook.kinds))
    return pages.render(
        request,
        "webhook.html",
        status=200 if error is None else problem_from(error).status,
        webhook=webhook,
        health=health,
        url=url,
        kinds=kinds,
        offered=OFFERED,
        deliveries=found[:PER_PAGE],
        older=found[PER_PAGE - 1].record_seq if len(found) > PER_PAGE else None,
        changes=recent_changes(service, request.user.name, "webhooks", webhook.webhook_id),
        error="" if error is None else str(error),
        secret=secret,
        tested=tested,
    )


def _change(
    request: PageRequest,
    pages: PageRenderer,
    webhook_id: str,
    button: str,
    url: str,
    kinds: list[str],
    *,
    confirmed: bool,
) -> Response[Any]:
    webhooks, actor = pages.service.webhook_worker.webhooks, request.user.name
    webhook = webhooks.get(webhook_id)
    here = f"{HERE}/{webhook.webhook_id}"
    if button in _QUESTIONS and not confirmed:
        title, label, effects = _QUESTIONS[button]
        question = Question(title=title, effects=effects, label=label, action=here, back=here)
        return ask(request, pages, question, {"button": button})
    try:
        if button == "remove":
            webhooks.remove(webhook_id, actor)
            return Redirect(HERE, status_code=303)
        if button == "secret":
            secret = new_secret()
            webhooks.change(webhook_id, actor, secret=secret)
            return _page(request, pages, webhook_id, secret=secret)
        if button in ("on", "off"):
            webhooks.change(webhook_id, actor, state=ACTIVE if button == "on" else OFF)
        elif button == "save":
            given = {"url": url, "kinds": kinds}
            now = {"url": webhook.url, "kinds": list(webhook.kinds)}
            changes = {name: value for name, value in given.items() if value != now[name]}
            if changes:
                webhooks.change(webhook_id, actor, **changes)
        else:
            raise InterlockError("choose what to change")
    except InterlockError as error:
        return _page(request, pages, webhook_id, error, typed=(url, kinds) if button == "save" else None)
    return Redirect(here, status_code=303)


#: The title, the button and the effects of changes that need a confirmation.
_QUESTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "remove": (
        "Remove this webhook?",
        "Remove",
        ("No more messages are sent to it.", "Queued deliveries will fail."),
    ),
    "secret": (
        "Create a new secret?",
        "Create new secret",
        ("Messages are signed with it at once.", "The receiver rejects them until it knows the new secret."),
    ),
}

ROUTES = [show_webhooks, show_form, create_webhook, show_webhook, change_webhook, retry_delivery]
