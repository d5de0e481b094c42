"""Text from agents and people is shown as text: no page runs a script, shows a tag, or reorders a line."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from interlock.rules.standards.lists import references
from interlock.sanitise import storable_name
from interlock.server.pages.links import agent_link
from interlock.server.pages.renderer import FOLDER
from tests.browser.conftest import Open, Site

OWN_SCRIPTS = {f"/static/{path.name}" for path in (FOLDER / "static").glob("*.js")}
#: The pages of OWASP and MITRE that findings link to: the only links that lead elsewhere.
STANDARDS = {found.url for found in references().values()}
SCRIPT = "<script>window.pwned=1</script>"
EVIL = f"{SCRIPT}<img src=x onerror=window.pwned=2>\"'`{{{{7*7}}}}</textarea><svg onload=window.pwned=3>"
TURNED = "\u202eevil\u202c\u2066x\u2069\x1b[2K\x07\u200b"
UNSEEN = frozenset("\u202e\u202c\u2066\u2069\x1b\x07\u200b")
LINK = "https://evil.example/ javascript:window.pwned=4"
TAGS = "main b > *, main i:not(.legend i), main u, img[src=x], [onerror], [onload], main svg:not(.chart)"
RUN = "run-<b>x"


@pytest.fixture(scope="module")
def poisoned(site: Site) -> list[str]:
    """Put what is evil into every field there is; return the pages that show it."""
    agent = site.run("keys", "create", "<i>agent")
    admin = site.run("keys", "create", "<u>admin", "--role", "admin")
    action = {
        "toolName": f"deploy{EVIL}{TURNED}",
        "inputPayload": {"command": f"git push --force {EVIL}{TURNED} {LINK}", EVIL: {"deep": [EVIL, TURNED]}},
        "agentId": f"<i>agent/{EVIL}{TURNED}",
        "runId": RUN,
        "environment": "production",
        "cwd": f"/home/{EVIL}",
        "workspace": f"/home/{EVIL}{TURNED}",
        "home": f"/{EVIL}",
        "docstring": EVIL,
        "hints": {EVIL: True},
        "annotations": {EVIL: EVIL},
        "metadata": {"context": EVIL, EVIL: TURNED},
    }
    shell = {"toolName": "Bash", "inputPayload": {"command": f"rm -rf / # {EVIL}{TURNED}"}, "runId": RUN}
    first = site.call("POST", "/v1/evaluate", agent, action)
    second = site.call("POST", "/v1/evaluate", agent, {**shell, "agentId": None})
    event = {"eventId": EVIL, "type": "tool.failed", "runId": RUN, "summary": EVIL + TURNED, "data": {EVIL: TURNED}}
    site.call("POST", "/v1/events", agent, {**event, "decisionId": second["decisionId"]})
    site.call("POST", "/v1/runs", agent, {"runId": "run-2", "workspace": EVIL})
    site.call("POST", "/v1/runs/run-2/fail", agent, {"reason": EVIL + TURNED})
    policy = {
        "policyId": "<b>evil",
        "name": EVIL,
        "description": EVIL,
        "action": "warn",
        "conditions": [{"field": "toolName", "operator": "contains", "value": EVIL}],
        "when": f'toolName == "{LINK}"',
        "note": EVIL,
    }
    site.call("POST", "/v1/policies", admin, policy)
    rejected = first["approval"]["approvalId"]
    site.call("POST", f"/v1/approvals/{rejected}/reject", admin, {"reason": EVIL + LINK, "instead": EVIL})
    waits = site.call("POST", "/v1/evaluate", agent, {**action, "cwd": "/tmp"})["approval"]["approvalId"]
    site.call("POST", f"/v1/approvals/{waits}/comments", admin, {"text": f"{EVIL}{TURNED} {LINK}"})
    site.call("POST", "/v1/views", admin, {"name": EVIL[:60], "query": "q=%3Cscript%3E", "shared": True})
    return [
        "/",
        "/approvals",
        "/approvals?state=all",
        f"/approvals/{rejected}",
        f"/approvals/{waits}",
        f"/approvals/answer?verdict=reject&id={waits}&back=%22%3E%3Cimg+src%3Dx%3E",
        f"/approvals/answer?verdict=reject&id={rejected}&back=https://evil.example",
        "/approvals?q=%3Cscript%3E&assignee=%22%3E%3Cimg+src%3Dx%3E",
        f"/policies/new?from={waits}",
        f"/policies/new?from={waits}&action=allow",
        "/settings",
        "/settings/configuration",
        "/settings/grants",
        "/settings/people",
        "/settings/keys",
        "/runs",
        "/runs/run-%3Cb%3Ex",
        "/runs/run-2",
        "/policies",
        "/policies/%3Cb%3Eevil",
        "/audit",
        "/audit?q=%3Cscript%3E&run=%3Cb%3E",
        "/actions",
        "/actions?agent=%22%3E%3Cimg+src%3Dx%3E&q=%3Cscript%3E",
        "/agents",
        agent_link(storable_name(str(action["agentId"]))),
        "/runs?q=%3Cscript%3E&agent=%22%3E%3Cimg+src%3Dx%3E",
        "/sign-in/%3Cscript%3E",
        "/nothing/%3Cscript%3Ewindow.pwned=1%3C%2Fscript%3E",
    ]


@pytest.fixture
def page(opened: Open, signed: dict[str, Any]) -> Page:
    return opened(storage_state=signed)


def test_nothing_that_was_stored_runs(site: Site, poisoned: list[str], page: Page) -> None:
    seen = ""
    for path in poisoned:
        page.goto(site.url + path)
        assert page.evaluate("window.pwned") is None, path
        scripts = page.evaluate("[...document.scripts].map((one) => one.getAttribute('src'))")
        assert scripts[:2] == ["/static/theme.js", "/static/interlock.js"], path
        assert len(scripts) == len(set(scripts)), path
        assert set(scripts) <= OWN_SCRIPTS, path
        assert page.evaluate(f"document.querySelectorAll('{TAGS}').length") == 0, path
        links = page.evaluate("[...document.links].map((one) => one.href)")
        assert [link for link in links if not link.startswith(site.url) and link not in STANDARDS] == [], path
        text = page.evaluate("document.documentElement.outerHTML")
        assert not set(text) & UNSEEN, path
        seen += page.inner_text("body")
    assert SCRIPT in seen  # it is shown, and it is text
    assert "\\u202eevil" in seen


def test_text_on_the_try_page_is_escaped(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/try")
    page.get_by_label("A command, Python or SQL").fill(f"rm -rf / {EVIL}{TURNED}")
    page.get_by_role("button", name="Check").click()
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.querySelectorAll('img[src=x], main svg').length") == 0
    assert (
        not set(page.evaluate("document.documentElement.outerHTML")) & set(TURNED) & set("\u202e\u202c\u2066\u2069\x1b")
    )


def test_the_policy_that_forbids_scripts_is_there(site: Site, browser: Browser) -> None:
    page = browser.new_page()
    answer = page.goto(site.url)
    assert answer is not None
    rules = answer.headers["content-security-policy"]
    assert "default-src 'none'" in rules
    assert "unsafe" not in rules
    assert "access-control-allow-origin" not in answer.headers
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.pwned=9>')")
    page.wait_for_timeout(300)
    pwned = page.evaluate("window.pwned")
    page.close()
    assert pwned is None  # even if one got in, it would not run
