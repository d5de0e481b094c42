"""Figures for Prometheus: what this server did, and how things stand in its store."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from interlock.server.service import Service
from interlock.version import VERSION

REGISTRY = CollectorRegistry()
REQUESTS = Counter("interlock_requests", "Requests, by how they were answered.", ["status"], registry=REGISTRY)
DECISIONS = Counter("interlock_decisions", "Actions that this server decided.", ["verdict", "level"], registry=REGISTRY)
SECONDS = Histogram(
    "interlock_evaluate_seconds",
    "How long a decision took, recorded and all.",
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
    registry=REGISTRY,
)
PENDING = Gauge("interlock_approvals_pending", "Requests that wait for an answer.", registry=REGISTRY)
RECORDS = Gauge("interlock_records", "The number of the newest record.", registry=REGISTRY)
BUILD = Gauge("interlock_build", "The version that runs.", ["version"], registry=REGISTRY)
BUILD.labels(VERSION).set(1)


def exposition(service: Service) -> tuple[bytes, str]:
    """Return the figures as text, and what kind of text that is."""
    PENDING.set(service.gate.approvals.count())
    RECORDS.set(service.journal.seen)
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
