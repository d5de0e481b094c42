"""The tools of a server, as it describes them, and whether that is how it described them when they were allowed."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, digest_of
from interlock.audit.runs import Run
from interlock.sanitise import stored_name
from interlock.store.clock import now

#: What a model, or a person, is told about a tool. If any of it changes, it is another tool.
_SAID = ("title", "description", "inputSchema", "outputSchema", "annotations")
MAX_TOOLS = 10_000


class Described(NamedTuple):
    """A tool as its server describes it."""

    description: str
    annotations: dict[str, Any]
    digest: str

    def beside(self, other: Described) -> Described:
        """Return a tool that says what both of them say."""
        both = digest_of(sorted((self.digest, other.digest)))
        worst = {**other.annotations, **self.annotations}
        hints = (self.annotations.get("destructiveHint"), other.annotations.get("destructiveHint"))
        worst["destructiveHint"] = True in hints
        return Described(f"{other.description}\n{self.description}", worst, both)


class Tools:
    """What a server says about its tools in this session, and what is on record from before.

    `target` is the server's command line or address: the same name somewhere else is another server.
    """

    def __init__(self, journal: Journal, target: str) -> None:
        self._journal = journal
        self._target = hashlib.sha256(target.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._described: dict[str, Described] = {}
        self._page: set[str] = set()  # names in the list that is being sent, which may come in pages
        self._crowded = False

    def heard(self, result: Any, *, first: bool) -> None:
        """Take in a list of tools that a server has sent, or the next page of one.

        What is there twice under one name is one tool that says both: nobody knows which the client goes by.
        """
        if first:
            self._page = set()
        listed = result.get("tools") if isinstance(result, dict) else None
        for tool in listed if isinstance(listed, list) else ():
            name = tool.get("name") if isinstance(tool, dict) else None
            if not isinstance(name, str):
                continue
            if name not in self._described and len(self._described) >= MAX_TOOLS:
                self._crowded = True
                continue
            said = _described(tool)
            self._described[name] = said.beside(self._described[name]) if name in self._page else said
            self._page.add(name)

    def get(self, tool: str) -> Described | None:
        """Return what a server says about a tool, if it has."""
        return self._described.get(tool)

    def is_changed(self, tool: str, described: Described | None) -> bool:
        """Whether a tool is described otherwise than when it was last allowed."""
        if described is None and not self._crowded:
            return False
        known = self._known(tool)
        return known is not None and (described is None or known != described.digest)

    def allow(self, tool: str, described: Described | None, run: Run) -> None:
        """Note how a tool that may run was described when that was decided, where it is new."""
        if described is None or self._known(tool) == described.digest:
            return
        entry = Entry(
            kind="tool",
            at=now().wall,
            actor=run.agent_id or run.started_by,
            name=self._name(tool),
            run_id=run.run_id,
            agent_id=run.agent_id,
            data={"digest": described.digest, "tool": stored_name(tool)},
        )

        def operation(transaction: Transaction) -> None:
            transaction.append(entry)

        self._journal.commit(operation)

    def _known(self, tool: str) -> str | None:
        """Return the digest of what a tool said of itself when it was last allowed."""
        newest = "SELECT body FROM interlock_records WHERE kind = 'tool' AND name = :name ORDER BY seq DESC LIMIT 1"
        with self._journal.database.read() as connection:
            body = connection.value(newest, name=self._name(tool))
        return None if body is None else digest_in(body)

    def _name(self, tool: str) -> str:
        return stored_name(f"{self._target} {tool}")


def digest_in(body: str) -> str | None:
    """Return the digest that a record of a tool holds."""
    data = msgspec.json.decode(body).get("data")
    return data.get("digest") if isinstance(data, dict) else None


def _described(tool: dict[str, Any]) -> Described:
    annotations = tool.get("annotations")
    said = {name: tool[name] for name in _SAID if tool.get(name) is not None}
    return Described(
        str(tool.get("description") or ""), annotations if isinstance(annotations, dict) else {}, digest_of(said)
    )
