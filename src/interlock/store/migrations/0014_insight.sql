-- Decided actions by what people filter by, and totals of runs and agents. All of it is derived from the chain.

CREATE TABLE interlock_actions (
    seq {number} NOT NULL,
    at BIGINT NOT NULL,
    run_id VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200) NOT NULL,
    person VARCHAR(200) NOT NULL,
    tool VARCHAR(200) NOT NULL,
    verdict VARCHAR(64) NOT NULL,
    level VARCHAR(64) NOT NULL,
    environment VARCHAR(200) NOT NULL,
    key_id VARCHAR(64) NOT NULL,
    approval_id VARCHAR(64),
    PRIMARY KEY (seq)
);

CREATE TABLE interlock_matches (
    seq BIGINT NOT NULL,
    what VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (seq, what, name)
);

CREATE TABLE interlock_totals (
    what VARCHAR(64) NOT NULL,
    name VARCHAR(200) NOT NULL,
    actions BIGINT NOT NULL,
    risky BIGINT NOT NULL,
    asked BIGINT NOT NULL,
    blocked BIGINT NOT NULL,
    highest INTEGER NOT NULL,
    environments TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (what, name)
);

CREATE TABLE interlock_levels (
    grain INTEGER NOT NULL,
    at BIGINT NOT NULL,
    level VARCHAR(64) NOT NULL,
    verdict VARCHAR(64) NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (grain, at, level, verdict)
);

INSERT INTO interlock_levels (grain, at, level, verdict, count)
SELECT grain, at, level, outcome, sum(count) FROM interlock_counts WHERE what = 'action'
GROUP BY grain, at, level, outcome;

CREATE INDEX interlock_actions_by_time ON interlock_actions (at);
CREATE INDEX interlock_actions_by_agent ON interlock_actions (agent_id, at, level, verdict);
CREATE INDEX interlock_actions_by_tool ON interlock_actions (tool, at, level, verdict);
CREATE INDEX interlock_actions_by_level ON interlock_actions (level, at);
CREATE INDEX interlock_actions_by_verdict ON interlock_actions (verdict, at);
CREATE INDEX interlock_actions_by_person ON interlock_actions (person, at);
CREATE INDEX interlock_actions_by_run ON interlock_actions (run_id, at);
CREATE INDEX interlock_actions_by_environment ON interlock_actions (environment, at) WHERE environment <> '';
CREATE INDEX interlock_actions_by_approval ON interlock_actions (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX interlock_matches_by_name ON interlock_matches (what, name, at, seq);
CREATE INDEX interlock_totals_by_time ON interlock_totals (what, last_at);
CREATE INDEX interlock_totals_by_level ON interlock_totals (what, highest, first_at, name);
CREATE INDEX interlock_totals_by_blocked ON interlock_totals (what, blocked, first_at, name);
CREATE INDEX interlock_totals_by_actions ON interlock_totals (what, actions, first_at, name);
CREATE INDEX interlock_records_by_time ON interlock_records (at);
CREATE INDEX interlock_approvals_by_run_state ON interlock_approvals (run_id, state);
