"""A connection to this machine is for practice where the tool cannot reach anything else, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)


def is_allowed(name: str, arguments: dict[str, Any], *declared: str) -> bool:
    schema = {"type": "object", "properties": {key: {} for key in declared}} if declared else {}
    return ENGINE.decide(Action(tool_name=name, input_payload=arguments, input_schema=schema)).allowed


LOCAL = {"host": "127.0.0.1", "key": "cart:17"}


def test_a_declared_host_of_this_machine_is_for_practice() -> None:
    assert is_allowed("redis_delete", LOCAL, "host", "key")
    assert not is_allowed("redis_delete", LOCAL | {"host": "cache-1.example"}, "host", "key")


def test_a_host_that_the_tool_may_ignore_excuses_no_deletion() -> None:
    assert not is_allowed("redis_delete", LOCAL)
    assert not is_allowed("redis_delete", LOCAL, "key")


@pytest.mark.parametrize("uri", ["mongodb://localhost:27017/app", "mongodb://127.0.0.1/app"])
def test_a_database_on_this_machine_is_for_practice(uri: str) -> None:
    change = {"uri": uri, "filter": {"email": "a@b.example"}, "update": {"$set": {"role": "editor"}}}
    assert is_allowed("db.users.updateOne", change)
    assert not is_allowed("db.users.updateOne", change | {"uri": "mongodb://db.shop.example/app"})
    assert not is_allowed("db.users.updateOne", change | {"endpoint": "https://sync.example/x"})


def test_an_address_of_a_database_beside_another_tool_excuses_nothing() -> None:
    assert not is_allowed("delete_database", {"name": "orders", "uri": "mongodb://localhost/"})
    assert not is_allowed(
        "transfer_funds", {"to": "DE89370400440532013000", "amount": 9500, "uri": "redis://localhost"}
    )


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (["config", "set", "compute/region", "europe-west6"], True),
        (["compute", "instances", "list"], True),
        (["compute", "instances", "delete", "web-1", "--quiet"], False),
        (["projects", "add-iam-policy-binding", "p", "--member=user:a@b.example", "--role=roles/owner"], False),
        (["unheard-of", "everything"], False),
    ],
)
def test_a_command_that_is_handed_over_decides(args: list[str], allowed: bool) -> None:
    assert is_allowed("mcp__gcloud__run_gcloud_command", {"args": args}) is allowed


def test_a_method_of_a_container_client_is_its_command() -> None:
    assert is_allowed("docker.images.tag", {"image": "app:build-7", "repository": "app", "tag": "latest"})
    assert not is_allowed("docker.images.push", {"repository": "registry.example/app", "tag": "latest"})
