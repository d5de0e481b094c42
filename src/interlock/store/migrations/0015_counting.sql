-- Indexes that hold all that lists and counts of many actions and requests read, in place of narrower ones.

DROP INDEX interlock_actions_by_level;
DROP INDEX interlock_actions_by_verdict;
DROP INDEX interlock_actions_by_person;
DROP INDEX interlock_actions_by_run;
DROP INDEX interlock_actions_by_environment;
DROP INDEX interlock_approvals_by_time;
CREATE INDEX interlock_actions_by_level ON interlock_actions (level, at, verdict);
CREATE INDEX interlock_actions_by_verdict ON interlock_actions (verdict, at, level);
CREATE INDEX interlock_actions_by_person ON interlock_actions (person, at, level, verdict);
CREATE INDEX interlock_actions_by_run ON interlock_actions (run_id, at, level, verdict);
CREATE INDEX interlock_actions_by_environment
    ON interlock_actions (environment, at, level, verdict) WHERE environment <> '';
CREATE INDEX interlock_approvals_by_time ON interlock_approvals (created_at, approval_id, state);
