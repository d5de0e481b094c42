"""Answer several requests on the pages: a preview first, and the results afterwards."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.approval.request import AnswerVerdict
from interlock.approval.search_fields import environment_of
from interlock.errors import InterlockError
from interlock.server.bulk_answers import ShownRequest, answer_many, preview_bulk_answer
from interlock.server.pages.inbox import expand_groups, inbox_link, inbox_query, show_inbox
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.triage import get_exactly

_VERDICTS = {"approve": AnswerVerdict.APPROVE, "reject": AnswerVerdict.REJECT}
Ids = Annotated[list[str] | None, QueryParameter(max_items=500)]


@get("/approvals/answer", opt={"right": Right.ANSWER}, include_in_schema=False)
async def confirm(
    request: PageRequest,
    pages: PagesDependency,
    verdict: Annotated[str, QueryParameter(max_length=20)] = "approve",
    id_: Annotated[list[str] | None, QueryParameter(name="id", max_items=500)] = None,
    group: Ids = None,
    back: Annotated[str, QueryParameter(max_length=4_000)] = "",
) -> Response[str]:
    """Show which requests are about to be answered."""

    def work() -> Response[str]:
        service, caller = pages.service, request.user
        chosen = _VERDICTS.get(verdict, AnswerVerdict.REJECT)
        try:
            found = preview_bulk_answer(
                service, caller, chosen, [*(id_ or ()), *expand_groups(service, caller, group or [])]
            )
        except InterlockError as error:
            return show_inbox(request, pages, inbox_query(back), error=str(error))
        return pages.render(
            request,
            "bulk_answer.html",
            preview=found,
            environments={one.approval_id: environment_of(one) for one in found.requests},
            shown=[msgspec.json.encode(one).decode() for one in found.answerable_requests],
            left=[(get_exactly(service, one.approval_id), one.why) for one in found.left],
            back=inbox_link(back),
        )

    return await to_thread(work)


@post("/approvals/answer", opt={"right": Right.ANSWER}, status_code=200, include_in_schema=False)
async def answer(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Answer the requests that were shown, and show what became of each."""
    form = await request.form()
    verdict = _VERDICTS.get(str(form.get("verdict", "")), AnswerVerdict.REJECT)
    given = [str(one) for one in form.getall("shown", [])]
    ticket, reason, back = (str(form.get(name, "")) for name in ("ticket", "reason", "back"))

    def work() -> Response[Any]:
        service = pages.service
        try:
            shown = [msgspec.json.decode(one, type=ShownRequest) for one in given]
            results = answer_many(service, request.user, verdict, shown, ticket, reason)
        except msgspec.DecodeError:
            return show_inbox(request, pages, {}, error="these are not the requests that you were shown")
        except InterlockError as error:
            return show_inbox(request, pages, {}, error=str(error))
        answered = [(one, get_exactly(service, one.approval_id)) for one in results]
        link = inbox_link(back.partition("?")[2])
        approving = verdict is AnswerVerdict.APPROVE
        return pages.render(request, "bulk_result.html", results=answered, approving=approving, back=link)

    return await to_thread(work)


ROUTES = [confirm, answer]
