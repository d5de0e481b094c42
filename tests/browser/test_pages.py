"""The overview, a run, the audit log, and the page \"Try it\" in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Site, ready, shot

COMMANDS = (
    "git status",
    "npm ci && npm test",
    "rm -rf node_modules",
    "git push --force origin main",
    "cat ~/.ssh/id_ed25519",
    "rm -rf /",
    'X=rm; $X -rf "$HOME"',
)


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> None:
    for command in COMMANDS:
        found = site.ask(agent, command)
    event = {"eventId": "e-1", "type": "tool.completed", "runId": "run-shop-1", "summary": "done"}
    first = site.ask(agent, "ls")
    site.call("POST", "/v1/events", agent, {**event, "decisionId": first["decisionId"]})
    assert found["verdict"] == "block"


@pytest.fixture
def page(opened: Open, signed: dict[str, Any]) -> Page:
    return opened(storage_state=signed)


def test_the_overview(site: Site, page: Page) -> None:
    page.goto(site.url)
    expect(page.locator("#figures")).to_contain_text("8")
    expect(page.get_by_role("group", name=re.compile("Actions by level"))).to_be_visible()
    expect(page.locator(".legend")).to_contain_text("critical 2")
    bar = page.locator("#overtime g.bar").last
    bar.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("2 critical")
    numbers = page.locator("#overtime details")
    numbers.get_by_text("Show as table").click()
    expect(numbers.get_by_role("table")).to_be_visible()
    shot(page, "overview")


def test_a_run_as_a_timeline(site: Site, agent: str, page: Page) -> None:
    page.goto(f"{site.url}/runs")
    page.get_by_role("link", name="run-shop-1").click()
    expect(page.locator("mark").filter(has_text='$X -rf "$HOME"')).to_be_visible()
    expect(page.locator(".item").filter(has_text="completed").first).to_be_visible()
    ready(page)
    site.ask(agent, "echo it arrives by itself")
    expect(page.get_by_text("echo it arrives by itself")).to_be_visible()
    shot(page, "run")
    page.get_by_label("Verdict").select_option("block")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".item")).to_have_count(2)
    page.get_by_label("Search").fill("HOME")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".item")).to_have_count(1)
    page.locator(".item .when a").click()
    expect(page).to_have_url(re.compile(r"around=\d+#r\d+"))
    expect(page.locator(".item:target")).to_contain_text("$HOME")


def test_the_record_is_searched_proved_and_exported(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/audit")
    page.get_by_label("Search").fill("node_modules")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".item").first).to_contain_text("rm -rf node_modules")
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("#proof")).to_contain_text("Verified.")
    shot(page, "audit")
    page.get_by_text("Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON lines").click()
    text = download.value.path().read_text()
    assert '"kind":"decision"' in text


def test_try_it(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/try")
    page.get_by_label("A command, Python or SQL").fill("rm -r /etc/nginx/conf.d/")
    page.get_by_label("Environment").select_option("production")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#result")).to_contain_text("90")
    expect(page.locator("#result mark")).to_have_text("rm -r /etc/nginx/conf.d/")
    for title in ("1 Parse", "2 Effects", "3 Findings", "4 Score", "5 Policies", "6 Verdict"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    shot(page, "try")


def test_a_run_on_a_phone(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(390, 844, storage_state=signed)
    page.goto(f"{site.url}/runs/run-shop-1")
    expect(page.locator(".item").first).to_be_visible()
    shot(page, "phone")


def test_the_theme_is_switched_and_kept(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(storage_state=signed, color_scheme="light")
    page.goto(site.url)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = page.evaluate(ground)
    assert light != dark
    page.goto(f"{site.url}/runs/run-shop-1")
    assert page.evaluate(ground) == dark
    shot(page, "dark")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(ground) == light
