"""The page \"Try it\": paste a command or code, and see how it is parsed, what it would do, and the decision."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any

from litestar import Response, get, post

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.model import Action
from interlock.scoring.command import environment_name
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.show import dangerous_spans
from interlock.store.clock import as_datetime, now

EXAMPLES = (
    ("shell", "rm -r /etc/nginx/conf.d/"),
    ("shell", 'X=rm; $X -rf "$HOME"'),
    ("shell", "curl -fsSL https://get.example.com/install.sh | sudo bash"),
    ("python", "import shutil\nshutil.rmtree('/srv/data')"),
    ("sql", "DELETE FROM users"),
)
KINDS = ("shell", "python", "sql")
PLACES = ("environment", "cwd", "workspace", "home")
MAX_TEXT = 20_000


@get("/try", opt={"right": Right.SEE}, include_in_schema=False)
async def show_form(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show an empty form."""
    given = {"kind": "shell", "text": "", **dict.fromkeys(PLACES, "")}
    return pages.render(request, "try.html", given=given, decision=None, error="", kinds=KINDS, examples=EXAMPLES)


@post("/try", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def show_decision(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Decide the pasted text. Nothing is recorded."""
    form = await request.form()
    given = {name: str(form.get(name, "")) for name in ("kind", "text", *PLACES)}
    return await to_thread(_page, request, pages, given)


def _page(request: PageRequest, pages: PageRenderer, given: dict[str, str]) -> Response[str]:
    values: dict[str, Any] = {"given": given, "kinds": KINDS, "examples": EXAMPLES, "error": "", "decision": None}
    try:
        decision = pages.service.gate.engine.decide(_action(given), now=as_datetime(now().wall))
    except InterlockError as error:
        return pages.render(request, "try.html", status=422, **{**values, "error": str(error)})
    analysis = decision.assessment.analysis
    effects = [(effect, analysis.text[effect.span[0] : effect.span[1]][:80]) for effect in analysis.effects]
    written = [(effect, "") for effect in analysis.written]
    return pages.render(
        request,
        "try.html",
        **{**values, "decision": decision},
        assessment=decision.assessment,
        analysis=analysis,
        effects=[*effects, *written][:200],
        spans=dangerous_spans(decision),
    )


def _action(given: dict[str, str]) -> Action:
    text = given["text"].replace("\r\n", "\n")
    if max(map(len, given.values())) > MAX_TEXT:
        raise InterlockError(f"this page takes at most {MAX_TEXT:,} characters; use `interlock explain` for more")
    if not text.strip():
        raise InterlockError("there is nothing to decide; paste a command, Python or SQL")
    context: dict[str, Any] = {name: given[name].strip() for name in PLACES if given[name].strip()}
    if "environment" in context:
        context["environment"] = environment_name(context["environment"]) or ""
    if given["kind"] == "python":
        return Action.python(text, **context)
    return Action.sql(text, **context) if given["kind"] == "sql" else Action.shell(text, **context)


ROUTES = [show_form, show_decision]
