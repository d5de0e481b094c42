"""A gateway that listens: clients come over HTTP, each with a session and a server of its own."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import StdioServerParameters

from interlock.agents.gateway import TOKEN as VARIABLE
from interlock.cli import main
from interlock.cli.mcp import MIN_TOKEN
from tests.agents.test_gateway import INTERLOCK, TOKEN, command, decisions, gateway, is_alive, listening

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
KNOWN = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}


class HookOutput:
    """What a gateway answered: the status, the session that it named, and the last message."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self.status, self.session = answer.status, answer.getheader("mcp-session-id")
        self.text = answer.read().decode()

    @property
    def message(self) -> dict[str, Any]:
        """The last message of a stream."""
        data = [line[6:] for line in self.text.splitlines() if line.startswith("data: ")]
        found: dict[str, Any] = json.loads(data[-1])
        return found


def said(
    url: str,
    message: object,
    *,
    method: str = "POST",
    path: str = "",
    session: str | None = None,
    headers: Mapping[str, str | None] | None = None,
) -> HookOutput:
    """Say something to a gateway. `headers` replace those of a client that knows it, or, as None, leave one out."""
    given = {**KNOWN, "mcp-session-id": session, **(headers or {})}
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        sent = {name: value for name, value in given.items() if value is not None}
        connection.request(method, path or parts.path, json.dumps(message) if message is not None else None, sent)
        return HookOutput(connection.getresponse())
    finally:
        connection.close()


@pytest.fixture
def started(tmp_path: Path) -> Path:
    return tmp_path / "started"


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """The file that is there while the tool `slow` runs, which ends once the file is gone."""
    return tmp_path / "held"


@pytest.fixture
def url(started: Path, held: Path, own: Path) -> Iterator[str]:
    with listening(gateway("stdio, listening", NOTES_STARTED=str(started), NOTES_HELD=str(held))) as found:
        yield found


def called(url: str, session: str | None, tool: str, **given: Any) -> HookOutput:
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    return said(url, message, session=session)


def begun(url: str) -> str | None:
    hello = said(url, HELLO)
    assert hello.status == 200
    assert said(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session=hello.session).status == 202
    return hello.session


STRANGERS: list[tuple[dict[str, str | None], int]] = [
    ({"Authorization": None}, 401),
    ({"Authorization": "Bearer another"}, 401),
    ({"Authorization": TOKEN}, 401),
    ({"Host": "evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"mcp-session-id": "nonsense"}, 404),
    ({"Content-Type": "text/plain"}, 400),
    ({"Accept": "text/html"}, 406),
]


def test_whoever_is_no_client_of_ours_gets_nothing(url: str, started: Path) -> None:
    for headers, status in STRANGERS:
        assert said(url, HELLO, headers=headers).status == status, headers
    assert said(url, HELLO, path="/").status == 404
    assert said(url, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status == 400, "no session is begun like that"
    assert said(url, "x" * 17_000_000).status == 413
    assert not started.exists(), "no server is started for those who have no session"


def test_every_client_is_a_run_of_its_own(url: str) -> None:
    sessions = [begun(url), begun(url)]
    assert len(set(sessions)) == 2
    for session in sessions:
        assert called(url, session, "add", a=1, b=2).message["result"]["structuredContent"] == {"result": 3}
    assert len({one["runId"] for one in decisions()}) == 2


def test_a_session_that_is_ended_takes_its_server_along(url: str, started: Path) -> None:
    session = begun(url)
    assert said(url, None, method="DELETE", session=session).status == 200
    assert called(url, session, "add", a=1, b=2).status == 404
    _ends(int(started.read_text()))


def _ends(pid: int) -> None:
    _wait_until(lambda: not is_alive(pid))


def _wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_gateway_that_is_told_to_end_leaves_no_server_behind(
    number: signal.Signals, started: Path, own: Path
) -> None:
    parameters = gateway("stdio, listening", interlock=INTERLOCK, NOTES_STARTED=str(started))
    process = subprocess.Popen(
        [parameters.command, *parameters.args], env=parameters.env, stderr=subprocess.PIPE, text=True
    )
    with _read(process) as line:
        begun(line.split()[-1])
        process.send_signal(number)
        assert process.wait(60) in (0, -number)
    _ends(int(started.read_text()))


#: A server that answers an introduction and nothing else, and does not end when it is asked to.
STUBBORN = """
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(os.environ["NOTES_STARTED"], "w").write(str(os.getpid()))
print("token", os.environ.get("INTERLOCK_MCP_TOKEN"), file=sys.stderr, flush=True)
hello = json.loads(sys.stdin.readline())
about = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
print(json.dumps({"jsonrpc": "2.0", "id": hello["id"], "result": about}), flush=True)
if sys.argv[1] == "closes":
    os.close(1)
while True:
    time.sleep(1)
"""


def stubborn(started: Path, *words: str, interlock: list[str] | None = None) -> StdioServerParameters:
    server = [sys.executable, "-c", STUBBORN, *words]
    return gateway("stdio, listening", server=server, interlock=interlock, NOTES_STARTED=str(started))


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGINT] * 2, [signal.SIGHUP]])
def test_a_server_that_does_not_want_to_end_does(numbers: list[signal.Signals], started: Path, own: Path) -> None:
    parameters = stubborn(started, "stays", interlock=INTERLOCK)
    process = subprocess.Popen(
        [parameters.command, *parameters.args], env=parameters.env, stderr=subprocess.PIPE, text=True
    )
    with _read(process) as line:
        begun(line.split()[-1])
        for number in numbers:
            process.send_signal(number)
            time.sleep(0.1)
        assert process.wait(60) == 0
        assert process.stderr is not None
        said_last = process.stderr.read()
    assert "Traceback" not in said_last
    assert "token None" in said_last, "a server has no business with the clients' token"
    _ends(int(started.read_text()))


