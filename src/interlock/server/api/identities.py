"""`/v1/identities`: accounts at sign-in providers, and the people whom they are linked to."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, JSONBody

from interlock.access.identities import Account, Identities, Identity
from interlock.access.roles import Caller, Role
from interlock.errors import ConflictError, MissingError
from interlock.model import Struct
from interlock.server.api.parameters import MANAGE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service


class NewIdentity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account at a provider of the configuration, and the person to link it to."""

    person: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    provider: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    subject: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class IdentityList(Struct, frozen=True, kw_only=True):
    """The linked identities."""

    items: list[Identity]


@get("/identities", opt={"right": MANAGE}, responses=problem_responses(), summary="Linked identities", tags=["access"])
async def list_identities(service: ServiceDependency) -> IdentityList:
    """List the linked identities."""
    return IdentityList(items=await to_thread(Identities(service.journal).list))


@post(
    "/identities",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Link an account at a provider to a person",
    description="From then on, that account signs the person in. Accounts of other admins are linked on the command "
    "line: `interlock identities link`.",
    tags=["access"],
)
async def link_identity(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewIdentity]) -> Identity:
    """Link an account to a person."""
    return await to_thread(link_account, service, request.user, data.person, data.provider, data.subject)


@delete(
    "/identities/{identity_id:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Unlink an account",
    tags=["access"],
)
async def unlink_identity(request: ApiRequest, service: ServiceDependency, identity_id: FromPath[str]) -> Identity:
    """Unlink an account."""
    return await to_thread(Identities(service.journal).unlink, identity_id, request.user.name)


def link_account(service: Service, caller: Caller, person: str, provider: str, subject: str) -> Identity:
    """Link an account at a provider to a person; raise if that would let the caller act as another admin."""
    settings = service.providers.offered.get(provider)
    if settings is None:
        raise MissingError("there is no such provider; `[sign_in]` in the configuration lists them")
    if person != caller.name and service.authenticator.people.get(person).role is Role.ADMIN:
        raise ConflictError("link another admin on the command line: `interlock identities link NAME`")
    account = Account(issuer=settings.issuer, subject=subject, provider=provider)
    return Identities(service.journal).link(account, person, caller.name)


ROUTES = [list_identities, link_identity, unlink_identity]
