-- Actions are found in the order of time by what they are filtered by, and by that together with a verdict and a level:
-- both before the time, so that actions of a rare verdict or level are found without reading all others.
-- The number is part of each, so that actions of one time need no sorting.

DROP INDEX interlock_actions_by_time;
DROP INDEX interlock_actions_by_agent;
DROP INDEX interlock_actions_by_tool;
DROP INDEX interlock_actions_by_person;
DROP INDEX interlock_actions_by_environment;
DROP INDEX interlock_actions_by_verdict;
DROP INDEX interlock_actions_by_level;
CREATE INDEX interlock_actions_by_time ON interlock_actions (at, seq);
CREATE INDEX interlock_actions_by_agent ON interlock_actions (agent_id, at, seq);
CREATE INDEX interlock_actions_by_tool ON interlock_actions (tool, at, seq);
CREATE INDEX interlock_actions_by_person ON interlock_actions (person, at, seq);
CREATE INDEX interlock_actions_by_environment ON interlock_actions (environment, at, seq) WHERE environment <> '';
CREATE INDEX interlock_actions_by_verdict ON interlock_actions (verdict, level, at, seq);
CREATE INDEX interlock_actions_by_agent_and_verdict ON interlock_actions (agent_id, verdict, level, at, seq);
CREATE INDEX interlock_actions_by_tool_and_verdict ON interlock_actions (tool, verdict, level, at, seq);
CREATE INDEX interlock_actions_by_person_and_verdict ON interlock_actions (person, verdict, level, at, seq);
CREATE INDEX interlock_actions_by_environment_and_verdict
    ON interlock_actions (environment, verdict, level, at, seq) WHERE environment <> '';

-- Each decision reads the steps of its run. Without this index, PostgreSQL may read those of all runs of a partition.
CREATE INDEX interlock_records_steps_of_runs ON interlock_records (run_id, seq)
    WHERE kind IN ('run.started', 'run.paused', 'run.resumed', 'run.ended', 'run.failed', 'kept.runs');

-- Counters by the week, beside those by hour and day, for figures of long times.
INSERT INTO interlock_counts (grain, at, what, name, agent_id, level, outcome, count, points)
SELECT 604800, at - at % 604800000000, what, name, agent_id, level, outcome, sum(count), sum(points)
FROM interlock_counts WHERE grain = 86400 GROUP BY at - at % 604800000000, what, name, agent_id, level, outcome;
INSERT INTO interlock_levels (grain, at, level, verdict, count)
SELECT 604800, at - at % 604800000000, level, verdict, sum(count)
FROM interlock_levels WHERE grain = 86400 GROUP BY at - at % 604800000000, level, verdict;
ANALYZE interlock_actions, interlock_counts;
