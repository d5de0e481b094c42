"""The server: policies in versions, people and keys, figures, and webhooks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Go up."""
    op.create_index("interlock_records_by_kind_in_order", "interlock_records", ["kind", "seq"])
    op.create_index("interlock_runs_by_agent", "interlock_runs", ["agent_id", "started_at"])
    op.create_index("interlock_approvals_by_time", "interlock_approvals", ["created_at"])
    op.create_table(
        "interlock_policies",
        sa.Column("version_id", sa.String(220), primary_key=True),
        sa.Column("policy_id", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("removed", sa.Integer(), nullable=False),
        sa.Column("changed_by", sa.String(200), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_index("interlock_policies_by_version", "interlock_policies", ["policy_id", "version"])
    op.create_table(
        "interlock_people",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("role", sa.String(64), nullable=False),
        sa.Column("password", sa.Text()),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_access",
        sa.Column("key_id", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("role", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_links",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("person", sa.String(200), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger()),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128), nullable=False),
    )
    op.create_table(
        "interlock_sessions",
        sa.Column("session_id", sa.String(64), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("before", sa.String(64)),
        sa.Column("person", sa.String(200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("renewed_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128), nullable=False),
    )
    op.create_index("interlock_sessions_by_before", "interlock_sessions", ["before"])
    op.create_index("interlock_sessions_by_person", "interlock_sessions", ["person"])
    op.create_table(
        "interlock_secrets",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.String(64), nullable=False),
    )
    op.create_table(
        "interlock_counts",
        sa.Column("grain", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("what", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("agent_id", sa.String(200), primary_key=True),
        sa.Column("level", sa.String(64), primary_key=True),
        sa.Column("outcome", sa.String(64), primary_key=True),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_cursors",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_webhooks",
        sa.Column("webhook_id", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(200), nullable=False),
        sa.Column("kinds", sa.Text(), nullable=False),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "interlock_deliveries",
        sa.Column("delivery_id", sa.String(64), primary_key=True),
        sa.Column("webhook_id", sa.String(64), nullable=False),
        sa.Column("record_seq", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("tried_at", sa.BigInteger()),
        sa.Column("status", sa.Integer()),
        sa.Column("error", sa.Text(), nullable=False),
    )
    op.create_index("interlock_deliveries_by_record", "interlock_deliveries", ["webhook_id", "record_seq"], unique=True)
    op.create_index("interlock_deliveries_due", "interlock_deliveries", ["state", "due_at"])


def downgrade() -> None:
    """Go down."""
    op.drop_table("interlock_deliveries")
    op.drop_table("interlock_webhooks")
    op.drop_table("interlock_cursors")
    op.drop_table("interlock_counts")
    op.drop_table("interlock_secrets")
    op.drop_table("interlock_sessions")
    op.drop_table("interlock_links")
    op.drop_table("interlock_access")
    op.drop_table("interlock_people")
    op.drop_table("interlock_policies")
    op.drop_index("interlock_approvals_by_time", "interlock_approvals")
    op.drop_index("interlock_runs_by_agent", "interlock_runs")
    op.drop_index("interlock_records_by_kind_in_order", "interlock_records")
