"""Every page meets WCAG 2.2 AA by axe-core, in both themes and at both widths."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Open, Site
from tests.browser.pages import PAGES

_STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_OPTIONS = {"runOnly": {"type": "tag", "values": _STANDARDS}, "resultTypes": ["violations"]}
WIDTHS = (1440, 390)


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> str:
    for command in ("git status", "git push --force origin main", "cat ~/.ssh/id_ed25519", "rm -rf /"):
        found = site.ask(agent, command, environment="production")
    assert found["verdict"] == "block"
    waiting = site.ask(agent, "terraform destroy", environment="production")
    return str(waiting["approval"]["approvalId"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page(site: Site, opened: Open, signed: dict[str, Any], busy: str, theme: Any, width: int) -> None:
    page = opened(width, storage_state=signed, color_scheme=theme)
    axe, found = Axe(), []
    for path in (*PAGES, f"/approvals/{busy}"):
        page.goto(site.url + path)
        for violation in axe.run(page, options=_OPTIONS).response["violations"]:
            where = [node["html"][:160] for node in violation["nodes"][:3]]
            found.append(f"{path}: {violation['id']}: {violation['help']}: {where}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} is wider than the screen"
    assert not found, "\n".join(found)
