"""The format of Claude Code's hooks, which other agents use with small differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from interlock.agents.coding.agent import Event, HookOutput, HookReading, SampleCall, Stage
from interlock.agents.permission import DEFAULT_REASON, Permission, PermissionText


def write_permission(event: str, permission: Permission, words: PermissionText, **more: Any) -> bytes:
    """Return the JSON with the permission for a call that is about to run."""
    decision = {
        "hookEventName": event,
        "permissionDecision": permission.name.lower(),
        "permissionDecisionReason": words.reason or DEFAULT_REASON,
    }
    notice = {"systemMessage": words.notice} if words.notice else {}
    return msgspec.json.encode({"hookSpecificOutput": decision, **notice, **more})


def write_prompt(event: str, permission: Permission, words: PermissionText) -> bytes:
    """Return the JSON that answers a permission prompt before the agent shows it; nothing if it should be shown."""
    if permission not in (Permission.ALLOW, Permission.DENY):
        return b""
    decision = make_prompt_answer(permission, words)
    return msgspec.json.encode({"hookSpecificOutput": {"hookEventName": event, "decision": decision}})


def make_prompt_answer(permission: Permission, words: PermissionText) -> dict[str, str]:
    """Return the answer to a permission prompt that the agent is about to show."""
    if permission is Permission.ALLOW:
        return {"behavior": "allow"}
    return {"behavior": "deny", "message": words.reason or DEFAULT_REASON}


def make_hook_entries(
    events: Mapping[str, Event], handler: Callable[[str], Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return entries that run a handler at events; events about tools match every tool."""
    everything = {"matcher": "*"}
    return {
        name: {**({} if event.stage is Stage.REQUEST else everything), "hooks": [handler(name)]}
        for name, event in events.items()
    }


def sample_call(sample: SampleCall, tool: str = "Bash") -> dict[str, Any]:
    """Return a sample call for a shell command that is about to run."""
    return {
        "session_id": sample.session,
        "cwd": sample.folder,
        "hook_event_name": sample.event,
        "tool_use_id": "canary",
        "permission_mode": "default",
        "tool_name": tool,
        "tool_input": {"command": sample.command},
    }


def understand(output: HookOutput) -> HookReading:
    """Return how an agent interprets a hook's output: status 2 denies, any other but 0 lets the action run."""
    if output.status == 2:
        denies = bool(output.stderr.strip())
        return HookReading(Permission.DENY) if denies else HookReading(None, "no reason was given")
    if output.status != 0:
        return HookReading(None, f"the hook ended with {output.status}")
    if not output.stdout.strip():
        return HookReading(Permission.NO_OBJECTION)
    return read_decision(output.stdout)


#: Where agents look for the decision in an answer, and for its reason.
_DECISION = ("permissionDecision", "permission", "decision")
_REASON = ("permissionDecisionReason", "reason", "agent_message")


def read_decision(stdout: bytes) -> HookReading:
    """Return the permission that an answer in JSON gives."""
    import json

    try:
        answer = json.loads(stdout)
        found = answer.get("hookSpecificOutput") or answer
        decision, reason = (
            next((found[name] for name in names if found.get(name)), "") for names in (_DECISION, _REASON)
        )
        return HookReading(Permission[str(decision).upper()], reason=str(reason))
    except (ValueError, AttributeError):
        return HookReading(None, "the answer is not a JSON object")
    except KeyError:
        return HookReading(None, f"the decision is `{decision}`")
