"""Who is inside: `[organisation]` in the configuration, and the mailbox that a call acts from."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine, Verdict
from interlock.analyse.action import Surroundings
from interlock.analyse.tools.organisation import Organisation
from interlock.config.schema import parse
from interlock.documents import Document
from interlock.errors import ConfigError

ACME = Organisation(
    domains=("acme.com",),
    people=("ann@gmail.com",),
    rooms=("ext-audit",),
    counterparties=("hansa-supplies",),
    routine_amount=500.0,
    test_accounts=("act_test_1",),
)
ENGINE, ALONE = Engine(around=Surroundings(organisation=ACME)), Engine()


def asks(engine: Engine, tool: str, payload: dict[str, Any]) -> bool:
    return engine.decide(Action(tool_name=tool, input_payload=payload)).verdict is not Verdict.ALLOW


PAY = {"recipient": "hansa-supplies", "amount": 200, "currency": "EUR"}
SALARIES = "Salaries: Anna Holt 214,000; Dirk Maas 198,500"


@pytest.mark.parametrize(
    ("tool", "payload"),
    [
        ("share_document", {"title": "Notes", "with": "jo@acme.com", "role": "reader"}),
        ("share_document", {"title": "Notes", "with": "ann@gmail.com", "role": "reader"}),
        ("send_email", {"to": "jo@acme.com", "body": SALARIES}),
        ("send_payment", PAY),
    ],
)
def test_what_stays_inside_does_not_ask(tool: str, payload: dict[str, Any]) -> None:
    assert not asks(ENGINE, tool, payload)


@pytest.mark.parametrize(
    ("tool", "payload"),
    [
        ("share_document", {"title": "Notes", "with": "jo@other.com", "role": "reader"}),
        ("share_document", {"title": "Notes", "with": "jo@acrne.com", "role": "reader"}),
        ("send_email", {"to": "jo@other.com", "body": SALARIES}),
        ("send_payment", {**PAY, "amount": 501}),
        ("send_payment", {**PAY, "recipient": "somebody"}),
    ],
)
def test_what_leaves_asks(tool: str, payload: dict[str, Any]) -> None:
    assert asks(ENGINE, tool, payload)


def test_the_mailbox_of_a_call_says_who_is_inside() -> None:
    note = {"from": "me@brindle.co", "title": "Notes", "with": "jo@brindle.co", "role": "reader"}
    assert not asks(ALONE, "share_document", note)
    assert asks(ALONE, "share_document", {**note, "with": "jo@elsewhere.co"})


def test_money_always_asks_without_an_organisation() -> None:
    assert asks(ALONE, "send_payment", PAY)


def test_the_configuration_is_read() -> None:
    found = parse(Document('[organisation]\ndomains = ["@Acme.com"]\nroutine_amount = 5', "interlock.toml"))
    assert found.organisation == Organisation(domains=("acme.com",), routine_amount=5.0)


def test_a_mistake_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean `domains`"):
        parse(Document('[organisation]\ndomain = ["acme.com"]', "interlock.toml"))
