-- Approvals, their answers, and those that are remembered.

CREATE TABLE interlock_approvals (
    approval_id VARCHAR(64) NOT NULL,
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    started_by VARCHAR(200) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    state VARCHAR(64) NOT NULL,
    request TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_boot VARCHAR(64) NOT NULL,
    created_ticks BIGINT NOT NULL,
    lasts BIGINT,
    used_at BIGINT,
    why TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id)
);

CREATE TABLE interlock_answers (
    approval_id VARCHAR(64) NOT NULL,
    approver VARCHAR(200) NOT NULL,
    answer TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id, approver)
);

CREATE TABLE interlock_grants (
    grant_id VARCHAR(64) NOT NULL,
    scope VARCHAR(64) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    workspace TEXT,
    granted_by VARCHAR(200) NOT NULL,
    needs TEXT NOT NULL,
    shown TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    uses BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (grant_id)
);

CREATE INDEX interlock_approvals_by_digest ON interlock_approvals (digest, run_id);
CREATE INDEX interlock_approvals_by_state ON interlock_approvals (state, created_at);
CREATE INDEX interlock_grants_by_digest ON interlock_grants (digest);
