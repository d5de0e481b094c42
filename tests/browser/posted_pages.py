"""Pages that answer a form: errors, questions, results, and secrets that are shown once."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page, Response


class Sent(NamedTuple):
    """A form that is sent, and the page that answers it: its status, and words on it."""

    path: str
    fields: dict[str, str]
    status: int
    shows: str


_POLICY = {"policyId": "walk", "name": "Walk", "field": "toolName", "operator": "equals", "value": "Bash", "path": ""}
_DRAFT = {**_POLICY, "action": "block", "enabled": "on", "known": "none"}
#: The forms of each route. Names in braces are made by the test.
POSTED: dict[str, tuple[Sent, ...]] = {
    "/agents/stop": (Sent("/agents/stop", {}, 422, "Nothing was changed"),),
    "/runs/resume": (Sent("/runs/resume", {"run": "no-run"}, 404, "Not found"),),
    "/stops": (Sent("/stops", {"what": "all", "reason": "test"}, 200, "Stop all agents?"),),
    "/stops/lift": (Sent("/stops/lift", {"agent": "nobody"}, 404, "Not found"),),
    "/pauses": (Sent("/pauses", {}, 422, "Choose how long to pause"),),
    "/pauses/end": (Sent("/pauses/end", {"agent": "nobody"}, 404, "Not found"),),
    "/approvals/selected": (Sent("/approvals/selected", {}, 422, "Select at least one request"),),
    "/approvals/answer": (Sent("/approvals/answer", {"verdict": "reject"}, 422, "Choose at least one request"),),
    "/approvals/{approval_id}/comments": (Sent("/approvals/{request}/comments", {}, 422, "Nothing was changed"),),
    "/approvals/{approval_id}/approve": (Sent("/approvals/{request}/approve", {}, 422, "May this run?"),),
    "/approvals/{approval_id}/override": (Sent("/approvals/{request}/override", {}, 422, "May this run?"),),
    "/views": (Sent("/views", {}, 422, "A view needs a name"),),
    "/views/{view_id}": (Sent("/views/none", {}, 422, "A view needs a name"),),
    "/policies/{policy_id}": (
        Sent("/policies/new", {**_DRAFT, "policyId": "", "button": "review"}, 422, "needs an id"),
        Sent("/policies/new", {**_DRAFT, "button": "review"}, 200, "Save policy"),
    ),
    "/policies/{policy_id}/undo": (Sent("/policies/none/undo", {}, 404, "Not found"),),
    "/policies/{policy_id}/restore": (Sent("/policies/none/restore", {}, 422, "Nothing was changed"),),
    "/policies/{policy_id}/edit": (Sent("/policies/new/edit", {**_DRAFT, "button": "add"}, 200, "New policy"),),
    "/policies/{policy_id}/try": (
        Sent("/policies/new/try", {**_DRAFT, "button": "simulate"}, 200, "Newly allowed"),
        Sent("/policies/new/try", {**_DRAFT, "button": "try"}, 422, "Enter a command"),
    ),
    "/audit": (Sent("/audit", {}, 200, "Verified"),),
    "/settings/grants/{grant_id}/revoke": (Sent("/settings/grants/none/revoke", {}, 422, "There is no grant"),),
    "/settings/notifications": (Sent("/settings/notifications", {"escalate_minutes": "soon"}, 422, "Notifications"),),
    "/settings/notifications/destinations": (
        Sent("/settings/notifications/destinations", {"channel": "mail", "address": "?"}, 422, "Notifications"),
    ),
    "/settings/notifications/destinations/remove": (
        Sent("/settings/notifications/destinations/remove", {}, 404, "Not found"),
    ),
    "/settings/notifications/test": (Sent("/settings/notifications/test", {}, 404, "Not found"),),
    "/settings/chat-accounts": (Sent("/settings/chat-accounts", {}, 404, "Not found"),),
    "/settings/channels/test": (Sent("/settings/channels/test", {}, 422, "There is no channel (empty)"),),
    "/settings/channels/new": (Sent("/settings/channels/new", {"kind": "slack"}, 422, "Nothing was saved"),),
    "/settings/channels/{name}/edit": (
        Sent("/settings/channels/mail/edit", {"button": "remove"}, 200, "Remove"),
        Sent("/settings/channels/mail/edit", {"button": "save", "url": "no url"}, 422, "Nothing was saved"),
    ),
    "/settings/people": (
        Sent("/settings/people", {"name": "", "role": "reviewer"}, 422, "must have 1 to 100"),
        Sent("/settings/people", {"name": "zoe", "role": "reviewer"}, 200, "zoe"),
    ),
    "/settings/people/{name}": (Sent("/settings/people/zoe", {"button": "shut-out"}, 200, "Suspend zoe"),),
    "/settings/people/{name}/password": (Sent("/settings/people/root/password", {"new": "x"}, 422, "Password"),),
    "/settings/keys/new": (
        Sent("/settings/keys/new", {"name": "x", "role": "agent", "owner": "rot"}, 422, "no active person rot"),
        Sent("/settings/keys/new", {"name": "", "role": "agent", "owner": "root"}, 422, "must have 1 to 100"),
        Sent("/settings/keys/new", {"name": "new-bot", "role": "agent", "owner": "root"}, 200, "new-bot"),
    ),
    "/settings/keys/{key_id}": (Sent("/settings/keys/{key}", {"button": "revoke"}, 200, "Revoke"),),
    "/settings/webhooks/new": (
        Sent("/settings/webhooks/new", {"url": "ftp://x", "kind_risk": "on"}, 422, "New webhook"),
        Sent("/settings/webhooks/new", {"url": "https://1.1.1.1/b", "kind_risk": "on"}, 200, "https://1.1.1.1/b"),
    ),
    "/settings/webhooks/{webhook_id}": (
        Sent("/settings/webhooks/{webhook}", {}, 422, "Choose what to change"),
        Sent("/settings/webhooks/{webhook}", {"button": "remove"}, 200, "Remove"),
    ),
    "/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/retry": (
        Sent("/settings/webhooks/{webhook}/deliveries/none/retry", {}, 404, "Not found"),
    ),
    "/settings/retention": (
        Sent(
            "/settings/retention",
            {"keep_days": "9", "at_least_days": ""},
            422,
            "must be a whole number from 0",
        ),
    ),
    "/settings/changes/{record_id}/undo": (Sent("/settings/changes/none/undo", {}, 404, "Not found"),),
    "/try": (
        Sent("/try", {"text": "", "kind": "shell"}, 422, "There is nothing to decide"),
        Sent("/try", {"text": "rm -rf /", "kind": "shell"}, 200, "block"),
    ),
    "/settings/groups": (Sent("/settings/groups", {"name": ""}, 422, "must have 1 to 100"),),
    "/settings/groups/{name}/{change}": (Sent("/settings/groups/sre/add", {"member": ""}, 422, "must have 1 to 100"),),
    "/settings/sign-in/link": (Sent("/settings/sign-in/link", {}, 422, "There is no such provider"),),
    "/settings/sign-in/unlink": (Sent("/settings/sign-in/unlink", {}, 404, "Not found"),),
    "/approvals/{approval_id}/reject": (Sent("/approvals/none/reject", {}, 404, "Not found"),),
    "/approvals/{approval_id}/extend": (Sent("/approvals/none/extend", {}, 404, "Not found"),),
    "/approvals/{approval_id}/assign": (Sent("/approvals/{request}/assign", {"assignee": "x"}, 422, "x"),),
}
#: The same for those who are not signed in.
OPEN_POSTED: dict[str, tuple[Sent, ...]] = {
    "/sign-in": (Sent("/sign-in", {"name": "x", "password": "y"}, 401, "Wrong name or password"),),
    "/sign-in/{secret}": (Sent("/sign-in/used", {}, 403, "invalid, expired or already used"),),
}
#: Routes whose answers are checked elsewhere or are no pages, each with the reason.
NOT_POSTED = {
    "/policies/{policy_id}/check": "for the script of the policy editor",
    "/policies/{policy_id}/count": "for the script of the policy editor",
    "/settings/notifications/browsers": "for the script that registers a browser",
    "/sign-out": "leads to the sign-in page",
    "/suggestions/{suggestion_id}/accept": "checked in test_suggestions.py, which has a history to suggest from",
    "/suggestions/{suggestion_id}/accept-policy": "leads to the policy editor",
    "/suggestions/{suggestion_id}/dismiss": "leads to the suggestions",
    "/suggestions/{suggestion_id}/restore": "leads to the suggestions",
}

_SUBMIT = """([action, fields]) => {
  const form = Object.assign(document.createElement("form"), { method: "post", action });
  const csrf = document.querySelector("meta[name=csrf]");
  for (const [name, value] of Object.entries(csrf ? { ...fields, csrf: csrf.content } : fields))
    form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
}"""


def send_form(page: Page, action: str, fields: dict[str, str]) -> Response:
    """Send a form from the page that is shown, and return the response once its page is loaded."""
    with page.expect_navigation() as found:
        page.evaluate(_SUBMIT, [action, fields])
    response = found.value
    assert response is not None
    return response
