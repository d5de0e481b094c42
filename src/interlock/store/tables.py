"""The schema. Every table is either part of the chain or can be compared with it.

Every name begins with `interlock_`, so that a database can be shared. Times are microseconds since 1970, UTC.
Texts that an agent may have had a hand in are masked before they get here.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, Table, Text, text

_NUMBER = BigInteger().with_variant(Integer, "sqlite")
_ID = 64
_NAME = 200

metadata = MetaData()
_ASKED = text("approval_id IS NOT NULL")

#: The chain: `hash` is over the hash before and `body`, which is canonical JSON; the other columns repeat parts of it.
records = Table(
    "interlock_records",
    metadata,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("record_id", String(_ID), nullable=False, unique=True),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(_ID), nullable=False),
    Column("name", Text),
    Column("run_id", String(_NAME)),
    Column("approval_id", String(_ID)),
    Column("body", Text, nullable=False),
    Column("hash", String(_ID), nullable=False),
    Index("interlock_records_by_run", "run_id", "seq"),
    Index("interlock_records_by_kind", "kind", "run_id", "name"),
    Index("interlock_records_by_kind_in_order", "kind", "seq"),
    Index("interlock_records_by_approval", "approval_id", "seq", sqlite_where=_ASKED, postgresql_where=_ASKED),
)

#: One row: where the chain ends, signed; and where it begins, after older records were pruned.
head = Table(
    "interlock_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("store_id", String(_ID), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("hash", String(_ID), nullable=False),
    Column("key_id", String(_ID), nullable=False),
    Column("signature", String(128), nullable=False),
    Column("base_seq", BigInteger, nullable=False),
    Column("base_hash", String(_ID), nullable=False),
)

#: Signed points of the chain, to be kept elsewhere too.
#: `seq`, here and below, is the newest record about a row; it holds a digest of the row.
checkpoints = Table(
    "interlock_checkpoints",
    metadata,
    Column("point", _NUMBER, primary_key=True, autoincrement=False),
    Column("hash", String(_ID), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("key_id", String(_ID), nullable=False),
    Column("signature", String(128), nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: The public halves of the keys that have signed here.
keys = Table(
    "interlock_keys",
    metadata,
    Column("key_id", String(_ID), primary_key=True),
    Column("public", String(_ID), nullable=False),
    Column("machine", String(_NAME), nullable=False),
    Column("seq", BigInteger, nullable=False),
)

runs = Table(
    "interlock_runs",
    metadata,
    Column("run_id", String(_NAME), primary_key=True),
    Column("agent_id", String(_NAME)),
    Column("started_by", String(_NAME), nullable=False),
    Column("workspace", Text),
    Column("state", String(_ID), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("seq", BigInteger, nullable=False),
    Index("interlock_runs_by_start", "started_at"),
    Index("interlock_runs_by_agent", "agent_id", "started_at"),
)

approvals = Table(
    "interlock_approvals",
    metadata,
    Column("approval_id", String(_ID), primary_key=True),
    Column("run_id", String(_NAME), nullable=False),
    Column("agent_id", String(_NAME)),
    Column("started_by", String(_NAME), nullable=False),
    Column("digest", String(_ID), nullable=False),
    Column("state", String(_ID), nullable=False),
    Column("request", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("created_boot", String(_ID), nullable=False),
    Column("created_ticks", BigInteger, nullable=False),
    Column("lasts", BigInteger),
    Column("used_at", BigInteger),
    Column("why", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("interlock_approvals_by_state", "state", "created_at"),
    Index("interlock_approvals_by_time", "created_at"),
    Index("interlock_approvals_by_digest", "digest", "run_id"),
)

answers = Table(
    "interlock_answers",
    metadata,
    Column("approval_id", String(_ID), primary_key=True),
    Column("approver", String(_NAME), primary_key=True),
    Column("answer", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: Approvals that are remembered for more than one use.
grants = Table(
    "interlock_grants",
    metadata,
    Column("grant_id", String(_ID), primary_key=True),
    Column("scope", String(_ID), nullable=False),
    Column("digest", String(_ID), nullable=False),
    Column("run_id", String(_NAME), nullable=False),
    Column("agent_id", String(_NAME)),
    Column("workspace", Text),
    Column("granted_by", String(_NAME), nullable=False),
    Column("needs", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("uses", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("interlock_grants_by_digest", "digest"),
)

#: Policies that are kept in the store: every change is a version of its own, and the highest one counts.
policies = Table(
    "interlock_policies",
    metadata,
    Column("version_id", String(_NAME + 20), primary_key=True),
    Column("policy_id", String(_NAME), nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("removed", Integer, nullable=False),
    Column("changed_by", String(_NAME), nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Column("note", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Index("interlock_policies_by_version", "policy_id", "version"),
)

#: People who sign in. Of a password only a hash is here, and only if there is one.
people = Table(
    "interlock_people",
    metadata,
    Column("name", String(_NAME), primary_key=True),
    Column("role", String(_ID), nullable=False),
    Column("password", Text),
    Column("state", String(_ID), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", String(_NAME), nullable=False),
    Column("seq", BigInteger, nullable=False),
)

#: Keys that programs present. Only a hash of each is here.
access = Table(
    "interlock_access",
    metadata,
    Column("key_id", String(_ID), primary_key=True),
    Column("name", String(_NAME), nullable=False),
    Column("role", String(_ID), nullable=False),
    Column("owner", String(_NAME), nullable=False),
    Column("hash", String(_ID), nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", String(_NAME), nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("seq", BigInteger, nullable=False),
)

#: One-time links to sign in, and the sessions that they and passwords begin. Each row is signed by who made it.
links = Table(
    "interlock_links",
    metadata,
    Column("hash", String(_ID), primary_key=True),
    Column("person", String(_NAME), nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
    Column("key_id", String(_ID), nullable=False),
    Column("signature", String(128), nullable=False),
)

sessions = Table(
    "interlock_sessions",
    metadata,
    Column("session_id", String(_ID), primary_key=True),
    Column("hash", String(_ID), nullable=False, unique=True),
    Column("before", String(_ID)),
    Column("person", String(_NAME), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("renewed_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("key_id", String(_ID), nullable=False),
    Column("signature", String(128), nullable=False),
    Index("interlock_sessions_by_before", "before"),
    Index("interlock_sessions_by_person", "person"),
)

#: What servers that share a store sign their forms with. It opens nothing by itself.
secrets = Table(
    "interlock_secrets",
    metadata,
    Column("name", String(_ID), primary_key=True),
    Column("value", String(_ID), nullable=False),
)

#: Figures drawn from the chain, by minute, hour and day; `cursors` says up to which record. They can be drawn anew.
counts = Table(
    "interlock_counts",
    metadata,
    Column("grain", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, primary_key=True, autoincrement=False),
    Column("what", String(_ID), primary_key=True),
    Column("name", String(_NAME), primary_key=True),
    Column("agent_id", String(_NAME), primary_key=True),
    Column("level", String(_ID), primary_key=True),
    Column("outcome", String(_ID), primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
)

#: How far somebody who follows the chain has come.
cursors = Table(
    "interlock_cursors",
    metadata,
    Column("name", String(_NAME), primary_key=True),
    Column("at", BigInteger, nullable=False),
)

#: Where others are told of what is recorded, and what became of telling them.
webhooks = Table(
    "interlock_webhooks",
    metadata,
    Column("webhook_id", String(_ID), primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", String(_NAME), nullable=False),
    Column("kinds", Text, nullable=False),
    Column("state", String(_ID), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("created_by", String(_NAME), nullable=False),
    Column("seq", BigInteger, nullable=False),
)

deliveries = Table(
    "interlock_deliveries",
    metadata,
    Column("delivery_id", String(_ID), primary_key=True),
    Column("webhook_id", String(_ID), nullable=False),
    Column("record_seq", BigInteger, nullable=False),
    Column("state", String(_ID), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("tried_at", BigInteger),
    Column("status", Integer),
    Column("error", Text, nullable=False),
    Index("interlock_deliveries_due", "state", "due_at"),
    Index("interlock_deliveries_by_record", "webhook_id", "record_seq", unique=True),
)
