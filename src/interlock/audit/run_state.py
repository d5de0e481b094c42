"""The state of a run, loaded from the chain: its last snapshot, and the records that follow it.

A snapshot is a record, so it is in the chain and signed like any other. Texts of written files are not in it: they are
in the content store, by their digests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from interlock.audit.content_store import ContentStore
from interlock.audit.masking import mask, mask_text
from interlock.audit.record import Entry
from interlock.errors import TamperedError
from interlock.memory.decode import read_changes, read_state
from interlock.memory.model import ANY_TAG, Concern, DataFlow, Definition, MemoryChanges
from interlock.memory.state import MAX_FILE, RunState, add_downloads, add_forgotten, count_call, trim_written
from interlock.model import NO_DETAILS, RunDetails, ShellState, WrittenFile
from interlock.sanitise import storable_name
from interlock.store.connection import Connection

#: After how many decisions a snapshot of a run's state is recorded, and its maximum size in bytes.
SNAPSHOT_EVERY, MAX_SNAPSHOT = 64, 64_000
_SNAPSHOT, _CHANGES = "snapshot", "changes"
_LAST = (
    "SELECT seq, body FROM interlock_records WHERE kind = 'memory' AND run_id = :run_id AND name = :name "
    "ORDER BY seq DESC LIMIT 1"
)
_SINCE = (
    "SELECT kind, name, CASE WHEN kind = 'decision' THEN NULL ELSE body END FROM interlock_records "
    "WHERE run_id = :run_id AND seq > :seq "
    "AND kind IN ('decision', 'download', 'written', 'memory', 'request') ORDER BY seq"
)
_BEGUN = "SELECT workspace, context FROM interlock_runs WHERE run_id = :run_id"


class LoadedState(msgspec.Struct, frozen=True):
    """The state of a run, how many actions were decided since its last snapshot, and whether the run has begun."""

    state: RunState
    decided: int
    has_begun: bool


def load_run_state(connection: Connection, run_id: str, content: ContentStore) -> LoadedState:
    """Return the state of a run, including the writes of all processes."""
    begun = connection.tuples(_BEGUN, run_id=run_id)
    found = connection.tuples(_LAST, run_id=run_id, name=_SNAPSHOT)
    data: dict[str, Any] = msgspec.json.decode(found[0][1])["data"] if found else {"through": 0, "state": {}}
    state, decided = _decode(data["state"], content), 0
    written: dict[str, WrittenFile] = dict(state.written)
    for kind, name, body in connection.tuples(_SINCE, run_id=run_id, seq=data["through"]):
        if kind == "decision":
            decided += 1
            state = replace(state, calls=count_call(state.calls, str(name)))
        elif kind == "download":
            state = replace(state, downloaded=add_downloads(state.downloaded, [str(name)]))
        else:
            given = msgspec.json.decode(body)["data"]
            if kind == "written":
                written.pop(given["path"], None)
                written[given["path"]] = _load_file(given, content)
            elif kind == "request":
                state = state.after_request(given["text"])
            elif name == _CHANGES:
                state = state.after_changes(read_changes(given))
    kept, dropped = trim_written(written)
    forgotten = add_forgotten(state.forgotten, dropped)
    workspace = begun[0][0] if begun else None
    details = decode_details(begun[0][1]) if begun else NO_DETAILS
    state = replace(
        state,
        written=kept,
        forgotten=forgotten,
        workspace=workspace,
        user=details.user,
        tenant=details.tenant,
        metadata=details.metadata,
    )
    return LoadedState(state, decided, bool(begun))


def encode_details(details: RunDetails) -> str | None:
    """Return the details of a run in their stored form."""
    return None if details == NO_DETAILS else msgspec.json.encode(details, order="sorted").decode()


def decode_details(text: str | None) -> RunDetails:
    """Return the details of a run from their stored form."""
    try:
        return NO_DETAILS if text is None else msgspec.json.decode(text, type=RunDetails)
    except (msgspec.DecodeError, TypeError):
        raise TamperedError("a run cannot be read; run `interlock audit verify`") from None


def count_actions(connection: Connection, run_id: str) -> int:
    """Return how many actions of a run were decided."""
    query = "SELECT count(*) FROM interlock_records WHERE run_id = :run_id AND kind = 'decision'"
    return int(connection.value(query, run_id=run_id))


def encode_written_file(file: WrittenFile, content: ContentStore) -> dict[str, Any]:
    """Return the data of a written file for its record. A short text is stored under its digest."""
    short = file.text is not None and len(file.text) <= MAX_FILE
    digest = content.put(file.text) if short and file.text is not None else ""
    state = file.state if short or file.text is None else "changed"
    return {"digest": digest, "state": state, "marks": sorted(file.marks)}


def encode_changes(changes: MemoryChanges) -> dict[str, Any]:
    """Return the changes of a run's memory for their record, without secrets."""
    masked = MemoryChanges(
        exposures=tuple(
            replace(one, what=storable_name(mask_text(one.what)), client=storable_name(mask_text(one.client)))
            for one in changes.exposures
        ),
        shell=None if changes.shell is None else _mask_shell(changes.shell),
        outside=tuple(mask_text(place) for place in changes.outside),
        contexts=changes.contexts,
        tags=tuple(tag if mask_text(tag) == tag else ANY_TAG for tag in changes.tags),
        concern=None if changes.concern is None else _mask_concern(changes.concern),
        flows=tuple(map(_mask_flow, changes.flows)),
        steps=tuple(map(mask_text, changes.steps)),
        used=changes.used,
        users=tuple(map(mask_text, changes.users)),
        definition=None if changes.definition is None else _mask_definition(changes.definition),
        joined=changes.joined,
        others=tuple(map(_mask_concern, changes.others)),
    )
    found: dict[str, Any] = msgspec.to_builtins(masked)
    return found


