"""Tool calls: what is read, what a message says, who gets it, and what a later reader is told to do."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine()


def asks(name: str, payload: dict[str, Any], **more: Any) -> bool:
    return not ENGINE.decide(Action(tool_name=name, input_payload=payload, **more)).allowed


#: A tool, arguments that ask for a secret, and arguments that ask for something else.
SECRETS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("get_client", {"id": "c1", "fields": "name,client_secret"}, {"id": "c1", "fields": "name,created_at"}),
    ("get_variable_group", {"id": 3, "expand": "secretValues"}, {"id": 3, "expand": "createdBy"}),
    ("ldap.search", {"attributes": ["uid", "userPassword"]}, {"attributes": ["uid", "pwdChangedTime"]}),
    ("app_info", {"app": "A1", "reveal": ["bot_token"]}, {"app": "A1", "reveal": ["owner"]}),
    ("repo_info", {"repo": "a/b", "section": "upload_token"}, {"repo": "a/b", "section": "upload_history"}),
    ("s3_get_object", {"key": "config/prod/.env"}, {"key": "config/prod/logging.yaml"}),
    ("ci_variable_get", {"key": "PROD_DB_PASSWORD"}, {"key": "PROD_DB_HOST"}),
    ("cache_get", {"key": "session:admin:9f31"}, {"key": "catalogue:page:9"}),
    ("kubectl_get", {"resourceType": "secret", "name": "pay"}, {"resourceType": "service", "name": "pay"}),
    ("kubectl_get", {"resourceType": "secrets", "output": "yaml"}, {"resourceType": "secrets"}),
    ("terraform.output", {"name": "master_password"}, {"name": "master_endpoint"}),
    ("stack.config", {"flags": ["--show-secrets"]}, {"flags": ["--show-urls"]}),
    ("read_sheet", {"path": "IT/Passwords and keys.xlsx"}, {"path": "IT/Password policy.xlsx"}),
    ("domain_transfer", {"op": "get_authcode"}, {"op": "get_status"}),
    ("azure_storage_account", {"get": "listKeys"}, {"get": "listContainers"}),
    ("page_extract", {"instruction": "Extract the recovery codes"}, {"instruction": "Extract the opening hours"}),
    ("get_card_details", {"card": "c1", "include_sensitive": True}, {"card": "c1", "include_sensitive": []}),
]


@pytest.mark.parametrize(("name", "secret", "other"), SECRETS, ids=[f"{one[0]} {one[1]}" for one in SECRETS])
def test_a_read_asks_if_it_is_for_a_secret(name: str, secret: dict[str, Any], other: dict[str, Any]) -> None:
    assert asks(name, secret)
    assert not asks(name, other)


def test_fields_that_a_tool_does_not_have_do_not_hide_what_it_shows() -> None:
    schema = {"properties": {"id": {"type": "string"}}}
    assert not asks("get_credentials", {"id": "c1", "fields": ["name"]})
    assert asks("get_credentials", {"id": "c1", "fields": ["name"]}, input_schema=schema)
