"""The pages of stored channels: add one, change it, test it, pause and resume it, and remove it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InterlockError, InvalidFieldsError
from interlock.server.administration.channel_changes import ChannelInput, add_channel, change_channel, set_state
from interlock.server.administration.channel_test import try_channel
from interlock.server.administration.channels import list_channels
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.notify.channel import ChannelError
from interlock.server.notify.stored_channels import ACTIVE, PAUSED
from interlock.server.pages.channel_form import FORMS, name_fields, read_channel
from interlock.server.pages.channels import PAGE
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import RequestError, problem_from

_NEW, _EDIT = f"{PAGE}/new", PAGE + "/{name:str}/edit"
_STATES = {"pause": PAUSED, "resume": ACTIVE}


@get(_NEW, opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_form(
    request: PageRequest, pages: PagesDependency, kind: Annotated[str, QueryParameter(max_length=40)] = "slack"
) -> Response[str]:
    """Show the form for a new channel."""
    given = ChannelInput(name="", kind=kind if kind in FORMS else "slack")
    return await to_thread(_form, request, pages, given)


@post(_NEW, opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def create(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Add a channel."""
    form = await request.form()
    given = read_channel(form, field(form, "name"), field(form, "kind"))

    def work() -> Response[Any]:
        try:
            made = add_channel(pages.service, given, request.user.name)
        except InterlockError as error:
            return _form(request, pages, given, error)
        return Redirect(_path(made.name), status_code=303)

    return await to_thread(work)


@get(_EDIT, opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_channel(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[str]:
    """Show a stored channel."""
    return await to_thread(_page, request, pages, name)


@post(_EDIT, opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[Any]:
    """Change a channel, test it, pause or resume it, or remove it, depending on the button."""
    form = await request.form()
    return await to_thread(_change, request, pages, name, form)


def _change(request: PageRequest, pages: PageRenderer, name: str, form: Any) -> Response[Any]:
    service, actor, button = pages.service, request.user.name, field(form, "button")
    channel = service.notifier.stored_channels.get(name)
    given = read_channel(form, name, channel.kind)
    if button == "remove" and not is_confirmed(form):
        return ask(request, pages, _question(name), {"button": button})
    if button == "test":
        return _test(request, pages, name)
    try:
        if button in _STATES:
            set_state(service, name, _STATES[button], actor)
        elif button == "remove":
            service.notifier.stored_channels.remove(name, actor)
        elif button == "save":
            known = field(form, "known")
            version = int(known) if known.isascii() and known.isdigit() else None
            change_channel(service, name, given.settings, given.secrets, actor, version)
        else:
            raise InterlockError("choose what to change")
    except InterlockError as error:
        return _page(request, pages, name, error, typed=given if button == "save" else None)
    return Redirect(PAGE if button == "remove" else _path(name), status_code=303)


def _test(request: PageRequest, pages: PageRenderer, name: str) -> Response[str]:
    if request.user.session_id is None:
        raise RequestError(403, "sign in to send a test message; with an API key, use `POST /v1/channels/{name}/test`")
    try:
        done = try_channel(pages.service, name, request.user.name, connect=True)
    except ChannelError as error:
        return _page(request, pages, name, InterlockError(f"the test failed: {error}"))
    except InterlockError as error:
        return _page(request, pages, name, error)
    return _page(request, pages, name, notice=done.describe(name))


def _path(name: str) -> str:
    return f"{PAGE}/{name}/edit"


def _question(name: str) -> Question:
    effects = (
        "No more messages are sent through it.",
        "Queued messages wait until it is restored or their request ends.",
    )
    return Question(title=f"Remove channel {name}?", effects=effects, label="Remove", action=_path(name), back=PAGE)


def _form(
    request: PageRequest, pages: PageRenderer, given: ChannelInput, error: InterlockError | None = None
) -> Response[str]:
    return pages.render(
        request,
        "channel_new.html",
        status=_status(error),
        forms=FORMS,
        form=FORMS.get(given.kind),
        given=given,
        kept=(),
        **_describe_error(error, given.kind),
    )


def _page(
    request: PageRequest,
    pages: PageRenderer,
    name: str,
    error: InterlockError | None = None,
    *,
    typed: ChannelInput | None = None,
    notice: str = "",
) -> Response[str]:
    service = pages.service
    channel = service.notifier.stored_channels.get(name)
    state = next(one for one in list_channels(service) if one.name == name)
    history = recent_changes(service, request.user.name, "channels", channel.channel_id)
    return pages.render(
        request,
        "channel.html",
        status=_status(error),
        channel=channel,
        state=state,
        form=FORMS[channel.kind],
        given=typed or ChannelInput(name=name, kind=channel.kind, settings=channel.settings),
        kept=channel.secrets,
        changes=history,
        notice=notice,
        url=service.url,
        **_describe_error(error, channel.kind),
    )


def _status(error: InterlockError | None) -> int:
    return 200 if error is None else problem_from(error).status


def _describe_error(error: InterlockError | None, kind: str) -> Mapping[str, Any]:
    """Return an error for the page: what is wrong with each field, or with the change as a whole."""
    if isinstance(error, InvalidFieldsError):
        message = "nothing was saved. Correct the marked fields, and enter new secrets again"
        return {"error": message, "problems": name_fields(error.errors, kind)}
    return {"error": "" if error is None else str(error), "problems": {}}


ROUTES = [show_form, create, show_channel, change]
