"""Laws of rehearsals: only a switch of the operation itself, or its environment, can make a call one."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine()
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("send_payment", {"to": "Acme", "amount": 900}),
    ("transfer_funds", {"to": "savings", "amount": 10}),
    ("stripe_create_payout", {"amount": 900}),
    ("grant_role", {"user": "eve@example.org", "role": "admin"}),
    ("mcp__okta__assign_role", {"userId": "u1", "role": "SUPER_ADMIN"}),
    ("delete_customer", {"id": "c1"}),
    ("mcp__github__delete_repository", {"owner": "acme", "repo": "web"}),
    ("export_customers", {}),
    ("disable_mfa", {"user": "bob"}),
    ("sign_contract", {"id": 4}),
    ("place_order", {"sku": "A1", "qty": 2}),
]
REHEARSALS: list[dict[str, Any]] = [
    {"dry_run": True},
    {"validate_only": True},
    {"test_mode": "true"},
    {"preview": True},
    {"sandbox": True},
    {"environment": "sandbox"},
    {"options": {"dry_run": True}},
    {"apply": False},
]
NOT_REHEARSALS: list[dict[str, Any]] = [
    {"status": "inactive"},
    {"state": "draft"},
    {"save_as": "draft"},
    {"account": "private"},
    {"visibility": "private"},
    {"action": "check"},
    {"operation": "list"},
    {"intent": "read"},
    {"mode": "check"},
    {"send": False},
    {"published": False},
    {"read_only": True},
    {"ref": "test"},
    {"note": "sandbox"},
    {"description": "dry_run"},
    {"metadata": {"project": "dev"}},
    {"metadata": {"dry_run": True}},
    {"metadata": {"environment": "test"}},
    {"tags": {"env": "dev"}},
    {"labels": [{"environment": "staging"}]},
    {"custom_fields": {"test": True}},
    {"items": [{"dry_run": True}]},
    {"options": [{"dry_run": True}, {}]},
    {"fields": [{"field": "dry_run", "value": True}]},
    {"dry_run": False},
    {"dry_run": "no"},
    {"dry_run": {"note": "true"}},
]
calls = pytest.mark.parametrize(("tool", "payload"), CALLS, ids=[tool for tool, _ in CALLS])


def is_stopped(tool: str, payload: dict[str, Any]) -> bool:
    verdict = ENGINE.decide(Action(tool_name=tool, input_payload=payload)).verdict
    return verdict.value in ("require_approval", "block")


@calls
@pytest.mark.parametrize("added", REHEARSALS, ids=str)
def test_a_switch_of_the_operation_rehearses_it(tool: str, payload: dict[str, Any], added: dict[str, Any]) -> None:
    assert not is_stopped(tool, {**payload, **added})


@calls
@pytest.mark.parametrize("added", NOT_REHEARSALS, ids=str)
def test_nothing_else_does(tool: str, payload: dict[str, Any], added: dict[str, Any]) -> None:
    assert is_stopped(tool, {**payload, **added})


PLACES = [{"account": "test"}, {"project": "dev"}, {"site": "demo"}, {"service": "test"}]


@pytest.mark.parametrize("added", PLACES, ids=str)
@pytest.mark.parametrize(("tool", "payload"), [CALLS[0], CALLS[1], CALLS[-1]], ids=["pay", "transfer", "order"])
def test_the_name_of_a_place_says_nothing_about_money(
    tool: str, payload: dict[str, Any], added: dict[str, Any]
) -> None:
    assert is_stopped(tool, {**payload, **added})


@pytest.mark.parametrize("state", [{"status": "draft"}, {"draft": True}, {"published": False}], ids=str)
def test_a_draft_is_not_published(state: dict[str, Any]) -> None:
    assert is_stopped("create_blog_post", {"title": "News", "status": "published"})
    assert not is_stopped("create_blog_post", {"title": "News", **state})
