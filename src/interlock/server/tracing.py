"""Tracing: one OpenTelemetry span for each decision, if the environment names an endpoint for spans.

OpenTelemetry is not imported otherwise. An action's input is never part of its span.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.errors import InterlockError
from interlock.model import Action
from interlock.server.schemas import CheckedAction, Evaluation
from interlock.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
CLOSE_SECONDS = 3.0
MAX_NAME = 200
Traced = TypeVar("Traced", Evaluation, CheckedAction)


class Tracer:
    """Makes spans and exports them."""

    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace import Status, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._exporter: SpanExporter = OTLPSpanExporter()
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("interlock", VERSION)
        self._propagator = TraceContextTextMapPropagator()
        self._failed = Status(StatusCode.ERROR)

    async def trace(self, headers: Mapping[str, str], action: Action, evaluation: Awaitable[Traced]) -> Traced:
        """Await an evaluation within a span, which belongs to the trace that the headers name."""
        tool = action.tool_name[:MAX_NAME]
        parent = self._propagator.extract({name: headers[name] for name in _CONTEXT if name in headers})
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        span = self._tracer.start_span(f"execute_tool {tool}", parent, attributes=attributes)
        try:
            result = await evaluation
            span.set_attributes(_span_attributes(result))
            return result
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)  # its message may quote the action
            span.set_status(self._failed)
            raise
        finally:
            span.end()

    def close(self) -> None:
        """Export the remaining spans, for at most a few seconds."""
        ending = Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(CLOSE_SECONDS)
        if ending.is_alive():
            self._exporter.shutdown()  # otherwise it would keep retrying, and the server would not stop


_CONTEXT = ("traceparent", "tracestate")


def _span_attributes(result: Evaluation | CheckedAction) -> dict[str, Any]:
    """Return the attributes of a decision's span."""
    attributes = {
        "gen_ai.tool.call.id": result.decision_id,
        "gen_ai.conversation.id": result.run_id,
        "interlock.verdict": result.verdict.value,
        "interlock.level": result.level.value,
        "interlock.score": result.score,
        "interlock.allowed": result.allowed,
    }
    if result.would_have is not None:
        attributes["interlock.would_have"] = result.would_have.verdict.value
    return attributes if result.agent_id is None else {**attributes, "gen_ai.agent.id": result.agent_id}


def make_tracer() -> Tracer | None:
    """Return a tracer if the environment names an endpoint, else None; raise if spans cannot be sent there."""
    endpoint = _first(ENDPOINTS)
    if endpoint is None:
        return None
    protocol = os.environ.get(_first(PROTOCOLS) or "", PROTOCOL)
    if protocol != PROTOCOL:
        raise InterlockError(f"`{_first(PROTOCOLS)}` is `{protocol}`, but only `{PROTOCOL}` is supported; change it")
    try:
        return Tracer()
    except ModuleNotFoundError:
        raise InterlockError(
            f"`{endpoint}` is set, but the packages for sending spans are not installed; run "
            "`pip install 'interlock[otel]'`, or unset it"
        ) from None


def _first(names: tuple[str, ...]) -> str | None:
    """Return the first of these environment variables that is set."""
    return next((name for name in names if os.environ.get(name, "").strip()), None)


def _resource() -> Resource:
    """Return the resource that spans name. Settings in the environment override ours."""
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    ours = Resource({"service.name": "interlock", "service.version": VERSION})
    return Resource.create().merge(ours).merge(OTELResourceDetector().detect())


async def trace_evaluation(
    tracer: Tracer | None, headers: Mapping[str, str], action: Action, evaluation: Awaitable[Traced]
) -> Traced:
    """Await an evaluation, within a span if there is a tracer."""
    return await (evaluation if tracer is None else tracer.trace(headers, action, evaluation))
