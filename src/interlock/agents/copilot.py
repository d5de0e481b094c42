"""GitHub Copilot: `preToolUse`, `permissionRequest` and `postToolUse` hooks in `.github/hooks/*.json`."""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, ANY, PROMPT, REFUSED, Agent, Event, Reply, Stage, Words, behaviour

BEFORE, ASKING = "preToolUse", "permissionRequest"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Copilot reads; nothing where its own rules decide."""
    if event == ASKING:
        return b"" if reply is Reply.ASK else msgspec.json.encode(behaviour(reply, words))
    if event != BEFORE or reply is Reply.SILENT:
        return b""
    why = words.why or REFUSED
    return msgspec.json.encode({"permissionDecision": reply.name.lower(), "permissionDecisionReason": why})


AGENT = Agent(
    "copilot",
    "GitHub Copilot",
    {BEFORE: Event(Stage.BEFORE, ANY), ASKING: Event(Stage.ASKING, PROMPT), "postToolUse": AFTER},
    write,
    marks=("toolName",),
)
