"""Weekly reports at a server: pages, files, and one message for each person who asked, whichever server sends it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import UTC
from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.audit.record import Entry
from interlock.learning.week import week_of
from interlock.metrics.action_index import rebuild
from interlock.server.notify import weekly_reports
from interlock.server.notify.bulletins import queue_drift_notes
from interlock.server.notify.preferences import Destination, Preferences
from interlock.server.notify.weekly_reports import plan_weekly_reports
from interlock.store.clock import MICROSECONDS, Moment, now, now_in
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, Running, until
from tests.server.receiver import Receiver, answers, receiving

WEEK = 7 * 86_400 * MICROSECONDS
EVIL = "contacted a host: x\n[x](https://evil.example)"
CHANNEL = '[channels.own]\nkind = "apprise"\n'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(answers(200)) as found:
        yield found


@pytest.fixture
def server(serve: Serve) -> Running:
    return serve(configured=OTHERS_ANSWER + CHANNEL, webhooks_inside=("127.0.0.1",))


def _want(server: Running, receiver: Receiver, person: str, **fields: Any) -> None:
    server.service.authenticator.people.add(person, Role.REVIEWER, "test")
    address = Destination(channel="own", address=f"json://127.0.0.1:{receiver.port}/{person}")
    wanted = Preferences(person=person, destinations=(address,), **fields)
    server.service.notifier.save(wanted, person)


def _told(receiver: Receiver, person: str) -> list[dict[str, Any]]:
    return [one.told for one in receiver.seen if one.path == f"/{person}"]


def test_each_week_is_sent_once_to_those_who_want_it(
    server: Running, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weekly_reports, "SEND_AFTER", 0)  # on a Monday morning as well
    journal = server.service.journal
    _want(server, receiver, "bob", weekly_report=True, agents=("nobody",))
    _want(server, receiver, "cem", agents=("nobody",))
    server.agent("ann").post("/v1/evaluate", ASKS).ok()
    assert not plan_weekly_reports(journal), "it starts with the next week"
    clock = now_in

    def later(connection: Any) -> Moment:
        at = clock(connection)
        return at._replace(wall=at.wall + WEEK)

    monkeypatch.setattr(weekly_reports, "now_in", later)
    assert plan_weekly_reports(journal)
    assert not plan_weekly_reports(journal), "a week is planned once"
    message = until(lambda: _told(receiver, "bob"))[0]
    assert message["title"].startswith("Weekly report: Week ")
    assert "1 action, 1 approval request" in message["message"]
    assert f"http://127.0.0.1:{server.port}/reports?week=" in message["message"]
    assert _told(receiver, "cem") == []
    browser = server.signed_in("bob", Role.REVIEWER).having(accept="text/html")
    until(lambda: b"Weekly report</a>" in browser.get("/settings/notifications").body)


def test_changes_in_behaviour_are_sent_to_those_who_want_them(server: Running, receiver: Receiver) -> None:
    _want(server, receiver, "bob", drift=True)
    _want(server, receiver, "cem", drift=True, agents=("billing",))
    entry = Entry(kind="agent.drifted", at=1, actor="interlock", name="host", agent_id="shop/bot", data={"text": EVIL})
    server.service.journal.commit(lambda transaction: queue_drift_notes(transaction, transaction.append(entry)))
    message = until(lambda: _told(receiver, "bob"))[0]
    assert message["title"] == "The behaviour of an agent changed"
    assert "Behaviour of shop/bot changed" in message["message"]
    assert "\n[x]" not in message["message"]
    assert _told(receiver, "cem") == []


def test_pages_and_files_of_a_week(server: Running) -> None:
    server.agent("ann").post("/v1/evaluate", {"toolName": "Bash", "inputPayload": {"command": "frobctl x"}}).ok()
    browser = server.signed_in("rita", Role.REVIEWER).having(accept="text/html")
    assert b"No actions were recorded" in browser.get("/reports", week="2020-W01").body
    assert browser.get("/reports", week="2020").status == 422
    for ending, kind in (("md", "text/markdown"), ("html", "text/html")):
        reply = browser.get(f"/reports/2020-W01.{ending}")
        assert reply.status == 200
        assert reply.headers["content-type"].startswith(kind)
        assert reply.headers["content-disposition"] == f'attachment; filename="interlock-2020-W01.{ending}"'
    assert browser.get("/reports/2020-W01.pdf").status == 404
    page = browser.get("/reports/coverage").body.decode()
    assert "interlock knowledge draft frobctl" in page


def test_numbers_of_a_week_lead_to_their_actions_and_files_hold_no_links(server: Running) -> None:
    bot, ci = server.agent("ann"), server.admin("eve")
    for caller, command in ((bot, "git status"), (bot, "rm -rf /"), (bot, "git push -f origin main"), (ci, "rm -rf /")):
        caller.post("/v1/evaluate", {"toolName": "Bash", "inputPayload": {"command": command}}).ok()
    browser = server.signed_in("bob", Role.REVIEWER).having(accept="text/html")
    empty = browser.get("/reports").body.decode()
    week = re.search(r'href="/reports\?week=(\S+)">Show this week so far', empty)
    assert week is not None, "an empty week leads to the current one"
    assert empty.index("Show this week so far") < empty.index("No actions were recorded"), "first of all"
    assert "Stopped actions by day" not in empty, "a chart of nothing"
    page = browser.get("/reports", week=week[1]).body.decode()
    links = {html.unescape(link) for link in re.findall(r'<a href="(/actions\?[^"]+)"', page)}
    counts = {}
    for link in links:
        total = re.search(r'id="total">(\d+)<', browser.get(link).body.decode())
        assert total is not None
        counts[re.sub(r"(from|to)=[^&]+&?", "", link.partition("?")[2]).strip("&")] = int(total[1])
    assert counts.pop("") == 4
    assert counts.pop("verdict=block") == 2
    assert counts.pop("verdict=stopped") == 3, "the only day with actions"
    assert counts.pop("request=any") == 1, "the only request"
    causes = {name: count for name, count in counts.items() if name.startswith("cause=")}
    assert sum(causes.values()) == 3, "each was stopped by one rule"
    assert sorted(count for name, count in counts.items() if name not in causes) == [1, 2], "the agent, and the key"
    assert "/actions" not in browser.get(f"/reports/{week[1]}.html").body.decode()


def test_each_cause_of_a_week_leads_to_exactly_the_actions_that_it_stopped(server: Running) -> None:
    careful = {"policyId": "careful", "when": "toolName == 'Bash'", "action": "require_approval"}
    server.admin("eve").post("/v1/policies", careful).ok(201)
    bot = server.agent("ann")
    commands = ("git status", "rm -rf /", "git push -f origin main", "rm -rf / && git push -f origin main")
    for command in commands:  # rules match what a policy stopped, and the policy matches what a rule blocked
        bot.post("/v1/evaluate", {"toolName": "Bash", "inputPayload": {"command": command}}).ok()
    browser = server.signed_in("bob", Role.REVIEWER).having(accept="text/html")
    week = str(week_of(now().wall, UTC))
    bars = r'<a href="(/actions\?[^"]*cause=[^"]+)" aria-label="([^"]+): (\d+)'
    found = re.findall(bars, browser.get("/reports", week=week).body.decode())
    assert {name: int(count) for _, name, count in found} == {"policy careful": 2, "rule delete_root": 2}
    for link, name, count in found:
        page = browser.get(html.unescape(link)).body.decode()
        assert f'id="total">{count}<' in page, name
        assert f'name="cause" value="{name}"' in page


def test_a_cause_that_the_index_does_not_know_leads_nowhere(server: Running) -> None:
    bot = server.agent("ann")
    bot.post("/v1/evaluate", {"toolName": "Bash", "inputPayload": {"command": "rm -rf /"}}).ok()
    browser = server.signed_in("bob", Role.REVIEWER).having(accept="text/html")
    week = str(week_of(now().wall, UTC))
    assert "cause=" in browser.get("/reports", week=week).body.decode()
    with server.service.journal.database.write() as connection:
        connection.run("DELETE FROM interlock_matches WHERE what = 'cause'")  # as an older version left it
    page = browser.get("/reports", week=week).body.decode()
    assert "rule delete_root: 1" in page
    assert "cause=" not in page
    rebuild(server.service.journal)  # as `interlock store recount` does
    assert "cause=" in browser.get("/reports", week=week).body.decode()
