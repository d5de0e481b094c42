"""Every page meets WCAG 2.2 AA by axe-core, in both themes and at both widths."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.axe import find_all_violations
from tests.browser.conftest import Open, Site
from tests.browser.pages import PAGES


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> str:
    for command in ("git status", "git push --force origin main", "cat ~/.ssh/id_ed25519", "rm -rf /"):
        found = site.ask(agent, command, environment="production")
    assert found["verdict"] == "block"
    waiting = site.ask(agent, "terraform destroy", environment="production")
    return str(waiting["approval"]["approvalId"])


def test_every_page(site: Site, opened: Open, signed: dict[str, Any], busy: str) -> None:
    page = opened(storage_state=signed)
    found = {}
    for path in (*PAGES, f"/approvals/{busy}"):
        page.goto(site.url + path)
        found[path] = find_all_violations(page)
        unreachable = "[...document.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).length"
        assert page.evaluate(unreachable) == 0, path
    assert not any(found.values()), "\n".join(f"{path} {one}" for path, all_ in found.items() for one in all_)
