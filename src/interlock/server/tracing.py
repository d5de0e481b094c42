"""Tracing: one OpenTelemetry span for each action that is decided, where somebody has said where spans go.

Nothing of it is imported otherwise. What an action says is not in its span.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any

from interlock.errors import InterlockError
from interlock.model import Action
from interlock.server.schemas import Evaluation
from interlock.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
CLOSE_SECONDS = 3.0
MAX_NAME = 200


class Tracer:
    """Makes spans, and has them sent."""

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

    async def trace(self, headers: Mapping[str, str], action: Action, deciding: Awaitable[Evaluation]) -> Evaluation:
        """Return what is decided, in a span that belongs to the trace which the headers name."""
        tool = action.tool_name[:MAX_NAME]
        parent = self._propagator.extract({name: headers[name] for name in _CONTEXT if name in headers})
        first = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        span = self._tracer.start_span(f"execute_tool {tool}", parent, attributes=first)
        try:
            found = await deciding
            span.set_attributes(_told(found))
            return found
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)  # its text may hold the action's
            span.set_status(self._failed)
            raise
        finally:
            span.end()

    def close(self) -> None:
        """Send what is still here, if that goes quickly."""
        ending = Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(CLOSE_SECONDS)
        if ending.is_alive():
            self._exporter.shutdown()  # or it would try for long, and the server would not stop


_CONTEXT = ("traceparent", "tracestate")


def _told(found: Evaluation) -> dict[str, Any]:
    """Return what a span says of a decision."""
    told = {
        "gen_ai.tool.call.id": found.decision_id,
        "gen_ai.conversation.id": found.run_id,
        "interlock.verdict": found.verdict.value,
        "interlock.level": found.level.value,
        "interlock.score": found.score,
        "interlock.allowed": found.allowed,
    }
    return told if found.agent_id is None else {**told, "gen_ai.agent.id": found.agent_id}


def tracer() -> Tracer | None:
    """Return what makes spans where the environment says where they go, else None; or raise where it cannot be."""
    endpoint = _first(ENDPOINTS)
    if endpoint is None:
        return None
    protocol = os.environ.get(_first(PROTOCOLS) or "", PROTOCOL)
    if protocol != PROTOCOL:
        raise InterlockError(f"spans are sent by `{PROTOCOL}`, and `{_first(PROTOCOLS)}` says `{protocol}`; change it")
    try:
        return Tracer()
    except ModuleNotFoundError:
        raise InterlockError(
            f"`{endpoint}` is set, and sending spans takes packages that are not installed; run "
            "`pip install 'interlock[otel]'`, or unset it"
        ) from None


def _first(names: tuple[str, ...]) -> str | None:
    """Return the first name that the environment gives a value to."""
    return next((name for name in names if os.environ.get(name, "").strip()), None)


def _resource() -> Resource:
    """Return what spans say of whoever makes them; what the environment says of that counts more."""
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    ours = Resource({"service.name": "interlock", "service.version": VERSION})
    return Resource.create().merge(ours).merge(OTELResourceDetector().detect())


async def traced(
    found: Tracer | None, headers: Mapping[str, str], action: Action, deciding: Awaitable[Evaluation]
) -> Evaluation:
    """Return what is decided, in a span where there is a tracer."""
    return await (deciding if found is None else found.trace(headers, action, deciding))
