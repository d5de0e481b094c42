-- The chain, its keys and checkpoints, and runs. {number} is the type of an integer primary key.

CREATE TABLE interlock_version (
    version_num VARCHAR(32) NOT NULL PRIMARY KEY
);

CREATE TABLE interlock_records (
    seq {number} NOT NULL,
    record_id VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    kind VARCHAR(64) NOT NULL,
    name TEXT,
    run_id VARCHAR(200),
    approval_id VARCHAR(64),
    body TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    PRIMARY KEY (seq),
    UNIQUE (record_id)
);

CREATE TABLE interlock_head (
    id INTEGER NOT NULL,
    store_id VARCHAR(64) NOT NULL,
    seq BIGINT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    base_seq BIGINT NOT NULL,
    base_hash VARCHAR(64) NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE interlock_checkpoints (
    point {number} NOT NULL,
    hash VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (point)
);

CREATE TABLE interlock_keys (
    key_id VARCHAR(64) NOT NULL,
    public VARCHAR(64) NOT NULL,
    machine VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (key_id)
);

CREATE TABLE interlock_runs (
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200),
    started_by VARCHAR(200) NOT NULL,
    workspace TEXT,
    state VARCHAR(64) NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (run_id)
);

CREATE INDEX interlock_records_by_approval ON interlock_records (approval_id, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX interlock_records_by_kind ON interlock_records (kind, run_id, name);
CREATE INDEX interlock_records_by_run ON interlock_records (run_id, seq);
CREATE INDEX interlock_runs_by_start ON interlock_runs (started_at);
