"""A person links their Slack account on a page, and answers a request in Slack while its page is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from interlock.server.notify.slack_message import APPROVE, OPEN
from tests.browser.axe import find_violations
from tests.browser.conftest import Open, Site, enter, ready
from tests.server.chat_server import running
from tests.server.live_server import until
from tests.server.payloads import beside, policy
from tests.server.slack_server import SECRET, TOKEN, SlackServer, deliver

_CONFIG = """
[channels.ops]
kind = "slack"
token_env = "SLACK_TOKEN"
signing_secret_env = "SLACK_SECRET"
api_url = "{url}/api"
"""


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackServer]:
    found = SlackServer()
    with running(found):
        yield found


@pytest.fixture(scope="module")
def site(slack: SlackServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLACK_TOKEN", TOKEN)
        patch.setenv("SLACK_SECRET", SECRET)
        found = Site(tmp_path_factory.mktemp("site"), _CONFIG.format(url=slack.url))
    yield found
    found.stop()


def check_accessible(page: Page) -> None:
    assert find_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"


@pytest.mark.parametrize("width", [1440, 390])
def test_linking_an_account_and_answering_in_slack(site: Site, slack: SlackServer, opened: Open, width: int) -> None:
    name, member = f"ann{width}", f"UANN{width}"
    slack.members.add(member)
    page = enter(opened(width), site.run("people", "add", name, "--role", "reviewer", "--url", site.url))
    page.goto(f"{site.url}/settings/chat-accounts")
    ready(page)
    page.get_by_role("button", name="Link your account in ops").click()
    command = page.locator(".notice pre").inner_text()
    check_accessible(page)
    ready(page)
    told = deliver(site.port, slack.typed(command.removeprefix("/interlock "), member)).ok()
    assert told["text"] == f"Linked. You can now answer requests here as {name}."
    expect(page.locator("#accounts")).to_contain_text(member)  # without a reload
    check_accessible(page)

    admin = site.run("keys", "create", f"boss{width}", "--role", "admin")
    agent = site.run("keys", "create", f"bot{width}")
    site.call("POST", "/v1/policies", admin, policy("require_approval", f"weather{width}", f"ask{width}"))
    action = {"toolName": f"weather{width}", "inputPayload": {"city": "Bern"}}
    returned: Any = beside(lambda: site.call("POST", "/v1/evaluate?wait=60", agent, action))
    posted = until(lambda: slack.of(member))[0]
    page.goto(posted.buttons[OPEN]["url"])
    ready(page)
    expect(page.get_by_role("button", name="Approve")).to_be_visible()

    def pressed() -> bool:
        """Press the button, which counts once there was time to read."""
        deliver(site.port, slack.pressed(posted, APPROVE, member)).ok()
        return bool(slack.responses[-1]["text"] == "Approved.")

    until(pressed)
    assert returned()["allowed"] is True
    expect(page.locator("main")).to_contain_text("in slack/ops")  # without a reload
    until(lambda: set(posted.buttons) == {OPEN})
    page.goto(f"{site.url}/settings/chat-accounts")
    page.get_by_role("button", name="Unlink your account in ops").click()
    expect(page.locator("#accounts")).to_contain_text("Not linked")
    assert len(slack.of(member)) == 1
