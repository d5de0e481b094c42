"""A team works through its requests: on a desktop with the keyboard alone, and on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.conftest import Open, Site, ready, shot

#: Nobody has to take a quiz to approve this.
NOTE = {"toolName": "note", "inputPayload": {"text": "hello team"}}
POLICY = {
    "policyId": "notes",
    "action": "require_approval",
    "conditions": [{"field": "toolName", "operator": "equals", "value": "note"}],
}


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site, agent: str) -> None:
    boss = site.run("keys", "create", "boss", "--role", "admin")
    site.call("POST", "/v1/policies", boss, POLICY)
    for number, environment in enumerate(("staging", "staging", "production")):
        site.ask(agent, "kubectl delete ns shop", environment=environment, runId=f"run-{number}")
    for number in range(3):
        site.call("POST", "/v1/evaluate", agent, {**NOTE, "runId": f"note-{number}"})
    for number in range(4):
        site.ask(agent, f"git push --force origin b{number}")


def rows(page: Page) -> Any:
    return page.locator("[data-row]")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def go(page: Page, url: str) -> None:
    page.goto(url)
    ready(page)


def test_with_the_keyboard_alone(site: Site, agent: str, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(1440, storage_state=signed)
    go(page, f"{site.url}/approvals")
    expect(rows(page)).to_have_count(7)  # the four pushes, one group of notes, and the namespace in two environments
    deletes = page.locator(".request-row", has_text="kubectl delete ns shop")
    expect(deletes.filter(has=page.locator(".environment.production"))).to_have_count(1)
    expect(deletes.filter(has_text="staging").locator(".count-tag")).to_have_text("2 identical")
    expect(rows(page).first).to_contain_text("you can answer")
    expect(rows(page).first).to_contain_text(re.compile(r"\d (s|min) left"))
    shot(page, "inbox-triage")

    press(page, "/")  # filter
    page.keyboard.type("push")
    press(page, "Enter")
    page.wait_for_url(re.compile("q=push"))
    ready(page)
    expect(rows(page)).to_have_count(4)
    expect(page.get_by_role("button", name="Reject…")).to_be_disabled()  # until something is selected
    page.get_by_label("Select all shown").check()
    expect(page.locator("#selected")).to_have_text("4 selected")
    page.get_by_label("Select all shown").uncheck()
    expect(page.locator("#selected")).to_have_text("")
    press(page, "j", "x", "j", "x")  # b3 and b2
    expect(page.locator("#selected")).to_have_text("2 selected")
    site.ask(agent, "git push --force origin b4")
    expect(rows(page)).to_have_count(5)  # without a reload, and the selection stays
    expect(page.locator("#selected")).to_have_text("2 selected")
    press(page, "r")  # reject many, which is shown first
    expect(page.get_by_role("heading", name="Reject 2 requests?")).to_be_visible()
    expect(page.locator(".bulk > li")).to_have_text([re.compile("origin b3"), re.compile("origin b2")])
    assert find_violations(page) == []
    page.keyboard.type("not on a Friday")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="2 requests rejected")).to_be_visible()
    assert find_violations(page) == []

    go(page, f"{site.url}/approvals?q=hello")  # answer a group
    press(page, "j", "a")
    expect(page.get_by_role("heading", name="Approve 3 requests?")).to_be_visible()
    expect(page.locator(".bulk > li")).to_have_count(3)
    ready(page)
    expect(page.get_by_role("button", name="Approve 3 requests")).to_be_enabled()
    press(page, "a")
    expect(page.get_by_role("heading", name="3 requests approved")).to_be_visible()

    go(page, f"{site.url}/approvals?environment=production")  # assign
    press(page, "j", "A")
    expect(page.locator("#assign-to")).to_be_focused()
    press(page, "Escape")  # leads back to the row
    expect(rows(page).first).to_be_focused()
    press(page, "A")
    expect(page.locator("#assign-to")).to_be_focused()
    press(page, "Tab", "Enter")
    expect(rows(page).first).to_contain_text("assigned to root")
    ready(page)
    press(page, "j", "c")  # comment
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("<b>is</b> this the live cluster?")
    press(page, "Tab", "Enter")
    expect(page.locator(".comment-text")).to_have_text("<b>is</b> this the live cluster?")
    assert find_violations(page) == []
    ready(page)
    here = page.url
    press(page, "n")  # next
    page.wait_for_url(lambda url: url != here and "/approvals/" in url)
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()

    go(page, f"{site.url}/approvals?environment=production")  # save a view
    expect(rows(page).first).to_contain_text("1 comment")
    page.get_by_text("Save this view").focus()
    press(page, "Enter", "Tab")
    page.keyboard.type("Live cluster")
    press(page, "Enter")
    view = page.get_by_role("link", name="Live cluster")
    expect(view).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    expect(view).to_have_attribute("href", "/approvals?environment=production")
    press(page, "?")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_request_that_needs_a_quiz_is_not_approved_from_the_list(
    site: Site, opened: Open, signed: dict[str, Any]
) -> None:
    page = opened(storage_state=signed)
    go(page, f"{site.url}/approvals?q=b0")
    press(page, "j", "a")
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()
    expect(page.locator("fieldset.question").first).to_be_visible()


def test_on_a_phone(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(390, 844, storage_state=signed, has_touch=True)
    go(page, f"{site.url}/approvals")
    page.get_by_label("Environment").select_option("staging")
    page.get_by_role("button", name="Show").tap()
    expect(rows(page)).to_have_count(1)
    expect(rows(page)).to_contain_text("2 identical")
    page.get_by_text("Show the 2 requests").tap()
    expect(page.locator(".group li")).to_have_text([re.compile("run run-0"), re.compile("run run-1")])
    assert find_violations(page) == []
    page.get_by_label(re.compile("^Select kubectl")).check()
    expect(page.locator("#selected")).to_have_text("1 selected")
    page.get_by_role("button", name="Reject…").tap()
    expect(page.get_by_role("heading", name="Reject 2 requests?")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert find_violations(page) == []
    shot(page, "reject-many-phone")
    page.get_by_role("button", name="Reject 2 requests").tap()
    expect(page.get_by_role("heading", name="2 requests rejected")).to_be_visible()
    page.get_by_role("link", name="Back to the requests").tap()
    expect(page.get_by_text("No matching requests")).to_be_visible()


def test_an_action_becomes_a_policy(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(storage_state=signed)
    go(page, f"{site.url}/approvals?q=b1")
    rows(page).first.click()
    page.get_by_role("link", name="Make this a policy").click()
    expect(page.get_by_label("Value of condition 2")).to_have_value("git_force_push")
    expect(page.locator("#simulation")).to_contain_text("Test against the last")
    page.get_by_role("link", name="Allow exactly this").click()
    expect(page.locator("[name=when]")).to_have_value(re.compile("effects.all"))
    assert find_violations(page) == []
    page.get_by_role("button", name="Review changes").last.click()
    page.get_by_role("button", name="Save policy").click()
    expect(page.get_by_role("heading", name=re.compile("Allow git force push"))).to_be_visible()
