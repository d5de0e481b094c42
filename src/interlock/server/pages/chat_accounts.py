"""The page of chat accounts: people link their accounts in Slack and Telegram, to get and answer requests there."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import ForbiddenError, MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.notify.chat_accounts import ChatAccount, ChatAccounts
from interlock.server.notify.link_codes import COMMANDS, LinkCodes, show_code
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

PAGE = "/settings/chat-accounts"
_PLACES = {"slack": "Slack", "telegram": "Telegram"}


class ChatRow(Struct, frozen=True, kw_only=True):
    """A configured chat, and the reader's account in it."""

    channel: str
    place: str
    account: ChatAccount | None


@get(PAGE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_accounts(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the accounts of the reader."""
    return await to_thread(_page, request, pages)


@post(PAGE, opt={"right": Right.ANSWER}, include_in_schema=False)
async def change_account(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Create a code that links an account, or unlink the account in a channel."""
    form = await request.form()
    channel, verb = str(form.get("channel", "")), str(form.get("do", ""))
    if request.user.session_id is None:
        raise ForbiddenError("sign in to change your chat accounts; an API key cannot")

    def work() -> Response[Any]:
        kind = _find_kind(pages, channel)
        if verb == "unlink":
            ChatAccounts(pages.service.journal).unlink(channel, request.user.name, request.user.name)
            return Redirect(PAGE, status_code=303)
        code = LinkCodes(pages.service.journal).create(channel, request.user.name)
        command = COMMANDS[kind].format(code=show_code(code))
        return _page(request, pages, command=command, place=_PLACES[kind], channel=channel)

    return await to_thread(work)


def _find_kind(pages: PageRenderer, channel: str) -> str:
    settings = pages.service.notifier.channels.settings().get(channel)
    if settings is None or settings.kind not in COMMANDS:
        raise MissingError(f"there is no chat `{plain(channel)[:80]}`; the page of channels lists them")
    return settings.kind


def _page(
    request: PageRequest, pages: PageRenderer, *, command: str = "", place: str = "", channel: str = ""
) -> Response[str]:
    own = {one.channel: one for one in ChatAccounts(pages.service.journal).list(request.user.name)}
    chats = sorted(pages.service.notifier.channels.settings().items())
    rows = [
        ChatRow(channel=name, place=_PLACES[settings.kind], account=own.get(name))
        for name, settings in chats
        if settings.kind in COMMANDS
    ]
    problems = pages.service.notifier.channels.problems
    return pages.render(
        request,
        "chat_accounts.html",
        rows=rows,
        problems=problems,
        command=command,
        place=place,
        channel=channel,
        may_link=request.user.session_id is not None and request.user.may(Right.ANSWER),
    )


ROUTES = [show_accounts, change_account]
