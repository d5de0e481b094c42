"""The known fields of a tool's calls, from the description of its service and from recorded calls.

The known metadata fields come from recorded runs.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

import interlock.knowledge
from interlock.audit.run_state import decode_details
from interlock.knowledge.services import find_tool, index_tools
from interlock.knowledge.sources import read_service, read_text
from interlock.knowledge.tool_names import join_words
from interlock.policy.policy_problems import KnownFields
from interlock.store.connection import Connection

MAX_RECORDS = 200
_SERVICES = Path(interlock.knowledge.__file__).parent / "services"
_CALLS = (
    f"SELECT body FROM interlock_records WHERE kind = 'decision' AND name = :tool ORDER BY seq DESC LIMIT {MAX_RECORDS}"
)

_RUNS = (
    "SELECT context FROM interlock_runs WHERE context IS NOT NULL "
    f"ORDER BY started_at DESC, run_id DESC LIMIT {MAX_RECORDS}"
)


def load_known_fields(connection: Connection) -> KnownFields:
    """Return the fields that are known from descriptions and from the records of a store."""
    found = [decode_details(context).metadata for (context,) in connection.tuples(_RUNS)]
    return KnownFields(
        lambda tool: read_described_fields(tool) | read_recorded_fields(connection, tool), frozenset().union(*found)
    )


def read_described_fields(tool: str) -> frozenset[str]:
    """Return the fields in the examples of a described tool, read from its file: the artefact has no examples."""
    known, name = find_tool(tool), join_words(tool)
    for file in sorted(_SERVICES.glob("*.toml")) if known is not None else ():
        text = read_text(file)
        if known is not None and f'service = "{known.service}"' in text:
            for called, described in index_tools(read_service(text, file.name)).items():
                if name.endswith(f"_{called}"):
                    examples = (*described.asks, *described.passes, *(one.call for one in described.examples))
                    return frozenset(described.arguments).union(*examples)
    return frozenset()


def read_recorded_fields(connection: Connection, tool: str) -> frozenset[str]:
    """Return the fields that the newest recorded calls of a tool had."""
    fields: set[str] = set()
    for (body,) in connection.tuples(_CALLS, tool=tool):
        fields.update(msgspec.json.decode(body)["data"].get("fields", ()))
    return frozenset(fields)
