"""Render the templates of the pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Request, Response
from litestar.di import NamedDependency

from interlock.access.roles import Caller, Right
from interlock.audit.outcomes import describe_outcome
from interlock.audit.record import KINDS
from interlock.audit.sentences import describe_record
from interlock.rules.standards.rule_ids import references_of
from interlock.sanitise import join_lines
from interlock.server.csrf import csrf_token
from interlock.server.live_counts import LiveCounts
from interlock.server.pages import formatting
from interlock.server.pages.charts import bars, sparkline, stacked_bars
from interlock.server.pages.condition_rows import describe_condition
from interlock.server.pages.links import agent_link, run_link
from interlock.server.pages.reader_zone import COOKIE, exact_time, find_zone, use_zone
from interlock.server.pages.requested_page import find_requested_page, read_remembered_page, remember_page
from interlock.server.problems import ProblemDetails
from interlock.server.service import Service
from interlock.store.clock import format_time

PageRequest = Request[Any, Any, Any]
FOLDER = Path(__file__).parent
#: The pages in the header: path, name, and the key that leads there after `g`.
NAVIGATION = (
    ("/", "Overview", "o"),
    ("/approvals", "Approvals", "a"),
    ("/runs", "Runs", "r"),
    ("/actions", "Actions", "c"),
    ("/agents", "Agents", "n"),
    ("/policies", "Policies", "p"),
    ("/observe", "Observed", "b"),
    ("/reports", "Reports", "w"),
    ("/audit", "Audit", "u"),
    ("/try", "Try it", "t"),
    ("/settings", "Settings", "s"),
)
#: The pages of the settings: path, name, and the right that they require.
SETTINGS = (
    ("/settings/notifications", "Notifications", Right.SEE),
    ("/settings/chat-accounts", "Chat accounts", Right.SEE),
    ("/settings/people", "People", Right.SEE),
    ("/settings/groups", "Groups", Right.SEE),
    ("/settings/sign-in", "Sign-in", Right.MANAGE),
    ("/settings/keys", "API keys", Right.SEE),
    ("/settings/webhooks", "Webhooks", Right.MANAGE),
    ("/settings/channels", "Channels", Right.SEE),
    ("/settings/grants", "Grants", Right.SEE),
    ("/settings/retention", "Retention", Right.SEE),
    ("/settings/configuration", "Configuration", Right.SEE),
    ("/settings/machines", "Machines", Right.SEE),
    ("/settings/health", "Health", Right.SEE),
)
#: Paths under which errors are never shown as pages.
_NOT_PAGES = ("/v1/", "/docs/", "/metrics", "/healthz", "/readyz", "/static/")

_FILTERS: dict[str, Callable[..., Any]] = {
    "lines": formatting.escape_lines,
    "relative_time": formatting.relative_time,
    "clock_time": formatting.clock_time,
    "outcome": describe_outcome,
    "message": formatting.format_message,
    "as_sentence": formatting.as_sentence,
    "condition": describe_condition,
    "timestamp": format_time,
    "url_part": formatting.url_part,
    "commas": formatting.with_commas,
    "one_line": join_lines,
    "exact_time": exact_time,
    "fingerprint": formatting.fingerprint,
    "time_left": formatting.time_left,
    "bytes": formatting.with_unit,
    "sentence": partial(describe_record, show_time=exact_time),
    "duration": formatting.duration,
}
_GLOBALS = {
    "kinds": list(KINDS),
    "highlight": formatting.highlight,
    "stacked_bars": stacked_bars,
    "bars": bars,
    "sparkline": sparkline,
    "navigation": NAVIGATION,
    "percent": formatting.percent,
    "run_link": run_link,
    "agent_link": agent_link,
    "references_of": references_of,
}


@cache
def _load_templates() -> Environment:
    """Return the templates; each is compiled on first use."""
    found = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=formatting.make_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(_FILTERS)
    found.globals.update(_GLOBALS)
    return found


class PageRenderer:
    """Renders the pages of a service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.live_counts = LiveCounts()

    def render(self, request: PageRequest, name: str, *, status: int = 200, **values: Any) -> Response[str]:
        """Return a page: a template with its values, and those that every page has."""
        caller: Caller | None = request.scope.get("user")
        authenticator = self.service.authenticator
        use_zone(find_zone(request.cookies.get(COOKIE)))
        shared = {
            "caller": caller,
            "csrf": csrf_token(authenticator, caller) if caller is not None and caller.session_id else "",
            "here": request.url.path,
            "seq": request.scope["state"].get("seq", self.service.feed.seq),
            "pending": self._count_answerable(caller),
            "may_answer": caller is not None and caller.may(Right.ANSWER),
            "may_manage": caller is not None and caller.may(Right.MANAGE),
            "settings": [(path, name) for path, name, right in SETTINGS if caller is not None and caller.may(right)],
        }
        if isinstance(error := values.get("error"), str):
            values["error"] = formatting.as_sentence(error)
        text = _load_templates().get_template(name).render({**shared, **values})
        return Response(text, status_code=status, media_type=MediaType.HTML)

    def sign_in_page(
        self, request: PageRequest, *, status: int = 200, error: str = "", wanted: str = "/", signed_out: str = ""
    ) -> Response[str]:
        """Return the sign-in form; `signed_out` is the provider at which a person is still signed in.

        The browser remembers the `wanted` page for those who sign in with a one-time link.
        """
        found, authenticator = self.service.providers.settings, self.service.authenticator
        if error and wanted == "/":
            wanted = read_remembered_page(request, authenticator)
        page = self.render(
            request,
            "sign_in.html",
            status=status,
            error=error,
            wanted=wanted,
            providers=found.oidc.values(),
            local=found.local,
            signed_out=found.oidc.get(signed_out),
        )
        remember_page(page, authenticator, wanted)
        return page

    def _count_answerable(self, caller: Caller | None) -> int:
        """Return how many pending requests the caller can answer."""
        if caller is None or not caller.may(Right.ANSWER):
            return 0
        return self.service.gate.approvals.count_for(caller.name)

    def wants_page(self, request: PageRequest) -> bool:
        """Whether a request comes from a browser that shows a page, rather than from an API client."""
        return not request.url.path.startswith(_NOT_PAGES) and "text/html" in request.headers.get("accept", "")

    def problem_page(self, request: PageRequest, problem: ProblemDetails, headers: dict[str, str]) -> Response[Any]:
        """Return a problem as a page, or the sign-in form if the caller has not signed in."""
        if problem.status == 401:
            page = self.sign_in_page(request, status=401, wanted=find_requested_page(request))
        else:
            page = self.render(
                request,
                "problem.html",
                status=problem.status,
                problem=problem,
                headings=_HEADINGS,
                section=_find_section(request.url.path, request.scope.get("user")),
            )
        for name, value in headers.items():
            page.headers[name] = value
        return page


def _find_section(path: str, caller: Caller | None) -> tuple[str, str]:
    """Return the path and name of the page that a path is below and the caller may see: a way back from a problem."""
    shown = [(link, name) for link, name, right in SETTINGS if caller is not None and caller.may(right)]
    sections = [*shown, *((link, name) for link, name, _ in NAVIGATION)]
    return next((one for one in sections if path.startswith(f"{one[0]}/")), ("/", "the overview"))


#: What a problem is called on its page, by its status.
_HEADINGS = {
    400: "Something is missing",
    403: "Not allowed",
    404: "Not found",
    409: "This was changed in the meantime",
    413: "Too large",
    422: "Nothing was changed",
    429: "Too many requests",
    500: "Something went wrong",
    503: "Not available right now",
}
#: The parameter `pages` of a page's route.
PagesDependency = NamedDependency[PageRenderer]
