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
