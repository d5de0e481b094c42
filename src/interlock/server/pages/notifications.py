"""The page of notification settings: of what, where and when. People see and change only their own."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.response import Redirect

from interlock.access.roles import Caller, Right
from interlock.config.channels import BROWSER
from interlock.errors import InterlockError, MissingError
from interlock.server.notify.browsers import Subscription
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.notifier import PAGE, AddressedChannel, Notifier
from interlock.server.notify.preferences import LEVELS, Destination, Preferences
from interlock.server.notify.web_push import is_installed
from interlock.server.pages.notification_form import (
    DAYS,
    ENVIRONMENTS,
    browser_name,
    destination_id,
    mask_address,
    quiet_fields,
    read_choices,
    read_preferences_form,
    read_typed_quiet_fields,
)
from interlock.server.pages.reader_zone import COOKIE, find_zone
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import RequestError


@get(PAGE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_notifications(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the preferences of the caller."""
    return await to_thread(_page, request, pages)


@post(PAGE, opt={"right": Right.ANSWER}, include_in_schema=False)
async def save_notifications(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Save of what and when the caller is notified."""
    form, name = dict(await request.form()), _person(request.user)
    preferences = pages.service.notifier.preferences

    def work() -> None:
        preferences.change(name, name, lambda before: read_preferences_form(form, before))

    return await _change(request, pages, work, typed=form)


@post(f"{PAGE}/destinations", opt={"right": Right.ANSWER}, include_in_schema=False)
async def add_destination(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Add a destination of the caller."""
    form, name = await request.form(), _person(request.user)
    new = Destination(channel=str(form.get("channel", "")), address=str(form.get("address", "")).strip())
    notifier = pages.service.notifier

    def work() -> None:
        found = notifier.preferences.get(name)
        notifier.save(msgspec.structs.replace(found, destinations=(*found.destinations, new)), name)

    return await _change(request, pages, work)


@post(f"{PAGE}/destinations/remove", opt={"right": Right.ANSWER}, include_in_schema=False)
async def remove_destination(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Remove a destination of the caller."""
    form, name = await request.form(), _person(request.user)
    notifier = pages.service.notifier

    def work() -> None:
        gone = _find(notifier, name, str(form.get("destination", "")))
        if gone.channel == BROWSER and any(one.browser_id == gone.address for one in notifier.browsers.list(name)):
            notifier.browsers.remove(gone.address, name, name)
            return
        notifier.preferences.change(name, name, lambda before: _remove_destination(before, gone))

    return await _change(request, pages, work)


@post(f"{PAGE}/test", opt={"right": Right.ANSWER}, include_in_schema=False)
async def test_destination(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Send a test message to a destination of the caller, and say what happened."""
    form, name = await request.form(), _person(request.user)
    notifier = pages.service.notifier

    def work() -> Response[str]:
        found = _find(notifier, name, str(form.get("destination", "")))
        if notifier.test_limiter.take(name):
            raise RequestError(429, "too many test messages; wait a minute")
        try:
            notifier.test(name, found)
        except ChannelError as error:
            return _page(request, pages, error=f"The test message was not sent: {error}")
        return _page(request, pages, notice=f"Test message sent to {mask_address(found)}.")

    return await to_thread(work)


class BrowserForm(msgspec.Struct):
    """What a browser's script sends: its subscription, as the browser writes it."""

    endpoint: str
    keys: dict[str, str]


@post(f"{PAGE}/browsers", opt={"right": Right.ANSWER}, include_in_schema=False)
async def add_browser(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Notify the caller in this browser."""
    name = _person(request.user)
    try:
        given = msgspec.json.decode(await request.body(), type=BrowserForm)
    except msgspec.DecodeError:
        raise RequestError(400, "send the subscription of the browser as JSON") from None
    subscription = Subscription(given.endpoint, given.keys.get("p256dh", ""), given.keys.get("auth", ""))
    called = browser_name(request.headers.get("user-agent", ""))
    added = await to_thread(pages.service.notifier.browsers.add, name, subscription, called)
    return Response({"browserId": added.browser_id}, status_code=201)


async def _change(
    request: PageRequest, pages: PageRenderer, work: Callable[[], None], typed: dict[str, Any] | None = None
) -> Response[Any]:
    """Make a change and show the page again; if there was an error, with that and what was typed."""

    def attempt() -> Response[Any]:
        try:
            work()
        except (RequestError, MissingError):
            raise
        except InterlockError as error:
            return _page(request, pages, error=str(error), typed=typed)
        return Redirect(f"{PAGE}?saved=yes", status_code=303)

    return await to_thread(attempt)


def _page(
    request: PageRequest, pages: PageRenderer, error: str = "", notice: str = "", typed: dict[str, Any] | None = None
) -> Response[str]:
    notifier, name = pages.service.notifier, request.user.name
    found, channels = notifier.preferences.get(name), notifier.channels.current()
    browsers = {one.browser_id: one for one in notifier.browsers.list(name)}
    zone = getattr(find_zone(request.cookies.get(COOKIE)), "key", "UTC")
    return pages.render(
        request,
        "notifications.html",
        status=422 if error else 200,
        error=error,
        notice=notice or ("Saved." if request.query_params.get("saved") == "yes" and not error else ""),
        preferences=found if typed is None else read_choices(typed, found),
        minutes=found.escalate_minutes if typed is None else typed.get("escalate_minutes", ""),
        destinations=[(one, destination_id(one), _where(one, browsers), one.channel in channels)
                      for one in found.destinations],
        choices=[(one.name, one.address_hint) for one in channels.values() if isinstance(one, AddressedChannel)],
        linked=[one.name for one in channels.values() if one.interactive],
        problems=notifier.channels.problems,
        quiet=quiet_fields(found, zone) if typed is None else read_typed_quiet_fields(typed),
        days=DAYS,
        levels=LEVELS,
        environments=ENVIRONMENTS,
        recent=notifier.recent(name),
        push_key=notifier.push_key.public if is_installed() and request.user.session_id else "",
        is_person=request.user.session_id is not None,
    )  # fmt: skip


def _where(destination: Destination, browsers: dict[str, Any]) -> tuple[str, str]:
    """Return what a destination is called on the page, and the push service of a browser."""
    if destination.channel != BROWSER:
        return mask_address(destination), ""
    found = browsers.get(destination.address)
    return ("removed browser", "") if found is None else (found.name, found.endpoint)


def _person(caller: Caller) -> str:
    """Return the person whose preferences are changed. A program with a key cannot silence its owner."""
    if caller.session_id is None:
        raise RequestError(403, "sign in to change your notifications; an API key cannot")
    return caller.name


def _find(notifier: Notifier, person: str, wanted: str) -> Destination:
    for one in notifier.preferences.get(person).destinations:
        if destination_id(one) == wanted:
            return one
    raise MissingError("this destination does not exist any more; reload the page")


def _remove_destination(before: Preferences, gone: Destination) -> Preferences:
    return msgspec.structs.replace(before, destinations=tuple(one for one in before.destinations if one != gone))


ROUTES = [
    show_notifications,
    save_notifications,
    add_destination,
    remove_destination,
    test_destination,
    add_browser,
]
