"""Links to the list of actions: a filter as the parameters of a URL, and back."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from interlock.errors import InterlockError
from interlock.metrics.action_filter import ActionFilter
from interlock.server.pages.renderer import PageRequest
from interlock.server.pages.time_range import link_time, parse_range, zone_of

#: The name of each parameter, by the field of the filter.
PARAMETERS = {
    "q": "q",
    "agent_id": "agent",
    "tool": "tool",
    "verdict": "verdict",
    "level": "level",
    "rule": "rule",
    "policy": "policy",
    "grant": "grant",
    "cause": "cause",
    "environment": "environment",
    "person": "person",
    "run_id": "run",
    "key_id": "keyId",
    "request": "request",
}
MAX_TEXT = 300


def text_parameter(request: PageRequest, name: str, most: int = MAX_TEXT) -> str:
    """Return a parameter of a page, or raise if it is too long."""
    found = str(request.query_params.get(name, "")).strip()
    if len(found) > most:
        raise InterlockError(f"`{name}` is longer than {most} characters")
    return found


def filter_of(request: PageRequest) -> ActionFilter:
    """Return the filter in the parameters of a request, or raise."""
    times = parse_range(text_parameter(request, "from"), text_parameter(request, "to"), zone_of(request))
    given: dict[str, Any] = {field: text_parameter(request, name) for field, name in PARAMETERS.items()}
    unnamed = text_parameter(request, "unnamed") == "1"
    return ActionFilter(start=times.start, end=times.end, unnamed=unnamed, **given)


def query_of(wanted: ActionFilter, **more: str) -> str:
    """Return a filter as the parameters of a URL.

    >>> query_of(ActionFilter(agent_id="a/b", unnamed=True), sort="level")
    'agent=a%2Fb&unnamed=1&sort=level'
    """
    given = {name: getattr(wanted, field) for field, name in PARAMETERS.items()}
    given |= {"unnamed": "1" if wanted.unnamed else ""}
    given |= {"from": "" if wanted.start is None else link_time(wanted.start)}
    given |= {"to": "" if wanted.end is None else link_time(wanted.end)}
    return urlencode({name: value for name, value in {**given, **more}.items() if value}, errors="replace")


def actions_link(wanted: ActionFilter) -> str:
    """Return the URL of the list of some actions.

    >>> actions_link(ActionFilter(verdict="block"))
    '/actions?verdict=block'
    """
    return f"/actions?{query_of(wanted)}"
