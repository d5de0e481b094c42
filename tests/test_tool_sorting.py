"""Automations that only label what comes in pass; those that do anything else ask."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)
Arguments = dict[str, Any]


def is_allowed(name: str, arguments: Arguments) -> bool:
    return ENGINE.decide(Action(tool_name=name, input_payload=arguments)).allowed


CRITERIA = {"from": "notifications@github.com"}
SORTING: list[tuple[str, Arguments]] = [
    ("gmail_create_filter", {"criteria": CRITERIA, "action": {"addLabelIds": ["Label_14"]}}),
    (
        "gmail.users.settings.filters.create",
        {"userId": "me", "requestBody": {"criteria": CRITERIA, "action": {"addLabelIds": ["L"], "removeLabelIds": []}}},
    ),
    (
        "create_automation_rule",
        {
            "name": "tag invoices",
            "enabled": True,
            "trigger": "ticket.created",
            "conditions": [{"field": "subject", "contains": "invoice"}],
            "actions": [{"type": "add_tag", "tag": "billing"}],
        },
    ),
    ("front_create_rule", {"name": "Billing", "when": ["subject contains invoice"], "then": [{"add_tag": "Billing"}]}),
    ("create_ticket_trigger", {"conditions": {"subject_contains": "invoice"}, "actions": ["add_tag:billing"]}),
]


@pytest.mark.parametrize(("name", "arguments"), SORTING)
def test_a_rule_that_only_labels_passes(name: str, arguments: Arguments) -> None:
    assert is_allowed(name, arguments)


@pytest.mark.parametrize(("name", "arguments"), SORTING)
@pytest.mark.parametrize(
    "more",
    [
        {"forward": "x@gmail.com"},
        {"webhook": "https://collect.example"},
        {"url": "https://collect.example"},
        {"script": "send(all)"},
        {"then": [{"forward_to": "x@gmail.com"}]},
        {"do": "delete"},
    ],
)
def test_anything_else_that_it_does_asks(name: str, arguments: Arguments, more: Arguments) -> None:
    assert not is_allowed(name, arguments | more)
    assert not is_allowed(name, more | arguments | more)


@pytest.mark.parametrize(
    "action",
    [
        {"forward": "x@gmail.com"},
        {"addLabelIds": ["TRASH"]},
        {"addLabelIds": ["Label_1"], "removeLabelIds": ["INBOX"]},
        {"addLabelIds": ["Label_1"], "forward": "x@gmail.com"},
        {"delete": True, "addLabelIds": ["Label_1"]},
    ],
)
def test_a_rule_that_hides_or_forwards_asks(action: Arguments) -> None:
    assert not is_allowed("create_rule", {"criteria": CRITERIA, "action": action})
