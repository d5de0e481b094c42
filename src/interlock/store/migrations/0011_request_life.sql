-- Who can answer a request, failed quizzes, when its approvers were warned that it expires, and grants by the shape of an action.

ALTER TABLE interlock_approvals ADD COLUMN one_person INTEGER;
ALTER TABLE interlock_approvals ADD COLUMN eligible TEXT;
ALTER TABLE interlock_approvals ADD COLUMN warned_at BIGINT;
ALTER TABLE interlock_grants ADD COLUMN shape TEXT;
ALTER TABLE interlock_grants ADD COLUMN request_id VARCHAR(64);
ALTER TABLE interlock_grants ADD COLUMN last_used_at BIGINT;

CREATE TABLE interlock_quiz_attempts (
    approval_id VARCHAR(64) NOT NULL,
    person VARCHAR(200) NOT NULL,
    failures INTEGER NOT NULL,
    failed_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (approval_id, person)
);

CREATE INDEX interlock_quiz_attempts_by_person ON interlock_quiz_attempts (person);
CREATE INDEX interlock_approvals_answerable ON interlock_approvals 
    (state, eligible, started_by, one_person, agent_id, created_at, approval_id);
CREATE INDEX interlock_approvals_by_expiry ON interlock_approvals
    (state, created_at, lasts, created_boot, created_ticks, warned_at, approval_id);
CREATE INDEX interlock_grants_by_time ON interlock_grants (created_at)
