"""Figures for Prometheus: what this server did, and how things stand in its store."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from interlock.levels import Level, Verdict
from interlock.version import VERSION


class Gauges:
    """The figures of one server."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("interlock_requests", "Requests, by status.", ["status"], registry=registry)
        named = ["verdict", "level"]
        self._decisions = Counter("interlock_decisions", "Actions that were decided.", named, registry=registry)
        self._seconds = Histogram(
            "interlock_evaluate_seconds",
            "How long a decision took, recorded and all, without waiting for a person.",
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
            registry=registry,
        )
        self._pending = Gauge("interlock_approvals_pending", "Requests that wait for an answer.", registry=registry)
        self._records = Gauge("interlock_records", "The number of the newest record.", registry=registry)
        build = Gauge("interlock_build", "The version that runs.", ["version"], registry=registry)
        build.labels(VERSION).set(1)
        self._by_decision = {
            (verdict, level): self._decisions.labels(verdict.value, level.value)
            for verdict in Verdict
            for level in Level
        }

    def decided(self, verdict: Verdict, level: Level, seconds: float) -> None:
        """Count a decision."""
        self._by_decision[verdict, level].inc()
        self._seconds.observe(seconds)

    def answered(self, status: int) -> None:
        """Count a request."""
        self._requests.labels(f"{status // 100}xx").inc()

    def exposition(self, *, pending: int, records: int) -> tuple[bytes, str]:
        """Return the figures as text, and what kind of text that is."""
        self._pending.set(pending)
        self._records.set(records)
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
