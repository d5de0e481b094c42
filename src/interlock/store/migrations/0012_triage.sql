-- What requests are searched, sorted and grouped by, their comments and assignees, and saved views of the list.
-- Requests that were opened before have NULL in the new columns.

ALTER TABLE interlock_approvals ADD COLUMN tool VARCHAR(200);
ALTER TABLE interlock_approvals ADD COLUMN environment VARCHAR(200);
ALTER TABLE interlock_approvals ADD COLUMN level VARCHAR(64);
ALTER TABLE interlock_approvals ADD COLUMN score INTEGER;
ALTER TABLE interlock_approvals ADD COLUMN text TEXT;
ALTER TABLE interlock_approvals ADD COLUMN group_key VARCHAR(64);

CREATE TABLE interlock_comments (
    comment_id VARCHAR(64) NOT NULL,
    approval_id VARCHAR(64) NOT NULL,
    author VARCHAR(200) NOT NULL,
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (comment_id)
);

CREATE TABLE interlock_assignments (
    approval_id VARCHAR(64) NOT NULL,
    assignee VARCHAR(200),
    assigned_by VARCHAR(200) NOT NULL,
    assigned_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id)
);

CREATE TABLE interlock_views (
    view_id VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    owner VARCHAR(200) NOT NULL,
    shared INTEGER NOT NULL,
    query TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    removed_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (view_id)
);

CREATE INDEX interlock_approvals_by_run ON interlock_approvals (run_id, created_at, approval_id);
CREATE INDEX interlock_approvals_by_agent ON interlock_approvals (agent_id, created_at, approval_id);
CREATE INDEX interlock_approvals_by_group
    ON interlock_approvals (group_key, created_at, approval_id) WHERE state = 'pending';
CREATE INDEX interlock_approvals_pending
    ON interlock_approvals (state, created_at, approval_id, lasts, created_boot, created_ticks, score, level, group_key)
    WHERE state = 'pending';
CREATE INDEX interlock_comments_by_request ON interlock_comments (approval_id, created_at);
CREATE INDEX interlock_assignments_by_assignee ON interlock_assignments (assignee);
CREATE INDEX interlock_views_by_owner ON interlock_views (owner);
