"""What stands inside the arguments of tools: pages that are operated, requests, jobs, settings and infrastructure."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)
_CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flags\ndata:\n  banner: 'on'\n"
_QUESTION = "Delete 3,412 customers permanently? This cannot be undone."

#: The tool, what asks, and what passes.
PAIRS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("browser_handle_dialog", {"accept": True, "message": _QUESTION}, {"accept": False, "message": _QUESTION}),
    ("browser_submit", {"form": "#wire-transfer"}, {"form": "#site-search", "url": "https://intranet.example.com"}),
    ("webdriver_click", {"using": "css", "value": "#transfer-ownership"}, {"using": "css", "value": "#show-more"}),
    ("desktop_key", {"keys": "shift+delete", "window": "400 files"}, {"keys": "ctrl+f", "window": "400 files"}),
    ("stagehand_act", {"action": "choose 'Anyone with the link'"}, {"action": "scroll to the end"}),
    ("browser_evaluate", {"function": "() => document.cookie"}, {"function": "() => document.title"}),
    ("playwright_run_code", {"code": "await page.click('text=Suspend users')"}, {"code": "await page.click('#next')"}),
    (
        "browser_navigate",
        {"url": "https://id.example.com/oauth/authorize?scope=mail.send&auto_consent=true"},
        {"url": "https://id.example.com/oauth/authorize?scope=openid+profile"},
    ),
    (
        "page.goto",
        {"url": "https://shop.example.com/orders/refund-all?confirm=yes"},
        {"url": "https://shop.example.com/orders/refunds?sort=date"},
    ),
    ("postman_run_request", {"request": "Terminate employee"}, {"request": "List employees"}),
    (
        "http_request",
        {"method": "DELETE", "url": "https://acme.atlassian.net/rest/api/3/project/OPS"},
        {"method": "DELETE", "url": "https://api.github.com/repos/a/b/issues/1/labels/wontfix"},
    ),
    (
        "graphql_request",
        {"endpoint": "https://api.linear.app/graphql", "query": "mutation { organizationDelete { ok } }"},
        {"endpoint": "https://api.linear.app/graphql", "query": "mutation { issueUpdate(id: 1) { ok } }"},
    ),
    (
        "ops.exec",
        {"job": '{"cli":"aws","argv":["kms","schedule-key-deletion"]}'},
        {"job": '{"cli":"aws","argv":["kms","list-keys"]}'},
    ),
    ("kubectl_apply", {"context": "prod", "manifest": _CONFIG_MAP}, {"context": "kind-local", "manifest": _CONFIG_MAP}),
    (
        "pg_execute_sql",
        {"sql": "BEGIN; DELETE FROM orders WHERE id > 4; COMMIT;"},
        {"sql": "BEGIN; DELETE FROM orders WHERE id > 4; ROLLBACK;"},
    ),
    (
        "make_api_request",
        {"service": "payouts", "method": "create", "request": {"amount": 5}},
        {"service": "tasks", "method": "create", "request": {"title": "Call"}},
    ),
    (
        "mcp__outlook__create_draft",
        {"to": "ann@acme.com", "body": "password: Sommer2024!", "send_now": True},
        {"to": "ann@acme.com", "body": "password: Sommer2024!", "send_now": False},
    ),
    ("crm_list_customers", {"limit": "all"}, {"limit": 50}),
    ("hr_get_employees", {"per_page": 5000}, {"per_page": 5000, "fields": "department,status"}),
    ("clinic_list_patients", {"fetch_all": True}, {"fetch_all": False, "page": 2000}),
    ("crm_api", {"resource": "webhooks", "operation": "create"}, {"resource": "webhooks", "operation": "list"}),
    ("neo4j_query", {"query": "MATCH (n) DETACH DELETE n"}, {"query": "MATCH (n) RETURN count(n)"}),
    ("set_config", {"key": "require_mfa", "value": "false"}, {"key": "require_mfa", "value": "true"}),
    ("backup_manager", {"action": "delete", "backup": "all"}, {"action": "list"}),
    ("update_bucket", {"name": "assets", "public": True}, {"name": "assets", "labels": {"team": "web"}}),
    ("delete_bucket", {"name": "test-results-prod"}, {"name": "tmp-e2e-bucket"}),
    ("restore_backup", {"id": "b1", "target": "orders-prod"}, {"id": "b1", "target": "orders-drill"}),
    ("run_migration", {"environment": "production"}, {"environment": "dev"}),
    ("generate_presigned_url", {"key": "q3.pdf", "expires_in": 604800}, {"key": "q3.pdf", "expires_in": 900}),
    ("trigger_workflow", {"workflow": "deploy-production.yml"}, {"workflow": "unit-tests.yml"}),
    ("docker_push", {"image": "acme/app:latest"}, {"image": "localhost:5000/app:dev"}),
    ("list_env_vars", {"context": "prod", "reveal_values": True}, {"context": "prod"}),
    # What an argument chooses, in tools named after things.
    ("sales_database", {"object": "deal", "change": "drop"}, {"object": "deal", "change": "describe"}),
    ("recall_console", {"lot": "L1", "next": "purge_records"}, {"lot": "L1", "trace": {"depth": 2}}),
    ("door_lock", {"lock": "front", "state": "unlocked", "report": "battery"}, {"lock": "front", "report": "battery"}),
    ("telemetry_hub", {"workspace": "w", "purge": {"table": "SigninLogs"}}, {"workspace": "w", "query": "size"}),
    ("seat_wallet", {"ticket": "A1", "transfer_to": "x@gmail.com"}, {"ticket": "A1", "transfer_to": None}),
    # Rehearsals.
    (
        "ib_placeOrder",
        {"order": {"action": "SELL", "totalQuantity": 80}, "note": {"whatIf": True}},
        {"order": {"action": "SELL", "totalQuantity": 80, "whatIf": True}},
    ),
    ("create_deployment", {"app": "web", "run_type": "apply"}, {"app": "web", "run_type": "plan_only"}),
    ("supplier_order", {"items": [{"sku": "A"}], "place": True}, {"items": [{"sku": "A"}], "place": False}),
    ("opcua_write_node", {"endpoint": "opc.tcp://plant:4840", "value": 0}, {"endpoint": "opc.tcp://localhost:53530"}),
    (
        "campaign_action",
        {"id": "c", "action": "send"},
        {"id": "c", "action": "send_test", "test_emails": ["a@our.example"]},
    ),
    ("explain_query", {"sql": "DELETE FROM a", "analyze": True}, {"sql": "DELETE FROM a", "analyze": False}),
    (
        "run_sql",
        {"sql": "CREATE OR REPLACE TABLE a.b.c AS SELECT 1"},
        {"sql": "CREATE OR REPLACE TEMP TABLE a.b.c AS SELECT 1"},
    ),
    # Requests.
    ("forum_api", {"verb": "PUT", "route": "/users/4/grant_admin"}, {"verb": "GET", "route": "/users/4"}),
    (
        "es_request",
        {"path": "/orders/_delete_by_query", "body": {"query": {}}},
        {"path": "/orders/_count", "body": {"query": {}}},
    ),
    (
        "wiki_graphql",
        {"query": "mutation { pages { purgeHistory { ok } } }"},
        {"query": "query { pages { list { id } } }"},
    ),
    ("moodle_ws", {"wsfunction": "core_course_delete_courses"}, {"wsfunction": "core_course_get_courses"}),
    # Command lines in pieces.
    ("restic", {"args": ["forget", "--keep-last", "1", "--prune"]}, {"args": ["snapshots"]}),
    ("compose", {"cmd": "down", "opts": ["-v", "--rmi", "all"]}, {"cmd": "ps", "opts": ["--all"]}),
    ("tf_state", {"op": "rm", "addresses": ["module.a"]}, {"op": "list", "addresses": ["module.a"]}),
    ("docker.run", {"image": "alpine", "privileged": True, "volumes": ["/:/host"]}, {"image": "alpine"}),
    (
        "kubectl_get",
        {"resourceType": "secrets", "name": "a", "output": "yaml"},
        {"resourceType": "pods", "output": "yaml"},
    ),
    ("pod_exec", {"command": ["sh", "-c", "rm -rf /data"]}, {"command": ["sh", "-c", "ls -la"]}),
    ("cosign", {"command": "sign", "image": "ghcr.io/a/b"}, {"command": "verify", "image": "ghcr.io/a/b"}),
    # Pages.
    ("stagehand_extract", {"instruction": "Extract the recovery codes"}, {"instruction": "Extract the prices"}),
    ("browser_handle_dialog", {"accept": True, "promptText": "DELETE workspace"}, {"accept": True}),
]


@pytest.mark.parametrize(("name", "asks", "passes"), PAIRS, ids=[f"{at}-{pair[0]}" for at, pair in enumerate(PAIRS)])
def test_near_misses_are_told_apart(name: str, asks: dict[str, Any], passes: dict[str, Any]) -> None:
    assert is_stopped(name, asks)
    assert not is_stopped(name, passes)


def is_stopped(name: str, payload: dict[str, Any]) -> bool:
    decision = ENGINE.decide(Action(tool_name=name, input_payload=payload, cwd="/home/u/p", workspace="/home/u/p"))
    return decision.verdict.value in ("require_approval", "block")
