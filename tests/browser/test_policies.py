"""Write a policy in the browser: built from rows, counted while typing, reviewed, saved, undone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Site, shot


@pytest.fixture(scope="module", autouse=True)
def past(site: Site, agent: str) -> None:
    for command in ("npm publish", "npm publish", "npm publish", "git status"):
        site.ask(agent, command, runId="run-1", environment="staging")


def fill(page: Page, number: int, field: str, value: str, operator: str = "equals") -> None:
    """Fill in a condition."""
    page.get_by_label(f"Field of condition {number}").select_option(field)
    page.get_by_label(f"Operator of condition {number}").select_option(operator)
    page.get_by_label(f"Value of condition {number}").fill(value)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_policy_from_rows_to_undo(site: Site, agent: str, opened: Open, signed: dict[str, Any], width: int) -> None:
    page, name = opened(width, storage_state=signed), f"no-publishing-{width}"
    before = site.ask(agent, "npm publish", runId="run-1")["verdict"]
    page.goto(f"{site.url}/policies")
    page.get_by_role("link", name="New policy").click()
    count = page.locator("#count")
    expect(count).to_contain_text("Add a condition")

    # rows, by keyboard, with operators and values that fit
    fill(page, 1, "effects.kind", "package.publish")
    assert page.get_by_label("Operator of condition 1").locator("option[value=gt]").is_disabled()
    expect(count).to_contain_text("Matches ")
    page.get_by_label("Value of condition 1").press("Enter")
    fill(page, 2, "toolName", "Ba")
    expect(page.locator("#values-toolName option[value=Bash]")).to_have_count(1)
    page.get_by_label("Value of condition 2").press("Alt+ArrowUp")
    expect(page.get_by_label("Value of condition 1")).to_have_value("Ba")
    expect(count).to_contain_text("Matches 0 of the last")
    page.get_by_label("Value of condition 1").fill("Bash")
    expect(count.locator("li")).to_contain_text(["npm publish"])
    page.get_by_role("button", name="Add condition").click()
    fill(page, 3, "risk.score", "high", "gte")
    expect(page.locator(".condition").nth(2)).to_contain_text("risk.score is a number, found high")
    page.get_by_role("button", name="Remove condition 3").click()

    # an expression, with its errors where they are
    expression = page.get_by_label("Expression (CEL)")
    expression.fill("risk.scor > 3")
    expect(page.locator("#when-problem")).to_contain_text("Unknown name risk.scor; did you mean risk.score?")
    expect(page.locator("#when-problem pre")).to_have_text("risk.scor > 3\n    ^")
    expression.fill("risk.score >= 0")
    expect(page.locator("#when-problem")).to_be_empty()
    page.get_by_label("block").check()
    expect(count).to_contain_text("verdicts.")
    if width == 1440:
        shot(page, "policy")

    # as text and back
    page.get_by_role("button", name="Text", exact=True).click()
    text = page.get_by_label("TOML, as in interlock.toml")
    expect(text).to_have_value(
        '[[policies]]\npolicy_id = "new-policy"\naction = "block"\nconditions = [\n'
        '    { field = "toolName", operator = "equals", value = "Bash" },\n'
        '    { field = "effects.kind", operator = "equals", value = "package.publish" },\n'
        "]\nwhen = 'risk.score >= 0'\n"
    )
    text.fill(text.input_value().replace('"block"', '"blok"'))
    expect(page.locator("#text-problem")).to_contain_text("Line 3: unknown action blok; did you mean block?")
    text.fill(text.input_value().replace('"blok"', '"block"').replace("new-policy", name))
    page.get_by_role("button", name="Conditions").click()
    expect(page.get_by_label("Value of condition 2")).to_have_value("package.publish")
    expect(page.get_by_label("ID", exact=True)).to_have_value(name)

    # tested, reviewed, saved, undone
    page.get_by_label("Command").fill("npm publish")
    page.get_by_role("button", name="Test against this command").click()
    expect(page.locator("#trial")).to_contain_text("Matches.")
    page.get_by_role("button", name="Test against past actions").click()
    expect(page.locator("#simulation")).to_contain_text("npm publish")
    page.get_by_role("button", name="Review changes").last.click()
    expect(page.get_by_role("heading", name=f"Review new policy: {name}")).to_be_visible()
    expect(page.locator(".diff")).to_contain_text("+ action: block")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == before  # nothing was changed yet
    page.get_by_role("button", name="Back to editing").click()
    page.get_by_label("Reason for the change").fill("no releases by agents")
    page.get_by_role("button", name="Review changes").last.click()
    page.get_by_role("button", name="Save policy").click()
    expect(page.get_by_text("Saved as version 1, in force now.")).to_be_visible()
    expect(page.locator("#versions")).to_contain_text("“no releases by agents”")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == "block"

    page.get_by_label("allow").check()
    page.get_by_role("button", name="Review changes").last.click()
    expect(page.get_by_role("alert")).to_contain_text("This change loosens what is enforced.")
    if width == 1440:
        shot(page, "policy-review")
    page.get_by_role("button", name="Save version 2").click()
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == "allow"
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("#versions")).to_contain_text("undid version 2")
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == "block"

    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove policy").click()
    expect(page.get_by_text("This policy was removed.")).to_be_visible()
    assert site.ask(agent, "npm publish", runId="run-1")["verdict"] == before
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_lost_update_is_refused_and_nothing_written_is_lost(site: Site, opened: Open, signed: dict[str, Any]) -> None:
    one, other = opened(storage_state=signed), opened(storage_state=signed)
    for page in (one, other):
        page.goto(f"{site.url}/policies/deployments")
    one.get_by_label("Description").fill("first")
    one.get_by_role("button", name="Review changes").last.click()
    one.get_by_role("button", name="Save version 1").click()
    expect(one.locator("#versions")).to_contain_text("Version 1")
    other.get_by_label("Description").fill("second")
    other.get_by_role("button", name="Review changes").last.click()
    expect(other.get_by_role("alert")).to_contain_text("reload it")
    expect(other.get_by_label("Description")).to_have_value("second")


def test_long_examples_stay_in_their_panel(site: Site, agent: str, opened: Open, signed: dict[str, Any]) -> None:
    site.ask(
        agent, f"python3 - <<'EOF'\nimport shutil\nshutil.rmtree('/srv/{'long/' * 30}')\nEOF", environment="production"
    )
    page = opened(1440, storage_state=signed)
    page.goto(f"{site.url}/policies/production-changes")
    expect(page.locator("#count .examples code").first).to_contain_text("python3 - <<'EOF' ⏎ import shutil")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
