-- Identities at OpenID Connect providers, used states of their sign-ins, and groups of people.

CREATE TABLE interlock_identities (
    identity_id VARCHAR(64) NOT NULL,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    provider VARCHAR(200) NOT NULL,
    person VARCHAR(200) NOT NULL,
    state VARCHAR(64) NOT NULL,
    linked_at BIGINT NOT NULL,
    linked_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (identity_id)
);

CREATE TABLE interlock_used_states (
    hash VARCHAR(64) NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (hash)
);

CREATE TABLE interlock_groups (
    name VARCHAR(200) NOT NULL,
    members TEXT NOT NULL,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (name)
);

ALTER TABLE interlock_sessions ADD COLUMN expires_at BIGINT;
CREATE INDEX interlock_identities_by_person ON interlock_identities (person);
