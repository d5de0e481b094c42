-- What people decided about suggestions: accepted or dismissed, with how much evidence, and what came of it.

CREATE TABLE interlock_suggestions (
    suggestion_id VARCHAR(64) NOT NULL,
    state VARCHAR(16) NOT NULL,
    text TEXT NOT NULL,
    answers BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    decided_by VARCHAR(200) NOT NULL,
    decided_at BIGINT NOT NULL,
    why TEXT NOT NULL,
    result VARCHAR(200) NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (suggestion_id)
);
