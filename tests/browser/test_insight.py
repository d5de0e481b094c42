"""From a number to the actions behind it, to the agent, and to stopping it: at both widths."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Site, ready, shot

COMMANDS = ("git status", "npm test", "git push --force origin main", "rm -rf /", "python - <<X\nprint(1)\nX")


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> None:
    for number in range(3):
        for command in COMMANDS:
            where: dict[str, Any] = {"environment": "production"} if number == 2 else {}
            site.ask(agent, command, runId=f"session-2026-11-17-{number}{'0' * 12}", **where)


def total(page: Page) -> int:
    return int(page.locator("#total").inner_text().replace(",", ""))


@pytest.mark.parametrize("width", [1440, 390])
def test_from_a_bar_to_the_agent_and_its_stop(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], width: int
) -> None:
    page = opened(width, storage_state=signed, timezone_id="Asia/Kolkata")
    page.goto(site.url)
    page.goto(site.url)  # the zone is known from the second page on
    bar = page.locator("#overtime svg a").last
    page.locator("#overtime .newest-end").scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width, "the newest bar is on the screen"
    label = bar.get_attribute("aria-label") or ""
    counted = sum(int(number) for number in re.findall(r"(\d+) (?:safe|low|medium|high|critical)", label))
    bar.press("Enter")
    expect(page).to_have_url(re.compile("/actions\\?from="))
    assert total(page) == counted > 0
    expect(page.get_by_text(re.compile("Asia/(Kolkata|Calcutta)"))).to_have_count(2)
    expect(page.locator("code", has_text="python - <<X ⏎ print(1) ⏎ X").first).to_be_visible()
    shot(page, f"actions-{width}")

    page.get_by_label("Verdict").select_option("block")
    page.get_by_role("button", name="Show").click()
    blocked = total(page)
    assert page.locator("table.actions tbody tr").count() == blocked
    page.get_by_text("Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert len(rows) == blocked
    assert {row["verdict"] for row in rows} == {"block"}

    page.locator("table.actions").get_by_role("link", name="shop-agent").first.click()
    expect(page.get_by_role("heading", name="shop-agent", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="Open requests")).to_be_visible()
    shot(page, f"agent-{width}")
    page.get_by_text("Pause agent").click()
    pausing = page.locator("form[action='/pauses']")
    pausing.get_by_label("For").select_option("1h")
    pausing.get_by_label("Reason").fill("release")
    shot(page, f"agent-pausing-{width}")
    pausing.get_by_role("button", name="Pause now").click()
    expect(page.get_by_role("status")).to_contain_text("release")
    expect(page.locator("#about")).to_contain_text("paused")
    shot(page, f"agent-paused-{width}")
    assert "is paused by root until" in site.ask(agent, "ls", runId=f"after-{width}")["because"]
    page.get_by_role("button", name="Resume agent").click()
    expect(page.locator("#about")).to_contain_text("active")
    page.get_by_text("Stop agent").click()
    stopping = page.locator("form[action='/agents/stop']")
    expect(stopping.get_by_label("Reject its open requests")).not_to_be_checked()
    stopping.get_by_label("Reason").fill("loops")
    shot(page, f"agent-stopping-{width}")
    stopping.get_by_role("button", name="Stop now").click()
    expect(page.get_by_role("status")).to_contain_text("loops")
    assert site.ask(agent, "ls", runId=f"after-{width}")["verdict"] == "block"
    page.get_by_role("button", name="Resume agent").click()
    expect(page.get_by_role("button", name="Stop now")).to_have_count(0)
    expect(page.locator("#about")).to_contain_text("active")
    assert site.ask(agent, "ls", runId=f"after-{width}")["verdict"] == "allow"
    page.goto(f"{site.url}/audit?kind=stops")
    expect(page.locator(".item").first).to_contain_text("root resumed agent shop-agent")


def test_names_beside_bars_are_cut_where_they_end(site: Site, agent: str, opened: Open, signed: dict[str, Any]) -> None:
    site.ask(agent, "git push --force origin main", agentId="shop-agent/claude-code/reviewer")
    page = opened(storage_state=signed)
    page.goto(site.url)
    names = page.locator(".bars .name")
    expect(names.filter(has_text="shop-agent/claude…")).to_be_visible()
    assert min(names.evaluate_all("(all) => all.map((one) => one.getBBox().x)")) >= 0, "none begins outside its chart"


@pytest.mark.parametrize("width", [1440, 390])
def test_runs_are_told_apart_and_sorted(site: Site, opened: Open, signed: dict[str, Any], width: int) -> None:
    page = opened(width, storage_state=signed)
    page.goto(f"{site.url}/runs?sort=waiting")
    ready(page)
    names = page.locator("table.list tbody a.id").all_inner_texts()
    assert len(names) == len(set(names)) >= 3
    for cell in page.locator("table.list tbody a.id").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["height"] < 40, "an id takes one line"
    page.locator("table.list tbody tr").filter(has_text="production").locator("a.id").click()
    expect(page.locator(".item .tag.production").first).to_be_visible()
    expect(page.locator(".item .s-pending").first).to_contain_text("request pending")
