"""A model as reviewer, at the gate: over HTTP, on a server that speaks the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from interlock import Action, ActionRefused, Gate
from interlock.approval.request import ApprovalState
from interlock.audit.read import RecordFilter, read_all
from tests.model_server import Asked as Question
from tests.model_server import Endpoint, Script, Wire, running, says
from tests.reading import WHERE
from tests.world.requests import yes
from tests.world.test_gate import PUSH, Person

WRITE = Action(tool_name="write_file", input_payload={"path": "a.txt", "content": "x"}, **WHERE)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as found:
        yield found


def settings(endpoint: Endpoint, mode: str = "tiers") -> str:
    return (
        f'mode = "{mode}"\n[reviewer]\nname = "local"\nprotocol = "openai"\nendpoint = "{endpoint.url}"\nmodel = "m"\n'
        "[approvals]\none_person = true\n"
    )


def test_a_model_approves_where_a_model_is_enough(configured: Callable[[str], Gate], endpoint: Endpoint) -> None:
    endpoint.script = says(lambda asked: asked.answer("approve", "a small file"))
    gate = configured(settings(endpoint))
    outcome = gate.check(WRITE)
    assert outcome.approval is not None
    assert outcome.approval.why == "approved by `model:local`"
    answers = [
        line.record.data["answer"] for line in read_all(gate.journal.database, RecordFilter(kind="approval.answered"))
    ]
    assert [(one["model"], one["verdict"], one["reason"]) for one in answers] == [(True, "approve", "a small file")]


def test_three_rejections_by_a_model_pause_the_run(configured: Callable[[str], Gate], endpoint: Endpoint) -> None:
    endpoint.script = says(lambda asked: asked.answer("reject", "no"))
    gate = configured(settings(endpoint))
    with gate.run(agent_id="bot", run_id="r1"):
        for _ in range(3):
            with pytest.raises(ActionRefused, match="rejected by `model:local`: no"):
                gate.check(WRITE)
        with pytest.raises(ActionRefused, match="is paused"):
            gate.check(Action.shell("ls", **WHERE))
    with gate.run(agent_id="bot", run_id="r2"):
        gate.check(Action(tool_name="read_file", input_payload={"path": "a.txt"}, **WHERE))  # another run goes on


def test_an_approval_in_between_keeps_the_run_going(configured: Callable[[str], Gate], endpoint: Endpoint) -> None:
    gate = configured(settings(endpoint))
    with gate.run(agent_id="bot", run_id="r1"):
        for verdict in ("reject", "reject", "approve", "reject", "reject"):
            endpoint.script = saying(verdict)
            if verdict == "approve":
                gate.check(WRITE)
                continue
            with pytest.raises(ActionRefused, match="rejected by"):
                gate.check(WRITE)
        assert gate.runs.get("r1").state == "open"


def saying(verdict: str) -> Script:
    return says(lambda asked: asked.answer(verdict, "so"))


def failing(wire: Wire, _asked: Question) -> None:
    wire.send(b"{}", 500)


FAULTS = {
    "status 500": failing,
    "nonsense": says(lambda _: "I think it is fine"),
    "another nonce": says(lambda asked: asked.answer("approve", "ok", nonce="0" * 32)),
    "escalate": says(lambda asked: asked.answer("escalate", "not sure")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_review_asks_a_person(
    configured: Callable[[str], Gate], endpoint: Endpoint, fault: str, store: str
) -> None:
    endpoint.script = FAULTS[fault]
    configured(settings(endpoint))
    person = Person(lambda approval, approver: yes(approver, approval.needs.challenge))
    with Gate(store=store, approver=person) as gate:
        outcome = gate.check(WRITE)
    assert len(person.asked) == 1
    assert outcome.approval is not None
    assert [answer.verdict.value for answer in outcome.approval.answers] == ["escalate", "approve"]


def test_a_model_s_approval_is_not_a_person_s(configured: Callable[[str], Gate], endpoint: Endpoint) -> None:
    endpoint.script = says(lambda asked: asked.answer("approve", "fine"))
    gate = configured(settings(endpoint, "full"))
    with pytest.raises(ActionRefused, match="no approver is available"):
        gate.check(PUSH)
    assert gate.approvals.list(None)[0].state is ApprovalState.CANCELLED


def test_the_model_sees_no_secret(configured: Callable[[str], Gate], endpoint: Endpoint) -> None:
    seen: list[Question] = []

    def script(wire: Wire, asked: Question) -> None:
        seen.append(asked)
        says(lambda asked: asked.answer("approve", "fine"))(wire, asked)

    endpoint.script = script
    gate = configured(settings(endpoint))
    gate.check(Action(tool_name="write_file", input_payload={"path": "a", "password": "hunter2-Tr0ub4dor"}, **WHERE))
    assert "masked" in seen[0].data
    assert "hunter2" not in str(seen[0].body)
