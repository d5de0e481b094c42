"""A person fails a quiz, takes it again, grants a shape, lets the agent go on, and revokes the grant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

from interlock.approval.challenge.challenge import Challenge, challenge_for
from interlock.approval.request import Approval
from tests.browser.conftest import Open, Site, enter, ready, shot

CONFIG = "[approvals]\nquiz_pause = 2\nwarn_minutes = 1500\nexpire_hours = {hours}\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(Path(tmp_path_factory.mktemp("site")), CONFIG.format(hours=1))
    yield found
    found.stop()


def challenge(site: Site, page: Page, attempt: int) -> Challenge:
    """Return the quiz that a page shows, as somebody who has read the request can answer it."""
    found = re.search(r"/approvals/(\w+)", page.url)
    assert found
    kept = msgspec.json.decode(site.run("approvals", "show", found[1], "--json"), type=Approval)
    return challenge_for(kept, attempt=attempt)


def take_quiz(page: Page, quiz: Challenge, *, right: bool) -> None:
    for number, question in enumerate(quiz.questions):
        choice = next(one for one in question.choices if (one == question.right) is right)
        wanted = page.locator(f"[value={msgspec.json.encode(choice).decode()}]")
        page.locator(f'input[name="answer-{number}"]').and_(wanted).check()


def submit(page: Page) -> None:
    button = page.get_by_role("button", name="Approve")
    expect(button).to_be_enabled()
    button.click()


def find_the_grant(page: Page, site: Site, run: str, branch: str) -> None:
    """Get from an action that a grant covered to this grant: from the list of actions, and from the page of the run."""
    page.goto(f"{site.url}/actions?run={run}")
    row = page.get_by_role("row").filter(has_text=f"{branch}-2")
    row.get_by_role("link", name="granted by root").click()
    page.wait_for_url(re.compile(r"/settings/grants\?id=\w+$"))
    expect(page.locator("#grants tbody tr")).to_have_count(1)
    expect(page.locator("#grants")).to_contain_text("any branch except main")
    page.goto(f"{site.url}/runs/{run}")
    expect(page.locator(".timeline").get_by_role("link", name="granted by root")).to_have_count(1)


@pytest.mark.parametrize(("width", "branch"), [(1440, "wide"), (390, "narrow")])
def test_a_failed_quiz_a_grant_by_shape_and_its_end(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], width: int, branch: str
) -> None:
    run: dict[str, Any] = {"runId": f"run-{width}"}
    other = site.ask(agent, f"git reset --hard {branch}", **run)
    asked = site.ask(agent, f"git push --force origin {branch}", **run)
    page = opened(width, storage_state=signed)
    page.goto(asked["approval"]["url"])
    expect(page.get_by_text("You can approve this.")).to_be_visible()

    take_quiz(page, challenge(site, page, 0), right=False)
    submit(page)
    expect(page.get_by_text("2 tries left").last).to_be_visible()
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()  # it is not rejected
    failed = json.loads(site.run("audit", "--kind", "approval.quiz_failed", "--json").splitlines()[-1])
    assert (failed["actor"], len(failed["data"]["challenge"]["wrong"])) == ("root", 2)
    expect(page.locator("form.challenge")).to_be_visible()  # once the pause is over

    ready(page)
    take_quiz(page, challenge(site, page, 1), right=True)
    shape = page.get_by_label(re.compile("any branch except main"))
    expect(page.get_by_label("Just this once")).to_be_checked()
    shape.check()
    page.locator("select[name=scope]").select_option("day")
    shot(page, f"grant-{width}")
    submit(page)
    expect(page.get_by_role("heading", name="Approved")).to_be_visible()
    expect(page.get_by_text("Also granted for a day:")).to_be_visible()
    expect(page.get_by_text("An agent that is still waiting continues by itself.")).to_be_visible()

    assert site.ask(agent, f"git push --force origin {branch}-2", **run)["by"] == "remembered"
    protected = site.ask(agent, "git push --force origin main", **run)
    assert not protected["allowed"]

    ready(page)
    page.keyboard.press("n")
    page.wait_for_url(other["approval"]["url"])
    find_the_grant(page, site, run["runId"], branch)
    page.goto(f"{site.url}/settings/grants")
    row = page.get_by_role("row").filter(has_text="any branch except main")
    expect(row).to_contain_text("root")
    expect(row.locator("[data-label=Uses]")).to_have_text("1")
    expect(row.get_by_role("link", name="1 action allowed by this grant")).to_have_attribute(
        "href", re.compile(r"^/actions\?grant=\w+$")
    )
    shot(page, f"grants-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    row.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No active grants.")).to_be_visible()
    again = site.ask(agent, f"git push --force origin {branch}-3", **run)
    assert (again["allowed"], again["approval"]["state"]) == (False, "pending")
    for one in (other, protected, again):
        site.call("POST", f"/v1/approvals/{one['approval']['approvalId']}/cancel", agent)


def test_a_request_is_kept_open_and_names_who_can_answer(
    site: Site, agent: str, opened: Open, signed: dict[str, Any]
) -> None:
    asked = site.ask(agent, "git push --force origin open", runId="run-open")
    page = opened(storage_state=signed)
    page.goto(asked["approval"]["url"])
    expect(page.get_by_role("timer")).to_contain_text("59 min")
    expect(page.locator(".eligible")).to_have_text("You can approve this.")
    (site.home / "interlock.toml").write_text(CONFIG.format(hours=24))
    zoe = enter(opened(), site.run("people", "add", "zoe", "--url", site.url))
    while (
        page.locator(".eligible").inner_text() != "zoe can approve this."
    ):  # until the server knows that root is not alone
        page.reload()
    expect(page.locator(".count")).to_have_count(0)  # nothing that root can answer
    zoe.goto(page.url)
    expect(zoe.locator(".eligible")).to_have_text("You can approve this.")
    longer = zoe.get_by_role("button", name="Keep open for 24 h")
    while longer.count() == 0:  # until the server follows its new configuration
        zoe.reload()
    expect(zoe.get_by_text("This request is about to expire.")).to_be_visible()
    longer.click()
    expect(zoe.get_by_role("timer")).to_contain_text("23 h 59 min")
