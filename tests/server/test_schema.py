"""Responses match the OpenAPI description, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from interlock.gate import Gate
from interlock.server.service import Service
from tests.server.client import PATIENCE
from tests.server.live_server import application, served
from tests.world.postgres import Server

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
#: Streams never end, so their body cannot be checked as a whole; `test_api` reads them.
ENDLESS = ("get", "/v1/events/stream")
#: The framework documents its own pages, and not well.
ABOUT_ITSELF = "/docs"
FUZZING = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
GOOD, BAD = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


def operations() -> Iterator[tuple[str, str, GenerationMode]]:
    """Yield every operation with what it is to be sent; what takes nothing cannot be sent anything wrong."""
    with application(cast(Service, None)) as app:
        document: Any = app.openapi_schema.to_schema()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if (method, path) != ENDLESS and not path.startswith(ABOUT_ITSELF):
                yield method, path, GOOD
                if "parameters" in operation or "requestBody" in operation:
                    yield method, path, BAD


OPERATIONS = list(operations())


class Target(NamedTuple):
    """A server with something in it: its document, an admin, and the ids of what is there."""

    schema: schemathesis.BaseSchema
    session: requests.Session
    headers: dict[str, str]
    known: dict[str, Any]


@pytest.fixture(scope="module")
def target(_home: Path, postgres: Server) -> Iterator[Target]:
    """A server on PostgreSQL: of the two databases it is the stricter about what a text may hold."""
    with (
        pytest.MonkeyPatch.context() as patch,
        served(Gate(store=postgres.new())) as running,
        requests.Session() as session,
    ):
        patch.setattr("interlock.server.service.MAX_WAIT", 0.01)  # no request is answered here
        agent, admin = running.agent("ann"), running.admin("eve")
        asked = running.asked(agent)
        policy = {"policyId": "known", "action": "warn", "when": "toolName == 'x'"}
        admin.post("/v1/policies", policy).ok(201)
        key = admin.post("/v1/keys", {"name": "spare", "role": "agent"}).ok(201)["key"]
        admin.post("/v1/people", {"name": "rita", "role": "reviewer"}).ok(201)
        known = {
            "run_id": asked["runId"],
            "approval_id": asked["approval"]["approvalId"],
            "policy_id": "known",
            "version": 1,
            "key_id": key["keyId"],
            "name": "rita",
        }
        document = running.nobody.get("/docs/openapi.json").ok()
        for found in document["components"]["schemas"].values():
            if "properties" in found:
                found["additionalProperties"] = False  # what is not documented is neither sent nor taken
        schema = schemathesis.openapi.from_dict(document)
        schema.config.update(base_url=f"http://127.0.0.1:{running.port}")
        yield Target(schema, session, admin.headers, known)


def seasoned(case: Case[Any], known: dict[str, Any]) -> None:
    """Put in what nobody finds by chance: the ids of what is there, and policies that compile."""
    case.path_parameters = {name: known.get(name, value) for name, value in (case.path_parameters or {}).items()}
    for given_ in (case.body, case.body.get("policy") if isinstance(case.body, dict) else None):
        if isinstance(given_, dict) and "policyId" in given_:
            given_ |= {"when": "risk.score > 90", "conditions": [], "name": "", "description": ""}
            given_ |= {"policyId": "known"} if "policy_id" in case.path_parameters else {}


@pytest.mark.parametrize(
    ("method", "path", "mode"), OPERATIONS, ids=[f"{mode.value} {method} {path}" for method, path, mode in OPERATIONS]
)
def test_whatever_is_sent_the_answer_is_a_documented_one(
    target: Target, method: str, path: str, mode: GenerationMode
) -> None:
    tried = []

    @FUZZING
    @given(case=target.schema[path][method].as_strategy(generation_mode=mode), season=st.booleans())
    def fuzz(case: Case[Any], season: bool) -> None:
        if season:
            seasoned(case, target.known)
        reply = case.call_and_validate(session=target.session, headers=target.headers, checks=CHECKS, timeout=PATIENCE)
        tried.append(reply.status_code)

    fuzz()
    assert tried


def test_the_document_is_there_and_names_every_operation(target: Target) -> None:
    named = {(method, path) for path, methods in target.schema.raw_schema["paths"].items() for method in methods}
    assert {(method, path) for method, path, _ in OPERATIONS} <= named
    assert ENDLESS in named
