"""The pages of API keys: list, create with pins, change, observe, and revoke."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right, Role, parse_role
from interlock.errors import InterlockError, MissingError
from interlock.server.administration import keys as administration
from interlock.server.administration.keys import KeyState, find_key_state, list_key_states
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.confirmation import Question, ask, field, is_confirmed
from interlock.server.pages.key_form import EMPTY, ENVIRONMENTS, days_of, fields_of, pins_of, read_fields
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.problems import problem_from
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now

HERE = "/settings/keys"
_DAY = 86_400 * MICROSECONDS


@get(HERE, opt={"right": Right.SEE}, include_in_schema=False)
async def show_keys(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the keys."""

    def work() -> Response[str]:
        service = pages.service
        found, changes = list_key_states(service), recent_changes(service, request.user.name, "keys")
        return pages.render(request, "keys.html", keys=found, changes=changes)

    return await to_thread(work)


@get(HERE + "/new", opt={"right": Right.MANAGE}, include_in_schema=False)
async def show_form(
    request: PageRequest, pages: PagesDependency, like: Annotated[str, QueryParameter(max_length=40)] = ""
) -> Response[str]:
    """Show the form for a new key, filled in like another one."""

    def work() -> Response[str]:
        model = find_key_state(pages.service, like)
        fields = {**EMPTY, "owner": request.user.name} if model is None else fields_of(model.key)
        return _form(request, pages, fields)

    return await to_thread(work)


@post(HERE + "/new", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def create_key(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Create a key, and show its secret once."""
    fields = read_fields(await request.form())

    def work() -> Response[str]:
        try:
            key, secret = administration.create_key(
                pages.service,
                fields["name"],
                parse_role(fields["role"]),
                fields["owner"] or request.user.name,
                request.user.name,
                days_of(fields["days"], "the time that a key is valid"),
                pins_of(fields),
            )
        except InterlockError as error:
            return _form(request, pages, fields, error)
        return _page(request, pages, key.key_id, secret=secret)

    return await to_thread(work)


@get(HERE + "/{key_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_key(request: PageRequest, pages: PagesDependency, key_id: FromPath[str]) -> Response[str]:
    """Show a key."""
    return await to_thread(_page, request, pages, key_id)


@post(HERE + "/{key_id:str}", opt={"right": Right.MANAGE}, status_code=200, include_in_schema=False)
async def change_key(request: PageRequest, pages: PagesDependency, key_id: FromPath[str]) -> Response[Any]:
    """Change the pins of a key, observe or enforce it, or revoke it, depending on the button."""
    form = await request.form()
    fields, button, days = read_fields(form), field(form, "button"), field(form, "observe_days")
    confirmed = is_confirmed(form)

    def work() -> Response[Any]:
        key = _find(pages.service, key_id).key
        if button == "revoke" and not confirmed:
            return ask(request, pages, _question(key.key_id, key.name), {"button": button})
        try:
            _apply(pages.service, key.key_id, button, fields, days, request.user.name)
        except InterlockError as error:
            return _page(request, pages, key_id, error, fields=fields)
        return Redirect(f"{HERE}/{key.key_id}", status_code=303)

    return await to_thread(work)


def _apply(service: Service, key_id: str, button: str, fields: dict[str, str], days: str, actor: str) -> None:
    """Do what a button says."""
    keys = service.authenticator.keys
    if button == "revoke":
        keys.revoke(key_id, actor)
    elif button == "observe":
        count = days_of(days, "the time of observation")
        keys.observe(key_id, actor, None if count is None else now().wall + count * _DAY)
    elif button == "enforce":
        keys.enforce(key_id, actor)
    elif button == "pins":
        keys.pin(key_id, pins_of(fields), actor)
    else:
        raise InterlockError("choose what to change")
    service.authenticator.clear_cache()


def _find(service: Service, key_id: str) -> KeyState:
    found = find_key_state(service, key_id)
    if found is None:
        raise MissingError("there is no such key; the list of keys shows all of them")
    return found


def _form(
    request: PageRequest, pages: PageRenderer, fields: dict[str, str], error: InterlockError | None = None
) -> Response[str]:
    return pages.render(
        request,
        "key_new.html",
        status=200 if error is None else problem_from(error).status,
        fields=fields,
        error="" if error is None else str(error),
        roles=list(Role),
        environments=ENVIRONMENTS,
        people=administration.active_people(pages.service),
    )


def _page(
    request: PageRequest,
    pages: PageRenderer,
    key_id: str,
    error: InterlockError | None = None,
    fields: dict[str, str] | None = None,
    secret: str = "",
) -> Response[str]:
    found = _find(pages.service, key_id)
    return pages.render(
        request,
        "key.html",
        status=200 if error is None else problem_from(error).status,
        state=found,
        key=found.key,
        fields=fields or fields_of(found.key),
        changes=recent_changes(pages.service, request.user.name, "keys", found.key.key_id),
        error="" if error is None else str(error),
        environments=ENVIRONMENTS,
        secret=secret,
        url=pages.service.url,
    )


def _question(key_id: str, name: str) -> Question:
    effects = (
        "Programs that use it are refused at once.",
        "An admin can undo this until the key expires.",
    )
    here = f"{HERE}/{key_id}"
    return Question(title=f"Revoke key {name}?", effects=effects, label="Revoke", action=here, back=here)


ROUTES = [show_keys, show_form, create_key, show_key, change_key]
