"""The page of people: who may sign in, with which role, and what was changed."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from interlock.access.last_used import PERSON, read_last_used
from interlock.access.people import ACTIVE, MIN_PASSWORD, SHUT_OUT, Person
from interlock.access.roles import Right, Role
from interlock.access.sessions import LINK_SECONDS
from interlock.config.home import NAME, own_folder
from interlock.errors import InterlockError
from interlock.server.administration import people as administration
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.formatting import url_part
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import problem_from

HERE = "/settings/people"
ROLES = (Role.REVIEWER, Role.ADMIN)


@get(HERE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_people(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the people."""
    return await to_thread(_list, request, pages)


@post(HERE, opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def add_person(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Add a person, and show their sign-in link once."""
    form = await request.form()
    return await to_thread(_add, request, pages, field(form, "name"), field(form, "role"))


@get(HERE + "/{name:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_person(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[str]:
    """Show a person."""
    return await to_thread(_page, request, pages, name)


@post(HERE + "/{name:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_person(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[Any]:
    """Change a person's role, suspend or reactivate them, or create a sign-in link, depending on the button."""
    form = await request.form()
    given = field(form, "button"), field(form, "role")
    return await to_thread(_change, request, pages, name, *given, confirmed=is_confirmed(form))


@post(HERE + "/{name:str}/password", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def set_password(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[str]:
    """Set one's own password."""
    form = await request.form()
    current, new, repeated = (str(form.get(one, "")) for one in ("current", "new", "repeated"))

    def work() -> Response[str]:
        try:
            administration.set_own_password(pages.service, request.user, name, current, new, repeated)
        except InterlockError as error:
            return _page(request, pages, name, error=error)
        return _page(request, pages, name, done="Your password was set.")

    return await to_thread(work)


def _list(
    request: PageRequest, pages: PageRenderer, error: InterlockError | None = None, **values: Any
) -> Response[str]:
    service = pages.service
    with service.journal.database.read() as connection:
        signed_in = read_last_used(connection, PERSON)
    return pages.render(
        request,
        "people.html",
        status=200 if error is None else problem_from(error).status,
        people=service.authenticator.people.list(),
        signed_in=signed_in,
        changes=recent_changes(service, request.user.name, "people"),
        locks_out=administration.locks_out(service),
        own_file=own_folder() / NAME,
        minutes=LINK_SECONDS // 60,
        error="" if error is None else str(error),
        roles=ROLES,
        **{"invited": None, "lost": None, "given": {"name": "", "role": ""}, **values},
    )


def _add(request: PageRequest, pages: PageRenderer, name: str, role: str) -> Response[str]:
    service, actor = pages.service, request.user.name
    alone = administration.locks_out(service)
    try:
        invited = administration.add_person(service, name, administration.parse_person_role(role), actor)
    except InterlockError as error:
        return _list(request, pages, error, given={"name": name, "role": role})
    lost = administration.count_own_pending(service, actor) if alone else None
    return _list(request, pages, invited=invited, lost=lost if service.authenticator.people.count() > 1 else None)


def _page(
    request: PageRequest, pages: PageRenderer, name: str, error: InterlockError | None = None, **values: Any
) -> Response[str]:
    service = pages.service
    person = service.authenticator.people.get(name)
    with service.journal.database.read() as connection:
        signed_in = read_last_used(connection, PERSON).get(person.name)
    return pages.render(
        request,
        "person.html",
        status=200 if error is None else problem_from(error).status,
        person=person,
        signed_in=signed_in,
        is_self=person.name == request.user.name,
        keys=[key for key in service.authenticator.keys.list() if key.owner == person.name and not key.revoked_at],
        changes=recent_changes(service, request.user.name, "people", person.name),
        error="" if error is None else str(error),
        roles=ROLES,
        minutes=LINK_SECONDS // 60,
        least=MIN_PASSWORD,
        **{"invited": None, "done": "", **values},
    )


def _change(
    request: PageRequest, pages: PageRenderer, name: str, button: str, role: str, *, confirmed: bool
) -> Response[Any]:
    service, actor = pages.service, request.user.name
    try:
        person = service.authenticator.people.get(name)
        if button == "link":
            return _page(request, pages, name, invited=administration.create_link(service, name, actor))
        administration.check_not_self(name, actor)
        question = _question(person, button, role)
        if question is not None and not confirmed:
            return ask(request, pages, question, {"button": button, "role": role})
        if button in ("shut-out", "let-in"):
            administration.change_person(service, name, actor, state=ACTIVE if button == "let-in" else SHUT_OUT)
        elif button == "remove-password":
            administration.remove_password(service, name, actor)
        else:
            administration.change_person(service, name, actor, role=administration.parse_person_role(role))
    except InterlockError as error:
        return _page(request, pages, name, error)
    return Redirect(f"{HERE}/{url_part(name)}", status_code=303)


def _question(person: Person, button: str, role: str) -> Question | None:
    """Return what to ask before a change, or None if it is harmless."""
    change = button if button != "role" else f"{person.role.value} to {role}"
    if change not in _QUESTIONS:
        return None
    title, label, effects = _QUESTIONS[change]
    here = f"{HERE}/{url_part(person.name)}"
    return Question(title=title.format(person.name), effects=effects, label=label, action=here, back=here)


#: The title, the button and the effects of changes that need a confirmation.
_QUESTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "shut-out": (
        "Suspend {}?",
        "Suspend",
        ("They are signed out at once.", "API keys that they own are refused.", "You can reactivate them later."),
    ),
    "remove-password": (
        "Remove the password of {}?",
        "Remove password",
        ("They need a sign-in link to sign in again.", "A password cannot be restored."),
    ),
    "reviewer to admin": (
        "Make {} an admin?",
        "Make admin",
        ("They can change policies, people, keys, webhooks and settings.", "They can also change your role."),
    ),
    "admin to reviewer": (
        "Make {} a reviewer?",
        "Make reviewer",
        (
            "They can no longer change policies or settings.",
            "Admin keys that they own become reviewer keys.",
        ),
    ),
}

ROUTES = [show_people, add_person, show_person, change_person, set_password]
