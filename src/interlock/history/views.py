"""The views that SQL is written over, as DuckDB's SQL and as the table on the page of the docs.

`source.*` are the records by kind, as a store or an export gives them; both have the columns of `record_table.SCHEMA`
and `day`. Everything else comes from `body`, which is parsed once for all columns of a view.
"""

from __future__ import annotations

from interlock.model import Struct


class Column(Struct, frozen=True, kw_only=True):
    """A column of a view: its name and type, the expression that computes it, and what it says."""

    name: str
    type: str
    sql: str
    what: str


class SqlView(Struct, frozen=True, kw_only=True):
    """A view: what one row is, its columns, and the query that they are computed from."""

    name: str
    row: str
    columns: tuple[Column, ...]
    source: str

    @property
    def sql(self) -> str:
        """The statement that creates the view."""
        columns = ", ".join(f'CAST({column.sql} AS {column.type}) AS "{column.name}"' for column in self.columns)
        return f'CREATE VIEW "{self.name}" AS SELECT {columns} FROM {self.source}'


#: The records that each view reads, by their kind, so that a store sends no others.
SOURCES = {
    "records": (),
    "decisions": ("decision",),
    "matches": ("risk", "observed.policy"),
    "requests": (
        "approval.requested",
        "approval.answered",
        "approval.approved",
        "approval.rejected",
        "approval.expired",
        "approval.cancelled",
        "approval.used",
    ),
    "run_steps": ("run.started", "run.paused", "run.resumed", "run.ended", "run.failed"),
}


def _columns(text: str) -> tuple[Column, ...]:
    """Return columns from lines of `name | type | expression | meaning`."""
    rows = (map(str.strip, line.split(" | ")) for line in text.strip().splitlines())
    return tuple(Column(name=name, type=kind, sql=sql, what=what) for name, kind, sql, what in rows)


_DECISION_DATA = (
    '{"level": "VARCHAR", "score": "DOUBLE", "mode": "VARCHAR", "because": "VARCHAR", "text": "VARCHAR", '
    '"environment": "VARCHAR", "user": "VARCHAR", "tenant": "VARCHAR", "keyId": "VARCHAR", "coverage": "VARCHAR", '
    '"rules": ["VARCHAR"], "effects": ["VARCHAR"], "resources": ["VARCHAR"], "reasons": ["VARCHAR"], '
    '"call": "BIGINT", "wouldHave": {"verdict": "VARCHAR"}}'
)
_DECISIONS = f"(SELECT *, from_json(body, '{{\"data\": {_DECISION_DATA}}}').data AS d FROM source.decisions)"
#: A decision and the policies that matched it are recorded together, so they have the same time.
_MATCHES = (
    '(SELECT run_id, digest, "at", list(name ORDER BY seq) AS names FROM source.matches GROUP BY run_id, digest, "at")'
)
_RANK = "list_position(['safe', 'low', 'medium', 'high', 'critical'], d.level)"

ACTIONS = SqlView(
    name="actions",
    row="a decided action",
    columns=_columns("""
        seq | BIGINT | a.seq | number of the record of the decision
        time | TIMESTAMPTZ | a."at" | when it was decided
        day | DATE | a.day | the day of that, in UTC; exports are partitioned by it
        run_id | VARCHAR | a.run_id | the run
        agent_id | VARCHAR | a.agent_id | the agent
        tool | VARCHAR | a.name | the tool, such as `Bash`
        verdict | VARCHAR | a.outcome | `allow`, `warn`, `require_approval` or `block`
        level | VARCHAR | d.level | `safe`, `low`, `medium`, `high` or `critical`
        score | DOUBLE | d.score | points, 0 to 100
        environment | VARCHAR | d.environment | as the caller named it
        mode | VARCHAR | d.mode | the mode in force
        text | VARCHAR | d.text | the action as one line, masked
        because | VARCHAR | d.because | why it was decided so
        policies | VARCHAR[] | coalesce(m.names, []) | policies that matched
        rules | VARCHAR[] | coalesce(d.rules, []) | rules that matched
        effects | VARCHAR[] | coalesce(d.effects, []) | kinds of effects, such as `fs.delete`
        resources | VARCHAR[] | coalesce(d.resources, []) | what it touches
        reasons | VARCHAR[] | coalesce(d.reasons, []) | the reasons that were shown
        user | VARCHAR | d.user | the person that the agent acts for
        tenant | VARCHAR | d.tenant | the customer or organisation that it acts for
        key_id | VARCHAR | d.keyId | the API key that it came with
        coverage | VARCHAR | d.coverage | how much of it was read: `full`, `partial`, …
        call | BIGINT | d.call | number of the call in its run
        would_have | VARCHAR | d.wouldHave.verdict | the verdict of an action that was only observed
        digest | VARCHAR | a.digest | the same for the same action
        record_id | VARCHAR | a.record_id | id of the record
    """),
    source=(
        f"{_DECISIONS} AS a LEFT JOIN {_MATCHES} AS m "
        'ON a."at" = m."at" AND a.digest = m.digest AND a.run_id IS NOT DISTINCT FROM m.run_id'
    ),
)

