-- Settings that are changed in the browser, and when people last signed in and keys were last used.

CREATE TABLE interlock_settings (
    name VARCHAR(64) NOT NULL,
    value TEXT NOT NULL,
    changed_by VARCHAR(200) NOT NULL,
    changed_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE interlock_last_used (
    what VARCHAR(16) NOT NULL,
    name VARCHAR(200) NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (what, name)
);
