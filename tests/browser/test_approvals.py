"""An agent asks, a person answers in the browser, and the agent's call returns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, Route, expect

from interlock.approval.challenge.challenge import challenge_for
from interlock.approval.request import Approval
from tests.browser.conftest import Open, Site, enter, ready, shot


@pytest.fixture
def waiting() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def asked(site: Site, agent: str, pool: ThreadPoolExecutor, command: str, **more: object) -> Future[Any]:
    return pool.submit(site.ask, agent, command, wait=60, **more)


def answers(site: Site, approval_id: str) -> list[str]:
    """Return the right answers, as somebody who has read the request knows them."""
    kept = msgspec.json.decode(site.run("approvals", "show", approval_id, "--json"), type=Approval)
    return [question.right for question in challenge_for(kept).questions]


def pass_quiz(page: Page, right: list[str]) -> None:
    for number, answer in enumerate(right):
        page.locator(f'input[name="answer-{number}"]').and_(
            page.locator(f"[value={msgspec.json.encode(answer).decode()}]")
        ).check()


def approval_id(page: Page) -> str:
    found = re.search(r"/approvals/(\w+)", page.url)
    assert found
    return found[1]


def test_a_request_arrives_and_the_waiting_call_returns(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    page = opened(storage_state=signed)
    page.goto(f"{site.url}/approvals")
    expect(page.get_by_text("No pending requests")).to_be_visible()
    ready(page)
    call = asked(site, agent, waiting, "git push --force origin main")
    row = page.get_by_role("link", name="git push --force origin main")
    expect(row).to_be_visible()  # without a reload
    expect(page).to_have_title(re.compile(r"^\(1\) Approvals"))
    shot(page, "inbox")
    row.click()
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()
    expect(page.locator("mark")).to_have_text("git push --force origin main")
    expect(page.get_by_text("cannot be undone").first).to_be_visible()
    expect(page.get_by_role("timer")).to_contain_text("left")
    button = page.get_by_role("button", name="Approve")
    expect(page.get_by_role("button", name=re.compile("Read for"))).to_be_disabled()
    shot(page, "approval")
    pass_quiz(page, answers(site, approval_id(page)))
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_role("heading", name="Approved")).to_be_visible()
    said = call.result(timeout=30)
    assert (said["allowed"], said["by"]) == (True, "approval")
    again = site.ask(agent, "git push --force origin main")
    assert not again["allowed"]  # it counted once
    site.call("POST", f"/v1/approvals/{again['approval']['approvalId']}/cancel", agent)


def test_a_wrong_answer_does_not_reject(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    call = asked(site, agent, waiting, "git push --force origin release")
    page = opened(storage_state=signed)
    page.goto(f"{site.url}/approvals")
    page.get_by_role("link", name="origin release").click()
    right = answers(site, approval_id(page))
    for number, answer in enumerate(right):
        choices = page.locator(f'input[name="answer-{number}"]')
        values = [choices.nth(at).get_attribute("value") for at in range(choices.count())]
        choices.nth(next(at for at, value in enumerate(values) if value != answer)).check()
    button = page.get_by_role("button", name="Approve")
    expect(button).to_be_enabled()
    button.click()
    expect(page.get_by_text("You failed the quiz once.")).to_be_visible()
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()
    page.get_by_role("button", name="Reject").click()
    assert call.result(timeout=30)["approval"]["state"] == "rejected"


def test_by_keyboard_alone(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    call = asked(site, agent, waiting, "git push --force origin keyboard")
    page = opened(storage_state=signed)
    page.goto(site.url)
    ready(page)
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/approvals")
    expect(page.get_by_role("link", name="origin keyboard")).to_be_visible()
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/approvals/"))
    ready(page)
    for number, answer in enumerate(answers(site, approval_id(page))):
        choices = page.locator(f'input[name="answer-{number}"]')
        values = [choices.nth(at).get_attribute("value") for at in range(choices.count())]
        page.keyboard.press(str(values.index(answer) + 1))
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Approved")).to_be_visible()
    assert call.result(timeout=30)["allowed"]
    ready(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_no_key_approves_by_accident(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    call = asked(site, agent, waiting, "git push --force origin accident")
    page = opened(storage_state=signed)
    page.goto(f"{site.url}/approvals")
    page.get_by_role("link", name="origin accident").click()
    ready(page)
    pass_quiz(page, answers(site, approval_id(page)))
    approve = page.get_by_role("button", name="Approve")
    expect(approve).to_be_enabled()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("a")  # it is meant for the help
    page.keyboard.press("Escape")
    page.locator("#theme").focus()
    page.keyboard.press("a")  # while the focus was elsewhere
    expect(approve).to_be_focused()
    page.evaluate("document.activeElement.blur()")
    page.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: 'a', repeat: true, bubbles: true}))")
    expect(page.get_by_role("heading", name="May this run?")).to_be_visible()
    page.keyboard.press("g")
    page.wait_for_timeout(1_500)
    page.keyboard.press("a")  # going somewhere, after a while
    page.wait_for_url("**/approvals")
    assert not call.done()
    page.get_by_role("link", name="origin accident").click()
    page.get_by_label("Reason for rejection").fill("it was a slip")
    page.get_by_role("button", name="Reject").click()
    assert not call.result(timeout=30)["allowed"]


def test_a_rejection_tells_the_agent_what_to_try_instead(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    call = asked(site, agent, waiting, "git push --force origin instead")
    page = opened(storage_state=signed)
    page.goto(f"{site.url}/approvals")
    page.get_by_role("link", name="origin instead").click()
    ready(page)
    page.keyboard.press("r")
    expect(page.get_by_label("Reason for rejection")).to_be_focused()
    page.keyboard.type("others work on it")
    page.get_by_role("textbox", name="Instead").fill("git push --force-with-lease")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("heading", name="Rejected")).to_be_visible()
    said = call.result(timeout=30)
    assert "others work on it" in said["advice"]
    assert "git push --force-with-lease" in said["advice"]


def test_another_reviewers_answer_appears_at_once(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    call = asked(site, agent, waiting, "git push --force origin together")
    mine = opened(storage_state=signed)
    mine.goto(f"{site.url}/approvals")
    mine.get_by_role("link", name="origin together").click()
    ready(mine)
    other = enter(opened(), site.run("people", "add", "zoe", "--url", site.url))
    other.goto(mine.url)
    other.get_by_label("Reason for rejection").fill("not on a Friday")
    other.get_by_role("button", name="Reject").click()
    expect(mine.get_by_role("heading", name="Rejected")).to_be_visible()
    expect(mine.get_by_text("not on a Friday").first).to_be_visible()
    assert call.result(timeout=30)["approval"]["state"] == "rejected"


def test_with_several_people_requesters_cannot_approve_their_own_requests(
    site: Site, agent: str, opened: Open, signed: dict[str, Any], waiting: ThreadPoolExecutor
) -> None:
    site.run("people", "add", "cleo", "--role", "reviewer")
    call = asked(site, agent, waiting, "git push --force origin mine")
    page = opened(storage_state=signed)
    page.goto(f"{site.url}/approvals")
    page.get_by_role("link", name="origin mine").click()
    expect(page.locator(".notice")).to_contain_text("started the run, so another person has to approve")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_role("button", name="Reject").click()
    assert not call.result(timeout=30)["allowed"]


def test_a_request_that_arrives_while_the_page_loads_is_shown(
    site: Site, agent: str, opened: Open, signed: dict[str, Any]
) -> None:
    page = opened(storage_state=signed)

    def ask_first(route: Route) -> None:
        site.ask(agent, "git push --force origin meanwhile")
        route.continue_()

    page.route("**/v1/events/stream*", ask_first, times=1)
    page.goto(f"{site.url}/approvals")
    expect(page.get_by_role("link", name="origin meanwhile")).to_be_visible()
