"""Claude Code: `PreToolUse`, `PermissionRequest` and `PostToolUse` hooks in `settings.json`."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.agents.agent import AFTER, ANY, PROMPT, Agent, Event, Reply, Stage, Words, behaviour

BEFORE, ASKING = "PreToolUse", "PermissionRequest"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Claude Code reads. Nothing is said for what runs by its own rules."""
    if event == ASKING:
        return _asked(reply, words)
    if event != BEFORE or reply is Reply.SILENT:
        return b""
    told: dict[str, Any] = {
        "hookSpecificOutput": {
            "hookEventName": BEFORE,
            "permissionDecision": reply.name.lower(),
            "permissionDecisionReason": words.why,
        }
    }
    if words.tell:
        told["systemMessage"] = words.tell
    return msgspec.json.encode(told)


def _asked(reply: Reply, words: Words) -> bytes:
    if reply is Reply.ASK:
        return b""  # the prompt is about to appear, and does
    told = {"hookEventName": ASKING, "decision": behaviour(reply, words)}
    return msgspec.json.encode({"hookSpecificOutput": told})


AGENT = Agent(
    "claude-code",
    "Claude Code",
    {
        BEFORE: Event(Stage.BEFORE, ANY),
        ASKING: Event(Stage.ASKING, PROMPT),
        "PostToolUse": AFTER,
        "PostToolUseFailure": AFTER,
    },
    write,
)
