"""Codex: `PreToolUse`, `PermissionRequest` and `PostToolUse` hooks in `hooks.json`.

A bare `allow`, an `ask`, a `deny` without a reason or a field that it does not know make Codex call the hook
failed, and the command runs. None of them is ever written.
"""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, DENY_ONLY, PROMPT, Agent, Event, Reply, Stage, Words

BEFORE, ASKING = "PreToolUse", "PermissionRequest"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Codex reads."""
    why = words.why or "Interlock does not let this run"
    if event == BEFORE and reply is Reply.DENY:
        told = {"hookEventName": BEFORE, "permissionDecision": "deny", "permissionDecisionReason": why}
        person = {"systemMessage": words.tell} if words.tell else {}
        return msgspec.json.encode({"hookSpecificOutput": told, **person})
    if event == ASKING and reply in (Reply.ALLOW, Reply.DENY):
        decision = {"behavior": "allow"} if reply is Reply.ALLOW else {"behavior": "deny", "message": why}
        return msgspec.json.encode({"hookSpecificOutput": {"hookEventName": ASKING, "decision": decision}})
    return b""


AGENT = Agent(
    "codex",
    "Codex",
    {BEFORE: Event(Stage.BEFORE, DENY_ONLY), ASKING: Event(Stage.ASKING, PROMPT), "PostToolUse": AFTER},
    write,
    marks=("turn_id",),
)