FINDINGS = SqlView(
    name="findings",
    row="a rule that matched an action",
    columns=_columns("""
        seq | BIGINT | a.seq | number of the record of the decision, as in `actions`
        time | TIMESTAMPTZ | a."at" | when it was decided
        day | DATE | a.day | the day of that, in UTC
        run_id | VARCHAR | a.run_id | the run
        agent_id | VARCHAR | a.agent_id | the agent
        tool | VARCHAR | a.name | the tool
        rule | VARCHAR | a.rule | name of the rule; `interlock rules NAME` shows it
        verdict | VARCHAR | a.outcome | the verdict on the whole action
        level | VARCHAR | a.d.level | the level of the whole action
        score | DOUBLE | a.d.score | points of the whole action
        environment | VARCHAR | a.d.environment | as the caller named it
        text | VARCHAR | a.d.text | the action as one line, masked
    """),
    source=f"(SELECT *, unnest(d.rules) AS rule FROM {_DECISIONS}) AS a",
)

_ANSWER = (
    '{"approver": "VARCHAR", "verdict": "VARCHAR", "reason": "VARCHAR", "model": "BOOLEAN", "scope": "VARCHAR", '
    '"via": "VARCHAR", "at": "BIGINT"}'
)
_STEPS = (
    f'(SELECT *, from_json(body, \'{{"data": {{"answer": {_ANSWER}, "why": "VARCHAR"}}}}\').data AS d '
    "FROM source.requests WHERE approval_id IS NOT NULL)"
)
_ENDINGS = "kind IN ('approval.approved', 'approval.rejected', 'approval.expired', 'approval.cancelled')"
#: One row for each request, from all its records.
_REQUESTS = f"""(
    SELECT approval_id, min(run_id) AS run_id, min(agent_id) AS agent_id, min(digest) AS digest,
        min(seq) FILTER (kind = 'approval.requested') AS seq, min("at") FILTER (kind = 'approval.requested') AS "at",
        arg_max(outcome, seq) FILTER ({_ENDINGS}) AS outcome, arg_max("at", seq) FILTER ({_ENDINGS}) AS ended_at,
        arg_max(d.why, seq) FILTER ({_ENDINGS}) AS why, min("at") FILTER (kind = 'approval.used') AS used_at,
        list(struct_pack(
            approver := d.answer.approver, verdict := d.answer.verdict, reason := d.answer.reason,
            model := d.answer.model, scope := d.answer.scope, via := d.answer.via,
            time := make_timestamptz(d.answer."at")
        ) ORDER BY seq) FILTER (kind = 'approval.answered') AS answers
    FROM {_STEPS} GROUP BY approval_id HAVING seq IS NOT NULL
)"""

_ANSWERS = (
    "STRUCT(approver VARCHAR, verdict VARCHAR, reason VARCHAR, model BOOLEAN, scope VARCHAR, via VARCHAR, "
    "time TIMESTAMPTZ)[]"
)

