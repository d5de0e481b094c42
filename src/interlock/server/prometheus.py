"""Metrics for Prometheus: what this server did, and the state of its store."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate, product

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from interlock.approval.request import ApprovalState
from interlock.levels import Level, Verdict
from interlock.model import Decision
from interlock.rules.standards.rule_ids import OWASP_IDS, owasp_ids_of
from interlock.server.store_state import StoreState
from interlock.server.webhooks.delivery_worker import DELIVERY_RESULTS
from interlock.version import VERSION

_ENDED = tuple(state.value for state in ApprovalState if state is not ApprovalState.PENDING)
BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)


class PrometheusMetrics:
    """The metrics of one server, counted as plain numbers and formatted when they are scraped."""

    def __init__(self) -> None:
        self._decisions: Counter[tuple[Verdict, Level]] = Counter()
        self._observed: Counter[tuple[Verdict, Level]] = Counter()
        self._owasp: Counter[tuple[str, Verdict]] = Counter()
        self._ended: dict[str, int] = {}
        self._deliveries: Mapping[str, int] = {}
        self._requests: Counter[int] = Counter()
        self._buckets, self._seconds = [0] * (len(BUCKETS) + 1), 0.0
        self._registry = registry = CollectorRegistry()
        registry.register(self)
        self._pending = Gauge(
            "interlock_approvals_pending", "Approval requests that wait for an answer.", registry=registry
        )
        self._stops = Gauge(
            "interlock_stops", "Stops of agents, keys or everything that are in force.", registry=registry
        )
        self._records = Gauge("interlock_records", "The number of the newest record.", registry=registry)
        self._failed = Gauge(
            "interlock_configuration_failed",
            "1 if the newest configuration does not load, and an older one is in force.",
            registry=registry,
        )
        self._differing = Gauge(
            "interlock_configurations_differing",
            "Number of other configurations that the servers of this store use.",
            registry=registry,
        )
        self._store_up = Gauge("interlock_store_up", "1 if the store answers.", registry=registry)
        build = Gauge("interlock_build", "The version of the server.", ["version"], registry=registry)
        build.labels(VERSION).set(1)

    def count_decision(self, decision: Decision, seconds: float) -> None:
        """Count a decision, and how long it took, not counting the wait for an approval."""
        level = decision.assessment.level
        self._decisions[decision.verdict, level] += 1
        for id_ in owasp_ids_of(finding.rule for finding in decision.assessment.findings):
            self._owasp[id_, decision.verdict] += 1
        if decision.would_have is not None:
            self._observed[decision.would_have.verdict, level] += 1
        self._buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds

    def count_response(self, status: int) -> None:
        """Count a response by its status."""
        self._requests[status // 100] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield the counters in Prometheus's form."""
        requests = CounterMetricFamily("interlock_requests", "Requests, by status.", labels=["status"])
        for hundreds in (1, 2, 3, 4, 5):
            requests.add_metric([f"{hundreds}xx"], self._requests[hundreds])
        yield requests
        yield _verdicts("interlock_decisions", "Decisions, by verdict and level.", self._decisions)
        observed = "Decisions on actions that are only observed, by the verdict that they would have had."
        yield _verdicts("interlock_observed_decisions", observed, self._observed)
        risks = "Decisions on actions that a rule of this OWASP Agentic risk matched, by risk and verdict."
        by_risk = CounterMetricFamily("interlock_owasp_decisions", risks, labels=["owasp", "verdict"])
        for id_, verdict in product(OWASP_IDS, Verdict):
            by_risk.add_metric([id_, verdict.value], self._owasp[id_, verdict])
        yield by_risk
        ended = "Approval requests of the store that have ended, by state."
        yield _labelled_counter(
            "interlock_approvals_ended", ended, "state", {name: self._ended.get(name, 0) for name in _ENDED}
        )
        sent = "Webhook delivery attempts by this server. `failed` deliveries are not retried."
        results = {name: self._deliveries.get(name, 0) for name in DELIVERY_RESULTS}
        yield _labelled_counter("interlock_webhook_deliveries", sent, "result", results)
        edges = [*map(str, BUCKETS), "+Inf"]
        buckets = list(zip(edges, accumulate(self._buckets), strict=True))
        help_text = "How long a decision took, including recording it, not counting the wait for an approval."
        yield HistogramMetricFamily("interlock_evaluate_seconds", help_text, buckets=buckets, sum_value=self._seconds)

    def set_configuration(self, *, failed: bool, differing: int) -> None:
        """Set whether the configuration failed to load, and how many others there are."""
        self._failed.set(failed)
        self._differing.set(differing)

    def render(self, state: StoreState | None, *, records: int, deliveries: Mapping[str, int]) -> tuple[bytes, str]:
        """Return the metrics as text, and its content type. `state` is None while the store does not answer."""
        self._store_up.set(state is not None)
        self._pending.set(float("nan") if state is None else state.requests.get(ApprovalState.PENDING.value, 0))
        self._stops.set(float("nan") if state is None else state.stops)
        self._ended = self._ended if state is None else state.requests
        self._deliveries = deliveries
        self._records.set(records)
        return generate_latest(self._registry), CONTENT_TYPE_LATEST


def _labelled_counter(name: str, text: str, label: str, numbers: Mapping[str, int]) -> CounterMetricFamily:
    """Return a counter with one label. Each value is there from the start, so that its first increase is seen."""
    family = CounterMetricFamily(name, text, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


def _verdicts(name: str, text: str, numbers: Mapping[tuple[Verdict, Level], int]) -> CounterMetricFamily:
    """Return a counter by verdict and level."""
    family = CounterMetricFamily(name, text, labels=["verdict", "level"])
    for verdict, level in product(Verdict, Level):
        family.add_metric([verdict.value, level.value], numbers.get((verdict, level), 0))
    return family
