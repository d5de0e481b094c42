"""Signing in: guesses are limited, cross-site sign-ins are rejected, and sessions start fresh."""

from __future__ import annotations

import base64
import io
import re
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from rich.console import Console

from interlock.access.roles import Role
from interlock.access.servers import Servers
from interlock.cli import access
from interlock.cli.commands.options import Store
from interlock.cli.serve import _print_welcome
from tests.server.client import Client, Reply
from tests.server.live_server import SAFE, Running

PASSWORD = "correct horse battery"


def browser(running: Running, **headers: str) -> Client:
    """Return somebody who sends forms."""
    return running.nobody.having(content_type="application/x-www-form-urlencoded", **headers)


def tried(running: Running, name: str, password: str, wanted: str = "/", **headers: str) -> Reply:
    form = urlencode({"name": name, "password": password, "wanted": wanted}).encode()
    return browser(running, **headers).send("POST", "/sign-in", form)


def by_link(running: Running, secret: str, **headers: str) -> Reply:
    return browser(running, **headers).send("POST", f"/sign-in/{secret}", b"")


def known(running: Running, name: str = "mia") -> str:
    people = running.service.authenticator.people
    people.add(name, Role.REVIEWER, "test")
    people.set_password(name, PASSWORD, "test")
    return name


def cookie_of(reply: Reply) -> str:
    """Return the cookie that somebody has got."""
    return reply.headers["set-cookie"].partition(";")[0]


def patient(running: Running) -> None:
    """Let nobody have tried before."""
    running.service.sign_in_limiter._buckets.clear()


def test_guessing_takes_for_ever(alone: Running) -> None:
    known(alone)
    replies = [tried(alone, "mia", f"guess {number} of many") for number in range(15)]
    assert {reply.status for reply in replies} == {401, 429}
    last = replies[-1]
    assert last.status == 429
    assert int(last.headers["retry-after"]) >= 1
    assert "set-cookie" not in last.headers
    assert tried(alone, "mia", PASSWORD).status == 429, "too many failed attempts block the right password as well"
    refused = alone.reviewer("bob").get("/v1/audit", kind="session.refused").ok()["items"]
    assert len(refused) == sum(reply.status == 401 for reply in replies)


def test_guessing_links_takes_for_ever(alone: Running) -> None:
    statuses = [by_link(alone, f"{number:040}").status for number in range(15)]
    assert (statuses[0], statuses[-1]) == (403, 429)


def test_sign_in_does_not_reveal_which_names_exist(alone: Running) -> None:
    known(alone)
    alone.service.authenticator.people.add("no-password", Role.REVIEWER, "test")
    alone.service.authenticator.people.change(known(alone, "gone"), "test", state="shut out")
    told = set()
    for name in ("mia", "nobody", "no-password", "gone", ""):
        patient(alone)
        reply = tried(alone, name, "wrong horse battery")
        told.add((reply.status, reply.body.replace(name.encode(), b"") if name else reply.body))
    assert {status for status, _ in told} == {401}
    assert len({len(body) for _, body in told}) <= 2, "but for the name that stands in the form"


@pytest.mark.parametrize("name", ["mia\x00", "\x00", "mia\r\nSet-Cookie: a=b", "\u202emia", "x" * 5_000, "é" * 200])
def test_odd_names_at_sign_in_are_harmless(server: Running, name: str) -> None:
    known(server)
    reply = tried(server, name, PASSWORD)
    assert reply.status == 401
    assert "set-cookie" not in reply.headers
    refused = server.reviewer("bob").get("/v1/audit", kind="session.refused").ok()["items"]
    assert [str(item["name"]).isprintable() for item in refused] == [True]
    server.agent("ann").post("/v1/evaluate", SAFE).ok()


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1.evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"origin": "null", "sec_fetch_site": "cross-site"},
    ],
)
def test_cross_site_sign_ins_are_rejected(alone: Running, headers: dict[str, str]) -> None:
    known(alone)
    assert tried(alone, "mia", PASSWORD, **headers).status == 403
    secret = alone.service.authenticator.sessions.create_link("mia")
    assert by_link(alone, secret, **headers).status == 403
    assert by_link(alone, secret).status == 303, "and the link still counts"


def test_each_sign_in_gets_a_new_session(alone: Running) -> None:
    known(alone)
    chosen = "interlock=chosen-by-an-attacker"
    first = tried(alone, "mia", PASSWORD, cookie=chosen)
    second = tried(alone, "mia", PASSWORD)
    cookies = [chosen, cookie_of(first), cookie_of(second)]
    assert len(set(cookies)) == 3
    assert [alone.nobody.having(cookie=cookie).get("/v1/runs").status for cookie in cookies] == [401, 200, 200]


def test_signing_in_anew_ends_the_session_that_was_there(alone: Running) -> None:
    before = alone.signed_in("rita", Role.REVIEWER)
    secret = alone.service.authenticator.sessions.create_link(known(alone))
    after = by_link(alone, secret, cookie=before.headers["cookie"], x_csrf_token=before.headers["x-csrf-token"])
    assert alone.nobody.having(cookie=cookie_of(after)).get("/v1/runs").status == 200
    assert before.get("/v1/runs").status == 401


