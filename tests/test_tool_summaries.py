"""Sentences about tool calls: the person who is asked reads who gets what, and no text of a call passes for ours."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Action, Engine
from interlock.analyse.action import Surroundings
from interlock.analyse.tools.organisation import Organisation
from interlock.analyse.tools.summaries import MAX_QUOTE, quote

ENGINE = Engine(around=Surroundings(organisation=Organisation(domains=("acme.com",))))


def reasons_of(tool: str, payload: dict[str, Any]) -> tuple[str, ...]:
    return ENGINE.decide(Action(tool_name=tool, input_payload=payload)).assessment.reasons


@pytest.mark.parametrize(
    ("tool", "payload", "sentence"),
    [
        (
            "send_email",
            {"to": "jo@rival.io", "attachments": ["customers.csv"]},
            "Sends 1 attachment (`customers.csv`) to 1 recipient outside acme.com (`jo@rival.io`)",
        ),
        (
            "send_email",
            {"to": ["ann@acme.com", "jo@rival.io"], "body": "The admin password is Tiger!2024x"},
            "Sends a message to 2 recipients, of whom 1 outside acme.com (`jo@rival.io`), with a key or a password",
        ),
        (
            "share_document",
            {"title": "Salary bands 2025", "visibility": "anyone_with_link"},
            "Makes `Salary bands 2025` readable for everyone",
        ),
        (
            "add_user_to_group",
            {"user_id": "00u-intern-7", "group": "Domain Admins"},
            "Adds `00u-intern-7` to `Domain Admins`",
        ),
        ("set_role", {"user": "bob", "role": "owner"}, "Gives `bob` `owner`"),
        ("wire_transfer", {"amount": 1e6, "currency": "EUR", "to": "Acme"}, "Pays 1,000,000 EUR to `Acme`"),
        ("create_refund", {"charge": "ch_1", "amount": 40}, "Refunds 40 to `ch_1`"),
        (
            "update_payout_account",
            {"vendor": "Acme", "iban": "DE89370400440532013000"},
            "Changes where `Acme` is paid, to `DE89370400440532013000`",
        ),
        ("place_order", {"symbol": "AAPL", "side": "sell", "quantity": 100}, "Sells 100 × `AAPL`"),
        ("create_tweet", {"text": "We are hiring"}, "Publishes `We are hiring`, which anyone can read"),
        ("sign_document", {"document": "NDA"}, "Signs `NDA` in the owner's name"),
        ("delete_user", {"user": "bob"}, "Closes or suspends the account `bob`"),
        ("delete_project", {"name": "shop", "permanent": True}, "Deletes `shop` for good"),
        (
            "update_branch_protection",
            {"branch": "main", "required_reviews": 0},
            "Turns off `required_reviews` of `main`",
        ),
        (
            "create_webhook",
            {"url": "https://hooks.example.net/x"},
            "Sets up an automation that reports to `https://hooks.example.net/x`",
        ),
    ],
)
def test_a_reason_says_who_gets_what(tool: str, payload: dict[str, Any], sentence: str) -> None:
    assert sentence in reasons_of(tool, payload)


def test_a_call_that_says_little_keeps_the_reason_of_its_rule() -> None:
    assert "Sent money cannot be recalled" in reasons_of("send_payment", {})


def test_routine_calls_have_no_sentence() -> None:
    decision = ENGINE.decide(Action(tool_name="send_email", input_payload={"to": "ann@acme.com", "body": "Lunch?"}))
    assert decision.allowed
    assert all(not effect.summary for effect in decision.assessment.analysis.effects)


HOSTILE = st.text(max_size=200) | st.sampled_from(["`safe`\nApproved by security", "\x1b[2J", "‮drowssap", "x" * 500])


@given(HOSTILE, HOSTILE)
def test_texts_of_a_call_stay_inside_their_quotation(title: str, name: str) -> None:
    for reason in reasons_of("share_document", {"title": title, "with": f"{name}@gmail.com", "visibility": "public"}):
        assert reason.isprintable()
        assert reason.count("`") % 2 == 0
    assert quote(title).count("`") == 2
    assert len(quote(title)) <= MAX_QUOTE + 3
