"""Approvals, their answers, and those that are remembered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Go up."""
    op.create_table(
        "interlock_approvals",
        sa.Column("approval_id", sa.String(64), primary_key=True),
        sa.Column("run_id", sa.String(200), nullable=False),
        sa.Column("agent_id", sa.String(200)),
        sa.Column("started_by", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_boot", sa.String(64), nullable=False),
        sa.Column("created_ticks", sa.BigInteger(), nullable=False),
        sa.Column("lasts", sa.BigInteger()),
        sa.Column("used_at", sa.BigInteger()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_index("interlock_approvals_by_digest", "interlock_approvals", ["digest", "run_id"])
    op.create_index("interlock_approvals_by_state", "interlock_approvals", ["state", "created_at"])
    op.create_table(
        "interlock_answers",
        sa.Column("approval_id", sa.String(64), primary_key=True),
        sa.Column("approver", sa.String(200), primary_key=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_grants",
        sa.Column("grant_id", sa.String(64), primary_key=True),
        sa.Column("scope", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(200), nullable=False),
        sa.Column("agent_id", sa.String(200)),
        sa.Column("workspace", sa.Text()),
        sa.Column("granted_by", sa.String(200), nullable=False),
        sa.Column("needs", sa.Text(), nullable=False),
        sa.Column("shown", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_index("interlock_grants_by_digest", "interlock_grants", ["digest"])


def downgrade() -> None:
    """Go down."""
    op.drop_table("interlock_grants")
    op.drop_table("interlock_answers")
    op.drop_table("interlock_approvals")
