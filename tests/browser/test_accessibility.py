"""Every page, also each that answers a form, meets WCAG 2.2 AA by axe-core, in both themes and at both widths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.axe import find_all_violations
from tests.browser.conftest import Open, Site
from tests.browser.pages import FOR_PROGRAMS, NO_PAGES, OPEN_PAGES, PAGES, missing_pages
from tests.browser.posted_pages import NOT_POSTED, OPEN_POSTED, POSTED, Sent, send_form
from tests.server.test_roles import routes

#: The API reference repeats one part for each route; this many of them are checked.
MAX_ROUTES = 20


@pytest.fixture(scope="module", autouse=True)
def things(site: Site, agent: str) -> dict[str, str]:
    """What the pages are about, so that none of them is empty: the ids by their names in `PAGES`."""
    for command in ("git status", "git push --force origin main", "cat ~/.ssh/id_ed25519", "rm -rf /"):
        found = site.ask(agent, command, environment="production")
    assert found["verdict"] == "block"
    waiting = site.ask(agent, "terraform destroy", environment="production")
    admin = site.run("keys", "create", "boss", "--role", "admin")
    site.call("POST", "/v1/groups", admin, {"name": "sre"})
    site.call("POST", "/v1/channels", admin, {"name": "mail", "kind": "apprise", "values": {}})
    hook = site.call("POST", "/v1/webhooks", admin, {"url": "https://1.1.1.1/hook", "kinds": ["chat"]})
    site.call("POST", "/v1/pauses", admin, {"agentId": "another"})
    site.run("keys", "create", "observed-agent")
    keys = {key["name"]: key["keyId"] for key in site.call("GET", "/v1/keys", admin)["items"]}
    site.call("POST", f"/v1/keys/{keys['observed-agent']}/observe", admin, {})
    return {
        "request": waiting["approval"]["approvalId"],
        "webhook": hook["webhook"]["webhookId"],
        "key": keys["shop-agent"],
        "change": site.call("GET", "/v1/changes?of=channels", admin)["items"][0]["change"]["recordId"],
        "link": site.run("people", "link", "root", "--url", site.url).rpartition("/")[2],
    }


def test_every_route_of_a_page_is_visited() -> None:
    there = {route.path for route in routes() if route.method == "GET"}
    assert missing_pages(there) == set(), "add an address to `PAGES`"
    assert missing_pages({*there, "/new-page", "/settings/new/{name}"}) == {"/new-page", "/settings/new/{name}"}
    assert {*PAGES, *OPEN_PAGES, *NO_PAGES} <= there, "routes that are gone"


def test_every_page(site: Site, opened: Open, signed: dict[str, Any], things: dict[str, str]) -> None:
    _check(opened(storage_state=signed), site, things, PAGES.values())


def test_every_page_before_sign_in(site: Site, opened: Open, things: dict[str, str]) -> None:
    _check(opened(), site, things, OPEN_PAGES.values())


def test_every_form_is_sent() -> None:
    there = {route.path for route in routes() if route.method == "POST"}
    known = {*POSTED, *OPEN_POSTED, *NOT_POSTED}
    assert {path for path in there if not path.startswith(FOR_PROGRAMS)} == known, "add a form to `POSTED`"


def test_every_page_that_answers_a_form(
    site: Site, opened: Open, signed: dict[str, Any], things: dict[str, str]
) -> None:
    _check_posted(opened(storage_state=signed), site, things, "/nothing-here", POSTED.values())


def test_every_page_that_answers_a_form_before_sign_in(site: Site, opened: Open, things: dict[str, str]) -> None:
    _check_posted(opened(), site, things, "/sign-in", OPEN_POSTED.values())


#: The elements of a page with their classes and states: many errors differ in their words alone.
_STRUCTURE = """[...document.body.querySelectorAll('*')].map((one) => [one.tagName, one.className, one.type, one.role,
    ...one.getAttributeNames(), one.children.length, one.textContent.trim() === ''].join(' ')).join('\\n')"""


def _check_posted(
    page: Page, site: Site, things: dict[str, str], begin: str, all_sent: Iterable[tuple[Sent, ...]]
) -> None:
    found, checked = {}, set()
    for sent in (sent for several in all_sent for sent in several):
        page.goto(site.url + begin)
        answer = send_form(page, site.url + sent.path.format(**things), sent.fields)
        words = page.locator("main").inner_text()
        assert answer.status == sent.status, f"{sent}: {answer.status} {words}"
        assert sent.shows in words, f"{sent}: {words}"
        if (seen := page.evaluate(_STRUCTURE)) not in checked:
            checked.add(seen)
            found[f"{sent.path} {sent.fields}"] = find_all_violations(page, each=False)
    assert not any(found.values()), "\n".join(f"{path} {one}" for path, all_ in found.items() for one in all_)


def _check(page: Page, site: Site, things: dict[str, str], addresses: Iterable[tuple[str, ...]]) -> None:
    found = {}
    for path in (path.format(**things) for paths in addresses for path in paths):
        answer = page.goto(site.url + path)
        assert answer is not None
        expected = {"/nothing-here": 404, "/sign-in/used": 404}.get(path, 200)
        assert answer.status == expected, path
        assert page.url == site.url + path, "a page of its own"
        page.evaluate(f"document.querySelectorAll('.route').forEach((one, at) => at < {MAX_ROUTES} || one.remove())")
        found[path] = find_all_violations(page)
        unreachable = "[...document.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).length"
        assert page.evaluate(unreachable) == 0, path
    assert not any(found.values()), "\n".join(f"{path} {one}" for path, all_ in found.items() for one in all_)
