"""The tables and their columns. Every table is either part of the chain or can be compared with it.

Every name begins with `interlock_`, so that a database can be shared. Times are microseconds since 1970, UTC.
Texts that an agent may have had a hand in are masked before they get here. The files in `steps` say what kind each
column is of, and how it is found.
"""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """A table, and its columns in their order."""

    name: str
    columns: tuple[str, ...]


def _table(name: str, columns: str) -> Table:
    return Table(f"interlock_{name}", tuple(columns.split()))


#: The chain: `hash` is over the hash before and `body`, which is canonical JSON; the other columns repeat parts of it.
records = _table("records", "seq record_id at kind name run_id approval_id body hash")

#: One row: where the chain ends, signed; and where it begins, after older records were pruned.
head = _table("head", "id store_id seq hash key_id signature base_seq base_hash")

#: Signed points of the chain, to be kept elsewhere too.
#: `seq`, here and below, is the newest record about a row; it holds a digest of the row.
checkpoints = _table("checkpoints", "point hash at key_id signature seq")

#: The public halves of the keys that have signed here.
keys = _table("keys", "key_id public machine seq")

runs = _table("runs", "run_id agent_id started_by workspace state started_at ended_at seq")

approvals = _table(
    "approvals",
    "approval_id run_id agent_id started_by digest state request created_at created_boot created_ticks lasts used_at "
    "why seq",
)

answers = _table("answers", "approval_id approver answer seq")

#: Approvals that are remembered for more than one use.
grants = _table(
    "grants",
    "grant_id scope digest run_id agent_id workspace granted_by needs shown created_at expires_at revoked_at uses seq",
)

#: Policies that are kept in the store: every change is a version of its own, and the highest one counts.
policies = _table("policies", "version_id policy_id version body removed changed_by changed_at note seq")

#: People who sign in. Of a password only a hash is here, and only if there is one.
people = _table("people", "name role password state created_at created_by seq")

#: Keys that programs present. Only a hash of each is here.
access = _table("access", "key_id name role owner hash created_at created_by expires_at revoked_at seq")

#: One-time links to sign in, and the sessions that they and passwords begin. Each row is signed by who made it.
links = _table("links", "hash person expires_at used_at key_id signature")

sessions = _table("sessions", "session_id hash before person created_at renewed_at ended_at key_id signature")

#: What servers that share a store sign their forms with. It opens nothing by itself.
secrets = _table("secrets", "name value")

#: Figures drawn from the chain, by minute, hour and day; `cursors` says up to which record. They can be drawn anew.
counts = _table("counts", "grain at what name agent_id level outcome count points")

#: How far somebody who follows the chain has come.
cursors = _table("cursors", "name at")

#: Where others are told of what is recorded, and what became of telling them.
webhooks = _table("webhooks", "webhook_id url secret kinds state created_at created_by seq")

deliveries = _table("deliveries", "delivery_id webhook_id record_seq state tries due_at tried_at status error")

TABLES = (
    records,
    head,
    checkpoints,
    keys,
    runs,
    approvals,
    answers,
    grants,
    policies,
    people,
    access,
    links,
    sessions,
    secrets,
    counts,
    cursors,
    webhooks,
    deliveries,
)
