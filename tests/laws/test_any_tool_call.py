"""Any tool call is decided: no name, description, schema or payload makes the analysis fail."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Action, Engine
from interlock.analyse.code import FAULT
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ArgumentRoles, ToolObjects, ToolVerbs

ENGINE = Engine()
VERBS = [word for words in read_table("tool-verbs", ToolVerbs).groups.values() for word in words]
OBJECTS = [word for thing in read_table("tool-objects", ToolObjects).objects for word in thing.words]
KEYS = [word for words in read_table("argument-roles", ArgumentRoles).keys.values() for word in words]
keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=8))
words = st.one_of(st.sampled_from(VERBS), st.sampled_from(OBJECTS), st.text(max_size=6))
names = st.one_of(
    st.text(max_size=20),
    st.lists(words, max_size=5).flatmap(lambda found: st.sampled_from("_.- /").map(lambda joint: joint.join(found))),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30), words),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(keys, inner, max_size=3),
    ),
    max_leaves=8,
)
payloads = st.dictionaries(keys, values, max_size=5)
descriptions = st.one_of(st.none(), st.text(max_size=60), st.lists(words, max_size=8).map(" ".join))


@settings(max_examples=1_500)
@given(names, payloads, descriptions)
def test_the_analysis_never_fails(name: str, payload: dict[str, Any], description: str | None) -> None:
    found = ENGINE.decide(Action(tool_name=name or "x", input_payload=payload, description=description)).assessment
    assert not any(FAULT in note for note in found.analysis.coverage.opaque), found.analysis.coverage.opaque
