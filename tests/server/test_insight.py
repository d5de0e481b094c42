"""Every number on the pages leads to as many actions, however they are filtered, sorted, paged and exported."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC
from itertools import pairwise
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from interlock.access.roles import Role
from interlock.audit.prune import prune
from interlock.audit.record import Entry
from interlock.metrics import action_index, action_list
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.action_index import count_unindexed, index_new_actions, rebuild
from interlock.metrics.action_list import SORTS, count_matching, read_actions
from interlock.metrics.local_window import make_local_window
from interlock.metrics.run_list import SORTS as RUN_SORTS
from interlock.metrics.run_list import RunFilter, read_runs
from interlock.metrics.window import Window
from interlock.server import record_search
from interlock.server.record_search import RecordSearch, search_records
from interlock.store.clock import MICROSECONDS, now
from tests.server.client import Client
from tests.server.conftest import Serve
from tests.server.live_server import Running

COMMANDS = ("ls", "git status", "git push --force origin main", "rm -rf /", "cat ~/.ssh/id_ed25519", "npm test")
EVIL = "evil\"'><script>x</script>/../?agent=coder&x#%2f"


@pytest.fixture
def busy(server: Running) -> Running:
    """A server with the actions of some agents, in several runs and environments."""
    for number, name in enumerate(("coder", "deployer", EVIL)):
        agent = server.agent("ann" if number else "zoe", f"key-{number}")
        for at, command in enumerate(COMMANDS[: 4 + number]):
            body = {
                "toolName": "Bash" if at % 2 else "shell",
                "inputPayload": {"command": command},
                "agentId": f"key-{number}/{name}",
                "runId": f"run-{name}"[:40],
                "environment": "production" if at == 2 else "",
            }
            agent.post("/v1/evaluate", {key: value for key, value in body.items() if value}).ok()
    return server


@pytest.fixture
def browser(busy: Running) -> Client:
    return busy.signed_in("rita", Role.ADMIN).having(accept="text/html")


def links(page: str, path: str = "/actions") -> Iterator[tuple[str, int]]:
    """Yield the links of a page to actions, each with its number: as its text, or in its label."""
    for link, attributes, inside in re.findall(r'<a[^>]*?href="([^"]*)"([^>]*)>(.*?)</a>', page, re.DOTALL):
        address = html.unescape(link)
        label = re.search(r'aria-label="([^"]*)"', attributes)
        said = re.sub(r"<[^>]+>", " ", label[1] if label else inside)
        if address.startswith(f"{path}?") and re.search(r"\d", said):  # a name has its number beside it
            yield address, _number_in(html.unescape(said))


def _number_in(said: str) -> int:
    """Return the number of a label: `Blocked: 3`, `12:00: 2 critical, 1 low`, `coder: 50% of 4 actions …`."""
    if share := re.search(r"([\d.]+)% of ([\d,]+) actions", said):
        return round(float(share[1]) * int(share[2].replace(",", "")) / 100)
    if part := re.search(r": ([\d,]+) of [\d,]+ actions", said):
        return int(part[1].replace(",", ""))
    if levels := re.findall(r"([\d,]+) (?:safe|low|medium|high|critical)", said):
        return sum(int(one.replace(",", "")) for one in levels)
    return int(re.findall(r"[\d,]+", said.partition(": ")[2] or said)[0].replace(",", ""))


def total(browser: Client, link: str) -> int:
    reply = browser.send("GET", link)
    assert reply.status == 200, (link, reply.body[-400:])
    found = re.search(r'<strong id="total">([\d,]+)</strong>', reply.body.decode())
    assert found, link
    return int(found[1].replace(",", ""))


def test_every_number_leads_to_as_many_actions(busy: Running, browser: Client) -> None:
    followed = set()
    pages = ["/?span=hour", "/", "/?span=week", "/runs", "/agents"]
    for path in (*pages, *_agent_pages(browser)):
        page = browser.send("GET", path).body.decode()
        for link, number in set(links(page)):
            assert total(browser, link) == number, (path, link)
            followed.add(path)
    assert {"/", "/runs", "/agents"} <= followed


def test_very_many_actions_are_not_counted(busy: Running, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_list, "MAX_COUNTED", 3)
    page = browser.send("GET", "/actions").body.decode()
    assert '<strong id="total">At least 3</strong> actions' in page
    assert total(browser, "/actions?agent=nobody") == 0


def test_of_very_many_matches_the_newest_are_examined(busy: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    of_agent = ActionFilter(rule="delete_root", agent_id="key-0/coder")
    index_new_actions(busy.service.journal)
    with busy.service.journal.database.read() as connection:
        for wanted in (of_agent, ActionFilter(rule="delete_root", agent_id="nobody")):
            assert count_matching(connection, wanted) == (1 if wanted is of_agent else 0, True)
        monkeypatch.setattr(action_list, "MAX_EXAMINED", 2)
        assert count_matching(connection, of_agent) == (0, False), "the third is of another agent than the first two"
        assert count_matching(connection, ActionFilter(rule="delete_root")) == (3, True)


def test_the_answers_on_the_page_of_an_agent_lead_to_their_records(server: Running) -> None:
    agent, reviewer = server.agent("ann", "bot"), server.reviewer("rita")
    commands = [f"git push --force origin b{number}" for number in range(3)]
    asked = [server.asked(agent, {"toolName": "Bash", "inputPayload": {"command": command}}) for command in commands]
    ids = [one["approval"]["approvalId"] for one in asked]
    server.approve(reviewer, ids[0]).ok()
    for approval_id in ids[1:]:
        reviewer.post(f"/v1/approvals/{approval_id}/reject", {"reason": "no"}).ok()
    browser = server.signed_in("zed", Role.ADMIN).having(accept="text/html")
    leads = dict(links(browser.send("GET", "/agents/bot").body.decode(), "/audit"))
    assert sorted(leads.values()) == [1, 2]
    for link, number in leads.items():
        assert browser.send("GET", link).body.decode().count('<li class="item k-approval"') == number, link


def _agent_pages(browser: Client) -> set[str]:
    page = browser.send("GET", "/agents").body.decode()
    found = {html.unescape(link) for link in re.findall(r'href="(/agents/[^"]+)"', page)}
    assert len(found) == 3
    return found


def test_exports_hold_what_is_shown(busy: Running, browser: Client) -> None:
    for query in ("", "verdict=stopped", "level=risky", "environment=production", "agent=nobody", "q=force"):
        shown = browser.send("GET", f"/actions?{query}").body.decode().count("<tr>") - 1
        rows = browser.send("GET", f"/actions/export?format=csv&{query}").body.decode()
        lines = browser.send("GET", f"/actions/export?format=jsonl&{query}").body.decode().splitlines()
        assert len(list(csv.DictReader(io.StringIO(rows)))) == len(lines) == max(shown, 0), query
        assert all(json.loads(line)["kind"] == "decision" for line in lines)
    found = json.loads(browser.send("GET", "/overview/export?format=json").body)
    sums = list(csv.DictReader(io.StringIO(browser.send("GET", "/overview/export?format=csv").body.decode())))
    assert int(sums[0]["actions"]) == found["risk"]["actions"] == 15
    assert sum(int(row["actions"]) for row in sums if row["what"] == "hour") == 15
    audit = browser.send("GET", "/audit/export?format=jsonl&kind=decisions&verdict=block").body.decode().splitlines()
    assert {json.loads(line)["outcome"] for line in audit} == {"block"}


@pytest.mark.parametrize(
    "query", ["verdict=maybe", "keyId=k", "level=9", "from=yesterday", "from=2026-02-01&to=2026-01-01"]
)
def test_a_filter_that_means_nothing_says_so(shared: Running, query: str) -> None:
    page = shared.signed_in("rita", Role.ADMIN).having(accept="text/html").send("GET", f"/actions?{query}")
    assert page.status == 422
    assert 'class="error"' in page.body.decode()


def test_pages_of_every_order_hold_each_action_once(busy: Running) -> None:
    index_new_actions(busy.service.journal)
    with busy.service.journal.database.read() as connection:
        for wanted in (ActionFilter(), ActionFilter(verdict="stopped"), ActionFilter(policy="production-changes")):
            found: dict[str, list[int]] = {}
            for sort in SORTS:
                seqs: list[int] = []
                cursor: str | None = ""
                while cursor is not None:
                    page = read_actions(connection, wanted, sort, cursor, 2)
                    seqs += [one.line.record.seq for one in page.items]
                    cursor = page.next
                assert len(seqs) == len(set(seqs)) == count_matching(connection, wanted).number
                found[sort] = seqs
            assert found["oldest"] == found["newest"][::-1]
            assert set(found["level"]) == set(found["newest"])
        for sort in RUN_SORTS:
            runs: list[str] = []
            after: str | None = ""
            while after is not None:
                page_of_runs, after = read_runs(connection, RunFilter(), sort, after, 1)
                runs += [one.run.run_id for one in page_of_runs]
            assert len(runs) == len(set(runs)) == 3, sort


def test_the_index_is_the_same_however_it_is_built(busy: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    index_new_actions(busy.service.journal)
    before = _indexed(busy)
    monkeypatch.setattr(action_index, "BATCH", 6)  # so that records about a decision follow in the next batch
    rebuild(busy.service.journal)
    assert _indexed(busy) == before
    assert count_unindexed(busy.service.journal) == 0
    prune(busy.service.journal, now().wall + 1, "test")
    with busy.service.journal.database.read() as connection:
        assert [connection.value(f"SELECT count(*) FROM interlock_{name}") for name in ("actions", "matches")] == [0, 0]


def _indexed(running: Running) -> dict[str, list[tuple[object, ...]]]:
    with running.service.journal.database.read() as connection:
        orders = {"actions": "seq", "matches": "seq, what, name", "totals": "what, name"}
        return {name: connection.tuples(f"SELECT * FROM interlock_{name} ORDER BY {by}") for name, by in orders.items()}


def test_an_agent_cannot_push_production_out_of_the_totals(serve: Serve) -> None:
    running = serve()
    agent = running.agent("ann")
    for number in range(12):
        agent.post("/v1/evaluate", {"toolName": "t", "runId": "r", "environment": f"env-{number}"}).ok()
    agent.post("/v1/evaluate", {"toolName": "t", "runId": "r", "environment": "production"}).ok()
    page = running.signed_in("rita", Role.ADMIN).having(accept="text/html").send("GET", "/runs").body.decode()
    assert re.search(r'class="tag environment production">production<', page)


@pytest.mark.parametrize("text", ["first\tcolumn", "column\nsecond", 'say "yes"', "C:\\temp"])
def test_actions_are_found_by_a_text_that_json_escapes(serve: Serve, text: str) -> None:
    running = serve()
    agent = running.agent("ann")
    for noted in ("first\tcolumn\nsecond", 'C:\\temp: say "yes"', "first column"):
        agent.post("/v1/evaluate", {"toolName": "note", "runId": "r", "inputPayload": {"text": noted}}).ok()
    address = f"/actions/export?format=jsonl&{urlencode({'q': text})}"
    assert len(running.signed_in("rita", Role.ADMIN).send("GET", address).body.splitlines()) == 1


def test_records_are_found_by_agent_person_verdict_and_time(busy: Running) -> None:
    database, journal = busy.service.journal.database, busy.service.journal
    forged = {"text": "x", "agentId": "key-0/coder", "outcome": "block"}
    entry = Entry(kind="event", at=now().wall, actor="mallory", name="note", agent_id="other", data=forged)
    journal.commit(lambda transaction: transaction.append(entry))

    def found(**wanted: object) -> list[str]:
        return [line.record.kind for line in search_records(database, RecordSearch(**wanted))[0]]  # type: ignore[arg-type]

    assert found(agent_id="key-0/coder", kind="decisions").count("decision") == 4
    assert "event" not in found(agent_id="key-0/coder"), "a field of its data is not the agent of a record"
    assert found(person="mallory") == ["event"]
    assert set(found(verdict="block")) == {"decision"}
    assert found(q="id_ed25519", kind="decisions") != []
    assert found(start=now().wall + MICROSECONDS) == []
    assert found(end=now().wall + MICROSECONDS, kind="stops") == []
    assert len(found(start=0, end=now().wall + MICROSECONDS)) == len(found())


@pytest.mark.parametrize(
    "wanted", [{}, {"q": "git"}, {"verdict": "block"}, {"kind": "decisions", "q": "push"}, {"start": 0}]
)
def test_a_search_that_is_continued_finds_each_record_once(
    busy: Running, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, str]
) -> None:
    search, database = RecordSearch(**wanted), busy.service.journal.database  # type: ignore[arg-type]
    whole, _ = search_records(database, search, limit=1_000)
    for name, number in (("MAX_SEARCHED", 5), ("MAX_PARSED", 2), ("_READ_AT_ONCE", 2)):
        monkeypatch.setattr(record_search, name, number)
    before: int | None = record_search.END
    found, steps = list[int](), 0
    while before is not None and steps < 500:
        lines, before = search_records(database, search, before, limit=3)
        found += [line.record.seq for line in reversed(lines)]
        steps += 1
    newest = {line.record.seq for line in whole}
    assert [seq for seq in found if seq <= max(newest)] == sorted(newest, reverse=True)
    assert 2 < steps < 500


@pytest.mark.parametrize(
    ("start", "hours"), [(0, 1), (5, 19), (5, 24), (5, 43), (20, 200), (3, 400), (0, 24 * 7 * 9), (7, 9_999)]
)
def test_a_window_is_made_of_counters_as_long_as_possible(start: int, hours: int) -> None:
    hour = 3_600 * MICROSECONDS
    parts = list(Window(start=start * hour, end=(start + hours) * hour, bucket="hour").parts())
    assert (parts[0][1], parts[-1][2]) == (start * hour, (start + hours) * hour)
    assert all(before[2] == after[1] for before, after in pairwise(parts))
    assert all(at % (grain * MICROSECONDS) == 0 for grain, *bounds in parts for at in bounds)
    rest = {grain: sum(end - begin for length, begin, end in parts if length == grain) for grain, *_ in parts}
    assert rest.get(3_600, 0) < 2 * 24 * hour
    assert rest.get(86_400, 0) < 2 * 7 * 24 * hour


def test_days_begin_at_midnight_in_the_zone_of_the_reader() -> None:
    day, at = 86_400 * MICROSECONDS, 1_774_900_000_000_000  # 30 March 2026, the day after summer time began in Berlin
    utc = make_local_window(at - 6 * day, at, UTC, at)
    assert [start % day for start in utc.starts] == [0] * 7
    berlin = make_local_window(at - 6 * day, at, ZoneInfo("Europe/Berlin"), at)
    hours = [(end - start) // (3_600 * MICROSECONDS) for start, end in berlin.bounds]
    assert hours == [24, 24, 24, 24, 24, 23, 24]
    kolkata = make_local_window(at - 6 * day, at, ZoneInfo("Asia/Kolkata"), at)
    assert all(start % (3_600 * MICROSECONDS) == 0 for start in kolkata.starts), "counters are by the hour"


def test_an_action_that_ran_says_what_permitted_it(server: Running) -> None:
    agent, reviewer, browser = (
        server.agent("ann", "bot"),
        server.reviewer("rita"),
        server.signed_in("zed", Role.ADMIN).having(accept="text/html"),
    )
    push = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin main"}, "runId": "r"}
    first = server.asked(agent, push)["approval"]["approvalId"]
    server.approve(reviewer, first).ok()
    assert agent.post("/v1/evaluate", push).ok()["by"] == "approval"
    page = browser.send("GET", "/actions").body.decode()
    assert page.count(f'href="/approvals/{first}"') == 2, "the action that asked, and the one that ran"
    assert "granted by" not in page
    server.approve(reviewer, server.asked(agent, push)["approval"]["approvalId"], scope="day").ok()
    for _ in range(2):
        assert agent.post("/v1/evaluate", push).ok()["by"] == "remembered"
    page = browser.send("GET", "/actions").body.decode()
    leads = re.findall(r'href="(/settings/grants\?id=\w+)"[^>]*>granted by rita</a>', page)
    assert (len(leads), len(set(leads))) == (2, 1)
    shown = browser.send("GET", leads[0]).body.decode()
    assert ("Showing one grant" in shown, shown.count("git push --force origin main")) == (True, 2)
    assert browser.send("GET", "/settings/grants?id=none").status == 404
    lines = csv.DictReader(io.StringIO(browser.send("GET", "/actions/export").body.decode()))
    assert [bool(line["grant"]) for line in lines] == [True, True, False, False, False]
