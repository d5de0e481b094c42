"""Every page of a store that holds a million actions, and which index each query walks.

`STORE=folder make million` keeps the store in a folder, and uses it again.
"""

from __future__ import annotations

import http.client
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

from bench.million_store import ACTIONS, PAST, PENDING, RUNS, Builder
from interlock.approval.request_filter import SORTS as REQUEST_SORTS
from interlock.gate import Gate
from interlock.metrics.action_list import SORTS as ACTION_SORTS
from interlock.metrics.run_list import SORTS as RUN_SORTS

TRIES = 3
SPANS = ("hour", "day", "week", "month", "quarter")
RANGE = f"from={date.today() - timedelta(days=20)}&to={date.today()}"
NOTHING = "nothing+is+like+this"
#: What each list is filtered by. A filter may be combined with each order.
ACTIONS_BY = (
    "",
    "agent=agent-3",
    "agent=agent-3&level=risky",
    "agent=agent-3&keyId=key-3",
    "agent=agent-3&keyId=missing",
    "tool=Bash",
    "tool=Bash&verdict=allow",
    "verdict=block",
    "verdict=ran",
    "verdict=stopped&environment=production",
    "verdict=allow&level=safe",
    "level=risky",
    "level=low",
    "rule=vcs-history",
    "rule=vcs-history&agent=agent-3",
    "policy=production-changes",
    "environment=production",
    "person=person-3",
    "person=person-3&tool=sql",
    "run=big",
    "run=run-00007",
    "request=any",
    "request=pending",
    "request=approved",
    "request=expired",
    "request=stamped",
    f"q={NOTHING}",
    f"q={NOTHING}&agent=agent-3",
    RANGE,
    f"{RANGE}&level=risky",
    "agent=missing",
)
REQUESTS_BY = (
    "",
    "group=0",
    "mine=1",
    "environment=production",
    "level=high",
    "level=low",
    "tool=Bash",
    "agent=agent-3",
    "run=run-00007",
    "assignee=person-4",
    "assignee=nobody",
    "age=1h",
    f"q={NOTHING}",
    "state=all",
    "state=approved",
    "state=expired&agent=agent-3",
    "state=all&environment=production",
    f"state=all&q={NOTHING}",
    "state=all&mine=1",
    "state=all&level=low",
)
RUNS_BY = (
    "",
    "agent=agent-3",
    "agent=missing",
    "state=open",
    "environment=production",
    "level=critical",
    "level=safe",
    "person=person-3",
    "q=run-00",
    "q=missing",
    RANGE,
    "agent=agent-3&environment=production",
)
AUDIT_BY = (
    "",
    "kind=grant",
    "kind=approval",
    "kind=decision",
    "kind=person",
    "agent=agent-3",
    "agent=missing",
    "person=person-3",
    "verdict=block",
    "verdict=approve",
    "verdict=reject&person=person-3&agent=agent-3",
    "run=big",
    "run=run-00007",
    RANGE,
    f"{RANGE}&verdict=block",
    f"q={NOTHING}",
    "q=home",
)
SETTINGS = (
    "notifications chat-accounts channels channels/new people people/person-1 groups groups/group-1 sign-in keys "
    "keys/new webhooks webhooks/new grants grants?all=1 retention configuration machines health"
).split()
OTHERS = (
    "/agents",
    "/agents?q=agent-1",
    "/agents/agent-3",
    "/stops",
    "/runs/big",
    "/runs/big?verdict=block",
    f"/runs/big?q={NOTHING}",
    "/runs/run-00007",
    "/policies",
    "/policies/new",
    "/policies/production-changes",
    "/policies/policy-1",
    "/policies/new/values?field=toolName&text=git",
    "/observe",
    "/suggestions",
    "/reports",
    "/reports/coverage",
    "/try",
    "/settings",
    "/approvals/next",
    "/glossary",
    "/docs",
    "/v1/runs",
    "/v1/approvals",
    "/v1/grants",
    "/v1/audit?kind=policy",
    "/v1/metrics/risk",
    "/v1/metrics/approvals",
    "/metrics",
    "/readyz",
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


def pages() -> Iterator[str]:
    """Yield the paths of all pages, each list with each of its filters and orders."""
    yield from ("/" if span == "day" else f"/?span={span}" for span in SPANS)
    yield f"/?{RANGE}"
    lists = (
        ("/approvals", REQUESTS_BY, (*REQUEST_SORTS, "risk", "left")),
        ("/actions", ACTIONS_BY, ACTION_SORTS),
        ("/runs", RUNS_BY, RUN_SORTS),
        ("/audit", AUDIT_BY, ("",)),
    )
    for path, filters, sorts in lists:
        for wanted in filters:
            yield from (_with_query(path, wanted, f"sort={sort}" if sort else "") for sort in sorts)
    yield from (f"/settings/{name}" for name in SETTINGS)
    yield from OTHERS


def _with_query(path: str, *parts: str) -> str:
    query = "&".join(part for part in parts if part)
    return f"{path}?{query}" if query else path


def million(row: Row) -> None:
    """Time every page; show how long its best try took, and how much processor time the server spent on it."""
    from bench.serving import serving

    print(f"\n  a store with {ACTIONS:,} actions, {PENDING:,} pending and {PAST:,} past requests, {RUNS:,} runs")
    with _store() as folder:
        store = f"sqlite:///{folder}/store.db"
        with Gate(store=store) as gate:
            _plans(gate)
            some = [f"/approvals/{one.approval_id}" for one in gate.approvals.list(limit=1)]
        with serving(store, folder) as (port, key, process):
            for path in (*pages(), *some):
                tries = [_got(port, key, path, process) for _ in range(TRIES)]
                taken, worked = (min(one[at] for one in tries) * 1_000 for at in (0, 1))
                row(path, taken, "ms", f"{worked:.0f} ms of the processor", "goal 300")


@contextmanager
def _store() -> Iterator[Path]:
    """Give the folder of the store, built if it is not there yet (it takes some minutes)."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as temporary:
        folder = Path(os.environ.get("STORE", temporary)).absolute()
        os.environ["INTERLOCK_HOME"] = str(folder)
        if not (folder / "store.db").exists():
            folder.mkdir(parents=True, exist_ok=True)
            with Gate(store=f"sqlite:///{folder}/store.db") as gate:
                Builder(gate).build()
        yield folder


def _plans(gate: Gate) -> None:
    with gate.journal.database.read() as connection:
        for name, query in PLANS:
            steps = connection.tuples(f"EXPLAIN QUERY PLAN {query}")
            walked = "; ".join(str(step[3]) for step in steps if "USING" in str(step[3]) or "SCAN" in str(step[3]))
            print(f"  {name:28} {walked}")


def _got(port: int, key: str, path: str, process: int) -> tuple[float, float]:
    """Return how many seconds an answer took, and how many of them the server's processor worked."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    worked, begin = _processor_time(process), time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}", "Accept": "text/html, */*"})
    answer = connection.getresponse()
    answer.read()
    taken, worked = time.perf_counter() - begin, _processor_time(process) - worked
    connection.close()
    assert answer.status < 400, (path, answer.status)
    return taken, worked


def _processor_time(process: int) -> float:
    """Return how many seconds the threads of a process have worked; zero where the system does not tell."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1_000_000_000
