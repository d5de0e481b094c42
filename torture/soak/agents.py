"""Agents: they begin and end runs, have actions decided in several ways, and report events."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from torture.soak.caller import Caller, Response, Result
from torture.soak.site import Site

WHERE = {"cwd": "/home/u/p", "workspace": "/home/u/p", "home": "/home/u"}
#: Actions that are decided at once: tool, input.
ACTIONS: tuple[Callable[[str], dict[str, Any]], ...] = (
    lambda name: {"toolName": "Bash", "inputPayload": {"command": f"ls {name}"}},
    lambda name: {"toolName": "Bash", "inputPayload": {"command": f"git diff --stat HEAD~1 -- {name} | head -20"}},
    lambda name: {"toolName": "Bash", "inputPayload": {"command": f"kubectl get pods {name}"}},
    lambda name: {"toolName": "Bash", "inputPayload": {"command": f"python3 -c 'print(1)' {name}"}},
    lambda name: {"toolName": "mcp__db__query", "inputPayload": {"sql": f"select * from t where n = '{name}'"}},
    lambda name: {"toolName": "Read", "inputPayload": {"file_path": f"/home/u/p/{name}.py"}},
    lambda name: {"toolName": "Bash", "inputPayload": {"command": f"rm -rf / {name}"}},
)
RUN_LENGTH = 25
BATCH = 4
#: How likely an agent sends an unacknowledged request again before its next step, and how often it does at the end.
RETRY_CHANCE, LAST_TRIES = 0.3, 20


class Unsent(NamedTuple):
    """A request that is sent until it is acknowledged, and what to note then."""

    path: str
    body: dict[str, Any]
    note: Callable[[dict[str, Any]], None]


class Agent:
    """An agent that acts in one run after another."""

    def __init__(self, site: Site, stop: threading.Event) -> None:
        self._site, self._ledger, self._stop = site, site.ledger, stop
        self._caller = Caller(site, site.agent)
        self._run_id, self._left = "", 0
        self._unsent: deque[Unsent] = deque()
        self._steps = (self.evaluate, self.evaluate, self.evaluate, self.evaluate, self.check, self.report, self.hook)

    def run(self, seconds: float) -> None:
        """Act until told to stop, about every so many seconds."""
        while not self._stop.wait(seconds * random.uniform(0.5, 1.5)):
            if self._left <= 0:
                self._change_run()
            self._left -= 1
            step = self.evaluate_batch if random.random() < 0.05 else random.choice(self._steps)
            self._site.count(step.__name__)
            step()
            if self._unsent and random.random() < RETRY_CHANCE:
                self._send(self._unsent.popleft())
        for _ in range(LAST_TRIES):
            if self._unsent:
                self._send(self._unsent.popleft())

    def _change_run(self) -> None:
        """End the run, and begin another one."""
        if self._run_id and self._caller.post(f"/v1/runs/{self._run_id}/complete").is_ok:
            self._ledger.note_end_of_run(self._run_id)
        self._run_id, self._left = self._site.new_name(), RUN_LENGTH
        self._site.count("runs")
        self._caller.post("/v1/runs", {"runId": self._run_id})

    def _action(self, name: str) -> dict[str, Any]:
        return {**random.choice(ACTIONS)(name), **WHERE, "runId": self._run_id}

    def evaluate(self) -> None:
        """Have one action decided."""
        name = self._site.new_name()
        self._note(name, self._caller.post("/v1/evaluate", self._action(name)))

    def _note(self, name: str, response: Response) -> None:
        if response.is_ok:
            response.server.note_acknowledgement()
            data = response.data
            self._ledger.acknowledge(name, data["decisionId"], is_allowed=data["allowed"])
        elif response.result is Result.SILENT:
            self._ledger.note_silence(name)
        else:
            self._ledger.note_refusal(name)

    def evaluate_batch(self) -> None:
        """Have several actions decided in one call. If it fails, some of them may be on record."""
        names = [self._site.new_name() for _ in range(BATCH)]
        response = self._caller.post("/v1/evaluate/batch", {"actions": [self._action(name) for name in names]})
        if not response.is_ok:
            for name in names:
                self._ledger.note_silence(name)
            return
        for name, item in zip(names, response.data["items"], strict=True):
            self._ledger.acknowledge(name, item["decisionId"], is_allowed=item["allowed"])

    def check(self) -> None:
        """Check an action as a remote gate does: it is sent until there is a response, and recorded once."""
        name = self._site.new_name()
        self._ledger.note_single(name)

        def note(data: dict[str, Any]) -> None:
            self._ledger.acknowledge(name, data["decisionId"], is_allowed=data["allowed"])

        self._send(Unsent("/v1/check", {"forms": [self._action(name)], "once": name}, note))

    def report(self) -> None:
        """Report an event until there is a response: it is recorded once."""
        name = self._site.new_name()
        event = {"eventId": name, "type": "tool.completed", "runId": self._run_id, "summary": name}
        self._send(Unsent("/v1/events", event, lambda data: self._ledger.note_event(data["recordId"])))

    def _send(self, unsent: Unsent) -> None:
        """Send a request; if it is not acknowledged, keep it to be sent again."""
        response = self._caller.post(unsent.path, unsent.body)
        if response.is_ok:
            unsent.note(response.data)
        else:
            self._site.count("sent again")
            self._unsent.append(unsent)

    def hook(self) -> None:
        """Call the hook of a coding agent; an empty object is no objection, and anything else a refusal."""
        name = self._site.new_name()
        call = {
            "session_id": f"{self._run_id}-hooks",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": f"ls {name}"},
            "cwd": WHERE["cwd"],
        }
        response = self._caller.post("/v1/hooks/claude-code", call)
        if response.is_ok and response.data == {}:
            self._ledger.acknowledge(name, "", is_allowed=True)
        elif response.result is Result.SILENT:
            self._ledger.note_silence(name)
        else:
            self._ledger.note_refusal(name)
