"""Sign in with the company account, and manage groups, in the browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Site, enter, shot
from tests.server.oidc_provider import SECRET, Provider, running_provider
from tests.server.test_oidc import ANN, ROLES, configuration


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as found:
        found.person, found.page = {**ANN, "groups": ["sre"]}, True
        yield found


@pytest.fixture(scope="module")
def site(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEST_OIDC_SECRET", SECRET)
        found = Site(tmp_path_factory.mktemp("site"), configuration(provider, tables=ROLES))
        yield found
        found.stop()


def through_the_provider(page: Page, site: Site) -> Page:
    page.goto(f"{site.url}/audit")
    page.get_by_role("link", name="Sign in with Acme").click()
    expect(page).to_have_title("Acme")
    page.get_by_role("link", name="Continue").click()
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_groups_at_the_provider_decide_what_a_person_may_do(
    site: Site, provider: Provider, opened: Open, width: int
) -> None:
    provider.person["groups"] = ["sre"]
    page = through_the_provider(opened(width), site)
    expect(page).to_have_url(f"{site.url}/audit")
    expect(page.locator(".name")).to_contain_text("ann@acme.com")
    page.goto(f"{site.url}/settings/sign-in")
    expect(page.locator("#identities")).to_contain_text("ann-1")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_contain_text("may still be signed in to Acme")
    shot(page, f"sign-in-{width}")
    page.get_by_role("link", name="Sign out of Acme").click()
    expect(page.locator("body")).to_contain_text(f"Signed out, back to {site.url}/sign-in")
    provider.person["groups"] = ["eng"]
    page = through_the_provider(page, site)
    expect(page).to_have_url(f"{site.url}/audit")
    page.goto(f"{site.url}/settings/sign-in")
    expect(page.locator("main")).to_contain_text("requires the right to")
    provider.person["groups"] = []
    other = through_the_provider(opened(width), site)
    expect(other.get_by_role("alert")).to_contain_text("is in no group of Acme that has access")
    page.goto(f"{site.url}/runs")
    expect(page.get_by_role("link", name="Sign in with Acme")).to_be_visible()


def test_a_group_is_filled_emptied_and_restored(site: Site, opened: Open) -> None:
    page = enter(opened(), site.run("people", "link", _admin(site), "--url", site.url))
    page.goto(f"{site.url}/settings/groups")
    page.get_by_label("New group").fill("oncall")
    page.get_by_role("button", name="Create group").click()
    expect(page.locator("#members")).to_contain_text("Nobody is in this group yet")
    page.get_by_label("Add a person").fill("ann@acme.com")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#members")).to_contain_text("ann@acme.com")
    page.get_by_role("button", name="Remove ann@acme.com").click()
    expect(page.locator("#members")).to_contain_text("Nobody is in this group yet")
    page.get_by_role("button", name="Restore the members after “added ann@acme.com”").click()
    expect(page.locator("#members")).to_contain_text("ann@acme.com")
    page.get_by_role("button", name="Delete group").click()
    expect(page.get_by_role("status")).to_contain_text("This group is deleted")
    page.get_by_role("button", name="Restore the members after “deleted”").click()
    expect(page.locator("#members")).to_contain_text("ann@acme.com")
    expect(page.locator("#versions li").first).to_contain_text("restored version")


def _admin(site: Site) -> str:
    """Return the person who runs the server."""
    return site.run("people").splitlines()[-1].split()[0]
