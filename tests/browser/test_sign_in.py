"""Sign in and out in the browser."""

from __future__ import annotations

from typing import Any, cast

from playwright.sync_api import expect

from tests.browser.conftest import Open, Site, enter
from tests.server.live_server import until


def test_a_link_lets_in_once(site: Site, opened: Open) -> None:
    link = site.run("people", "add", "lin", "--role", "reviewer", "--url", site.url)
    page = enter(opened(), link)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.locator(".name")).to_contain_text("lin")
    asked = opened()
    asked.goto(f"{site.url}/audit?kind=approvals")  # as a notification would
    expect(asked.get_by_label("Password")).to_be_visible()
    enter(asked, site.run("people", "link", "lin", "--url", site.url))
    expect(asked).to_have_url(f"{site.url}/audit?kind=approvals")
    other = opened()
    other.goto(link)
    expect(other.get_by_role("alert")).to_have_text("This link is invalid, expired or already used.")
    expect(other.get_by_role("button", name="Sign in")).to_have_count(0)


def test_a_password_lets_in_and_a_wrong_one_does_not(site: Site, opened: Open) -> None:
    site.run("people", "add", "mia", "--role", "reviewer")
    site.run("people", "password", "mia", typed=["correct horse battery"] * 2)
    page = opened()
    page.goto(f"{site.url}/runs")
    expect(page.get_by_role("heading", name="Interlock")).to_be_visible()
    page.get_by_label("Name").fill("mia")
    page.get_by_label("Password").fill("wrong horse battery")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Wrong name or password")
    page.get_by_label("Name").fill("mia")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{site.url}/runs")


def test_signing_out_ends_the_session(site: Site, opened: Open) -> None:
    page = enter(opened(), site.run("people", "add", "nia", "--url", site.url))
    cookies = page.context.cookies()
    assert [(one["httpOnly"], one["sameSite"]) for one in cookies if one["name"] == "interlock"] == [(True, "Lax")]
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    page.context.add_cookies(cast("Any", cookies))  # a copy of the cookie is no longer valid either
    page.goto(f"{site.url}/audit")
    expect(page.get_by_label("Password")).to_be_visible()


def test_a_person_who_is_shut_out_loses_access(site: Site, opened: Open) -> None:
    page = enter(opened(), site.run("people", "add", "noa", "--url", site.url))
    page.goto("about:blank")  # a page reloads by itself when its stream ends
    site.run("people", "suspend", "noa")

    def is_shut_out() -> bool:
        return page.context.request.get(f"{site.url}/runs").status == 401

    until(is_shut_out)
