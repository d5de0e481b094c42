"""A person chooses how to be told, is told, and comes to the request by a click on the notification."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.browser.chromium import find
from tests.browser.conftest import FLAGS, PATIENCE, Open, Site, enter, shot
from tests.browser.push_service import PushService, running_push_service
from tests.model_server import CERTIFICATE
from tests.server.live_server import until
from tests.server.receiver import Receiver, answers, receiving

CONFIG = '[server]\nwebhooks_inside = ["127.0.0.1"]\n[channels.own]\nkind = "apprise"\n'
#: Messages go to this machine instead of the vendor's host, which Chromium does not let anybody choose.
ADDRESS = """
Object.defineProperty(PushSubscription.prototype, "endpoint", { get: () => ENDPOINT });
const toJSON = PushSubscription.prototype.toJSON;
PushSubscription.prototype.toJSON = function () { return { ...toJSON.call(this), endpoint: ENDPOINT }; };
"""
#: The switch that keeps a browser from its push service.
_OFFLINE = "--disable-background-networking"
SHOWN = """
navigator.serviceWorker.ready.then((one) => one.getNotifications()).then(
  (all) => all.map(({ title, tag, data }) => ({ title, tag, data })))
"""
#: Clicks the notification, and returns what would be opened: a window opens only for a person's own click.
CLICK = """
async () => {
  const [notification] = await self.registration.getNotifications();
  const opened = new Promise((resolve) => { self.clients.openWindow = async (url) => resolve(url); });
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  return opened;
}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("site"), CONFIG)
    yield found
    found.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(answers(200)) as found:
        yield found


def deliver(page: Page, message: dict[str, Any]) -> None:
    """Hand a push message to the service worker, as the browser does when one arrives."""
    session = page.context.new_cdp_session(page)
    found: list[str] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda said: found.extend(
        one["registrationId"] for one in said["registrations"] if not one["isDeleted"]))  # fmt: skip
    session.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(20)
    origin = page.evaluate("location.origin")
    data = {"origin": origin, "registrationId": found[-1], "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", data)


@pytest.mark.parametrize("width", [1440, 390])
def test_choosing_and_being_told(site: Site, opened: Open, receiver: Receiver, agent: str, width: int) -> None:
    name = f"ann{width}"
    page = enter(opened(width), site.run("people", "add", name, "--role", "reviewer", "--url", site.url))
    page.goto(f"{site.url}/settings/notifications")
    expect(page.get_by_text("You are not notified yet.")).to_be_visible()
    address = page.get_by_label("Address")
    address.fill("syslog://local")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert")).to_contain_text("not one of the services that can be used here")
    address.fill(f"json://ann:password@127.0.0.1:{receiver.port}/{name}")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    expect(page.locator("[data-label=Address]")).to_contain_text("json://127.0.0.1/…")
    assert "password" not in page.locator("main").inner_text()
    page.get_by_role("button", name="Send test").click()
    expect(page.get_by_text("Test message sent")).to_be_visible()
    assert receiver.seen[0].told["title"] == "Test notification from Interlock"
    site.run("notify", "test", "own", "--person", name)
    assert receiver.seen[1].told["message"].endswith(f"{site.url}/settings/notifications")
    for label in ("high", "production"):
        page.get_by_label(label, exact=True).check()
    page.get_by_label("Escalate to the next person").fill("7")
    page.get_by_label("From").fill("03:00")
    page.get_by_label("to", exact=True).fill("03:01")
    page.get_by_label("Time zone").fill("Europe/Berln")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("did you mean Europe/Berlin")
    expect(page.get_by_label("to", exact=True)).to_have_value("03:01")  # what was typed is still there
    page.get_by_label("Time zone").fill("Europe/Berlin")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("From")).to_have_value("03:00")
    expect(page.get_by_label("high", exact=True)).to_be_checked()
    site.ask(agent, f"git push --force origin {name}")  # not in production
    asked = site.ask(agent, f"git push --force origin {name}", environment="production")["approval"]
    until(lambda: len(receiver.seen) == 3)
    assert receiver.seen[2].told["message"].endswith(f"/approvals/{asked['approvalId']}")
    link = page.get_by_role("link", name="Approval needed")
    until(lambda: page.reload() and link.count())  # the result is recorded a moment later
    expect(link).to_have_attribute("href", f"/approvals/{asked['approvalId']}")
    shot(page, f"notifications-{width}")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("You are not notified yet.")).to_be_visible()


