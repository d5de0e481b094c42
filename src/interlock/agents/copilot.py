"""GitHub Copilot: `preToolUse`, `permissionRequest` and `postToolUse` hooks in `.github/hooks/*.json`."""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, ANY, PROMPT, Agent, Event, Reply, Stage, Words

BEFORE, ASKING = "preToolUse", "permissionRequest"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Copilot reads; nothing where its own rules decide."""
    why = words.why or "Interlock does not let this run"
    if event == ASKING:
        if reply is Reply.ASK:
            return b""
        decision = {"behavior": "allow"} if reply is Reply.ALLOW else {"behavior": "deny", "message": why}
        return msgspec.json.encode(decision)
    if event != BEFORE or reply is Reply.SILENT:
        return b""
    return msgspec.json.encode({"permissionDecision": reply.name.lower(), "permissionDecisionReason": why})


AGENT = Agent(
    "copilot",
    "GitHub Copilot",
    {BEFORE: Event(Stage.BEFORE, ANY), ASKING: Event(Stage.ASKING, PROMPT), "postToolUse": AFTER},
    write,
    marks=("toolName",),
)
