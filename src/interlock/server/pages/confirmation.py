"""The second step of changes that are hard to undo: a page that states their effects and asks for confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Response

from interlock.server.pages.renderer import PageRenderer, PageRequest

#: The field that a confirmed form has.
CONFIRMED = "confirmed"
MAX_FIELD = 10_000


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question before a change: a title, the effects, the label of the button, and the address of the form.

    `secrets` are the fields for secrets that are needed for it, each with its label.
    """

    title: str
    effects: tuple[str, ...]
    label: str
    action: str
    back: str
    secrets: tuple[tuple[str, str], ...] = ()


def ask(
    request: PageRequest,
    pages: PageRenderer,
    question: Question,
    fields: Mapping[str, str],
    problems: Mapping[str, str] | None = None,
) -> Response[str]:
    """Return the page that asks; its form sends the same fields again, confirmed. `problems` are those of secrets."""
    return pages.render(
        request,
        "confirm.html",
        status=422 if problems else 200,
        question=question,
        fields={**fields, CONFIRMED: "yes"},
        problems=problems or {},
    )


def field(form: Any, name: str) -> str:
    """Return a field of a form, without surrounding spaces; an empty text if it is missing."""
    return str(form.get(name, "")).strip()[:MAX_FIELD]


def is_confirmed(form: Any) -> bool:
    """Whether a form comes from the page that asks."""
    return field(form, CONFIRMED) == "yes"
