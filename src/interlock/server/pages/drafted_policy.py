"""The policy editor with a draft that is made from a recorded action."""

from __future__ import annotations

from litestar import Response

from interlock.errors import InterlockError
from interlock.policies.drafts import PolicyDraft
from interlock.policies.from_action import DraftedAction, draft_policy
from interlock.policies.policy_input import compile_policy
from interlock.server.decision_origin import locate_decision
from interlock.server.pages.policy_form import open_form
from interlock.server.pages.policy_page import NEW, editor_page
from interlock.server.pages.renderer import PageRenderer, PageRequest
from interlock.server.policy_simulation import simulate_in_time

#: How many past actions a draft is tested against at first.
FIRST_SIMULATED = 1_000


def show_draft(request: PageRequest, pages: PageRenderer, source: str, action: DraftedAction | None) -> Response[str]:
    """Show a draft made from a recorded action, and what it would have changed."""
    service = pages.service
    decision = locate_decision(service, source)
    text = decision.data.get("text") or ""
    drafted = {"source": source, "decision_id": decision.record_id, "tool": decision.name, "text": text, "error": ""}
    try:
        given = draft_policy(decision, action)
    except InterlockError as error:
        given, drafted["error"] = draft_policy(decision), str(error)
    simulation = simulate_in_time(service, PolicyDraft(policies=[given], limit=FIRST_SIMULATED))
    fields = open_form(compile_policy(given, service.gate.config))
    return editor_page(request, pages, NEW, fields=fields, simulation=simulation, drafted=drafted)
