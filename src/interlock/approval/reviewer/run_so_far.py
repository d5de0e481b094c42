"""The run that a request belongs to, as a reviewing model sees it: the person's requests, and the actions so far."""

from __future__ import annotations

import msgspec

from interlock.approval.request import Approval
from interlock.approval.reviewer.second_stage import RunSoFar
from interlock.audit.journal import Journal

MAX_ACTIONS = 40
_NEWEST = f"""
    SELECT name, body FROM interlock_records WHERE run_id = :run_id AND kind = :kind
    ORDER BY seq DESC LIMIT {MAX_ACTIONS}
"""


def load_run_so_far(journal: Journal, approval: Approval) -> RunSoFar:
    """Return what the run of a request was asked for, and its newest actions, the oldest first.

    Words that the agent itself could have sent are left out.
    """
    with journal.database.read() as connection:
        asked = connection.tuples(_NEWEST, run_id=approval.run_id, kind="request")
        decided = connection.tuples(_NEWEST, run_id=approval.run_id, kind="decision")
    said = [msgspec.json.decode(body)["data"] for _, body in reversed(asked)]
    requests = tuple(data["text"] for data in said if not data.get("claimed"))
    actions = []
    for name, body in reversed(decided):
        record = msgspec.json.decode(body)
        actions.append({"tool": name, "text": record["data"]["text"], "verdict": record["outcome"]})
    return RunSoFar(requests, tuple(actions))
