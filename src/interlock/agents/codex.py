"""Codex: `PreToolUse`, `PermissionRequest` and `PostToolUse` hooks in `hooks.json`.

A bare `allow`, an `ask`, a `deny` without a reason or a field that it does not know make Codex call the hook
failed, and the command runs. None of them is ever written.
"""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, DENY_ONLY, PROMPT, REFUSED, Agent, Event, Reply, Stage, Words, behaviour

BEFORE, ASKING = "PreToolUse", "PermissionRequest"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Codex reads."""
    if event == BEFORE and reply is Reply.DENY:
        why = words.why or REFUSED
        told = {"hookEventName": BEFORE, "permissionDecision": "deny", "permissionDecisionReason": why}
        person = {"systemMessage": words.tell} if words.tell else {}
        return msgspec.json.encode({"hookSpecificOutput": told, **person})
    if event == ASKING and reply in (Reply.ALLOW, Reply.DENY):
        asked = {"hookEventName": ASKING, "decision": behaviour(reply, words)}
        return msgspec.json.encode({"hookSpecificOutput": asked})
    return b""


AGENT = Agent(
    "codex",
    "Codex",
    {BEFORE: Event(Stage.BEFORE, DENY_ONLY), ASKING: Event(Stage.ASKING, PROMPT), "PostToolUse": AFTER},
    write,
)
