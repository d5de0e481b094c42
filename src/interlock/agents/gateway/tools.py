"""The tools of a server as it describes them, and whether a description has changed since the tool was allowed."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import msgspec

from interlock.analyse.tools.schema import outline
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, digest_of
from interlock.audit.runs import Run
from interlock.sanitise import stored_name
from interlock.store.clock import now

#: The fields that tell a model or a person about a tool. If any of them changes, it is another tool.
_DESCRIPTIVE = ("title", "description", "inputSchema", "outputSchema", "annotations")
MAX_TOOLS = 10_000


class ToolDescription(NamedTuple):
    """A tool as its server describes it."""

    description: str
    annotations: dict[str, Any]
    digest: str
    schema: dict[str, Any]

    def merge(self, other: ToolDescription) -> ToolDescription:
        """Return one description for two of the same name, with the riskier hint of the two."""
        both = digest_of(sorted((self.digest, other.digest)))
        worst = {**other.annotations, **self.annotations}
        hints = (self.annotations.get("destructiveHint"), other.annotations.get("destructiveHint"))
        worst["destructiveHint"] = True in hints
        schema = {} if self.schema != other.schema else self.schema
        return ToolDescription(f"{other.description}\n{self.description}", worst, both, schema)


class Tools:
    """The descriptions that a server sends in this session, and those on record from before.

    `target` is the server's command line or address: the same name somewhere else is another server.
    """

    def __init__(self, journal: Journal, target: str) -> None:
        self._journal = journal
        self._target = hashlib.sha256(target.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._described: dict[str, ToolDescription] = {}
        self._page: set[str] = set()  # the names of the current list, which may come in pages
        self._is_full = False

    def update(self, result: Any, *, first: bool) -> None:
        """Store the descriptions in a list of tools, or in the next page of one.

        Two tools of one name are merged: which of them the client uses is unknown.
        """
        if first:
            self._page = set()
        listed = result.get("tools") if isinstance(result, dict) else None
        for tool in listed if isinstance(listed, list) else ():
            name = tool.get("name") if isinstance(tool, dict) else None
            if not isinstance(name, str):
                continue
            if name not in self._described and len(self._described) >= MAX_TOOLS:
                self._is_full = True
                continue
            described = _describe(tool)
            self._described[name] = described.merge(self._described[name]) if name in self._page else described
            self._page.add(name)

    def get(self, tool: str) -> ToolDescription | None:
        """Return the description of a tool, if the server has sent one."""
        return self._described.get(tool)

    def is_changed(self, tool: str, described: ToolDescription | None) -> bool:
        """Whether the description of a tool has changed since it was last allowed."""
        if described is None and not self._is_full:
            return False
        known = self._allowed_digest(tool)
        return known is not None and (described is None or known != described.digest)

    def allow(self, tool: str, described: ToolDescription | None, run: Run) -> None:
        """Record the description of a tool that is allowed, if it is new."""
        if described is None or self._allowed_digest(tool) == described.digest:
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

    def _allowed_digest(self, tool: str) -> str | None:
        """Return the digest of the description that a tool had when it was last allowed."""
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


def _describe(tool: dict[str, Any]) -> ToolDescription:
    annotations = tool.get("annotations")
    texts = {name: tool[name] for name in _DESCRIPTIVE if tool.get(name) is not None}
    schema = tool.get("inputSchema")
    return ToolDescription(
        str(tool.get("description") or ""),
        annotations if isinstance(annotations, dict) else {},
        digest_of(texts),
        outline(schema) if isinstance(schema, dict) else {},
    )
