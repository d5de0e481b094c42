"""Every page of a store that holds a million actions and ten thousand requests, and which index each query walks."""

from __future__ import annotations

import http.client
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.record import Entry
from interlock.audit.runs import OPEN, Run, start_run
from interlock.gate import Gate
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.counters import count_new_records
from interlock.model import Action
from interlock.store.clock import MICROSECONDS, now

ACTIONS, REQUESTS, RUNS = int(os.environ.get("ACTIONS", "1000000")), 10_000, 300
DAYS = 30 * 86_400 * MICROSECONDS
TOOLS = ("Bash", "Write", "Read", "python", "sql", "deploy")
LEVELS = {"safe": "allow", "low": "allow", "medium": "warn", "high": "require_approval", "critical": "block"}
PAGES = (
    "/",
    "/?span=week",
    "/?span=quarter",
    "/approvals",
    "/approvals?state=all",
    "/runs",
    "/runs?agent=agent-3",
    "/runs?sort=risk",
    "/runs?sort=blocked&environment=production",
    "/actions",
    "/actions?level=risky&sort=level",
    "/actions?q=nothing+is+like+this",
    "/agents",
    "/agents/agent-3",
    "/runs/big",
    "/runs/big?verdict=block",
    "/runs/big?q=nothing+is+like+this",
    "/policies",
    "/policies/new",
    "/policies/production-changes",
    "/policies/new/values?field=toolName&text=git",
    "/audit",
    "/audit?kind=grant",
    "/audit?q=nothing+is+like+this",
    "/v1/runs",
    "/v1/approvals",
    "/v1/audit?kind=policy",
    "/v1/metrics/risk",
    "/v1/metrics/approvals",
)
_RECORDS = "SELECT body FROM interlock_records WHERE"
PLANS = (
    ("newest records of a kind", f"{_RECORDS} kind = 'grant.made' ORDER BY seq DESC LIMIT 100"),
    ("a page of a run", f"{_RECORDS} run_id = 'big' AND seq < 9 ORDER BY seq DESC LIMIT 100"),
    ("actions of a run", "SELECT count(*) FROM interlock_records WHERE kind = 'decision' AND run_id = 'big'"),
    (
        "requests that wait",
        "SELECT * FROM interlock_approvals WHERE state = 'pending' ORDER BY created_at LIMIT 9",
    ),
    ("figures by hour", "SELECT sum(count) FROM interlock_counts WHERE grain = 3600 AND at > 1 GROUP BY name"),
)
Row = Callable[..., None]


def build(gate: Gate) -> None:
    """Fill a store."""
    chance, at = random.Random(1), now().wall
    runs = [f"run-{number:04d}" for number in range(RUNS)] + ["big"]

    def begin(transaction: Transaction) -> None:
        for number, run_id in enumerate(runs):
            agent = f"agent-{number % 12}"
            started = at - DAYS + number
            run = Run(run_id=run_id, agent_id=agent, started_by="ann", workspace="/w", state=OPEN, started_at=started)
            start_run(transaction, run)

    gate.journal.commit(begin)
    for start in range(0, ACTIONS, 2_000):
        entries = [_entry(number, chance, at, runs) for number in range(start, start + 2_000)]
        gate.journal.commit(lambda transaction, entries=entries: [transaction.append(one) for one in entries])
    session = gate.session_of("ann", "asks", "agent-1", None)
    for number in range(REQUESTS):
        session.submit(Action.shell(f"git push --force origin branch-{number}"))
    count_new_records(gate.journal)
    index_new_actions(gate.journal)


def _entry(number: int, chance: random.Random, at: int, runs: list[str]) -> Entry:
    level = chance.choices(list(LEVELS), [30, 40, 20, 7, 3])[0]
    data: dict[str, Any] = {
        "text": f"git commit -m 'change {number}' && npm run build",
        "level": level,
        "score": chance.randrange(100),
        "mode": "full",
        "because": "mode `full`",
        "rules": [],
        "resources": ["file:/w/x"],
        "coverage": "full",
        "effects": ["vcs.commit"],
    }
    return Entry(
        kind="decision",
        at=at - DAYS + DAYS * number // ACTIONS,
        actor="agent",
        name=chance.choice(TOOLS),
        run_id="big" if number % 3 == 0 else chance.choice(runs),
        agent_id=f"agent-{number % 12}",
        outcome=LEVELS[level],
        digest="0" * 64,
        data=data,
    )


def million(row: Row) -> None:
    from bench.serving import server

    print(f"\n  a store with {ACTIONS:,} actions and {REQUESTS:,} requests (building it takes two minutes)")
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        os.environ["INTERLOCK_HOME"] = folder
        store = f"sqlite:///{folder}/store.db"
        with Gate(store=store) as gate:
            build(gate)
            _plans(gate)
        with server(store, Path(folder)) as (port, key):
            for path in PAGES:
                taken = min(_got(port, key, path) for _ in range(3))
                row(path, taken * 1_000, "ms", "", "goal 300")


def _plans(gate: Gate) -> None:
    with gate.journal.database.read() as connection:
        for name, query in PLANS:
            steps = connection.tuples(f"EXPLAIN QUERY PLAN {query}")
            walked = "; ".join(str(step[3]) for step in steps if "USING" in str(step[3]) or "SCAN" in str(step[3]))
            print(f"  {name:28} {walked}")


def _got(port: int, key: str, path: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    begin = time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}", "Accept": "text/html, */*"})
    answer = connection.getresponse()
    answer.read()
    taken = time.perf_counter() - begin
    connection.close()
    assert answer.status == 200, (path, answer.status)
    return taken
