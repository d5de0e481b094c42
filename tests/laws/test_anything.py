"""Any input at all gives an answer."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, RiskAssessor, detect_tier, score_command
from interlock.analyse.code import FAULT
from interlock.analyse.payloads.tools import TOOLS
from tests.reading import ENGINE

anything: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
keys = st.sampled_from(["command", "code", "query", "file_path", "path", "url", "patch", "content", "method", "x"])
payloads = st.dictionaries(keys, anything, max_size=4)
any_text = st.text(st.characters(codec=None), max_size=80)  # lone surrogates too
shellish = st.text(st.sampled_from(list("rm -f/$(){}[]<>|&;'\"`\\\n~*?=#!x1,.@:%+\0\udc80é")), max_size=60)


def answer(action: Action) -> None:
    decision = ENGINE.decide(action)
    assert json.dumps(decision.to_wire())
    assert msgspec.json.encode(decision.to_wire())
    assert not any(FAULT in why for why in decision.assessment.coverage.opaque)
    assert sum(factor.points for factor in decision.assessment.factors) == decision.assessment.score


@given(st.one_of(any_text, shellish))
def test_any_text_is_answered(text: str) -> None:
    for action in (Action.shell(text), Action.python(text), Action.sql(text)):
        answer(action)
    assert score_command(text).score >= 0
    assert RiskAssessor().assess({"code": text}).level
    assert detect_tier("terminal", text)


@given(st.sampled_from([*TOOLS, "frobnicate", "", "mcp__"]), payloads, anything)
def test_any_payload_is_answered(tool: str, payload: dict[str, Any], more: Any) -> None:
    answer(
        Action(
            tool_name=tool,
            input_payload=payload,
            metadata={"x": more},
            hints={"y": more},
            annotations={"destructiveHint": more},
        )
    )


@given(any_text, any_text, any_text, any_text)
def test_any_place_is_answered(cwd: str, workspace: str, home: str, environment: str) -> None:
    answer(Action.shell("rm -rf x ~/y ../z", cwd=cwd, workspace=workspace, home=home, environment=environment))


@given(st.binary(max_size=80))
def test_any_bytes_are_assessed(data: bytes) -> None:
    assert RiskAssessor().assess({"code": data}).level