def test_a_sign_in_link_works_for_a_person_who_is_signed_in(alone: Running) -> None:
    before = alone.signed_in("rita", Role.REVIEWER)
    secret = alone.service.authenticator.sessions.create_link(known(alone))
    page = before.get(f"/sign-in/{secret}").body.decode()
    form = re.search(rf'<form method="post" action="/sign-in/{secret}">(.*?)</form>', page, re.DOTALL)
    assert form is not None
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[1])
    pressed = browser(alone, cookie=before.headers["cookie"], sec_fetch_site="same-origin")
    assert pressed.send("POST", f"/sign-in/{secret}", urlencode(fields).encode()).status == 303


def test_signing_out_invalidates_every_copy_of_the_cookie(alone: Running) -> None:
    person = alone.signed_in("rita", Role.REVIEWER)
    assert person.having(x_csrf_token="").post("/sign-out", b"").status == 403, "another site signs nobody out"
    reply = person.post("/sign-out", b"")
    assert reply.status == 303
    assert "Max-Age=0" in reply.headers["set-cookie"]
    assert person.get("/v1/runs").status == 401


ELSEWHERE: list[Any] = [
    "//evil.example", "///evil.example", "/\\evil.example", "/\t/evil.example", "\t//evil.example", "/\n/evil.example",
    "https://evil.example", "evil.example", "javascript:alert(1)", "/..//evil.example", "", "http:evil.example",
]  # fmt: skip


@pytest.mark.parametrize("wanted", ELSEWHERE, ids=repr)
def test_signing_in_leads_nowhere_else(shared: Running, wanted: str) -> None:
    if "mia" not in {person.name for person in shared.service.authenticator.people.list()}:
        known(shared)
    patient(shared)
    reply = tried(shared, "mia", PASSWORD, wanted)
    assert reply.status == 303
    here = f"http://127.0.0.1:{shared.port}"
    there = urljoin(f"{here}/sign-in", reply.headers["location"].replace("\t", "").replace("\\", "/"))
    assert urlsplit(there).netloc == f"127.0.0.1:{shared.port}"


def test_a_link_is_only_shown_by_looking_and_used_by_pressing(alone: Running) -> None:
    known(alone)
    secret = alone.service.authenticator.sessions.create_link("mia")
    for _ in range(2):
        assert alone.nobody.get(f"/sign-in/{secret}").status == 200
    assert by_link(alone, secret).status == 303
    assert by_link(alone, secret).status == 403


@pytest.mark.parametrize("path", ["/sign-in/<script>", "/sign-in/..%2f..", "/sign-in/x", "/sign-in/" + "a" * 101])
def test_an_invalid_sign_in_link_is_not_shown(shared: Running, path: str) -> None:
    assert shared.nobody.send("GET", path).status in (400, 404)


def test_a_link_leads_to_the_page_that_was_wanted(alone: Running) -> None:
    known(alone)
    shown = alone.nobody.having(accept="text/html").send("GET", "/approvals?state=all")
    assert shown.status == 401
    cookies = [cookie_of(shown)]
    hostile = (
        b"//evil.example",
        b"/\\evil.example",
        b"https://evil.example",
        b"/a\r\nSet-Cookie: a=b",
        b"",
        b"\xff\xfe",
    )
    more = (*hostile, b"", "/é".encode(), b"/" + b"x" * 2_000)
    cookies += ["interlock-wanted=" + base64.urlsafe_b64encode(one).decode() for one in more] + ["interlock-wanted=%"]
    landed = []
    for cookie in cookies:
        secret = alone.service.authenticator.sessions.create_link("mia")
        landed.append(by_link(alone, secret, cookie=cookie).headers["location"])
    assert landed == ["/approvals?state=all", *["/"] * (len(more) + 1)]


def test_a_form_of_an_ended_session_leads_back_to_its_page(shared: Running) -> None:
    here = f"127.0.0.1:{shared.port}"
    for sender in (f"http://{here}/approvals/a1", f"http://{here}.evil.example/approvals/a1", ""):
        sent = browser(shared, accept="text/html", referer=sender).send("POST", "/approvals/a1/approve", b"")
        wanted = "/approvals/a1" if f"{here}/" in sender else "/"
        assert (sent.status, f'name="wanted" value="{wanted}"' in sent.body.decode()) == (401, True)


def test_the_link_of_a_command_leads_to_the_server_that_runs(
    quiet: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(access, "require_person", lambda command: None)
    database = quiet.service.journal.database
    store = Store(store=database.shown)

    def printed(*url: str) -> tuple[str, str]:
        assert access.link(store, "mia", *url or (None,)) == 0
        said = capsys.readouterr()
        return said.out.partition("/sign-in/")[0], said.err

    known(quiet)
    quiet.service.servers.leave()
    where, said = printed()
    assert f"No server is running on this store, so the link assumes {where};" in said
    quiet.service.report()
    assert printed() == (quiet.service.url, "")
    assert printed("https://guard.example/") == ("https://guard.example", "")
    other = Servers(database, "http://127.0.0.1:1")
    other.report("", None)
    where, said = printed()
    assert where == "http://127.0.0.1:1"
    assert said == f"Several servers are running on this store. The link also works at {quiet.service.url}.\n"
    other.leave()


def test_the_link_that_the_server_prints_is_one_line_in_a_narrow_terminal(
    alone: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.StringIO()
    screen = Console(file=written, width=40)
    monkeypatch.setattr("interlock.cli.serve.console", lambda: screen)
    monkeypatch.setattr("interlock.cli.serve.is_at_terminal", lambda: True)
    _print_welcome(alone.service, None)
    [line] = [line for line in written.getvalue().splitlines() if "/sign-in/" in line]
    assert by_link(alone, line.strip().rpartition("/")[2]).status == 303
