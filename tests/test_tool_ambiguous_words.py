"""Words with several meanings: the rest of the call decides."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)


def is_allowed(name: str, arguments: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name=name, input_payload=arguments)).allowed


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_ticket", {"id": "r1", "stop_processing_rules": False}),
        ("client.deployments.begin_what_if", {"resource_group_name": "rg-1", "deployment_name": "d1"}),
        ("update_booking_entry", {"id": "8", "apply_rules": False, "tags": ["office"]}),
        ("block_seats", {"show": "Faust", "seats": ["F12"]}),
        ("bloquer_salle", {"salle": "Elbe", "date": "2025-03-01"}),
        ("crm.OpportunityContactRole.create", {"contact_id": "c1", "role": "Technical Buyer"}),
        ("treasury.expected_payments.create", {"amount": 900, "direction": "credit"}),
        ("update_calendar_resource", {"resource_id": "r1", "capacity": 8}),
        ("browser_click", {"element": "Contract: nächste Seite"}),
        ("storage.copy_object", {"source": "scans/a.pdf", "target": "forms/a.pdf"}),
    ],
)
def test_the_harmless_sense_passes(name: str, arguments: dict[str, Any]) -> None:
    assert is_allowed(name, arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("collections_update", {"collection": "orders", "list_rule": "", "delete_rule": ""}),
        ("update_gateway", {"id": "g1", "firewall_rules": "off"}),
        ("update_login", {"id": "g1", "enforce_rules": False}),
        ("block_user", {"user": "ida"}),
        ("client.deployments.begin_delete", {"resource_group_name": "rg-1", "deployment_name": "d1"}),
        ("crm.users.assign_role", {"user_id": "u1", "role": "admin"}),
        ("treasury.payments.create", {"amount": 900, "direction": "debit"}),
        ("update_server", {"server_id": "s1", "capacity": 0}),
        ("browser_click", {"element": "Sign contract"}),
        ("run_snippet", {"source": "rm -rf ~"}),
    ],
)
def test_the_harmful_sense_asks(name: str, arguments: dict[str, Any]) -> None:
    assert not is_allowed(name, arguments)
