-- The tables that grow with every record become partitioned by ranges of record numbers. Existing rows are copied into
-- one partition a month, and the last partition has room for another month. Partitions are named by their first number.

LOCK TABLE interlock_records, interlock_actions, interlock_matches IN ACCESS EXCLUSIVE MODE;

ALTER TABLE interlock_records RENAME TO interlock_unpartitioned_records;
ALTER TABLE interlock_actions RENAME TO interlock_unpartitioned_actions;
ALTER TABLE interlock_matches RENAME TO interlock_unpartitioned_matches;
CREATE TABLE interlock_records (LIKE interlock_unpartitioned_records) PARTITION BY RANGE (seq);
CREATE TABLE interlock_actions (LIKE interlock_unpartitioned_actions) PARTITION BY RANGE (seq);
CREATE TABLE interlock_matches (LIKE interlock_unpartitioned_matches) PARTITION BY RANGE (seq);

DO $$
DECLARE
    -- The first number of each partition but the first: the first record that is not older than its month.
    starts BIGINT[] := ARRAY(
        SELECT DISTINCT first FROM (
            SELECT min(min(seq)) OVER (ORDER BY month ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS first
            FROM (
                SELECT seq, date_trunc(
                    'month', to_timestamp(least(greatest(at, 0), 4102444800000000) / 1000000) AT TIME ZONE 'UTC'
                ) AS month FROM interlock_unpartitioned_records
            ) records GROUP BY month
        ) months WHERE first > (SELECT min(seq) FROM interlock_unpartitioned_records) ORDER BY first
    );
    newest BIGINT := greatest(
        (SELECT max(seq) FROM interlock_unpartitioned_records),
        (SELECT max(seq) FROM interlock_unpartitioned_actions),
        (SELECT max(seq) FROM interlock_unpartitioned_matches),
        (SELECT max(seq) FROM interlock_head),
        0
    );
    last_month BIGINT := (
        SELECT count(*) FROM interlock_unpartitioned_records WHERE at >= extract(epoch FROM now()) * 1000000 - 2592000000000
    );
    lower_bound TEXT := 'MINVALUE';
    name BIGINT := 0;
    upper_bound BIGINT;
    parent TEXT;
BEGIN
    FOREACH upper_bound IN ARRAY starts || (newest + 1 + greatest(last_month, 100000)) LOOP
        FOREACH parent IN ARRAY ARRAY['interlock_records', 'interlock_actions', 'interlock_matches'] LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
                parent || '_' || name, parent, lower_bound, upper_bound
            );
        END LOOP;
        lower_bound := upper_bound::text;
        name := upper_bound;
    END LOOP;
END
$$;

INSERT INTO interlock_records SELECT * FROM interlock_unpartitioned_records ORDER BY seq;
INSERT INTO interlock_actions SELECT * FROM interlock_unpartitioned_actions ORDER BY seq;
INSERT INTO interlock_matches SELECT * FROM interlock_unpartitioned_matches ORDER BY seq;
DROP TABLE interlock_unpartitioned_records;
DROP TABLE interlock_unpartitioned_actions;
DROP TABLE interlock_unpartitioned_matches;

-- A unique index has to contain `seq`, so it cannot keep ids unique: writers lock an id and look for it first.
ALTER TABLE interlock_records ADD PRIMARY KEY (seq);
ALTER TABLE interlock_actions ADD PRIMARY KEY (seq);
ALTER TABLE interlock_matches ADD PRIMARY KEY (seq, what, name);
CREATE INDEX interlock_records_by_id ON interlock_records (record_id);
CREATE INDEX interlock_records_by_approval ON interlock_records (approval_id, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX interlock_records_by_kind ON interlock_records (kind, run_id, name);
CREATE INDEX interlock_records_by_kind_in_order ON interlock_records (kind, seq);
CREATE INDEX interlock_records_by_run ON interlock_records (run_id, seq);
CREATE INDEX interlock_records_by_time ON interlock_records (at);
CREATE INDEX interlock_actions_by_time ON interlock_actions (at);
CREATE INDEX interlock_actions_by_agent ON interlock_actions (agent_id, at, level, verdict);
CREATE INDEX interlock_actions_by_tool ON interlock_actions (tool, at, level, verdict);
CREATE INDEX interlock_actions_by_level ON interlock_actions (level, at, verdict);
CREATE INDEX interlock_actions_by_verdict ON interlock_actions (verdict, at, level);
CREATE INDEX interlock_actions_by_person ON interlock_actions (person, at, level, verdict);
CREATE INDEX interlock_actions_by_run ON interlock_actions (run_id, at, level, verdict);
CREATE INDEX interlock_actions_by_environment
    ON interlock_actions (environment, at, level, verdict) WHERE environment <> '';
CREATE INDEX interlock_actions_by_approval ON interlock_actions (approval_id) WHERE approval_id IS NOT NULL;
-- Without it, the newest actions with a request are found only by reading all actions in the order of their times.
CREATE INDEX interlock_actions_requested ON interlock_actions (at, seq) WHERE approval_id IS NOT NULL;
CREATE INDEX interlock_matches_by_name ON interlock_matches (what, name, at, seq);
ANALYZE interlock_records, interlock_actions, interlock_matches;
