"""The glossary page."""

from __future__ import annotations

from litestar import Response, get

from interlock.access.roles import Right
from interlock.glossary import GLOSSARY
from interlock.server.pages.renderer import PageRequest, PagesDependency


@get("/glossary", opt={"right": Right.SEE}, include_in_schema=False, sync_to_thread=False)
def show_glossary(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show what each word means."""
    return pages.render(request, "glossary.html", glossary=GLOSSARY)


ROUTES = [show_glossary]
