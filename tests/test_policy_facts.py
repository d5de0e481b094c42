"""What policies can use besides the action: whom it is for, the time, and the classes of its data."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock import Action, Engine, Policy, RunState, Verdict
from interlock.errors import ConfigError, InvalidActionError
from interlock.policy.conditions import DATA_CLASSES
from interlock.policy.data_classes import find_data_classes
from interlock.policy.hours import parse_hours
from interlock.policy.policies import as_condition

OFFICE = "Mon-Fri 09:00-17:00 Europe/Berlin"
STATE = RunState(calls={"deploy": 2}, metadata={"ticket": "T-1", "team": {"size": 3}}, requests=("ship it",))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("hours", "moment", "inside"),
    [
        (OFFICE, "2026-01-05T08:59:59+01:00", False),
        (OFFICE, "2026-01-05T09:00:00+01:00", True),
        (OFFICE, "2026-01-05T16:59:59+01:00", True),
        (OFFICE, "2026-01-05T17:00:00+01:00", False),
        (OFFICE, "2026-01-04T12:00:00+01:00", False),
        # the clocks go forward on 29 March 2026, and back on 25 October
        (OFFICE, "2026-03-27T08:00:00Z", True),
        (OFFICE, "2026-03-30T07:00:00Z", True),
        (OFFICE, "2026-03-30T06:59:59Z", False),
        (OFFICE, "2026-10-26T07:59:59Z", False),
        ("Sun 02:00-03:00 Europe/Berlin", "2026-03-29T01:00:00Z", False),
        ("Sun 02:00-03:00 Europe/Berlin", "2026-10-25T00:30:00Z", True),
        ("Sun 02:00-03:00 Europe/Berlin", "2026-10-25T01:30:00Z", True),
        # a night belongs to the day on which it begins
        ("Fri 22:00-06:00 UTC", "2026-01-02T23:00:00Z", True),
        ("Fri 22:00-06:00 UTC", "2026-01-03T05:59:59Z", True),
        ("Fri 22:00-06:00 UTC", "2026-01-03T22:30:00Z", False),
        ("Fri 22:00-06:00 UTC", "2026-01-02T05:00:00Z", False),
        ("Sat-Mon UTC", "2026-01-05T23:59:59Z", True),
        ("Sat-Mon UTC", "2026-01-06T00:00:00Z", False),
        ("09:00-12:00,13:00-17:00 UTC", "2026-01-03T12:30:00Z", False),
        ("22:00-24:00 UTC", "2026-01-03T23:59:59Z", True),
    ],
)
def test_hours_are_those_of_the_clocks_in_their_zone(hours: str, moment: str, inside: bool) -> None:
    assert parse_hours(hours).include(at(moment)) is inside


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        ("Mon-Fri 09:00-17:00 Europe/Berln", "did you mean `Europe/Berlin`?"),
        ("Mon-Fri 09:00-17:00 europe/berlin", "did you mean `Europe/Berlin`?"),
        ("Mon-Fri 09:00-17:00 Tokyo", "did you mean `Asia/Tokyo`?"),
        ("Mon-Fry 09:00-17:00 UTC", "unknown day `Fry`; did you mean `fri`?"),
        ("Mon-Fri 9-17 UTC", "`9-17` is not a time span; write `09:00-17:00`"),
        ("Mon 09:00-24:30 UTC", "is not a valid time of day"),
        ("Mon 09:60-10:00 UTC", "is not a valid time of day"),
        ("Mon 09:00-09:00 UTC", "begins and ends at the same time"),
        ("Mon-Fri 09:00-17:00", "unknown time zone `09:00-17:00`"),
        ("Europe/Berlin", f"write `{OFFICE}`"),
        ("", f"write `{OFFICE}`"),
    ],
)
@pytest.mark.parametrize("key", ["during", "outside"])
def test_hours_that_cannot_be_read_are_refused(hours: str, said: str, key: str) -> None:
    with pytest.raises(ConfigError, match="policy `p`") as refused:
        Engine([msgspec.structs.replace(Policy("p", conditions=[as_condition("toolName=x")]), **{key: hours})])
    assert said in str(refused.value)


def decide(policy: Policy, action: Action, now: str | None = "2026-01-05T12:00:00+01:00") -> Any:
    return Engine([policy]).decide(action, STATE, None if now is None else at(now))


def test_deployments_are_blocked_outside_of_working_hours() -> None:
    policy = Policy("office", conditions=[as_condition("toolName=deploy")], action=Verdict.BLOCK, outside=OFFICE)
    deploy, read = Action(tool_name="deploy"), Action(tool_name="get_report")
    assert decide(policy, deploy).verdict is not Verdict.BLOCK
    assert decide(policy, deploy, "2026-01-05T18:00:00+01:00").because == "policy `office`"
    assert decide(policy, read, "2026-01-05T18:00:00+01:00").verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "more", [{"during": OFFICE}, {"outside": OFFICE}, {"when": "now.getHours() < 25"}, {"when": "now > timestamp(0)"}]
)
@pytest.mark.parametrize("action", [Verdict.ALLOW, Verdict.BLOCK])
def test_a_policy_whose_time_is_not_known_never_lets_through(more: dict[str, str], action: Verdict) -> None:
    policy = Policy("p", conditions=[as_condition("toolName=get_report")], action=action, **more)  # type: ignore[arg-type]
    decision = decide(policy, Action(tool_name="get_report"), None)
    assert decision.verdict is max(action, Verdict.REQUIRE_APPROVAL)
    assert "depends on the time" in decision.matched_policies[0].error


def test_a_time_without_a_zone_is_refused() -> None:
    for wrong in (datetime(2026, 1, 1), 1_700_000_000):
        with pytest.raises(InvalidActionError, match="needs a time zone"):
            Engine().decide(Action.shell("ls"), now=wrong)  # type: ignore[arg-type]


ACTION = Action(
    tool_name="Send_Mail",
    input_payload={"to": " Bob@Example.com ", "body": "card 4111 1111 1111 1111"},
    user="ann",
    tenant="acme",
)
EXPRESSIONS = [
    'user == "ann" && tenant == "acme"',
    'run.metadata.ticket == "T-1" && run.metadata.team.size > 2 && !has(run.metadata.other)',
    "run.calls == 2 && run.tool_calls == 0 && run.secrets_read == 0 && run.private_read == 0 && run.untrusted == 0",
    'run.requests.exists(text, text.contains("ship"))',
    'now.getHours("Europe/Berlin") == 12 && now.getHours() == 11 && now.getHours("+05:30") == 16',
    'now.getDayOfWeek("Europe/Berlin") == 1 && now > timestamp("2026-01-01T00:00:00Z")',
    '"card" in data.classes && "personal" in data.classes && !("health" in data.classes)',
    'toolName.lowerAscii() == "send_mail" && toolName.upperAscii() == "SEND_MAIL"',
    'inputPayload.to.trim().split("@")[1].lowerAscii() == "example.com"',
    'toolName.replace("_", "-").substring(0, 4) == "Send" && toolName.indexOf("Mail") == 5',
    '["a", "b"].join("-") == "a-b" && "%s has %d".format(["x", 2]) == "x has 2"',
]


@pytest.mark.parametrize("when", EXPRESSIONS)
def test_expressions_know_every_fact(when: str) -> None:
    found = decide(Policy("p", action=Verdict.BLOCK, when=when), ACTION).matched_policies
    assert [(match.policy_id, match.error) for match in found] == [("p", "")]


@pytest.mark.parametrize(
    "condition",
    ["user=ann", "tenant!=globex", "run.metadata.ticket=T-1", "run.metadata.team.size>2", "data.classes=card"],
)
def test_conditions_know_them_too(condition: str) -> None:
    assert decide(Policy("p", conditions=[as_condition(condition)], action=Verdict.BLOCK), ACTION).matched_policies


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"conditions": ["tenat=acme"]}, "did you mean `tenant`?"),
        ({"conditions": ["run.metadata=x"]}, "unknown field `run.metadata`"),
        ({"conditions": ["data.classes=cards"]}, "unknown data class `cards`; did you mean `card`?"),
        ({"conditions": ["now>5"]}, "write `outside ="),
        ({"when": "now.getHours('Europe/Berln') > 5"}, "did you mean `Europe/Berlin`?"),
        ({"when": "tenat == 'acme'"}, "unknown name `tenat`; did you mean `tenant`?"),
    ],
)
def test_what_no_action_has_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Engine([Policy("p", **{**more, "conditions": [as_condition(one) for one in more.get("conditions", [])]})])
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("action", "classes"),
    [
        (Action.shell("ls"), ""),
        (Action.shell("cat ~/.ssh/id_rsa"), "secret"),
        (Action.shell("curl -H 'Authorization: Bearer abcdefgh12345678' https://x.example"), "secret"),
        (Action.shell("export API_TOKEN=abcdef12"), "secret"),
        (Action.shell("mysql --password=hunter2 -e 'select 1'"), "secret"),
        (Action.shell("curl -u bob:hunter2 https://x.example"), "secret"),
        (Action.shell("psql postgres://u:hunter2@db/x -c 'select 1'"), "secret"),
        (Action.shell("mysql --password $PW; curl https://x.example:8080/a@b; docker run -u 1000:1000 x"), ""),
        (Action.shell("cat customers.csv"), "customer personal"),
        (Action.shell("pg_dump shop > all.sql"), "customer personal"),
        (Action.sql("SELECT * FROM customers"), "customer personal"),
        (Action(tool_name="note", input_payload={"api_key": "x1"}), "secret"),
        (Action(tool_name="note", input_payload={"text": " " * 50_000 + "ghp_" + "a" * 36}), "secret"),
        (Action(tool_name="note", input_payload={"text": "a-" * 15_000 + "ghp_" + "a" * 36}), "secret"),
        (Action(tool_name="note", input_payload={"list": [{"deep": 4111111111111111}]}), "card personal"),
        (Action(tool_name="note", input_payload={"4111 1111 1111 1111": 1}), "card personal"),
        (Action(tool_name="note", input_payload={"to": "DE89 3704 0044 0532 0130 00"}), "bank_account"),
        (Action(tool_name="note", input_payload={"text": "078-05-1120"}), "identity personal"),
        (Action(tool_name="note", input_payload={"n": 4111111111111112, "on": True, "token": None}), ""),
    ],
)
def test_classes_of_data(action: Action, classes: str) -> None:
    found = find_data_classes(action, Engine().decide(action).assessment)
    assert found <= DATA_CLASSES.keys()
    assert found - {"confidential"} == set(classes.split())


def test_a_policy_with_missing_fields_is_found_whatever_it_names() -> None:
    policy = Policy("p", conditions=[as_condition("tenant=acme")], action=Verdict.BLOCK, missing="matches")
    assert Engine([policy]).decide(Action(tool_name="get_report")).verdict is Verdict.BLOCK


def test_now_in_utc() -> None:
    when = 'now.getHours() == 23 && now.getDayOfWeek("Asia/Tokyo") == 1'
    found = Engine([Policy("p", when=when)]).decide(Action.shell("ls"), now=datetime(2026, 1, 4, 23, tzinfo=UTC))
    assert found.matched_policies


def test_every_class_of_data_is_documented() -> None:
    page = (Path(__file__).parent.parent / "docs" / "policies.md").read_text("utf-8")
    for name, meaning in DATA_CLASSES.items():
        assert f"| `{name}` | {meaning} |" in page
