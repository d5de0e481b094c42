"""No additional argument turns a change into a read: operations that the rest of the call contradicts do not count."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine()
#: The tool, a call of it that asks, and what is added.
PADDED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("refund", {"charge": "ch_1"}, {"wait": 60}),
    ("refund", {"charge": "ch_1"}, {"trace_id": "abc"}),
    ("refund", {"charge": "ch_1"}, {"verify": True}),
    ("refund", {"charge": "ch_1"}, {"action": "add_note"}),
    ("azure_stop_vms", {"group": "prod"}, {"op": "read"}),
    ("linear.organization.invite", {"email": "x@gmail.com", "role": "admin"}, {"command": "ls"}),
    ("gm_grant_currency", {"player": "p1"}, {"command": "ls"}),
    ("door_lock", {"state": "unlocked"}, {"step": "check"}),
    ("door_lock", {"state": "unlocked"}, {"op": "status"}),
    ("manage_user", {"user": "bob", "role": "admin"}, {"event": "view"}),
    ("broadcast", {"to": "all", "text": "hi"}, {"task": "check"}),
    ("broadcast", {"to": "all", "text": "hi"}, {"op": "status"}),
    ("Uber-Request-Ride", {"pickup": "Market 4", "dropoff": "Airport", "product": "XL"}, {"op": "read"}),
    ("mcp__ring__share_live_view", {"camera": "Kids room", "recipient": "a@gmail.com"}, {"step": "check"}),
    ("issue_refund", {"order_id": "o1"}, {"count": 1}),
    ("issue_refund", {"order_id": "o1"}, {"stats": True}),
    ("paypal.orders.capture", {"order_id": "o1"}, {"count": 1}),
    ("paypal.orders.capture", {"order_id": "o1"}, {"query": "status"}),
    ("valve", {"position": 100}, {"stats": True}),
]
LOOKS: list[tuple[str, dict[str, Any]]] = [
    ("domain_transfer", {"domain": "a.de", "op": "status"}),
    ("hotel_reservation", {"action": "show_policy", "confirmation": "HX-1"}),
    ("drone_cmd", {"vehicle": "q", "cmd": "get_battery"}),
    ("repricer_rule", {"action": "simulate", "name": "x"}),
    ("centrifuge_setup", {"unit": "C1", "query": "rotor_hours"}),
]


def _passes(name: str, payload: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name=name, input_payload=payload)).allowed


@pytest.mark.parametrize(("name", "payload", "added"), PADDED)
def test_one_more_argument_makes_no_deed_a_look(name: str, payload: dict[str, Any], added: dict[str, Any]) -> None:
    """A call that asks still asks with an argument beside the others that looks like a question."""
    assert not _passes(name, payload)
    assert not _passes(name, {**payload, **added})


@pytest.mark.parametrize(("name", "payload"), LOOKS)
def test_operations_that_only_look_pass(name: str, payload: dict[str, Any]) -> None:
    """A tool named after a thing looks if its operation says so and the rest only names the thing."""
    assert _passes(name, payload)
