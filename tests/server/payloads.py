"""Request bodies that the tests send, and helpers for sending them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.server.client import Client, Reply
from tests.server.live_server import Running


def bash(command: str, **fields: Any) -> dict[str, Any]:
    """Return the action of running a command."""
    return {"toolName": "Bash", "inputPayload": {"command": command}, **fields}


def policy(action: str, tool: str = "tool", policy_id: str = "mine", **fields: Any) -> dict[str, Any]:
    """Return a policy about one tool."""
    condition = {"field": "toolName", "operator": "equals", "value": tool}
    return {"policyId": policy_id, "action": action, "conditions": [condition], **fields}


def event_of(event_id: str, type_: str = "tool.completed", **fields: Any) -> dict[str, Any]:
    """Return a report about the run `r`."""
    return {"eventId": event_id, "type": type_, "runId": "r", **fields}


def beside(work: Callable[[], Reply]) -> Callable[[], Reply]:
    """Start a call in its own thread; return a function that waits for its result."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(work)
    pool.shutdown(wait=False)
    return future.result


def is_waited_for(running: Running, approval_id: str) -> bool:
    """Whether a call to the server is waiting for the answer to a request."""
    return bool(running.service.feed._waiting.get(approval_id))


def pending(reviewer: Client) -> str | None:
    """Return the id of the newest pending request, if there is one."""
    items = reviewer.get("/v1/approvals", state="pending").ok()["items"]
    return items[0]["approvalId"] if items else None


def at(running: Running, caller: Client) -> Client:
    """Return the same caller at another server."""
    return Client(running.port, caller.headers)
