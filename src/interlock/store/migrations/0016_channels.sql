-- Channels for notifications that are set up in the browser or with the API.

CREATE TABLE interlock_channels (
    channel_id VARCHAR(64) NOT NULL,
    name VARCHAR(64) NOT NULL,
    kind VARCHAR(64) NOT NULL,
    settings TEXT NOT NULL,
    secrets TEXT NOT NULL,
    state VARCHAR(64) NOT NULL,
    created_at BIGINT NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (channel_id)
);
