"""The Grafana dashboard and the alert rules name metrics, labels and values that a server really has."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from prometheus_client.parser import text_string_to_metric_families

from tests.server.live_server import ASKS, SAFE, Running

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "interlock-alerts.yaml"
DASHBOARD = DEPLOY / "grafana" / "interlock-dashboard.json"
#: Labels that Prometheus adds to every sample, and the metric that it makes itself.
TARGET_LABELS, OWN_METRICS = {"instance", "job"}, {"up"}
FUNCTIONS = {"sum", "max", "min", "count", "rate", "increase", "deriv", "histogram_quantile", "label_values"}
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_SELECTOR = re.compile(r"\b([a-zA-Z_:][\w:]*)\s*\{([^{}]*)\}")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^()]*)\)")
_NAME = re.compile(r"(?<![\w$.])[a-zA-Z_:][\w:]*(?!\w)")


def expressions() -> Iterator[tuple[str, str]]:
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    board = json.loads(DASHBOARD.read_text())
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["definition"]
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def metrics_in(expression: str) -> set[str]:
    """Return the names of metrics in an expression: every word that is no label, function, keyword or duration."""
    bare = re.sub(r"\[[^\]]*\]", "", _TEXT.sub('""', expression))
    bare = _GROUPING.sub("", re.sub(r"\{[^{}]*\}", "", bare))
    return {word for word in _NAME.findall(bare) if word not in FUNCTIONS | TARGET_LABELS | {"by", "and", "or"}}


Samples = dict[str, dict[str, set[str]]]


@pytest.fixture(scope="module")
def samples(shared: Running) -> Samples:
    """The metrics of a server that has decided, by name, with the values of each of their labels."""
    agent = shared.agent("ann")
    agent.post("/v1/evaluate", SAFE).ok()
    shared.asked(agent, ASKS)
    found: Samples = {}
    for family in text_string_to_metric_families(shared.reviewer("bob").get("/metrics").body.decode()):
        for sample in family.samples:
            labels = found.setdefault(sample.name, defaultdict(set))
            for name, value in sample.labels.items():
                labels[name].add(value)
    return found


def problems_of(expression: str, samples: Samples) -> list[str]:
    """Return what an expression names that a server does not have."""
    names = metrics_in(expression) - OWN_METRICS
    found = [f"no metric `{name}`" for name in names if name not in samples]
    for name, matchers in _SELECTOR.findall(expression):
        for label, operator, value in _MATCHER.findall(matchers):
            if name in OWN_METRICS or label in TARGET_LABELS:
                continue
            known = samples.get(name, {}).get(label, set())
            values = value.split("|") if operator in ("=~", "!~") else [value]
            found += [f"no `{name}` with {label} `{one}`" for one in values if one not in known]
    for group in _GROUPING.findall(expression):
        for label in filter(None, map(str.strip, group.split(","))):
            if label not in TARGET_LABELS and not all(label in samples.get(name, {}) for name in names):
                found.append(f"no label `{label}`")
    if expression.count("(") != expression.count(")") or expression.count("{") != expression.count("}"):
        found.append("a bracket is missing")
    return found


@pytest.mark.parametrize(("where", "expression"), [pytest.param(*one, id=one[0]) for one in expressions()])
def test_everything_that_an_expression_names_exists(where: str, expression: str, samples: Samples) -> None:
    assert metrics_in(expression), where
    assert problems_of(expression, samples) == []


@pytest.mark.parametrize(
    "expression",
    [
        "interlock_nothing > 0",
        'sum(rate(interlock_requests_total{status="600"}[5m]))',
        'sum(rate(interlock_requests_total{code="5xx"}[5m]))',
        "sum by (verdikt) (rate(interlock_decisions_total[5m]))",
        "sum(rate(interlock_decisions_total[5m])",
    ],
)
def test_mistakes_are_found(expression: str, samples: Samples) -> None:
    assert problems_of(expression, samples)


def test_every_metric_of_a_server_is_shown_or_alerted_on(samples: Samples) -> None:
    named = set().union(*(metrics_in(expression) for _, expression in expressions()))
    ours = {name for name in samples if name.startswith("interlock_")}
    unnamed = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in ours}
    assert unnamed == {re.sub(r"_bucket$", "", name) for name in named - OWN_METRICS}


def test_alerts_say_how_long_how_bad_and_what_to_do() -> None:
    rules: list[dict[str, Any]] = [rule for one in yaml.safe_load(RULES.read_text())["groups"] for rule in one["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[mhd]", rule["for"])
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}
        assert all(rule["annotations"].values())


def test_the_panels_of_the_dashboard_fit_and_have_a_source() -> None:
    board = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["datasource"]["uid"] == "${datasource}"
