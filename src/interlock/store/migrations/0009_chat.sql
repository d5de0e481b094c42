CREATE TABLE interlock_chat_accounts (
    account_id VARCHAR(200) NOT NULL,
    channel VARCHAR(64) NOT NULL,
    member VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    state VARCHAR(64) NOT NULL,
    linked_at BIGINT NOT NULL,
    linked_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (account_id)
);

CREATE INDEX interlock_chat_accounts_person ON interlock_chat_accounts (person, channel);

CREATE TABLE interlock_chat_tokens (
    hash VARCHAR(64) NOT NULL,
    purpose VARCHAR(64) NOT NULL,
    channel VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    approval_id VARCHAR(64) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    verdict VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    key_id VARCHAR(64) NOT NULL,
    signature VARCHAR(128) NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX interlock_chat_tokens_expires ON interlock_chat_tokens (expires_at);

CREATE TABLE interlock_chat_requests (
    hash VARCHAR(64) NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX interlock_chat_requests_expires ON interlock_chat_requests (expires_at);

CREATE TABLE interlock_chat_polls (
    channel VARCHAR(64) NOT NULL,
    holder VARCHAR(64) NOT NULL,
    lease_until BIGINT NOT NULL,
    next_update BIGINT NOT NULL,
    PRIMARY KEY (channel)
);
