"""Gemini CLI: `BeforeTool` and `AfterTool` hooks in `settings.json`. Its `allow` says nothing: its own rules decide."""

from __future__ import annotations

import msgspec

from interlock.agents.agent import AFTER, DENY_ONLY, REFUSED, Agent, Event, Reply, Stage, Words

BEFORE = "BeforeTool"


def write(event: str, reply: Reply, words: Words) -> bytes:
    """Return the JSON that Gemini CLI reads."""
    if event != BEFORE or reply is not Reply.DENY:
        return b""
    told = {"decision": "deny", "reason": words.why or REFUSED}
    if words.tell:
        told["systemMessage"] = words.tell
    return msgspec.json.encode(told)


AGENT = Agent("gemini", "Gemini CLI", {BEFORE: Event(Stage.BEFORE, DENY_ONLY), "AfterTool": AFTER}, write)
