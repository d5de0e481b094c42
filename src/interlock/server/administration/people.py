"""Changes of people, by an admin in the browser or through the API."""

from __future__ import annotations

from typing import Any, NamedTuple

from interlock.access.people import Person, verify_password
from interlock.access.roles import Caller, Role, parse_role
from interlock.access.second_person import describe_second_person
from interlock.errors import ConflictError, ForbiddenError, InterlockError
from interlock.server.service import Service


class InvitedPerson(NamedTuple):
    """A person, their one-time sign-in link, and a notice if they are the second person of the store."""

    person: Person
    link: str
    notice: str = ""


def check_not_self(name: str, actor: str) -> None:
    """Raise if people would change their own role or state."""
    if name == actor:
        raise ConflictError(
            "you cannot change your own role or state; ask another admin, or run `interlock people` on the server"
        )


def add_person(service: Service, name: str, role: Role, actor: str) -> InvitedPerson:
    """Add a person; return a sign-in link for them."""
    person = service.authenticator.people.add(name, role, actor)
    everyone = service.authenticator.people.list()
    notice = describe_second_person(everyone, person, actor, service.gate.config.approvals.one_person)
    return InvitedPerson(person, service.sign_in_link(person.name), notice)


def change_person(
    service: Service, name: str, actor: str, *, role: Role | None = None, state: str | None = None
) -> Person:
    """Change the role or the state of somebody else; an admin is always left."""
    check_not_self(name, actor)
    given = {"role": None if role is None else role.value, "state": state}
    changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
    if not changes:
        return service.authenticator.people.get(name)
    person = service.authenticator.people.change(name, actor, keep_admin=True, **changes)
    service.authenticator.clear_cache()
    return person


def create_link(service: Service, name: str, actor: str) -> InvitedPerson:
    """Return a sign-in link for oneself or a reviewer. Links of other admins are created on the command line."""
    person = service.authenticator.people.get(name)
    if person.name != actor and person.role is Role.ADMIN:
        raise ConflictError("create an admin's link on the command line: `interlock people link NAME`")
    if person.state != "active":
        raise ConflictError(f"`{person.name}` is suspended; reactivate them first")
    return InvitedPerson(person, service.sign_in_link(person.name))


def parse_person_role(text: str) -> Role:
    """Return the role of a person; raise for the roles of programs."""
    role = parse_role(text)
    if role not in (Role.REVIEWER, Role.ADMIN):
        raise InterlockError("a person is a reviewer or an admin")
    return role


def remove_password(service: Service, name: str, actor: str) -> Person:
    """Remove the password of somebody else, who then needs a sign-in link."""
    check_not_self(name, actor)
    return service.authenticator.people.change(name, actor, password=None)


def set_own_password(service: Service, caller: Caller, name: str, current: str, new: str, repeated: str) -> None:
    """Set the password of the person who is signed in and, if they have one, knows the current one."""
    if caller.session_id is None or caller.name != name:
        raise ForbiddenError("people set their own password, once they have signed in; create a sign-in link instead")
    if new != repeated:
        raise InterlockError("the passwords do not match; nothing was changed")
    people = service.authenticator.people
    hashed = people.password_hash(caller.name)
    if hashed is not None and service.sign_in_limiter.take(f"password of {name}"):
        raise ForbiddenError("too many attempts; wait a minute")
    if hashed is not None and not verify_password(hashed, current):
        raise ForbiddenError("the current password is wrong; nothing was changed")
    people.set_password(caller.name, new, caller.name)


def count_own_pending(service: Service, name: str) -> int:
    """Return how many pending requests come from a person's own agents."""
    query = "SELECT count(*) FROM interlock_approvals WHERE state = 'pending' AND started_by = :name"
    with service.journal.database.read() as connection:
        return int(connection.value(query, name=name))


def locks_out(service: Service) -> bool:
    """Whether the people here approve requests of their own agents only for as long as there is just one of them."""
    configured = service.gate.configuration.config.approvals.one_person
    return configured is None and service.authenticator.people.count() <= 1
