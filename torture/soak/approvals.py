"""People and agents around requests: askers open, wait for and use them; reviewers list, read and answer them."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

from torture.soak.agents import WHERE
from torture.soak.caller import Caller, Response, Result
from torture.soak.kept import NAME
from torture.soak.site import Site

#: How long a request is read before it can be answered, and a little more.
READING_SECONDS = 3.3
ANSWER_SECONDS = 60.0
AT_ONCE = 6


class Asker:
    """An agent whose actions need approval."""

    def __init__(self, site: Site, stop: threading.Event) -> None:
        self._site, self._ledger, self._stop = site, site.ledger, stop
        self._caller = Caller(site, site.agent)

    def run(self, seconds: float) -> None:
        """Ask for approvals until told to stop."""
        while not self._stop.wait(seconds * random.uniform(0.5, 1.5)):
            name = self._site.new_name()
            command = random.choice((f"./deploy.sh {name}", f"git push --force origin {name}"))
            action = {"toolName": "Bash", "inputPayload": {"command": command}, "runId": f"{self._site.name}-asks"}
            self._ask(name, {**action, **WHERE})

    def _ask(self, name: str, action: dict[str, Any]) -> None:
        """Open a request, wait for its answer, use the approval, and try to use it again."""
        self._site.count("requests opened")
        opened = self._submit(name, action)
        if opened is None or opened["approval"] is None:
            return
        approval_id = opened["approval"]["approvalId"]
        if self._wait_for_answer(approval_id) != "approved":
            return
        self._site.count("approvals used")
        used = self._submit(name, action)
        if used is None:
            return
        if not used["allowed"]:
            self._site.ledger.note_unexpected(f"approved, but not allowed by {self._site.name}: {used['advice'][:120]}")
            return
        self._ledger.note_use(approval_id)
        again = self._submit(name, action)
        if again is not None and again["allowed"]:
            self._ledger.note_use(approval_id)
        elif again is not None and again["approval"] is not None:
            self._caller.post(f"/v1/approvals/{again['approval']['approvalId']}/cancel")

    def _submit(self, name: str, action: dict[str, Any]) -> Any:
        """Send the action; return the response, or None if it was refused or there was none."""
        response = self._caller.post("/v1/evaluate", action)
        if response.is_ok:
            response.server.note_acknowledgement()
            self._ledger.acknowledge(name, response.data["decisionId"], is_allowed=response.data["allowed"])
            return response.data
        (self._ledger.note_silence if response.result is Result.SILENT else self._ledger.note_refusal)(name)
        return None

    def _wait_for_answer(self, approval_id: str) -> str:
        """Return the state of a request once it has been answered; cancel it if nobody answers."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline and not self._stop.is_set():
            found = self._caller.get(f"/v1/approvals/{approval_id}?wait=5")
            if found.is_ok and found.data["state"] != "pending":
                return str(found.data["state"])
            if not found.is_ok:
                self._stop.wait(1)
        self._caller.post(f"/v1/approvals/{approval_id}/cancel")
        return "cancelled"


class Reviewer:
    """A person who answers requests; another one may be faster."""

    def __init__(self, site: Site, key: str, stop: threading.Event) -> None:
        self._site, self._stop = site, stop
        self._caller = Caller(site, key)

    def run(self, seconds: float) -> None:
        """Answer requests until told to stop."""
        while not self._stop.wait(seconds * random.uniform(0.5, 1.5)):
            self._site.count("requests listed")
            listed = self._caller.get(f"/v1/approvals?state=pending&sort=oldest&limit={AT_ONCE}")
            if not listed.is_ok or not listed.data["items"]:
                continue
            shown = [self._caller.get(f"/v1/approvals/{one['approvalId']}") for one in listed.data["items"]]
            if self._stop.wait(READING_SECONDS):
                return
            for one in shown:
                if one.is_ok and one.data["state"] == "pending" and one.data["challenge"]:
                    self._answer(one.data)

    def _answer(self, request: dict[str, Any]) -> None:
        path = f"/v1/approvals/{request['approvalId']}"
        if random.random() < 0.25:
            self._note(request, "rejected", self._caller.post(f"{path}/reject", {"reason": "not now"}))
            return
        ticket, answers = request["challenge"]["ticket"], _answers(request)
        body = {"ticket": ticket, "answers": answers, "reason": "agreed"}
        self._note(request, "approved", self._caller.post(f"{path}/approve", body))

    def _note(self, request: dict[str, Any], state: str, response: Response) -> None:
        self._site.count(f"requests {state}" if response.is_ok else "answers that did not count")
        if response.is_ok and response.data["state"] == state:
            self._site.ledger.note_answer(request["approvalId"], state)


def _answers(request: dict[str, Any]) -> list[str]:
    """Return the right answers to a quiz: what names the branch or the script, and that nothing can be undone."""
    found = NAME.search(request["action"]["inputPayload"]["command"])
    name = found[0] if found else ""
    return [
        next((one for one in asked["choices"] if _is_right(one, name)), asked["choices"][0])
        for asked in request["challenge"]["questions"]
    ]


def _is_right(choice: str, name: str) -> bool:
    return name in choice or "deploy" in choice or choice.startswith("No,")
