"""Record the requests of a person to their agent, as the agent's program reports them."""

from __future__ import annotations

from interlock.agents.hook.call import HookCall
from interlock.audit.identity import user_name
from interlock.gate.gate import Gate


def record_person_request(gate: Gate, call: HookCall, started_by: str | None = None) -> None:
    """Record what the person wrote, in the run of the agent's session. A call without text is not recorded."""
    text = call.fields.get(call.agent.event(call.event).text_field)
    if not isinstance(text, str) or not text.strip():
        return
    action = call.action
    session = gate.session_of(
        started_by or user_name(), call.run_id, action.agent_id, action.workspace, call.agent.name
    )
    session.add_person_request(text)
