"""Every page meets WCAG 2.2 AA by axe-core, in both themes and at both widths."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Open, Site
from tests.browser.pages import PAGES

_STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_OPTIONS = {"runOnly": {"type": "tag", "values": _STANDARDS}, "resultTypes": ["violations"]}
WIDTHS: tuple[int, ...] = (1440, 390)
THEMES: tuple[Any, ...] = ("light", "dark")


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> str:
    for command in ("git status", "git push --force origin main", "cat ~/.ssh/id_ed25519", "rm -rf /"):
        found = site.ask(agent, command, environment="production")
    assert found["verdict"] == "block"
    waiting = site.ask(agent, "terraform destroy", environment="production")
    return str(waiting["approval"]["approvalId"])


def find_violations(page: Page, axe: Axe) -> list[str]:
    """Return what axe-core finds on a page, in both themes and at both widths."""
    found = []
    for width, theme in itertools.product(WIDTHS, THEMES):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        for violation in axe.run(page, options=_OPTIONS).response["violations"]:
            where = [node["html"][:160] for node in violation["nodes"][:3]]
            found.append(f"{width} {theme}: {violation['id']}: {violation['help']}: {where}")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{width}: the page is wider than the screen")
    return found


def test_every_page(site: Site, opened: Open, signed: dict[str, Any], busy: str) -> None:
    page, axe = opened(storage_state=signed), Axe()
    found = {}
    for path in (*PAGES, f"/approvals/{busy}"):
        page.goto(site.url + path)
        found[path] = find_violations(page, axe)
        unreachable = "[...document.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).length"
        assert page.evaluate(unreachable) == 0, path
    assert not any(found.values()), "\n".join(f"{path} {one}" for path, all_ in found.items() for one in all_)
