-- Notifications: what people want to be told and where, their browsers, and the queue of messages.

CREATE TABLE interlock_preferences (
    person VARCHAR(200) NOT NULL,
    body TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (person)
);

CREATE TABLE interlock_browsers (
    browser_id VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    endpoint TEXT NOT NULL,
    public_key VARCHAR(200) NOT NULL,
    auth VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    created_at BIGINT NOT NULL,
    removed_at BIGINT,
    seq BIGINT NOT NULL,
    PRIMARY KEY (browser_id)
);

CREATE TABLE interlock_push_keys (
    key_id VARCHAR(64) NOT NULL,
    secret VARCHAR(200) NOT NULL,
    created_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (key_id)
);

CREATE TABLE interlock_notifications (
    notification_id VARCHAR(64) NOT NULL,
    approval_id VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    channel VARCHAR(64) NOT NULL,
    recipient TEXT NOT NULL,
    kind VARCHAR(64) NOT NULL,
    state VARCHAR(64) NOT NULL,
    tries INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    tried_at BIGINT,
    error TEXT NOT NULL,
    receipt TEXT,
    PRIMARY KEY (notification_id)
);

CREATE INDEX interlock_notifications_due ON interlock_notifications (state, due_at);
CREATE INDEX interlock_notifications_by_request ON interlock_notifications (approval_id);
CREATE INDEX interlock_notifications_by_person ON interlock_notifications (person, due_at);
CREATE INDEX interlock_browsers_by_person ON interlock_browsers (person);
