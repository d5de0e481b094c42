"""Figures for Prometheus: what this server did, and how things stand in its store."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from interlock.levels import Level, Verdict
from interlock.version import VERSION

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)


class Gauges:
    """The figures of one server. They are noted as plain numbers, and told when somebody asks."""

    def __init__(self) -> None:
        self._decisions: Counter[tuple[Verdict, Level]] = Counter()
        self._requests: Counter[int] = Counter()
        self._took, self._seconds = [0] * (len(BUCKETS) + 1), 0.0
        self._registry = registry = CollectorRegistry()
        registry.register(self)
        self._pending = Gauge("interlock_approvals_pending", "Requests that wait for an answer.", registry=registry)
        self._records = Gauge("interlock_records", "The number of the newest record.", registry=registry)
        build = Gauge("interlock_build", "The version that runs.", ["version"], registry=registry)
        build.labels(VERSION).set(1)

    def decided(self, verdict: Verdict, level: Level, seconds: float) -> None:
        """Count a decision, and how long it took without waiting for a person."""
        self._decisions[verdict, level] += 1
        self._took[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds

    def answered(self, status: int) -> None:
        """Count a request."""
        self._requests[status // 100] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield what was counted, as Prometheus takes it."""
        requests = CounterMetricFamily("interlock_requests", "Requests, by status.", labels=["status"])
        for hundreds, number in self._requests.items():
            requests.add_metric([f"{hundreds}xx"], number)
        decisions = CounterMetricFamily(
            "interlock_decisions", "Actions that were decided.", labels=["verdict", "level"]
        )
        for (verdict, level), number in self._decisions.items():
            decisions.add_metric([verdict.value, level.value], number)
        edges = [*map(str, BUCKETS), "+Inf"]
        buckets = list(zip(edges, accumulate(self._took), strict=True))
        told = "How long a decision took, recorded and all, without waiting for a person."
        yield from (requests, decisions)
        yield HistogramMetricFamily("interlock_evaluate_seconds", told, buckets=buckets, sum_value=self._seconds)

    def exposition(self, *, pending: int, records: int) -> tuple[bytes, str]:
        """Return the figures as text, and what kind of text that is."""
        self._pending.set(pending)
        self._records.set(records)
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
