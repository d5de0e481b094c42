"""The glossary is up to date, and knows the words that the product shows."""

from __future__ import annotations

from pathlib import Path

from interlock.access.roles import Role
from interlock.approval.request import ApprovalState
from interlock.glossary import GLOSSARY, render_page
from interlock.levels import Level, Verdict

PAGE = Path(__file__).parents[1] / "docs" / "glossary.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == render_page(), "run `make docs`"


def test_every_word_has_one_meaning() -> None:
    names = [term.name for terms in GLOSSARY.values() for term in terms]
    assert len(names) == len(set(names))


def test_the_values_that_people_see_are_explained() -> None:
    text = render_page()
    shown = [*Level, *Verdict, *ApprovalState, *Role]
    words = [one.value.replace("_", " ").removesuffix("ed") for one in shown]
    assert [word for word in words if word not in text] == []
