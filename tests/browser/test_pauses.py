"""Pausing a key and all agents in a browser: what is affected is said first, and the person who paused can resume."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.conftest import Open, Site, enter, ready, shot


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> None:
    for name in ("shop-agent", "shop-agent/tests"):
        site.ask(agent, "git status", agentId=name, runId=name)
    site.ask(agent, "git push --force origin main")


def why_refused(site: Site, agent: str) -> str:
    return str(site.ask(agent, "git status", runId="after")["because"])


def confirm(page: Page, what: str, *effects: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", name=f"Pause {what}?", level=2)).to_be_visible()
    for effect in effects:
        expect(page.locator(".confirm")).to_contain_text(effect)
    assert find_violations(page) == []
    shot(page, f"pause-{what.replace(' ', '-')}-{page.viewport_size['width']}" if page.viewport_size else "pause")
    page.get_by_role("button", name=f"Pause {what}").click()


@pytest.mark.parametrize("width", [1440, 390])
def test_a_key_and_everything_are_paused_and_resumed(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], width: int
) -> None:
    page = opened(width, storage_state=signed)
    page.goto(f"{site.url}/settings/keys")
    page.get_by_role("link", name="Pause or stop key shop-agent").click()
    expect(page.locator("select[name='key'] option:checked")).to_have_text(re.compile("^shop-agent .agent key of "))
    expect(page.get_by_label("Agent", exact=True)).to_be_hidden()
    page.get_by_label("Reason").fill("rotating it")
    page.get_by_label("Pause for").select_option("1h")
    page.get_by_role("button", name="Pause…").click()
    confirm(page, "key shop-agent", "2 agents are affected", "The pause lasts 1 hour.", "Reason: rotating it")
    expect(page.get_by_role("status")).to_contain_text("rotating it")
    assert "key `shop-agent` is paused by root" in why_refused(site, agent)
    page.get_by_role("button", name="Resume key").click()
    expect(page.get_by_text("valid", exact=True)).to_be_visible()
    assert "paused" not in why_refused(site, agent)

    page.goto(site.url)
    ready(page)
    page.get_by_role("link", name="Pause or stop").click()
    expect(page.get_by_label("All agents")).to_be_checked()
    expect(page.get_by_text("Nothing is stopped or paused.")).to_be_visible()
    shot(page, f"stops-{width}")
    page.get_by_role("button", name="Pause…").click()
    confirm(
        page, "all agents", re.compile(r"2 agents are affected .*all of them active"), "The pause lasts 15 minutes."
    )
    expect(page.get_by_role("status")).to_contain_text("All agents were paused by root")
    assert "all agents are paused by root" in why_refused(site, agent)
    page.get_by_role("button", name="Resume all agents").click()
    expect(page.get_by_text("Nothing is stopped or paused.")).to_be_visible()
    assert "paused" not in why_refused(site, agent)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".item").first).to_contain_text("root resumed all agents")


def test_reviewers_pause_and_stop_and_resume_only_their_own_pauses(
    site: Site, agent: str, opened: Open, signed: dict[str, Any]
) -> None:
    site.run("people", "add", "rita", "--role", "reviewer")
    page = enter(opened(390), site.run("people", "link", "rita", "--url", site.url))
    page.goto(f"{site.url}/stops?agent=shop-agent")
    page.get_by_role("button", name="Stop…").click()
    expect(page.get_by_text("Only admins can resume; you cannot.")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_text("Nothing is stopped or paused.")).to_be_visible()
    admin = opened(storage_state=signed)
    admin.goto(f"{site.url}/stops")
    ready(admin)
    page.get_by_label("All agents").check()
    page.get_by_role("button", name="Pause…").click()
    page.get_by_role("button", name="Pause all agents").click()
    expect(page.get_by_role("button", name="Resume all agents")).to_be_visible()
    expect(admin.get_by_role("button", name="Resume all agents")).to_be_visible()
    admin.get_by_role("button", name="Resume all agents").click()
    expect(page.get_by_text("Nothing is stopped or paused.")).to_be_visible()
    admin.get_by_role("button", name="Pause…").click()
    admin.get_by_role("button", name="Pause all agents").click()
    expect(page.get_by_role("status")).to_contain_text("All agents were paused by root")
    expect(page.get_by_role("button", name="Resume all agents")).to_have_count(0)
    admin.get_by_role("button", name="Resume all agents").click()
