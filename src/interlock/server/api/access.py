"""`/v1/keys` and `/v1/people`: who may come in, and as what."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.access.keys import AccessKey
from interlock.access.people import ACTIVE, SHUT_OUT, Person
from interlock.access.roles import Role
from interlock.errors import ConflictError, MissingError
from interlock.model import Struct
from interlock.server.api.parameters import MANAGE, Call, Served, problems, threaded
from interlock.server.service import Service

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class NewKey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to make: its name, its role, for whom it acts (you, unless you say otherwise), and for how long."""

    name: Name
    role: Role
    owner: Name | None = None
    days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] | None = None


class MadeKey(Struct, frozen=True, kw_only=True):
    """A key that was made. `secret` is shown this once."""

    key: AccessKey
    secret: str


class Keys(Struct, frozen=True, kw_only=True):
    """All keys, without their secrets."""

    items: list[AccessKey]


class NewPerson(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who shall be able to sign in."""

    name: Name
    role: Literal["reviewer", "admin"]


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is changed about somebody."""

    role: Literal["reviewer", "admin"] | None = None
    active: bool | None = None


class Invited(Struct, frozen=True, kw_only=True):
    """Somebody, and the link by which they can sign in once."""

    person: Person
    link: str


class Everybody(Struct, frozen=True, kw_only=True):
    """Everybody who may sign in, or could once."""

    items: list[Person]


@get("/keys", opt={"right": MANAGE}, responses=problems(), summary="All keys", tags=["access"])
async def list_keys(service: Served) -> Keys:
    """List the keys."""
    return Keys(items=await threaded(service.doors.keys.list))


@post(
    "/keys",
    opt={"right": MANAGE},
    responses=problems(),
    summary="Make a key",
    description="Its secret is in the answer, and nowhere else: only a hash of it is kept.",
    tags=["access"],
)
async def make_key(request: Call, service: Served, data: JSONBody[NewKey]) -> MadeKey:
    """Make a key."""
    actor = request.user.name
    key, secret = await threaded(
        service.doors.keys.make, data.name, data.role, owner=data.owner or actor, actor=actor, days=data.days
    )
    return MadeKey(key=key, secret=secret)


@delete(
    "/keys/{key_id:str}", opt={"right": MANAGE}, status_code=200, responses=problems(), summary="Take a key back",
    tags=["access"],
)  # fmt: skip
async def revoke_key(request: Call, service: Served, key_id: FromPath[str]) -> AccessKey:
    """Take a key back, by its whole id: nobody takes back what they have not named."""
    if all(key.key_id != key_id for key in await threaded(service.doors.keys.list)):
        raise MissingError("there is no such key; `GET /v1/keys` lists them")
    found = await threaded(service.doors.keys.revoke, key_id, request.user.name)
    service.doors.forget()
    return found


@get("/people", opt={"right": MANAGE}, responses=problems(), summary="Everybody", tags=["access"])
async def list_people(service: Served) -> Everybody:
    """List the people."""
    return Everybody(items=await threaded(service.doors.people.list))


@post(
    "/people",
    opt={"right": MANAGE},
    responses=problems(),
    summary="Let somebody sign in",
    description="Answers with a link by which they can, once.",
    tags=["access"],
)
async def add_person(request: Call, service: Served, data: JSONBody[NewPerson]) -> Invited:
    """Let somebody sign in."""
    person = await threaded(service.doors.people.add, data.name, Role(data.role), request.user.name)
    return Invited(person=person, link=await threaded(link_for, service, person.name))


@post(
    "/people/{name:str}/link",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(),
    summary="A link by which somebody can sign in once",
    tags=["access"],
)
async def invite(request: Call, service: Served, name: FromPath[str]) -> Invited:
    """Make a link for somebody."""
    person = await threaded(service.doors.people.get, name)
    if person.name != request.user.name and person.role is Role.ADMIN:
        raise ConflictError("an admin's link is made at the command line: `interlock people link NAME`")
    return Invited(person=person, link=await threaded(link_for, service, person.name))


@patch(
    "/people/{name:str}",
    opt={"right": MANAGE},
    responses=problems(),
    summary="Change somebody's role, or shut them out",
    tags=["access"],
)
async def change_person(request: Call, service: Served, name: FromPath[str], data: JSONBody[Change]) -> Person:
    """Change what somebody may do."""
    if name == request.user.name:
        raise ConflictError("nobody changes themselves; another admin has to, or `interlock people` at the server")
    changes: dict[str, str | None] = {}
    if data.role is not None:
        changes["role"] = data.role
    if data.active is not None:
        changes["state"] = ACTIVE if data.active else SHUT_OUT
    if not changes:
        return await threaded(service.doors.people.get, name)
    person = await threaded(service.doors.people.change, name, request.user.name, **changes)
    service.doors.forget()
    return person


def link_for(service: Service, name: str) -> str:
    """Return a link by which somebody can sign in once."""
    return f"{service.url}/sign-in/{service.doors.sessions.link(name)}"


ROUTES = [list_keys, make_key, revoke_key, list_people, add_person, invite, change_person]
