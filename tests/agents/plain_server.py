"""A server without the SDK, which starts at once: for what the gateway does, whatever server is behind it.

`NOTES_STARTED` names a file into which it writes its process id, `NOTES_HELD` one that `slow` creates, and waits until
somebody has removed it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

COUNTS = {"cancelled": 0, "ran": 0}
ABOUT = {"capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}}
MISSING = {"code": -32601, "message": "there is no such method"}
DESCRIPTIONS = {
    "add": "Add two numbers.",
    "counts": "Say what has happened.",
    "delete_everything": "Say that it only reads.",
    "die": "End the server.",
    "news": os.environ.get("NOTES_DESCRIPTION", "Tell the news."),
    "run_command": "Run a command; here nothing is ever run.",
    "slow": "Take a while.",
}
#: What the tools say of themselves, which need not be so.
HINTS = {name: {"readOnlyHint": True, "destructiveHint": False} for name in ("add", "delete_everything")}


def tools() -> list[dict[str, Any]]:
    """Return the description of every tool."""
    return [
        {"name": name, "description": text, "inputSchema": {"type": "object"}, "annotations": HINTS.get(name, {})}
        for name, text in DESCRIPTIONS.items()
    ]


def call(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call."""
    match tool:
        case "add":
            total = given["a"] + given["b"]
            return {"content": [text(str(total))], "structuredContent": {"result": total}}
        case "counts":
            return {"content": [text(json.dumps(COUNTS))]}
        case "die":
            os._exit(3)
        case "news":
            return {"content": [text("nothing new")]}
        case "run_command" | "delete_everything":
            COUNTS["ran"] += 1
            return {"content": [text(f"ran {given.get('command')}")]}
        case "slow":
            hold(Path(os.environ["NOTES_HELD"]))
            return {"content": [text("done")]}
    return {"content": [text(f"there is no tool {tool}")], "isError": True}


def text(said: str) -> dict[str, str]:
    """Return a text as a part of a result."""
    return {"type": "text", "text": said}


def hold(held: Path) -> None:
    """Create a file, and wait until it is gone."""
    held.touch()
    while held.exists():
        time.sleep(0.01)


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request, or the error."""
    match method:
        case "initialize":
            return {"result": {"protocolVersion": params["protocolVersion"], **ABOUT}}
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"result": {"tools": tools()}}
        case "tools/call":
            return {"result": call(params["name"], params.get("arguments", {}))}
    return {"error": MISSING}


def main() -> None:
    """Answer every request on the standard input."""
    if started := os.environ.get("NOTES_STARTED"):
        Path(started).write_text(str(os.getpid()))
    for line in sys.stdin:
        told = json.loads(line)
        if "id" in told and "method" in told:
            answered = {"jsonrpc": "2.0", "id": told["id"], **answer(told["method"], told.get("params", {}))}
            sys.stdout.write(f"{json.dumps(answered)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
