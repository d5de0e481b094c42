-- Who can answer a request, when its approvers were warned that it expires, and grants by the shape of an action.

ALTER TABLE interlock_approvals ADD COLUMN one_person INTEGER;
ALTER TABLE interlock_approvals ADD COLUMN eligible TEXT;
ALTER TABLE interlock_approvals ADD COLUMN warned_at BIGINT;
ALTER TABLE interlock_grants ADD COLUMN shape TEXT;
ALTER TABLE interlock_grants ADD COLUMN request_id VARCHAR(64);
ALTER TABLE interlock_grants ADD COLUMN last_used_at BIGINT;

CREATE INDEX interlock_approvals_answerable ON interlock_approvals (state, eligible, started_by, one_person, agent_id);
CREATE INDEX interlock_grants_by_time ON interlock_grants (created_at)
