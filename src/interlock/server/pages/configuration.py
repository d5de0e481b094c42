"""The page of the configuration in force: every setting, its value, and where it comes from."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.config.origins import Setting
from interlock.server.administration.configuration import read_configuration
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.policy_editor import list_policies


@get("/settings/configuration", opt={"right": Right.SEE}, include_in_schema=False)
async def show_configuration(
    request: PageRequest,
    pages: PagesDependency,
    q: Annotated[str, QueryParameter(max_length=100)] = "",
    only: Annotated[str, QueryParameter(max_length=10)] = "",
) -> Response[str]:
    """Show the configuration in force, or the settings that contain a text."""

    def work() -> Response[str]:
        found = read_configuration(pages.service)
        shown = [one for one in found.settings if _matches(one, q) and not (only == "changed" and one.is_default)]
        return pages.render(
            request,
            "configuration.html",
            found=found,
            rows=[
                (one, _format_value(one.value), [(_format_value(old.value), old.origin) for old in one.replaced])
                for one in shown
            ],
            q=q,
            only=only,
            stored=sum(one.source == "store" for one in list_policies(pages.service)),
        )

    return await to_thread(work)


def _matches(setting: Setting, text: str) -> bool:
    whole = f"{setting.key} {_format_value(setting.value)} {' '.join(map(str, setting.origins))}"
    return text.strip().lower() in whole.lower()


def _format_value(value: Any) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


ROUTES = [show_configuration]
