"""`/v1/keys` and `/v1/people`: who has access, and with which role."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Literal

import msgspec
from litestar import delete, get, patch, post
from litestar.params import FromPath, JSONBody

from interlock.access.keys import AccessKey
from interlock.access.people import ACTIVE, SHUT_OUT, Person
from interlock.access.roles import Role
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.policy.pins import NO_PINS, Pins
from interlock.server.administration import keys, people
from interlock.server.api.parameters import MANAGE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

Folder = Annotated[str, msgspec.Meta(min_length=2, max_length=1_000)]
KeyName = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
RunName = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class KeyPins(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pins of a key: the environment, folders, home folder, user and tenant of the program that holds it.

    With `asksUser`, the program may ask its own user where one person's answer is enough. A program is `trusted` if it
    is not the agent itself: its claims count unless a pin contradicts them.
    """

    environment: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    workspaces: Annotated[tuple[Folder, ...], msgspec.Meta(max_length=20)] = ()
    home: Folder | None = None
    user: RunName | None = None
    tenant: RunName | None = None
    asks_user: bool = False
    trusted: bool = False

    def to_pins(self) -> Pins:
        """Return the pins of a key."""
        return Pins(**{name: getattr(self, name) for name in self.__struct_fields__})


class NewKey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to create: its name and role, the active person it acts for (default: you), and how many days it is valid.

    `pins` describe the program that holds the key. Its claims can only make verdicts stricter.
    """

    name: KeyName
    role: Role
    owner: KeyName | None = None
    days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] | None = None
    pins: KeyPins | None = None


class CreatedKey(Struct, frozen=True, kw_only=True):
    """A key that was created. `secret` is shown only this once."""

    key: AccessKey
    secret: str


class KeyList(Struct, frozen=True, kw_only=True):
    """All keys, without their secrets."""

    items: list[AccessKey]


class NewPerson(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person to add."""

    name: KeyName
    role: Literal["reviewer", "admin"]


class PersonChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a person."""

    role: Literal["reviewer", "admin"] | None = None
    active: bool | None = None


class Invitation(Struct, frozen=True, kw_only=True):
    """A person, and a link with which they can sign in once. `notice` says what changes for others, if anything."""

    person: Person
    link: str
    notice: str = ""


class PersonList(Struct, frozen=True, kw_only=True):
    """All people, including those who are suspended."""

    items: list[Person]


@get("/keys", opt={"right": MANAGE}, responses=problem_responses(), summary="All keys", tags=["access"])
async def list_keys(service: ServiceDependency) -> KeyList:
    """List the keys."""
    return KeyList(items=await to_thread(service.authenticator.keys.list))


@post(
    "/keys",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Create a key",
    description="The response holds the secret, which is not shown again: only its hash is stored.",
    tags=["access"],
)
async def create_key(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewKey]) -> CreatedKey:
    """Create a key."""
    actor = request.user.name
    pins = data.pins.to_pins() if data.pins else NO_PINS
    key, secret = await to_thread(
        keys.create_key, service, data.name, data.role, data.owner or actor, actor, data.days, pins
    )
    return CreatedKey(key=key, secret=secret)


@patch(
    "/keys/{key_id:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Pin a key",
    description="Replaces the facts about the program that holds the key. Its claims can only make verdicts stricter.",
    tags=["access"],
)
async def pin_key(
    request: ApiRequest, service: ServiceDependency, key_id: FromPath[str], data: JSONBody[KeyPins]
) -> AccessKey:
    """Replace the pins of a key, by its complete id."""
    await to_thread(_check_key, service, key_id)
    key = await to_thread(service.authenticator.keys.pin, key_id, data.to_pins(), request.user.name)
    service.authenticator.clear_cache()
    return key


class KeyObservation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to enforce the verdicts on a key again, in microseconds since 1970; by default never."""

    until: Annotated[int, msgspec.Meta(gt=0, lt=2**62)] | None = None


@post(
    "/keys/{key_id:str}/observe",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Only observe the actions of a key",
    description="Records the verdicts, and lets the actions run. Floors, the rules that protect Interlock "
    "itself, and stops are still enforced.",
    tags=["access"],
)
async def observe_key(
    request: ApiRequest, service: ServiceDependency, key_id: FromPath[str], data: JSONBody[KeyObservation]
) -> AccessKey:
    """Only observe the actions of a key, by its complete id."""
    await to_thread(_check_key, service, key_id)
    key = await to_thread(service.authenticator.keys.observe, key_id, request.user.name, data.until)
    service.authenticator.clear_cache()
    return key


@post(
    "/keys/{key_id:str}/enforce",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Enforce the verdicts on the actions of a key again",
    tags=["access"],
)
async def enforce_key(request: ApiRequest, service: ServiceDependency, key_id: FromPath[str]) -> AccessKey:
    """Enforce the verdicts on the actions of a key, by its complete id."""
    await to_thread(_check_key, service, key_id)
    key = await to_thread(service.authenticator.keys.enforce, key_id, request.user.name)
    service.authenticator.clear_cache()
    return key


def _check_key(service: Service, key_id: str) -> None:
    if all(key.key_id != key_id for key in service.authenticator.keys.list()):
        raise MissingError("there is no such key; `GET /v1/keys` lists them")


@delete(
    "/keys/{key_id:str}", opt={"right": MANAGE}, status_code=200, responses=problem_responses(), summary="Revoke a key",
    tags=["access"],
)  # fmt: skip
async def revoke_key(request: ApiRequest, service: ServiceDependency, key_id: FromPath[str]) -> AccessKey:
    """Revoke a key, by its complete id."""
    await to_thread(_check_key, service, key_id)
    key = await to_thread(service.authenticator.keys.revoke, key_id, request.user.name)
    service.authenticator.clear_cache()
    return key


@get("/people", opt={"right": MANAGE}, responses=problem_responses(), summary="All people", tags=["access"])
async def list_people(service: ServiceDependency) -> PersonList:
    """List the people."""
    return PersonList(items=await to_thread(service.authenticator.people.list))


@post(
    "/people",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Add a person",
    description="The response holds a link with which they can sign in once.",
    tags=["access"],
)
async def add_person(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewPerson]) -> Invitation:
    """Add a person."""
    invited = await to_thread(people.add_person, service, data.name, Role(data.role), request.user.name)
    return Invitation(person=invited.person, link=invited.link, notice=invited.notice)


@post(
    "/people/{name:str}/link",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Create a one-time sign-in link",
    tags=["access"],
)
async def invite(request: ApiRequest, service: ServiceDependency, name: FromPath[str]) -> Invitation:
    """Create a sign-in link for a person."""
    invited = await to_thread(people.create_link, service, name, request.user.name)
    return Invitation(person=invited.person, link=invited.link)


@patch(
    "/people/{name:str}",
    opt={"right": MANAGE},
    responses=problem_responses(),
    summary="Change a person's role, or suspend them",
    tags=["access"],
)
async def change_person(
    request: ApiRequest, service: ServiceDependency, name: FromPath[str], data: JSONBody[PersonChange]
) -> Person:
    """Change a person's role or state."""
    role = None if data.role is None else Role(data.role)
    state = None if data.active is None else ACTIVE if data.active else SHUT_OUT
    return await to_thread(people.change_person, service, name, request.user.name, role=role, state=state)


ROUTES = [
    list_keys,
    create_key,
    pin_key,
    observe_key,
    enforce_key,
    revoke_key,
    list_people,
    add_person,
    invite,
    change_person,
]
