"""`/v1/suggestions`: grants and policies that past answers suggest, and what people do with them."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody

from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_responses import Narrowing, Response, list_dismissed
from interlock.model import Struct
from interlock.server import suggestions
from interlock.server.api.grants import GrantWire, grant_wire
from interlock.server.api.parameters import ANSWER, MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.policy_editor import PolicyWire, as_current_policy
from interlock.server.schemas import ChallengeWire, QuestionWire


class SuggestionList(Struct, frozen=True, kw_only=True):
    """The suggestions, those that rest on most answers first, when they were found, and those that were dismissed."""

    items: list[Suggestion]
    found_at: int
    dismissed: list[Response]


class SuggestionDetails(Struct, frozen=True, kw_only=True):
    """A suggestion, with the challenge of accepting it, or why the caller cannot."""

    suggestion: Suggestion
    challenge: ChallengeWire | None
    why_not: str


class AcceptedGrant(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Accepts a suggested grant: the ticket and the answers of its challenge; `days` and `folder` narrow it."""

    ticket: Annotated[str, msgspec.Meta(max_length=200)] = ""
    answers: Annotated[list[Annotated[str, msgspec.Meta(max_length=2_000)]], msgspec.Meta(max_length=10)] = (
        msgspec.field(default_factory=list)
    )
    reason: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    days: Annotated[int, msgspec.Meta(ge=1, le=3_650)] | None = None
    folder: Annotated[str, msgspec.Meta(max_length=1_000)] | None = None


class Dismissal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dismisses a suggestion, with a reason for the record."""

    why: Annotated[str, msgspec.Meta(max_length=500)] = ""


@get("/suggestions", opt={"right": SEE}, responses=problem_responses(), summary="Suggestions", tags=["suggestions"])
async def list_suggestions(service: ServiceDependency) -> SuggestionList:
    """List the suggestions."""
    found = await service.suggestions.search()
    dismissed = await to_thread(list_dismissed, service.journal.database)
    return SuggestionList(items=list(found.items), found_at=found.found_at, dismissed=dismissed)


@get(
    "/suggestions/{suggestion_id:str}",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="One suggestion, and how to accept it",
    tags=["suggestions"],
)
async def get_suggestion(
    request: ApiRequest, service: ServiceDependency, suggestion_id: FromPath[str]
) -> SuggestionDetails:
    """Return a suggestion with its challenge."""

    found = await service.suggestions.get(suggestion_id)

    def work() -> SuggestionDetails:
        taken = suggestions.find_acceptance(service, request.user, found)
        return SuggestionDetails(suggestion=found, challenge=_challenge(taken), why_not=taken.why_not)

    return await to_thread(work)


@post(
    "/suggestions/{suggestion_id:str}/accept",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Accept a suggested grant",
    description="Needs the challenge of the newest request that it rests on, by a person who could approve that one.",
    tags=["suggestions"],
)
async def accept_suggestion(
    request: ApiRequest, service: ServiceDependency, suggestion_id: FromPath[str], data: JSONBody[AcceptedGrant]
) -> GrantWire:
    """Accept a suggested grant."""

    found = await service.suggestions.get(suggestion_id)

    def work() -> GrantWire:
        narrowing = Narrowing(days=data.days, folder=data.folder)
        given = data.ticket, data.answers, data.reason, narrowing
        return grant_wire(suggestions.accept_grant(service, request.user, found, *given))

    return await to_thread(work)


@post(
    "/suggestions/{suggestion_id:str}/accept-policy",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Accept a suggested policy",
    tags=["suggestions"],
)
async def accept_suggested_policy(
    request: ApiRequest, service: ServiceDependency, suggestion_id: FromPath[str]
) -> PolicyWire:
    """Accept a suggested policy."""

    found = await service.suggestions.get(suggestion_id)

    def work() -> PolicyWire:
        return as_current_policy(suggestions.accept_policy(service, request.user, found))

    return await to_thread(work)


@post(
    "/suggestions/{suggestion_id:str}/dismiss",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Dismiss a suggestion",
    description="It is made again when twice as many answers support it.",
    tags=["suggestions"],
)
async def dismiss_suggestion(
    request: ApiRequest, service: ServiceDependency, suggestion_id: FromPath[str], data: JSONBody[Dismissal]
) -> Response:
    """Dismiss a suggestion."""
    found = await service.suggestions.get(suggestion_id)
    return await to_thread(suggestions.dismiss, service, request.user, found, data.why)


@post(
    "/suggestions/{suggestion_id:str}/restore",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Undo the dismissal of a suggestion",
    tags=["suggestions"],
)
async def restore_suggestion(request: ApiRequest, service: ServiceDependency, suggestion_id: FromPath[str]) -> Response:
    """Undo the dismissal of a suggestion."""
    return await to_thread(suggestions.restore, service, request.user, suggestion_id)


def _challenge(taken: suggestions.Acceptance) -> ChallengeWire | None:
    if taken.challenge is None:
        return None
    return ChallengeWire(
        kind=taken.challenge.kind,
        seconds=taken.challenge.seconds,
        questions=tuple(QuestionWire(question.text, question.choices) for question in taken.challenge.questions),
        words=taken.challenge.words,
        ticket=taken.ticket,
        tries_left=taken.tries_left if taken.challenge.questions else None,
        pause=0,
    )


ROUTES = [
    list_suggestions,
    get_suggestion,
    accept_suggestion,
    accept_suggested_policy,
    dismiss_suggestion,
    restore_suggestion,
]
