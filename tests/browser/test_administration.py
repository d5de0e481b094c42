"""Administration in a browser: a person, a key with pins, a webhook, a channel with a test, and undo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.conftest import Open, Site, ready, shot
from tests.server.chat_server import running
from tests.server.receiver import Receiver, receiving
from tests.server.slack_server import SECRET, TOKEN, SlackServer

CONFIG = '[server]\nwebhooks_inside = ["127.0.0.1"]\n'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("site"), CONFIG)
    yield found
    found.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    found = SlackServer()
    with running(found):
        yield found


def add_person(page: Page, site: Site, name: str) -> None:
    page.goto(f"{site.url}/settings/people")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Add person").click()
    assert page.get_by_label("Sign-in link").input_value().startswith(f"{site.url}/sign-in/")
    shot(page, f"settings-people-{name}")


def create_key(page: Page, site: Site, name: str) -> str:
    page.goto(f"{site.url}/settings/keys")
    page.get_by_role("link", name="New key").click()
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_label("Environment").select_option("staging")
    page.get_by_label("Workspaces").fill("/srv/shop\n/srv/tools")
    page.get_by_role("button", name="Create key").click()
    secret = page.get_by_label("API key").input_value()
    page.get_by_role("button", name="Copy").click()
    expect(
        page.get_by_role("button", name="Copied").or_(page.get_by_role("button", name="Press Ctrl+C"))
    ).to_be_visible()
    return secret


def create_webhook(page: Page, site: Site, receiver: Receiver) -> None:
    page.goto(f"{site.url}/settings/webhooks/new")
    page.get_by_label("URL").fill(receiver.url)
    page.get_by_label("Changes of people").check()
    page.get_by_role("button", name="Create webhook").click()
    expect(page.get_by_role("heading", name="Copy the secret now")).to_be_visible()
    page.get_by_role("button", name="Send a test message").click()
    expect(page.get_by_text("The test message was delivered")).to_be_visible()
    assert receiver.seen[0].told["kind"] == "ping"


def add_channel(page: Page, site: Site, slack: SlackServer, name: str) -> None:
    page.goto(f"{site.url}/settings/channels")
    page.get_by_role("link", name="New channel").click()
    page.get_by_label("Name", exact=False).first.fill(f"{name}!")
    page.get_by_label("API address").fill("http://10.0.0.1/api")
    page.get_by_role("button", name="Add channel").click()
    for label, words in {
        "Name": "A channel's name has",
        "Bot token": "Bot token is required",
        "API address": "https",
    }.items():
        field = page.get_by_label(label, exact=False).first
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator(f"#{field.get_attribute('aria-describedby')}")).to_contain_text(words)
    shot(page, f"settings-channel-errors-{name}")
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_label("API address").fill(f"{slack.url}/api")
    page.get_by_label("Bot token").fill(TOKEN)
    page.get_by_label("Signing secret").fill(SECRET)
    page.get_by_role("button", name="Add channel").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("Connected as interlock in Shop.")).to_be_visible()
    assert TOKEN not in page.content()
    assert SECRET not in page.content()


def remove_channel_and_undo(page: Page, site: Site, name: str) -> None:
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("paused", exact=True)).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url(f"{site.url}/settings/channels")
    expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
    undo_newest(page, site, "channels")
    page.get_by_role("link", name=name, exact=True).click()
    shot(page, f"settings-channel-{name}")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("Connected as interlock in Shop.")).to_be_visible()


def replace_token_and_undo(page: Page, name: str) -> None:
    page.get_by_label("Bot token").fill("xoxb-new")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(f"replaced secrets of channel {name}").first).to_be_visible()
    page.get_by_role("link", name="Undo").first.click()
    expect(page.get_by_text("Replaced secrets are not stored: enter the previous token again.")).to_be_visible()
    assert find_violations(page) == []
    page.get_by_label("Previous token").fill("with a space")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Previous token")).to_have_attribute("aria-invalid", "true")
    shot(page, f"settings-undo-secret-{name}")
    page.get_by_label("Previous token").fill(TOKEN)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("link", name=name, exact=True).click()


def undo_newest(page: Page, site: Site, where: str) -> None:
    page.goto(f"{site.url}/settings/{where}")
    page.get_by_role("link", name="Undo").first.click()
    expect(page.get_by_role("heading", name="Undo this change?")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url(f"{site.url}/settings/{where}")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_team_is_set_up_and_a_change_is_undone(
    site: Site, signed: dict[str, Any], opened: Open, receiver: Receiver, slack: SlackServer, width: int
) -> None:
    page, name = opened(width, storage_state=signed), f"ann-{width}"
    add_person(page, site, name)
    if width == 1440:  # the first person besides the admin
        expect(page.get_by_text("You can no longer approve requests from your own agents")).to_be_visible()
    secret = create_key(page, site, f"ci-{width}")
    assert site.call("GET", "/v1/caller", secret)["name"]
    page.reload()
    expect(page.get_by_text(secret)).to_have_count(0)
    create_webhook(page, site, receiver)
    page.goto(f"{site.url}/settings/people/{name}")
    ready(page)
    page.get_by_role("button", name="Suspend").click()
    expect(page.get_by_role("heading", name=f"Suspend {name}?")).to_be_visible()
    page.get_by_role("button", name="Suspend").click()
    expect(page.get_by_text("suspended", exact=True)).to_be_visible()
    undo_newest(page, site, "people")
    expect(page.get_by_role("row", name=name).get_by_text("active")).to_be_visible()
    undo_newest(page, site, "keys")
    with pytest.raises(AssertionError, match="401"):
        site.call("GET", "/v1/caller", secret)
    undo_newest(page, site, "keys")
    assert site.call("GET", "/v1/caller", secret)["name"], "a revoked key is restored on purpose"
    add_channel(page, site, slack, f"ops-{width}")
    replace_token_and_undo(page, f"ops-{width}")
    remove_channel_and_undo(page, site, f"ops-{width}")
    scroll = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert scroll <= 0, "nothing is off screen"


def test_the_settings_work_without_scripts(site: Site, signed: dict[str, Any], opened: Open) -> None:
    page = opened(storage_state=signed, java_script_enabled=False)
    page.goto(f"{site.url}/settings/retention")
    page.get_by_label("Keep records for").fill("400")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("changed the retention")).to_be_visible()
    page.goto(f"{site.url}/settings/configuration?q=retention")
    expect(page.get_by_role("row", name="retention.keep_days 400 store")).to_be_visible()
    undo_newest(page, site, "retention")
    expect(page.get_by_label("Keep records for")).to_have_value("0")
