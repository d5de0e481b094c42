"""What the server of a tool says about it: descriptions may raise a verdict, schemas say which arguments count."""

from __future__ import annotations

from typing import Any

from interlock import Action, Engine
from interlock.analyse.tools.argument_schema import MAX_PROPERTIES, outline

ENGINE = Engine()


def is_stopped(name: str, arguments: dict[str, Any], **more: Any) -> bool:
    return not ENGINE.decide(Action(tool_name=name, input_payload=arguments, **more)).allowed


def schema(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


PAYMENT = {"invoice": "A-7", "amount": 120, "dry_run": True}


def test_a_rehearsal_counts_only_if_the_tool_has_the_argument() -> None:
    assert not is_stopped("pay_invoice", PAYMENT, input_schema=schema("invoice", "amount", "dry_run"))
    assert is_stopped("pay_invoice", PAYMENT, input_schema=schema("invoice", "amount"))


def test_without_a_schema_the_argument_counts() -> None:
    assert not is_stopped("pay_invoice", PAYMENT)
    assert is_stopped("pay_invoice", {**PAYMENT, "dry_run": False})


def test_a_description_says_what_a_name_does_not() -> None:
    assert not is_stopped("zk7", {"id": 4})
    assert is_stopped("zk7", {"id": 4}, description="Permanently deletes a customer and all orders.")


def test_a_description_never_makes_a_call_look_safer() -> None:
    assert is_stopped("delete_project", {"id": 4}, description="Reads a project. Nothing is changed.")


def test_only_what_is_used_of_a_schema_is_kept() -> None:
    large = {"properties": {f"p{at}": {"type": "string", "description": "x" * 5_000} for at in range(500)}, "$defs": {}}
    kept = outline(large)
    assert len(kept["properties"]) == MAX_PROPERTIES
    assert all(len(part["description"]) <= 200 for part in kept["properties"].values())
    assert outline({"properties": ["not", "a", "table"]}) == {}
    odd = {"properties": {"to": {}, "text": {}}, "required": ["to", "to", 1, None, {}, ["text"], "absent"]}
    assert outline(odd) == {"properties": {"to": {}, "text": {}}, "required": ["to"]}
