"""The page of the channels: whether each works, who uses it, and a test message to oneself."""

from __future__ import annotations

from asyncio import to_thread

from litestar import Response, get, post

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.server.administration.channel_test import try_channel
from interlock.server.administration.channels import list_channels
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.notify.channel import ChannelError
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import RequestError

PAGE = "/settings/channels"
#: An example of each kind of channel: what it is for, what it needs, and its table.
EXAMPLES = (
    (
        "E-mail, Teams, Discord, ntfy and others",
        "The variable holds an Apprise URL, in which {recipient} stands for the address of the person.",
        '[channels.mail]\nkind = "apprise"\nurl_env = "INTERLOCK_MAIL_URL"',
    ),
    (
        "Slack",
        "The variables hold the token and the signing secret of your Slack app. Requests are answered with a button.",
        '[channels.ops]\nkind = "slack"\ntoken_env = "SLACK_TOKEN"\nsigning_secret_env = "SLACK_SIGNING_SECRET"',
    ),
    (
        "Telegram",
        "The file holds the token of your bot. No port has to be open.",
        '[channels.night-bot]\nkind = "telegram"\ntoken_file = "/etc/interlock/telegram-token"',
    ),
)


@get(PAGE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_channels(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the channels."""
    return await to_thread(_page, request, pages)


@post(f"{PAGE}/test", opt={"right": Right.ANSWER}, status_code=200, include_in_schema=False)
async def test_channel(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Send a test message to the caller's own destinations in a channel, and say what happened."""
    form = await request.form()
    channel, name = str(form.get("channel", "")), request.user.name
    if request.user.session_id is None:
        raise RequestError(403, "sign in to send a test message; an API key cannot")

    def work() -> Response[str]:
        try:
            done = try_channel(pages.service, channel, name)
        except RequestError:
            raise
        except ChannelError as error:
            return _page(request, pages, error=f"The test message was not sent: {error}")
        except InterlockError as error:
            return _page(request, pages, error=str(error))
        return _page(request, pages, notice=done.describe(channel))

    return await to_thread(work)


def _page(request: PageRequest, pages: PageRenderer, error: str = "", notice: str = "") -> Response[str]:
    service, channels = pages.service, list_channels(pages.service)
    return pages.render(
        request,
        "channels.html",
        status=422 if error else 200,
        error=error,
        notice=notice,
        channels=channels,
        configured=any(one.origin is not None for one in channels),
        examples=EXAMPLES,
        shadowed=service.notifier.in_force.list_shadowed(),
        changes=recent_changes(service, request.user.name, "channels"),
        does_not_load=service.gate.configuration.error is not None,
        is_person=request.user.session_id is not None,
    )


ROUTES = [show_channels, test_channel]