def _mask_concern(concern: Concern) -> Concern:
    """Return a concern with its secrets masked."""
    return replace(
        concern,
        subject=mask_text(concern.subject),
        files=tuple(map(mask_text, concern.files)),
        names=tuple(map(mask_text, concern.names)),
        programs=tuple(map(mask_text, concern.programs)),
    )


def _mask_definition(definition: Definition) -> Definition:
    """Return a definition with its secrets masked."""
    return replace(definition, arguments=mask(definition.arguments))


def _mask_flow(flow: DataFlow) -> DataFlow:
    """Return the inputs and outputs of an action with secrets masked."""
    inputs, outputs = tuple(map(mask_text, flow.inputs)), tuple(map(mask_text, flow.outputs))
    return replace(flow, inputs=inputs, outputs=outputs)


def _mask_shell(shell: ShellState) -> ShellState:
    """Return the state of a shell without secrets: of a secret variable, only the name and a mark are recorded."""
    hidden = {name for name, value in shell.variables.items() if mask_text(f"{name}={value}") != f"{name}={value}"}
    return replace(
        shell,
        variables={name: value for name, value in shell.variables.items() if name not in hidden},
        marks={**shell.marks, **dict.fromkeys(sorted(hidden), ("secret",))},
        aliases={name: mask_text(text) for name, text in shell.aliases.items()},
        functions={name: mask_text(text) for name, text in shell.functions.items()},
        remotes={name: mask_text(address) for name, address in shell.remotes.items()},
    )


def snapshot_entry(state: RunState, through: int, content: ContentStore, **about: Any) -> Entry:
    """Return the record of a run's whole state, as it is after the record with the number `through`."""
    return Entry(
        kind="memory", name=_SNAPSHOT, data={"through": through, "state": encode_state(state, content)}, **about
    )


def encode_state(state: RunState, content: ContentStore) -> dict[str, Any]:
    """Return a state as JSON, within the limit: if it is too long, the oldest files are dropped."""
    while True:
        found: dict[str, Any] = msgspec.to_builtins(replace(state, written={}, user=None, tenant=None, metadata={}))
        found["downloaded"] = sorted(state.downloaded)
        found["written"] = {path: encode_written_file(file, content) for path, file in state.written.items()}
        if len(msgspec.json.encode(found)) <= MAX_SNAPSHOT or not state.written:
            return found
        paths = list(state.written)
        dropped, kept = paths[: len(paths) // 2 + 1], paths[len(paths) // 2 + 1 :]
        state = replace(
            state,
            written={path: state.written[path] for path in kept},
            forgotten=add_forgotten(state.forgotten, dropped),
        )


def _decode(data: Mapping[str, Any], content: ContentStore) -> RunState:
    files = {path: _load_file(one, content) for path, one in data.get("written", {}).items()}
    return replace(read_state(data), written=files)


def _load_file(data: Mapping[str, Any], content: ContentStore) -> WrittenFile:
    marks = frozenset(data.get("marks", ()))
    if not data["digest"]:
        return WrittenFile(None, data["state"], marks)
    text = content.get(data["digest"])
    return WrittenFile(text, data["state"] if text is not None else "changed", marks)