def test_a_server_that_does_not_read_ends_with_its_session(started: Path, own: Path) -> None:
    with listening(stubborn(started, "stays")) as url:
        session = begun(url)
        filler = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": "x" * 1_000_000}}
        for _ in range(2):
            assert said(url, filler, session=session).status == 202
        assert said(url, None, method="DELETE", session=session).status == 200
        _ends(int(started.read_text()))


def test_a_server_that_says_no_more_takes_no_more(started: Path, own: Path) -> None:
    with listening(stubborn(started, "closes")) as url:
        hello = said(url, HELLO)
        until = time.monotonic() + 60
        while (again := called(url, hello.session, "add")).status != 404:
            assert "the server has exited" in again.text
            assert time.monotonic() < until


@pytest.mark.parametrize("other", [2, "2"])
def test_an_id_that_is_in_use_takes_no_answer_away(url: str, held: Path, other: object) -> None:
    session = begun(url)
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(called, url, session, "slow", n=1)
        _wait_until(held.exists)
        message = {"jsonrpc": "2.0", "id": other, "method": "ping"}
        statuses = {said(url, message, session=session).status for _ in range(3)}
        held.unlink()
        assert slow.result().message["id"] == 2
    assert statuses == {400}


@contextmanager
def _read(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stderr is not None
    try:
        yield process.stderr.readline()
    finally:
        process.kill()
        process.communicate()


def test_a_server_that_cannot_be_had_is_an_answer(own: Path) -> None:
    with listening(gateway("stdio, listening", server=["/no/such/server"])) as url:
        hello = said(url, HELLO)
        assert hello.message["error"]["message"] == "the server cannot be reached"
        assert said(url, HELLO, session=hello.session).status == 404


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "example.com:80", "port", "99999", "", ":", "1.2.3.4:80"])
def test_only_this_machine_is_listened_to(listen: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--listen", listen, "--", "ls"]) == 1
    assert "is not a local port" in capsys.readouterr().err


def test_mistakes_are_said(own: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    taken = command("--listen", str(urlsplit(url).port), "--", "ls")
    assert (taken.returncode, "in use" in taken.stderr) == (1, True), taken.stderr
    monkeypatch.setenv(VARIABLE, "short")
    done = command("--listen", "0", "--", "ls")
    assert (done.returncode, "printable ASCII characters" in done.stderr) == (1, True), done.stderr
    monkeypatch.setenv(VARIABLE, "\udcff" * 20)
    done = command("--listen", "0", "--", "ls")
    assert (done.returncode, "printable ASCII characters" in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("empty", ["", " \n"])
def test_a_token_is_made_where_nobody_says_one(own: Path, empty: str) -> None:
    parameters = gateway("stdio, listening")
    assert parameters.env is not None
    parameters.env[VARIABLE] = empty
    process = subprocess.Popen(
        [parameters.command, *parameters.args], env=parameters.env, stderr=subprocess.PIPE, text=True
    )
    with _read(process) as line:
        assert process.stderr is not None
        token = process.stderr.readline().partition("Bearer ")[2].partition("`")[0]
        assert len(token) >= MIN_TOKEN
        url = line.split()[-1]
        assert said(url, HELLO).status == 401
        assert said(url, HELLO, headers={"Authorization": f"Bearer {token}"}).status == 200
