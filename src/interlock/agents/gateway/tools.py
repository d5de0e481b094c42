"""The tools of a server as it describes them, and whether a description has changed since the tool was allowed."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from interlock.agents.call_runs import CallRun
from interlock.analyse.tools.argument_schema import outline
from interlock.audit.record import digest_of

#: The fields that describe a tool to a model or a person. If any of them changes, it counts as another tool.
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


class ServerTools:
    """The descriptions that a server sends in this session, and those on record from before.

    `target` is the server's command line or address: the same name somewhere else is another server.
    """

    def __init__(self, target: str) -> None:
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

    def is_changed(self, tool: str, described: ToolDescription | None, run: CallRun) -> bool:
        """Whether the description of a tool has changed since it was last allowed."""
        if described is None and not self._is_full:
            return False
        known = run.find_allowed_digest(self._target, tool)
        return known is not None and (described is None or known != described.digest)

    def allow(self, tool: str, described: ToolDescription | None, run: CallRun) -> None:
        """Record the description of a tool that is allowed, if it is new."""
        if described is not None:
            run.allow_tool(self._target, tool, described.digest)


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
