"""A person reads what past answers suggest, dismisses and restores a suggestion, and accepts a grant and a policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from interlock import Gate
from tests.browser.axe import find_all_violations
from tests.browser.conftest import Open, Site, shot
from tests.learning.past import ASK, DAY, Clock, Past
from tests.learning.test_suggestions import RESETS
from tests.learning.test_training_attacks import OLD_FILES, TOPICS
from tests.server.live_server import until


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = Path(tmp_path_factory.mktemp("site"))
    store = f"sqlite:///{folder / 'store.db'}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERLOCK_HOME", str(folder / "own"))
        with Gate(store=store, policies=[ASK]) as gate:
            past = Past(gate, Clock(patch))
            past.expire(past.ask("git push origin customer-dump"))
            past.approve(TOPICS)
            past.clock.behind = 20 * DAY
            past.approve(OLD_FILES)
            past.clock.behind = 10 * DAY
            past.reject(RESETS)
            past.suggestions()
    found = Site(folder, "[approvals]\none_person = false\n", store)
    yield found
    found.stop()


def test_suggestions_are_read_dismissed_restored_and_accepted(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    page = opened(390, storage_state=signed)
    page.goto(f"{site.url}/suggestions")
    until(lambda: page.reload() and page.get_by_role("link", name="rm one or more files").is_visible())
    page.goto(f"{site.url}/approvals")
    page.get_by_role("link", name="Suggestions").click()
    expect(page.get_by_role("heading", name="Suggestions")).to_be_visible()
    assert find_all_violations(page) == []
    shot(page, "suggestions-390")
    page.get_by_role("link", name="rm one or more files").click()
    expect(page.get_by_text("6 times on 6 days, in 6 runs")).to_be_visible()
    expect(page.get_by_text("Nothing else in the history.")).to_be_visible()
    assert find_all_violations(page) == []
    shot(page, "suggestion-390")
    page.get_by_label("Reason for dismissing").fill("folder <b>goes</b> away")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("The suggestion was dismissed.")).to_be_visible()
    expect(page.get_by_text("folder <b>goes</b> away")).to_be_visible()
    shot(page, "dismissed-390")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("link", name="rm one or more files")).to_be_visible()

    page = opened(1440, storage_state=signed, color_scheme="dark")
    page.goto(f"{site.url}/suggestions")
    shot(page, "suggestions-1440")
    page.get_by_role("link", name="git push origin any branch").click()
    expect(page.get_by_role("cell", name="git push origin customer-dump")).to_be_visible()
    shot(page, "suggestion-1440")
    page.get_by_label("Days").fill("3")
    grant = page.get_by_role("button", name="Grant")
    expect(grant).to_be_enabled()
    grant.click()
    page.wait_for_url("**/settings/grants")
    expect(page.get_by_text("any branch except main")).to_be_visible()
    page.goto(f"{site.url}/suggestions")
    page.get_by_role("link", name="Block git reset hard by claude").click()
    shot(page, "policy-1440")
    page.get_by_role("button", name="Block this from now on").click()
    page.wait_for_url("**/policies")
    expect(page.get_by_text("Block git reset hard by claude")).to_be_visible()
