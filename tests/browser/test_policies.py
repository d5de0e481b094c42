"""Write a policy in the browser: checked while typing, tested, saved, restored."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Site, shot


@pytest.fixture
def page(opened: Open, signed: dict[str, Any]) -> Page:
    return opened(storage_state=signed)


def test_a_policy_is_written_tested_simulated_and_restored(site: Site, agent: str, page: Page) -> None:
    for _ in range(3):
        assert site.ask(agent, "npm publish", runId="run-1")["verdict"] != "block"
    page.goto(f"{site.url}/policies")
    page.get_by_role("link", name="New policy").click()
    page.get_by_label("ID", exact=True).fill("no-publishing")
    page.get_by_label("Name", exact=True).fill("No publishing")
    conditions = page.get_by_label("Conditions, one per line; all must hold")
    conditions.fill('effect.kind equals "package.publish"')
    result = page.get_by_role("status")
    expect(result).to_contain_text("did you mean effects.kind".replace("effects.kind", "`effects.kind`"))
    conditions.fill('effects.kind equals "package.publish"')
    expect(result).to_have_text("No errors.")
    page.get_by_label("block").check()
    page.get_by_label("Command").fill("npm publish")
    page.get_by_role("button", name="Test against this command").click()
    expect(page.locator("#trial")).to_contain_text("Matches.")
    page.get_by_role("button", name="Test against past actions").click()
    expect(page.locator("#simulation")).to_contain_text("Test against 3 past actions")
    expect(page.locator("#simulation")).to_contain_text("npm publish")
    expect(conditions).to_have_value('effects.kind equals "package.publish"')  # nothing written is lost
    shot(page, "policy")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] != "block"  # nothing was changed yet
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_role("heading", name="No publishing")).to_be_visible()
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == "block"

    page.get_by_label("warn").check()
    page.get_by_label("Reason for the change").fill("too strict")
    page.get_by_role("button", name="Save as new version").click()
    expect(page.locator("#versions")).to_contain_text("“too strict”")
    expect(page.locator(".diff .plus").first).to_contain_text("action: warn")
    expect(page.locator(".diff .minus").first).to_contain_text("action: block")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] != "block"
    shot(page, "versions")
    page.get_by_role("button", name="Restore").last.click()
    expect(page.locator("#versions")).to_contain_text("restored from version 1")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == "block"

    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url("**/policies")
    expect(page.get_by_text("no-publishing")).to_have_count(0)
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] != "block"


def test_a_lost_update_is_refused_and_nothing_written_is_lost(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    one, other = opened(storage_state=signed), opened(storage_state=signed)
    for page in (one, other):
        page.goto(f"{site.url}/policies/deployments")
    one.get_by_label("Description").fill("first")
    one.get_by_role("button", name="Save as new version").click()
    expect(one.locator("#versions")).to_contain_text("Version 1")
    other.get_by_label("Description").fill("second")
    other.get_by_role("button", name="Save as new version").click()
    expect(other.get_by_role("alert")).to_contain_text("reload it")
    expect(other.get_by_label("Description")).to_have_value("second")
