"""Undo a change from the pages of the settings: first a question, then the opposite change."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.errors import InvalidFieldsError
from interlock.server.administration.changes import PAGES, describe_change_record, find_change
from interlock.server.administration.inverses import name_secret
from interlock.server.administration.targets import collect_administered
from interlock.server.administration.undo import plan_undo, undo_at
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency

_UNDO = "/settings/changes/{record_id:str}/undo"


@get(_UNDO, opt={"right": Right.MANAGE}, include_in_schema=False)
async def ask_to_undo(request: PageRequest, pages: PagesDependency, record_id: FromPath[str]) -> Response[str]:
    """Say what undoing a change does, and ask."""
    return await to_thread(_ask, request, pages, record_id)


@post(_UNDO, opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def undo_change(request: PageRequest, pages: PagesDependency, record_id: FromPath[str]) -> Response[Any]:
    """Make the opposite change."""
    form = await request.form()

    def work() -> Response[Any]:
        service, name = pages.service, request.user.name
        page = PAGES[find_change(service.journal.database, record_id).kind]
        asks = plan_undo(collect_administered(service), record_id, name).asks
        secrets = {one: value for one in asks if (value := field(form, one))}
        try:
            undo_at(service, record_id, name, confirmed=is_confirmed(form), secrets=secrets)
        except InvalidFieldsError as error:
            return _ask(request, pages, record_id, dict(error.errors))
        return Redirect(f"/settings/{page}", status_code=303)

    return await to_thread(work)


def _ask(
    request: PageRequest, pages: PageRenderer, record_id: str, problems: Mapping[str, str] | None = None
) -> Response[str]:
    record = find_change(pages.service.journal.database, record_id)
    change, inverse = (
        describe_change_record(record),
        plan_undo(collect_administered(pages.service), record_id, request.user.name),
    )
    effects = (f"{change.actor} {change.what}.", inverse.does, "This is recorded as a new change.")
    question = Question(
        title="Undo this change?",
        effects=effects,
        label="Undo",
        action=f"/settings/changes/{record.record_id}/undo",
        back=f"/settings/{PAGES[record.kind]}",
        secrets=tuple((one, f"Previous {name_secret(one)}") for one in inverse.asks),
    )
    return ask(request, pages, question, {}, problems)


ROUTES = [ask_to_undo, undo_change]
