-- Pauses of agents and keys, which can end by themselves, and the actions that grants have allowed: the use of a grant
-- follows its decision in the chain.

ALTER TABLE interlock_stops ADD COLUMN pauses INTEGER;
ALTER TABLE interlock_stops ADD COLUMN ends_at BIGINT;

INSERT INTO interlock_matches (seq, what, name, at)
SELECT a.seq, 'grant', used.grant_id, a.at FROM (
    SELECT g.name AS grant_id, (
        SELECT max(d.seq) FROM interlock_records d WHERE d.run_id = g.run_id AND d.kind = 'decision' AND d.seq < g.seq
    ) AS seq
    FROM interlock_records g WHERE g.kind = 'grant.used'
) used JOIN interlock_actions a ON a.seq = used.seq;
