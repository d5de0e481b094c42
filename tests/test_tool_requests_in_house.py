"""Requests to systems that a company runs for its own people: what is noted there passes, everything else asks."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)
WIKI = "https://wiki.harbour-foods.example/api/pages"


def is_allowed(arguments: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name="http_request", input_payload=arguments)).allowed


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "POST", "url": WIKI, "body": {"title": "Stand-up", "text": "Anna is back on Monday."}},
        {"method": "PATCH", "url": "https://youtrack.a.example/api/issues/W-3", "body": {"state": "In progress"}},
        {
            "method": "POST",
            "url": "https://timesheet.intra.a.example/entries",
            "body": {"project": "till", "minutes": 45},
        },
        {"method": "POST", "url": "https://forms.a.example/api/v1/orders/preview", "body": {"sku": "A1"}},
    ],
)
def test_a_note_in_a_system_of_the_company_passes(arguments: dict[str, Any]) -> None:
    assert is_allowed(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "POST", "url": WIKI.replace("wiki", "www"), "body": {"title": "Stand-up"}},
        {"method": "POST", "url": "https://wiki-api.example/pages", "body": {"title": "Stand-up"}},
        {"method": "POST", "url": "http://wiki.a.example/pages", "body": {"title": "Stand-up"}},
        {"method": "POST", "url": WIKI, "body": {"text": "password: hunter2-Prod!7"}},
        {"method": "POST", "url": WIKI, "body": {"attachment": "customers.csv"}},
        {"method": "DELETE", "url": WIKI + "/7"},
        {"method": "POST", "url": WIKI + "/7", "headers": {"X-HTTP-Method-Override": "DELETE"}, "body": {}},
        {"method": "POST", "url": "https://gitlab.a.example/api/v4/groups/7/members", "body": {"access_level": 50}},
        {
            "method": "POST",
            "url": "https://intranet.a.example/api/payments",
            "body": {"iban": "DE89370400440532013000"},
        },
    ],
)
def test_anything_else_asks(arguments: dict[str, Any]) -> None:
    assert not is_allowed(arguments)


def test_a_header_makes_no_request_lighter() -> None:
    refund = {"method": "POST", "url": "https://api.stripe.com/v1/refunds", "body": {"charge": "ch_1"}}
    for method in ("GET", "PATCH", "OPTIONS"):
        assert not is_allowed(refund | {"headers": {"X-HTTP-Method-Override": method}})
