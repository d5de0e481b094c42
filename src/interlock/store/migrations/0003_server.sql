-- The server: policies in versions, people and keys, figures, and webhooks.

CREATE TABLE interlock_policies (
    version_id VARCHAR(220) NOT NULL,
    policy_id VARCHAR(200) NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    removed INTEGER NOT NULL,
    changed_by VARCHAR(200) NOT NULL,
    changed_at BIGINT NOT NULL,
    note TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (version_id)
);

CREATE TABLE interlock_people (
    name VARCHAR(200) NOT NULL,
    role VARCHAR(64) NOT NULL,
    password TEXT,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE interlock_access (
    key_id VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    role VARCHAR(64) NOT NULL,
    owner VARCHAR(200) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (key_id),
    UNIQUE (hash)
);

CREATE TABLE interlock_links (
    hash VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    PRIMARY KEY (hash)
);

CREATE TABLE interlock_sessions (
    session_id VARCHAR(64) NOT NULL,
    hash VARCHAR(64) NOT NULL,
    before VARCHAR(64),
    person VARCHAR(200) NOT NULL,
    created_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    ended_at BIGINT,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    PRIMARY KEY (session_id),
    UNIQUE (hash)
);

CREATE TABLE interlock_secrets (
    name VARCHAR(64) NOT NULL,
    value VARCHAR(64) NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE interlock_counts (
    grain INTEGER NOT NULL,
    at BIGINT NOT NULL,
    what VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200) NOT NULL,
    level VARCHAR(64) NOT NULL,
    outcome VARCHAR(64) NOT NULL,
    count BIGINT NOT NULL,
    points BIGINT NOT NULL,
    PRIMARY KEY (grain, at, what, name, agent_id, level, outcome)
);

CREATE TABLE interlock_cursors (
    name VARCHAR(200) NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE interlock_webhooks (
    webhook_id VARCHAR(64) NOT NULL,
    url TEXT NOT NULL,
    secret VARCHAR(200) NOT NULL,
    kinds TEXT NOT NULL,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (webhook_id)
);

CREATE TABLE interlock_deliveries (
    delivery_id VARCHAR(64) NOT NULL,
    webhook_id VARCHAR(64) NOT NULL,
    record_seq BIGINT NOT NULL,
    state VARCHAR(64) NOT NULL,
    tries INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    tried_at BIGINT,
    status INTEGER,
    error TEXT NOT NULL,
    PRIMARY KEY (delivery_id)
);

CREATE INDEX interlock_records_by_kind_in_order ON interlock_records (kind, seq);
CREATE INDEX interlock_runs_by_agent ON interlock_runs (agent_id, started_at);
CREATE INDEX interlock_approvals_by_time ON interlock_approvals (created_at);
CREATE INDEX interlock_policies_by_version ON interlock_policies (policy_id, version);
CREATE INDEX interlock_sessions_by_before ON interlock_sessions (before);
CREATE INDEX interlock_sessions_by_person ON interlock_sessions (person);
CREATE UNIQUE INDEX interlock_deliveries_by_record ON interlock_deliveries (webhook_id, record_seq);
CREATE INDEX interlock_deliveries_due ON interlock_deliveries (state, due_at);
