"""How pages are made. Whatever is put into one is text: no markup, no control or bidirectional characters."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Request, Response
from litestar.di import NamedDependency
from markupsafe import Markup, escape

from interlock.access.roles import Caller, Right
from interlock.audit.record import KINDS
from interlock.errors import MissingError
from interlock.model import Span
from interlock.patterns import late
from interlock.policy.tiers import plain
from interlock.server.pages.charts import bars, stacked
from interlock.server.pages.writing import condition_line
from interlock.server.problem import Problem
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, format_time, format_time_short, now

FOLDER = Path(__file__).parent
NAVIGATION = (
    ("/", "Overview"),
    ("/approvals", "Approvals"),
    ("/runs", "Runs"),
    ("/policies", "Policies"),
    ("/audit", "Audit"),
    ("/try", "Try it"),
)
MAX_TEXT = 100_000


def _visible(value: Any) -> Any:
    """Return what stands in a page for a value: everything that could forge or hide something made visible."""
    if isinstance(value, Markup) or value is None or isinstance(value, (int, float)):
        return "" if value is None else value
    return plain(str(value))


def lines(text: object) -> Markup:
    """Return a text of several lines, each made safe by itself."""
    whole = str(text)
    cut = f"\n… cut here: {len(whole) - MAX_TEXT:,} characters more" if len(whole) > MAX_TEXT else ""
    return Markup("\n").join(escape(plain(line)) for line in (whole[:MAX_TEXT] + cut).split("\n"))


def marked(text: str, spans: Iterable[Sequence[int] | Span]) -> Markup:
    """Return a text with the parts that matter marked, and everything in it made safe."""
    shown_, position = Markup(), 0
    for start, end in sorted((int(one[0]), int(one[1])) for one in spans):
        start, end = max(start, position), min(end, len(text))
        if start < end:
            shown_ += lines(text[position:start]) + Markup("<mark>") + lines(text[start:end]) + Markup("</mark>")
            position = end
    return shown_ + lines(text[position:])


def ago(wall: int, at: int) -> str:
    """Return how long ago something was, as a person says it.

    >>> ago(0, 5_000_000), ago(0, 200_000_000), ago(0, 7_200_000_000), ago(0, 200_000_000_000)
    ('just now', '3 min ago', '2 h ago', '2 days ago')
    """
    seconds = (at - wall) // MICROSECONDS
    for length, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= length * (2 if name == "days" else 1):
            return f"{seconds // length} {name} ago"
    return "just now"


def stamp(wall: int | None) -> Markup:
    """Return a time, with how long ago that was for whoever does not want to reckon."""
    if wall is None:
        return Markup("–")
    whole = format_time(wall)
    return Markup('<time datetime="{}Z" title="{} UTC">{}</time>').format(
        whole.replace(" ", "T"), whole, ago(wall, now().wall)
    )


def clock(wall: int) -> Markup:
    """Return the time of day of something, and the day where it was another."""
    whole = format_time(wall)
    return Markup('<time datetime="{}Z" title="{} UTC, {}">{}</time>').format(
        whole.replace(" ", "T"), whole, ago(wall, now().wall), format_time_short(wall, now().wall)
    )


_QUOTED = late(r"`([^`]+)`")


def said(text: object) -> Markup:
    """Return one of our sentences, with what it quotes set apart."""
    return Markup(_QUOTED.sub(r"<code>\1</code>", str(escape(plain(str(text))))))  # noqa: S704 - escaped before


_SIMPLE = late(r"\w[\w.:@-]*", re.ASCII)


def run_link(run_id: str) -> str:
    """Return where a run is shown. A browser changes addresses with dots and slashes in them, so those are encoded.

    >>> run_link("8f1c"), run_link("../x")
    ('/runs/8f1c', '/runs/~Li4veA')
    """
    if _SIMPLE.fullmatch(run_id):
        return f"/runs/{run_id}"
    return f"/runs/~{base64.urlsafe_b64encode(run_id.encode('utf-8', 'surrogatepass')).decode().rstrip('=')}"


def run_named(path: str) -> str:
    """Return the run that an address names.

    >>> run_named("/8f1c"), run_named("/~Li4veA")
    ('8f1c', '../x')
    """
    name = path.removeprefix("/")
    if not name.startswith("~"):
        return name
    try:
        whole = base64.b64decode(f"{name[1:]}{'=' * (-(len(name) - 1) % 4)}", b"-_", validate=True)
        return str(whole, "utf-8", "surrogatepass")
    except ValueError:
        raise MissingError("there is no such run; the list of runs shows which there are") from None


_FILTERS: dict[str, Callable[..., Any]] = {
    "lines": lines,
    "stamp": stamp,
    "clock": clock,
    "said": said,
    "line": condition_line,
    "moment": format_time,
    "part": lambda text: quote(str(text), safe=""),
    "commas": lambda number: f"{int(number):,}",
}


class Pages:
    """Renders the pages of a service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(_FILTERS)
        self._environment.globals.update(
            kinds=list(KINDS),
            marked=marked,
            stacked=stacked,
            bars=bars,
            navigation=NAVIGATION,
            percent=percent,
            run_link=run_link,
        )

    def render(self, request: Request[Any, Any, Any], name: str, *, status: int = 200, **told: Any) -> Response[str]:
        """Return a page."""
        caller: Caller | None = request.scope.get("user")
        shared = {
            "caller": caller,
            "csrf": self.service.doors.csrf(caller) if caller is not None and caller.session_id else "",
            "here": request.url.path,
            "pending": self.service.gate.approvals.count() if caller is not None else 0,
            "may_answer": caller is not None and caller.may(Right.ANSWER),
            "may_manage": caller is not None and caller.may(Right.MANAGE),
        }
        text = self._environment.get_template(name).render({**shared, **told})
        return Response(text, status_code=status, media_type=MediaType.HTML)

    def wants_page(self, request: Request[Any, Any, Any]) -> bool:
        """Whether somebody looks at a page, rather than a program at the API."""
        path = request.url.path
        return not path.startswith(("/v1/", "/docs/", "/metrics", "/healthz", "/readyz", "/static/")) and (
            "text/html" in request.headers.get("accept", "")
        )

    def problem_page(self, request: Request[Any, Any, Any], problem: Problem, headers: dict[str, str]) -> Response[Any]:
        """Return what went wrong as a page; who has not signed in is asked to."""
        if problem.status == 401:
            wanted = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
            page = self.render(request, "sign_in.html", status=401, error="", wanted=wanted)
        else:
            page = self.render(request, "problem.html", status=problem.status, problem=problem)
        for name, value in headers.items():
            page.headers[name] = value
        return page


def percent(part: float) -> str:
    """Return a part of a whole."""
    return f"{part:.1%}" if 0 < part < 0.1 else f"{part:.0%}"


#: What a page's route asks for.
Shown = NamedDependency[Pages]