@pytest.fixture
def push_service(tmp_path: Path) -> Iterator[PushService]:
    path = tmp_path / "certificate.pem"
    path.write_text(CERTIFICATE)
    with running_push_service(path) as found:
        yield found


@pytest.fixture
def registered_page(playwright: Playwright, push_service: PushService, tmp_path: Path) -> Iterator[Page]:
    """A page in a browser with a profile of its own, which the push service knows: in others, nothing is pushed."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path / "profile",
        executable_path=find(),
        args=[*(flag for flag in FLAGS if flag != _OFFLINE), *push_service.switches],
        ignore_default_args=[_OFFLINE],
        permissions=["notifications"],
    )
    context.set_default_timeout(PATIENCE)
    yield context.pages[0]
    context.close()


def test_this_browser_is_told_and_a_click_leads_to_the_request(
    site: Site, registered_page: Page, push_service: PushService, receiver: Receiver, agent: str
) -> None:
    page = registered_page
    page.add_init_script(f"const ENDPOINT = 'http://127.0.0.1:{receiver.port}/push'; {ADDRESS}")
    enter(page, site.run("people", "add", "bob", "--role", "reviewer", "--url", site.url))
    page.goto(f"{site.url}/settings/notifications")
    page.get_by_role("button", name="Notify this browser").click()
    expect(page.locator("[data-label=Address]")).to_contain_text("Chrome on")
    expect(page.get_by_text("this browser", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Notify this browser")).to_be_hidden()
    said = site.run("notify", "set", "--person", "bob", "--levels", "high,critical", "--quiet-hours", "03:00-03:01 UTC")
    assert said == "bob is notified in browser of high, critical, immediately"
    assert site.run("notify", "test", "browser", "--person", "bob") == "1 test message sent to bob through `browser`"
    assert json.loads(site.run("notify", "list", "--json").splitlines()[-1])["quietHours"] == "03:00-03:01 UTC"
    site.run("notify", "set", "--person", "bob", "--break-through")
    listed = " ".join(site.run("notify", "list").split())
    assert "03:00-03:01" in listed
    assert "except critical" in listed
    asked = site.ask(agent, "git push --force origin bob")["approval"]
    pushed = until(lambda: receiver.seen[1:])[0]
    push_service.deliver(pushed.body)
    found = until(lambda: page.evaluate(SHOWN))
    path = f"/approvals/{asked['approvalId']}"
    title = "Approval needed: high risk"
    assert found == [{"title": title, "tag": asked["approvalId"], "data": {"path": path}}]
    message = {"title": title, "body": "", "path": path, "tag": asked["approvalId"], "ended": False}
    deliver(page, {**message, "title": "Approved by eve", "ended": True})
    until(lambda: [one["title"] for one in page.evaluate(SHOWN)] == ["Approved by eve"])
    worker = page.context.service_workers[0]
    assert worker.evaluate(CLICK) == f"{site.url}{path}"
    for path in ("//evil.example/x", "https://evil.example/x", "javascript:alert(1)"):
        until(lambda: page.evaluate(SHOWN) == [])  # closing the last one would close the next, which has the same tag
        deliver(page, {**message, "path": path})
        until(partial(page.evaluate, f"{SHOWN.strip()}.then(([one]) => one?.data.path === {json.dumps(path)})"))
        assert worker.evaluate(CLICK) == "/approvals", "a notification leads nowhere but to these pages"


def test_a_browser_that_cannot_be_notified_says_so(site: Site, opened_whole: Open) -> None:
    page = opened_whole(permissions=["notifications"])  # a private window, for which there is no push service
    enter(page, site.run("people", "add", "dan", "--role", "reviewer", "--url", site.url))
    page.goto(f"{site.url}/settings/notifications")
    button = page.get_by_role("button", name="Notify this browser")
    button.click()
    expect(page.locator("#browser-status")).to_contain_text("could not register with its push service")
    expect(button).to_be_enabled()


def test_the_pages_install_as_an_app(site: Site, opened_whole: Open) -> None:
    page = opened_whole()
    page.goto(f"{site.url}/sign-in")
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["start_url"] == "/approvals"
    problems = [one["errorId"] for one in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert [one for one in problems if one not in ("in-incognito",)] == []
