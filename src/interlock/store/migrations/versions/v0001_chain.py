"""The chain, and the runs that it tells of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Go up."""
    op.create_table(
        "interlock_records",
        sa.Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("record_id", sa.String(64), nullable=False, unique=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("run_id", sa.String(200)),
        sa.Column("approval_id", sa.String(64)),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index(
        "interlock_records_by_approval",
        "interlock_records",
        ["approval_id", "seq"],
        sqlite_where=sa.text("approval_id IS NOT NULL"),
        postgresql_where=sa.text("approval_id IS NOT NULL"),
    )
    op.create_index("interlock_records_by_kind", "interlock_records", ["kind", "run_id", "name"])
    op.create_index("interlock_records_by_run", "interlock_records", ["run_id", "seq"])
    op.create_table(
        "interlock_head",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("store_id", sa.String(64), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128), nullable=False),
        sa.Column("base_seq", sa.BigInteger(), nullable=False),
        sa.Column("base_hash", sa.String(64), nullable=False),
    )
    op.create_table(
        "interlock_checkpoints",
        sa.Column("point", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_keys",
        sa.Column("key_id", sa.String(64), primary_key=True),
        sa.Column("public", sa.String(64), nullable=False),
        sa.Column("machine", sa.String(200), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_runs",
        sa.Column("run_id", sa.String(200), primary_key=True),
        sa.Column("agent_id", sa.String(200)),
        sa.Column("started_by", sa.String(200), nullable=False),
        sa.Column("workspace", sa.Text()),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_index("interlock_runs_by_start", "interlock_runs", ["started_at"])


def downgrade() -> None:
    """Go down."""
    op.drop_table("interlock_runs")
    op.drop_table("interlock_keys")
    op.drop_table("interlock_checkpoints")
    op.drop_table("interlock_head")
    op.drop_table("interlock_records")
