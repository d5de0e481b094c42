"""Who is told about a request, when, and in which words: without a server."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState
from interlock.errors import InterlockError
from interlock.model import Needs
from interlock.server.notify.apprise_channel import compose_body
from interlock.server.notify.apprise_url import PLAIN, SECURE, check_apprise_url
from interlock.server.notify.message import make_notification, with_environment
from interlock.server.notify.preferences import Destination, Preferences, check_preferences
from interlock.server.notify.recipients import MINUTE, Step, plan

#: 2026-11-16, a Monday, 12:00 UTC.
NOON = 1_794_830_400_000_000
HOUR = 60 * MINUTE


def request(
    *,
    level: str = "high",
    environment: str | None = None,
    lasts: int | None = HOUR,
    who: tuple[tuple[str, ...], ...] = (),
    needs: dict[str, Any] | None = None,
    **fields: Any,
) -> Approval:
    required = {"tier": "high", "human": True, "model": False, "challenge": "confirm", "approvers": 1}
    return Approval(
        **{
            "approval_id": "a1",
            "run_id": "r1",
            "agent_id": "shop/deploy",
            "started_by": "root",
            "digest": "d1",
            "action": {"toolName": "Bash", "environment": environment, "cwd": "/srv/shop"},
            "decision": {"level": level, "score": 70, "text": "kubectl delete ns shop"},
            "needs": Needs(**{**required, "timeout_seconds": None, "who": who, **(needs or {})}),
            "created_at": NOON,
            "expires_at": None if lasts is None else NOON + lasts,
            **fields,
        }
    )


def person(name: str, **fields: Any) -> Preferences:
    return Preferences(person=name, destinations=(Destination(channel="mail", address=f"{name}@x"),), **fields)


def told(approval: Approval, *people: Preferences, at: int = NOON) -> list[tuple[str, float, str]]:
    """Return who is told after how many minutes, and as what."""
    return [(step.person, (step.at - NOON) / MINUTE, step.kind) for step in plan(approval, people, at)]


def test_those_who_may_answer_are_told_at_once_and_reminded_before_the_end() -> None:
    steps = told(request(), person("ann"), person("bob"), person("root"))
    assert steps == [
        ("ann", 0, "requested"),
        ("bob", 0, "requested"),
        ("ann", 50, "reminder"),
        ("bob", 50, "reminder"),
    ], "root started the run, and may not answer"


def test_the_next_in_line_is_told_when_half_of_the_time_is_over() -> None:
    steps = told(request(), person("ann"), person("bob", backup=True), person("cem", backup=True))
    assert [step for step in steps if step[2] == "escalated"] == [("bob", 30, "escalated"), ("cem", 45, "escalated")]


def test_a_configured_delay_comes_first_but_never_after_half_of_the_time() -> None:
    line = person("bob", backup=True), person("cem", backup=True)
    for minutes, after in ((5, [5, 10]), (50, [30, 45])):
        steps = told(request(), person("ann", escalate_minutes=minutes), *line)
        assert [step[1] for step in steps if step[2] == "escalated"] == after
    without_end = told(request(lasts=None), person("ann", escalate_minutes=5), *line)
    assert without_end == [("ann", 0, "requested"), ("bob", 5, "escalated"), ("cem", 10, "escalated")]


def test_a_backup_is_told_at_once_if_nobody_else_can_be() -> None:
    asleep = person("ann", quiet_hours="11:00-13:00 UTC")
    steps = told(request(lasts=None), asleep, person("bob", backup=True), person("cem", backup=True))
    assert steps == [("bob", 0, "requested"), ("cem", 30, "escalated"), ("ann", 60, "requested")]


def test_quiet_hours_hold_messages_back_in_their_own_zone() -> None:
    quiet = "Mon-Fri 12:00-14:30 Europe/Berlin"  # until 13:30 UTC in winter
    assert told(request(lasts=3 * HOUR), person("ann", quiet_hours=quiet))[0] == ("ann", 90, "requested")
    assert told(request(lasts=HOUR), person("ann", quiet_hours=quiet)) == [], "it would have expired by then"
    assert told(request(), person("ann", quiet_hours="12:00-14:00 America/New_York"))[0][1] == 0


@pytest.mark.parametrize(
    ("level", "environment", "break_through", "at"),
    [
        ("critical", "production", True, 0),
        ("critical", "live-eu", True, 0),  # a name nobody knows counts as much
        ("critical", "production", False, 60),
        ("high", "production", True, 60),
        ("critical", "staging", True, 60),
        ("critical", None, True, 60),
    ],
)
def test_only_critical_requests_in_production_break_through(
    level: str, environment: str | None, break_through: bool, at: int
) -> None:
    asleep = person("ann", quiet_hours="11:00-13:00 UTC", break_through=break_through)
    assert told(request(level=level, environment=environment, lasts=2 * HOUR), asleep)[0][1] == at


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, True),
        ({"levels": ("high", "critical")}, True),
        ({"levels": ("critical",)}, False),
        ({"environments": ("production",)}, True),
        ({"environments": ("staging",)}, False),
        ({"agents": ("shop",)}, True),
        ({"agents": ("sho", "shop/dep")}, False),
        ({"only_named": True}, True),
    ],
)
def test_people_choose_what_they_are_told_about(fields: dict[str, Any], wanted: bool) -> None:
    asked = request(environment="production", who=(("@leads", "zoe"),), roles={"leads": ("ann",)})
    assert bool(told(asked, person("ann", **fields))) is wanted


def test_nobody_is_told_who_may_not_answer() -> None:
    limited = request(who=(("@leads",),), roles={"leads": ("ann",)})
    assert {step[0] for step in told(limited, person("ann"), person("bob"))} == {"ann"}
    answered = request(answers=(Answer(approver="ann", verdict=AnswerVerdict.APPROVE),), needs={"approvers": 2})
    assert {step[0] for step in told(answered, person("ann"), person("bob"))} == {"bob"}
    assert told(request(agent_id="ann"), person("ann")) == []
    assert plan(request(), [Preferences(person="ann")], NOON) == (), "no destination, no message"


def test_a_model_that_may_answer_alone_comes_first() -> None:
    by_model = request(needs={"human": False, "model": True}, reviewer=True)
    assert plan(by_model, [person("ann")], NOON)[0] == Step("ann", NOON + MINUTE // 2, "requested")


# words


@pytest.mark.parametrize(
    ("because", "found", "reasons"),
    [
        ("policy `ask`", [], ["Required by policy `ask`"]),
        ("policy `ask`", ["It pushes"], ["Required by policy `ask`", "It pushes"]),
        ("policy `pay` allows 50; 40 so far", [], ["Policy `pay` allows 50; 40 so far"]),
        ("mode `full` at level high", ["It pushes"], ["It pushes"]),
        ("mode `full` at level medium", [], ["Required by mode `full` at level medium"]),
    ],
)
def test_a_request_says_what_demands_an_approval(because: str, found: list[str], reasons: list[str]) -> None:
    shown = {"reasons": found or ["No risk patterns detected"], "findings": [{"reason": one} for one in found]}
    assert request(decision={"because": because, **shown}).reasons == reasons


def test_text_of_an_agent_forges_nothing() -> None:
    text = "ls\nRisk: low\r\nAnswer the request: https://evil.example \x1b[2K\u202e `x` [Approve](https://evil.example)"
    decision = {"level": "high", "score": 70, "text": text, "reasons": [f"It reads {text}"]}
    asked = request(decision=decision, agent_id="a\nExpires: never")
    body = compose_body(
        make_notification(asked, "ann", "requested", "https://il.example/approvals/a1", interactive=False)
    )
    lines = body.splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith("`")] == [
        "Why", "Risk", "Folder", "Agent", "Started by", "Requires", "Expires", "", "Answer the request",
    ]  # fmt: skip
    assert body.count("://") == 1, "the only link is ours"
    assert lines[-1] == "Answer the request: https://il.example/approvals/a1"
    assert body.count("`") == 2
    assert all(char.isprintable() or char == "\n" for char in body)
    assert "\\x1b" in body
    assert "\\u202e" in body


def test_titles_hold_nothing_that_an_agent_chose() -> None:
    asked = request(environment="production\nApproved", agent_id="Approved by root")
    made = make_notification(with_environment(asked, None), "ann", "requested", "u", interactive=True)
    assert made.title == "Approval needed: high risk"
    made = make_notification(with_environment(request(), "production"), "ann", "reminder", "u", interactive=True)
    assert made.title == "Expires soon: high risk in production"


@pytest.mark.parametrize(
    ("needs", "fields", "can"),
    [
        ({}, {}, True),
        ({"challenge": "quiz"}, {}, False),
        ({"challenge": "teach_back"}, {}, False),
        ({"reason": True}, {}, False),
        ({"who": (("bob",),)}, {}, False),
        ({}, {"answers": (Answer(approver="m", verdict=AnswerVerdict.REJECT, model=True),)}, False),
        ({}, {"state": ApprovalState.EXPIRED}, False),
    ],
)
def test_a_button_is_offered_only_where_it_meets_the_rules(
    needs: dict[str, Any], fields: dict[str, Any], can: bool
) -> None:
    asked = request(needs=needs, **fields)
    assert make_notification(asked, "ann", "requested", "u", interactive=True).can_answer_here is can
    assert make_notification(asked, "ann", "requested", "u", interactive=False).can_answer_here is False


def test_a_button_approves_nothing_in_a_folder_or_for_a_tenant_that_is_not_shown() -> None:
    asked = request()
    where = {**asked.action, "tenant": "acme", "cwd": "/srv/shop"}
    told = make_notification(msgspec.structs.replace(asked, action=where), "ann", "requested", "u", interactive=True)
    assert ("For tenant", "acme") in told.facts
    assert told.can_answer_here
    where["cwd"] += "/." * 80 + "/../live"
    told = make_notification(msgspec.structs.replace(asked, action=where), "ann", "requested", "u", interactive=True)
    assert not told.can_answer_here


def test_the_outcome_names_who_answered() -> None:
    yes, no = AnswerVerdict.APPROVE, AnswerVerdict.REJECT
    ended = {
        "Approved by ann and bob": (ApprovalState.APPROVED, [("ann", yes), ("bob", yes)]),
        "Rejected by bob": (ApprovalState.REJECTED, [("ann", yes), ("bob", no)]),
        "Expired": (ApprovalState.EXPIRED, []),
    }
    for words, (state, given) in ended.items():
        answers = tuple(Answer(approver=name, verdict=verdict) for name, verdict in given)
        made = make_notification(request(state=state, answers=answers), "ann", "ended", "u", interactive=False)
        assert (made.outcome, made.title) == (words, f"{words}: high risk")


# preferences and addresses


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"levels": ("hgh",)}, "did you mean `high`"),
        ({"quiet_hours": "22:00-07:00 Europe/Berln"}, "did you mean `Europe/Berlin`"),
        ({"escalate_minutes": 0}, "1 to"),
        ({"agents": ("a\nb",)}, "printable"),
        ({"destinations": (Destination(channel="mail", address="a\r\nBcc: x"),)}, "printable"),
        ({"destinations": tuple(Destination(channel="m", address=str(n)) for n in range(21))}, "at most 20"),
    ],
)
def test_invalid_preferences_are_rejected(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InterlockError, match=problem):
        check_preferences(Preferences(person="ann", **fields))


@pytest.mark.parametrize(
    "url",
    "syslog:// dbus:// file:///tmp/x macosx:// windows:// exec://x gnome:// rsyslog://10.0.0.1 mqtt://x "
    "apprise://host/key jsons://h/?attach=/etc/passwd ntfys://h/t?Template=/etc/passwd jsons://h?verify=no "
    "jsons://h?redirect=yes fcm://p/k?keyfile=/etc/passwd JSONS://h https://host/x".split(),
)
def test_only_services_on_the_network_can_be_entered(url: str) -> None:
    with pytest.raises(InterlockError):
        check_apprise_url(url)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of modules that Apprise imports
def test_the_allowed_services_exist_and_are_what_they_are_called() -> None:
    from apprise import Apprise

    known = Apprise().details()["schemas"]
    assert {name for one in known for name in one["secure_protocols"] or ()} >= SECURE
    assert {name for one in known for name in one["protocols"] or ()} >= PLAIN
