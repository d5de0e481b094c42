CREATE TABLE interlock_bundles (
    bundle_id VARCHAR(64) NOT NULL,
    sequence BIGINT NOT NULL,
    digest VARCHAR(64) NOT NULL,
    issued_at BIGINT NOT NULL,
    issued_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (bundle_id)
);

CREATE TABLE interlock_machines (
    machine_id VARCHAR(64) NOT NULL,
    key_id VARCHAR(200) NOT NULL,
    owner VARCHAR(200) NOT NULL,
    machine TEXT NOT NULL,
    user_name TEXT NOT NULL,
    version TEXT NOT NULL,
    bundle VARCHAR(64),
    error TEXT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, machine_id)
);
