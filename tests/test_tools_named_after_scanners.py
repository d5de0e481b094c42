"""Tools named after programs that scan or attack are read as these programs, however their arguments are wrapped."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine

ENGINE = Engine(second_opinion=False)


def allows(name: str, given: dict[str, Any]) -> bool:
    return ENGINE.decide(Action(tool_name=name, input_payload=given)).allowed


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("nmap_scan", {"target": "shop.example.org", "ports": "1-65535", "options": "-sS -A"}),
        ("nmap_scan", {"request": {"target": "shop.example.org", "options": "-sS -A"}}),
        ("nmap_scan", {"hosts": ["a.example.org", "b.example.org"], "options": ["-sS"]}),
        ("nmap_scan", {"target": "shop.example.org", "options": "'"}),
        ("sqlmap_run", {"config": {"url": "https://shop.example.org/?id=1"}}),
    ],
)
def test_scans_of_others_ask(name: str, given: dict[str, Any]) -> None:
    assert not allows(name, given)


@pytest.mark.parametrize(
    ("name", "given"),
    [("nmap_version", {}), ("nmap_scan", {"target": "127.0.0.1", "ports": "1-1024"}), ("message_john", {"text": "hi"})],
)
def test_information_this_machine_and_people_pass(name: str, given: dict[str, Any]) -> None:
    assert allows(name, given)
