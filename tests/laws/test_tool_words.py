"""Laws about the words of tools: spelling does not matter, and a description never makes a call look safer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.analyse.tools.name_meaning import meaning_of
from interlock.analyse.tools.reported_effects import effect_of
from interlock.analyse.tools.vocabulary import GROUPS

VERBS = ["delete", "pay", "refund", "approve", "publish", "sign", "buy", "update", "get", "list", "draft", "send"]
OBJECTS = ["invoice", "contract", "user", "order", "task", "door", "patient", "grade", "payment", "report"]


def spellings(verb: str, thing: str) -> list[str]:
    """Return a name in the usual spellings."""
    return [f"{verb}_{thing}", f"{verb}-{thing}", f"{verb}{thing.title()}", f"{verb.title()}{thing.title()}"]


@given(st.sampled_from(VERBS), st.sampled_from(OBJECTS))
def test_spelling_does_not_matter(verb: str, thing: str) -> None:
    meanings = {meaning_of(name, "")[:2] for name in spellings(verb, thing)}
    assert len(meanings) == 1
    assert len({meaning_of(f"mcp__ring__{name}", "")[:2] for name in spellings(verb, thing)} | meanings) == 1


@given(st.sampled_from(["pay", "delete", "buy", "sign"]), st.sampled_from(OBJECTS), st.text(max_size=60))
def test_a_description_never_turns_a_grave_verb_into_a_read(verb: str, thing: str, description: str) -> None:
    assert meaning_of(f"{verb}_{thing}", description).verb == GROUPS[verb]


@pytest.mark.parametrize("thing", OBJECTS)
@pytest.mark.parametrize("verb", ["get", "list", "search", "draft", "calculate"])
def test_reading_and_drafting_do_nothing(verb: str, thing: str) -> None:
    meaning = meaning_of(f"{verb}_{thing}", "")
    assert effect_of(meaning.verb, meaning.things[0] if meaning.things else None) == ""