APPROVALS = SqlView(
    name="approvals",
    row="a request for approval",
    columns=_columns(f"""
        approval_id | VARCHAR | r.approval_id | id of the request
        seq | BIGINT | r.seq | number of the record of the request
        requested_at | TIMESTAMPTZ | r."at" | when approval was requested
        day | DATE | CAST(r."at" AS DATE) | the day of that, in UTC
        run_id | VARCHAR | r.run_id | the run
        agent_id | VARCHAR | r.agent_id | the agent
        tool | VARCHAR | a.name | the tool
        level | VARCHAR | a.d.level | the level of the action
        score | DOUBLE | a.d.score | points of the action
        text | VARCHAR | a.d.text | the action as one line, masked
        outcome | VARCHAR | coalesce(r.outcome, 'pending') | `pending`, `approved`, `rejected`, `expired` or `cancelled`
        ended_at | TIMESTAMPTZ | r.ended_at | when it got that outcome
        seconds | DOUBLE | epoch(r.ended_at - r."at") | how long that took
        why | VARCHAR | r.why | why it ended so
        answers | {_ANSWERS} | coalesce(r.answers, []) | every answer, in order
        answered_by | VARCHAR[] | list_transform(coalesce(r.answers, []), lambda x: x.approver) | who answered, in order
        used_at | TIMESTAMPTZ | r.used_at | when the action ran with its approval
        digest | VARCHAR | r.digest | digest of the action, as in `actions`
    """),
    source=(
        f"{_REQUESTS} AS r ASOF LEFT JOIN {_DECISIONS} AS a "
        "ON r.run_id = a.run_id AND r.digest = a.digest AND r.seq >= a.seq"
    ),
)

_RUN_STEPS = (
    '(SELECT *, from_json(body, \'{"data": {"user": "VARCHAR", "tenant": "VARCHAR"}}\').data AS d '
    "FROM source.run_steps WHERE run_id IS NOT NULL)"
)
_RUNS = f"""(
    SELECT run_id, arg_min(agent_id, seq) AS agent_id, min("at") FILTER (kind = 'run.started') AS started_at,
        arg_min(actor, seq) FILTER (kind = 'run.started') AS started_by, arg_max(outcome, seq) AS state,
        arg_min(d."user", seq) AS "user", arg_min(d.tenant, seq) AS tenant,
        max("at") FILTER (kind IN ('run.ended', 'run.failed')) AS ended_at
    FROM {_RUN_STEPS} GROUP BY run_id
)"""
_RUN_TOTALS = f"""(
    SELECT run_id, count(*) AS actions, min("at") AS first_at, max("at") AS last_at,
        count(*) FILTER (outcome = 'require_approval') AS asked, count(*) FILTER (outcome = 'block') AS blocked,
        arg_max(d.level, {_RANK}) AS highest
    FROM {_DECISIONS} GROUP BY run_id
)"""

RUNS = SqlView(
    name="runs",
    row="a run of an agent",
    columns=_columns("""
        run_id | VARCHAR | r.run_id | id of the run
        agent_id | VARCHAR | r.agent_id | the agent
        started_by | VARCHAR | r.started_by | who started it
        started_at | TIMESTAMPTZ | r.started_at | when it started
        ended_at | TIMESTAMPTZ | r.ended_at | when it ended
        state | VARCHAR | r.state | `open`, `paused`, `ended` or `failed`
        user | VARCHAR | r.user | the person that the agent acts for
        tenant | VARCHAR | r.tenant | the customer or organisation that it acts for
        actions | BIGINT | coalesce(t.actions, 0) | how many actions were decided
        asked | BIGINT | coalesce(t.asked, 0) | how many of them needed approval
        blocked | BIGINT | coalesce(t.blocked, 0) | how many were blocked
        highest | VARCHAR | t.highest | the highest level of an action
        first_at | TIMESTAMPTZ | t.first_at | time of the first action
        last_at | TIMESTAMPTZ | t.last_at | time of the last action
    """),
    source=f"{_RUNS} AS r LEFT JOIN {_RUN_TOTALS} AS t ON r.run_id = t.run_id",
)

RECORDS = SqlView(
    name="records",
    row="a record of the chain",
    columns=_columns("""
        seq | BIGINT | r.seq | number of the record
        time | TIMESTAMPTZ | r."at" | when it was written
        day | DATE | r.day | the day of that, in UTC
        kind | VARCHAR | r.kind | what happened, such as `decision` or `approval.answered`
        actor | VARCHAR | r.actor | who did it
        name | VARCHAR | r.name | what it is about: a tool, a policy, a person
        run_id | VARCHAR | r.run_id | the run
        agent_id | VARCHAR | r.agent_id | the agent
        approval_id | VARCHAR | r.approval_id | the request
        outcome | VARCHAR | r.outcome | how it ended
        digest | VARCHAR | r.digest | digest of the action
        record_id | VARCHAR | r.record_id | id of the record
        body | VARCHAR | r.body | the record as canonical JSON; `body->'data'` has everything else
        hash | VARCHAR | r.hash | SHA-256 of the hash before it and `body`
    """),
    source="source.records AS r",
)

VIEWS = (ACTIONS, FINDINGS, APPROVALS, RUNS, RECORDS)
