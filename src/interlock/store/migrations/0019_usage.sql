-- What actions used, by day: tools, programs, hosts, folders, rules and what was not understood. Derived from the chain.

CREATE TABLE interlock_usage (
    what VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    name VARCHAR(200) NOT NULL,
    agent_id VARCHAR(200) NOT NULL,
    count BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    PRIMARY KEY (what, at, name, agent_id)
);

CREATE INDEX interlock_usage_by_agent ON interlock_usage (agent_id, what, name, at);
CREATE INDEX interlock_usage_by_first ON interlock_usage (first_seq);
