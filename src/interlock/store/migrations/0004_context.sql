ALTER TABLE interlock_access ADD COLUMN pins TEXT;
ALTER TABLE interlock_runs ADD COLUMN context TEXT;

CREATE TABLE interlock_servers (
    server_id VARCHAR(64) NOT NULL,
    url TEXT NOT NULL,
    machine VARCHAR(200) NOT NULL,
    version VARCHAR(64) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    error TEXT,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (server_id)
);

CREATE TABLE interlock_stops (
    stop_id VARCHAR(64) NOT NULL,
    agent_id VARCHAR(200),
    reason TEXT NOT NULL,
    stopped_by VARCHAR(200) NOT NULL,
    stopped_at BIGINT NOT NULL,
    lifted_by VARCHAR(200),
    lifted_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (stop_id)
);
