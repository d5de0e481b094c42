"""Requests with a body: those that only ask something pass, others need approval, and no header makes one lighter."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)
WIKI = "https://wiki.harbour-foods.example/api/pages"


def is_allowed(arguments: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name="http_request", input_payload=arguments)).allowed


def test_a_request_that_only_asks_passes() -> None:
    url = "https://forms.a.example/api/v1/orders/preview"
    assert is_allowed({"method": "POST", "url": url, "body": {"sku": "A1"}})


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "POST", "url": WIKI, "body": {"title": "Stand-up", "text": "Anna is back on Monday."}},
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
def test_a_request_that_changes_something_asks(arguments: dict[str, Any]) -> None:
    assert not is_allowed(arguments)


def test_a_header_makes_no_request_lighter() -> None:
    refund = {"method": "POST", "url": "https://api.stripe.com/v1/refunds", "body": {"charge": "ch_1"}}
    for method in ("GET", "PATCH", "OPTIONS"):
        assert not is_allowed(refund | {"headers": {"X-HTTP-Method-Override": method}})
