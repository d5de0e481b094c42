"""Metrics for Prometheus: what this server did, and the state of its store."""

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


class PrometheusMetrics:
    """The metrics of one server, counted as plain numbers and formatted when they are scraped."""

    def __init__(self) -> None:
        self._decisions: Counter[tuple[Verdict, Level]] = Counter()
        self._requests: Counter[int] = Counter()
        self._buckets, self._seconds = [0] * (len(BUCKETS) + 1), 0.0
        self._registry = registry = CollectorRegistry()
        registry.register(self)
        self._pending = Gauge(
            "interlock_approvals_pending", "Approval requests that wait for an answer.", registry=registry
        )
        self._records = Gauge("interlock_records", "The number of the newest record.", registry=registry)
        self._failed = Gauge(
            "interlock_configuration_failed",
            "1 if the newest configuration does not load, and an older one is in force.",
            registry=registry,
        )
        self._differing = Gauge(
            "interlock_configurations_differing",
            "How many other configurations the servers of this store decide by.",
            registry=registry,
        )
        self._store_up = Gauge("interlock_store_up", "1 if the store answers.", registry=registry)
        build = Gauge("interlock_build", "The version of the server.", ["version"], registry=registry)
        build.labels(VERSION).set(1)

    def count_decision(self, verdict: Verdict, level: Level, seconds: float) -> None:
        """Count a decision, and how long it took, not counting the wait for an approval."""
        self._decisions[verdict, level] += 1
        self._buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds

    def count_response(self, status: int) -> None:
        """Count a response by its status."""
        self._requests[status // 100] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield the counters in Prometheus's form."""
        requests = CounterMetricFamily("interlock_requests", "Requests, by status.", labels=["status"])
        for hundreds, number in self._requests.items():
            requests.add_metric([f"{hundreds}xx"], number)
        decisions = CounterMetricFamily(
            "interlock_decisions", "Decisions, by verdict and level.", labels=["verdict", "level"]
        )
        for (verdict, level), number in self._decisions.items():
            decisions.add_metric([verdict.value, level.value], number)
        edges = [*map(str, BUCKETS), "+Inf"]
        buckets = list(zip(edges, accumulate(self._buckets), strict=True))
        help_text = "How long a decision took, including recording it, not counting the wait for an approval."
        yield from (requests, decisions)
        yield HistogramMetricFamily("interlock_evaluate_seconds", help_text, buckets=buckets, sum_value=self._seconds)

    def set_configuration(self, *, failed: bool, differing: int) -> None:
        """Set whether the configuration failed to load, and how many others there are."""
        self._failed.set(failed)
        self._differing.set(differing)

    def render(self, *, pending: int | None, records: int) -> tuple[bytes, str]:
        """Return the metrics as text, and its content type. `pending` is None while the store does not answer."""
        self._store_up.set(pending is not None)
        self._pending.set(float("nan") if pending is None else pending)
        self._records.set(records)
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
