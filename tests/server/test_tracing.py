"""Tracing: a span for each decision if an endpoint is configured, and no imports otherwise."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.config.settings import ServerSettings
from interlock.errors import InterlockError
from interlock.gate.gate import Gate
from interlock.server.tracing import ENDPOINTS, PROTOCOLS, make_tracer
from tests.server.client import PATIENCE
from tests.server.receiver import Receiver, answers, receiving

with warnings.catch_warnings():  # how the framework would like parameters to be named is not what is tested here
    warnings.simplefilter("ignore", DeprecationWarning)
    from litestar.testing import TestClient

    from interlock.server.service import Service
    from tests.server.live_server import application

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
COMMAND = "echo a-word-of-the-action"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    for name in (*ENDPOINTS, *PROTOCOLS, "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with receiving(answers(200)) as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{found.port}")
        yield found


def ask(tmp_path: Path, path: str, body: Any, **headers: str) -> Any:
    """Ask a server that then stops; return what it answered."""
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate:
        service = Service(gate, ServerSettings(rate=0), url="http://127.0.0.1:8700")
        keys = AccessKeys(gate.journal)
        _, secret = keys.create("bot", Role.AGENT, owner="ann", actor="ann")
        with application(service) as app, TestClient(app) as client:
            return client.post(path, json=body, headers={"authorization": f"Bearer {secret}", **headers})


def spans(collector: Receiver) -> list[Span]:
    assert {one.path for one in collector.seen} <= {"/v1/traces"}
    exported = [ExportTraceServiceRequest.FromString(one.body) for one in collector.seen]
    return [
        span for one in exported for part in one.resource_spans for scope in part.scope_spans for span in scope.spans
    ]


def said(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in attributes}


def action(command: str = COMMAND, **more: Any) -> dict[str, Any]:
    return {"toolName": "Bash", "inputPayload": {"command": command}, **more}


def test_a_decision_is_a_span(tmp_path: Path, collector: Receiver) -> None:
    answer = ask(tmp_path, "/v1/evaluate", action(), traceparent=f"00-{TRACE}-{PARENT}-01").json()
    (span,) = spans(collector)
    assert (span.name, span.kind) == ("execute_tool Bash", Span.SPAN_KIND_INTERNAL)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert said(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "Bash",
        "gen_ai.tool.call.id": answer["decisionId"],
        "gen_ai.conversation.id": answer["runId"],
        "gen_ai.agent.id": "bot",
        "interlock.verdict": answer["verdict"],
        "interlock.level": answer["level"],
        "interlock.score": answer["score"],
        "interlock.allowed": True,
    }
    resource = ExportTraceServiceRequest.FromString(collector.seen[0].body).resource_spans[0].resource
    assert said(resource.attributes)["service.name"] == "interlock"


def test_spans_do_not_contain_the_input_of_actions(tmp_path: Path, collector: Receiver) -> None:
    ask(tmp_path, "/v1/evaluate", action(metadata={"note": "a-word-of-the-action"}, cwd="/a-word-of-the-action"))
    assert len(spans(collector)) == 1
    assert all(b"a-word-of" not in one.body for one in collector.seen)


@pytest.mark.parametrize("given", [{}, {"traceparent": "nonsense"}, {"traceparent": f"00-{'0' * 32}-{PARENT}-01"}])
def test_without_a_trace_to_belong_to_one_begins(tmp_path: Path, collector: Receiver, given: dict[str, str]) -> None:
    ask(tmp_path, "/v1/evaluate", action(), **given)
    (span,) = spans(collector)
    assert (span.parent_span_id, len(span.trace_id)) == (b"", 16)


def test_resource_attributes_of_the_environment_are_kept(tmp_path: Path, collector: Receiver) -> None:
    ask(tmp_path, "/v1/evaluate", action(), traceparent=f"00-{TRACE}-{PARENT}-00")
    assert spans(collector) == []


def test_each_action_of_several_has_its_own(tmp_path: Path, collector: Receiver) -> None:
    body = {"actions": [action(), action("rm -rf /"), action()]}
    items = ask(tmp_path, "/v1/evaluate/batch", body, traceparent=f"00-{TRACE}-{PARENT}-01").json()["items"]
    found = spans(collector)
    assert [said(span.attributes)["gen_ai.tool.call.id"] for span in found] == [one["decisionId"] for one in items]
    assert [said(span.attributes)["interlock.allowed"] for span in found] == [True, False, True]
    assert {span.parent_span_id.hex() for span in found} == {PARENT}


def test_failed_evaluations_have_spans_too(tmp_path: Path, collector: Receiver) -> None:
    assert ask(tmp_path, "/v1/evaluate", action(agentId="somebody-else")).status_code == 403
    (span,) = spans(collector)
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert said(span.attributes)["error.type"] == "ForbiddenError"
    assert (span.status.message, list(span.events)) == ("", [])


def test_the_environment_names_the_service(
    tmp_path: Path, collector: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "gatehouse")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"http://127.0.0.1:{collector.port}/v1/traces")
    ask(tmp_path, "/v1/evaluate", action())
    resource = ExportTraceServiceRequest.FromString(collector.seen[0].body).resource_spans[0].resource
    assert said(resource.attributes)["service.name"] == "gatehouse"


def test_a_collector_that_is_away_holds_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", str(4 * PATIENCE))  # for so long it would try again
    monkeypatch.setattr("interlock.server.tracing.CLOSE_SECONDS", 0.2)
    started = time.monotonic()
    assert ask(tmp_path, "/v1/evaluate", action()).json()["allowed"]
    assert time.monotonic() - started < PATIENCE


def test_opentelemetry_is_not_imported_without_an_endpoint() -> None:
    program = (
        "import sys; from interlock.server import tracing, service, app; assert tracing.make_tracer() is None; "
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", ENDPOINTS)
def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(InterlockError) as raised:
        make_tracer()
    assert str(raised.value) == (
        f"`{name}` is set, but the packages for sending spans are not installed; run "
        "`pip install 'interlock[otel]'`, or unset it"
    )


@pytest.mark.parametrize("name", PROTOCOLS)
def test_an_unsupported_protocol_is_reported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv(name, "grpc")
    with pytest.raises(InterlockError, match=f"`{name}` is `grpc`, but only `http/protobuf` is supported"):
        make_tracer()


def test_an_empty_endpoint_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", " ")
    assert make_tracer() is None
