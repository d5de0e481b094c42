"""Each agent is answered in its own language, to the letter; and whatever goes wrong, nothing runs because of it."""

from __future__ import annotations

import json
import re
import shlex
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock.access.people import People
from interlock.access.roles import Role
from interlock.access.servers import Servers
from interlock.agents.coding import AGENTS, NAMES, find_agent
from interlock.agents.coding.agent import HookOutput, Stage
from interlock.agents.hook.answer import answer_call as answer
from interlock.agents.permission import Permission
from interlock.agents.reply import AnswerOptions
from interlock.audit.identity import user_name
from interlock.audit.runs import pause_run
from interlock.errors import StoreError
from interlock.gate import Gate
from interlock.levels import Level
from tests.agents.hook_calls import ALONE, PUSH, WIPE, approve, call, hook, meant

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Gate]:
    return lambda: Gate(store=f"sqlite:///{tmp_path / 'store.db'}")


def replayed() -> Iterator[Any]:
    for name in NAMES:
        for number, line in enumerate((RECORDED / f"{name}.jsonl").read_text().splitlines()):
            yield pytest.param(name, json.loads(line), id=f"{name} {number}")


@pytest.mark.parametrize(("name", "line"), list(replayed()))
def test_what_was_recorded_is_answered_byte_for_byte(
    name: str, line: dict[str, Any], opened: Callable[[], Gate]
) -> None:
    said = answer(name, json.dumps(line["in"]).encode(), opened)
    assert said.status == 0
    assert re.sub(r"approvals approve [0-9a-f]{8}", "approvals approve ‹id›", said.stdout.decode()) == line["out"]


@pytest.mark.parametrize("name", NAMES)
def test_fields_that_nobody_knows_and_a_mark_of_the_byte_order_change_nothing(name: str, opened: Any) -> None:
    told = json.loads(call(name, WIPE)) | {"brand_new": {"deep": [1, None]}, "another": True}
    said = answer(name, b"\xef\xbb\xbf" + json.dumps(told).encode(), opened)
    assert meant(said) == "deny"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{}" * 2, b'{"tool_name": 7}', b"[" * 100_000, b"x" * 100],
)
def test_bad_input_is_denied_with_a_reason(name: str, raw: bytes, opened: Any) -> None:
    said = answer(name, raw, opened)
    assert meant(said) == "deny"
    assert b"Interlock" in said.stdout


def fails(error: BaseException) -> Gate:
    raise error


ERRORS = [StoreError("gone"), OSError("disk"), MemoryError(), RecursionError(), ValueError("odd"), KeyError("x")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("command", ["ls", PUSH, WIPE])
def test_whatever_fails_denies(name: str, error: BaseException, command: str) -> None:
    said = answer(name, call(name, command), lambda: fails(error))
    assert meant(said) == "deny"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("command", "wanted"), [("ls", {"silent", "allow"}), (PUSH, {"ask", "deny"}), (WIPE, {"deny"})]
)
def test_every_verdict_is_said_or_a_stricter_one(name: str, command: str, wanted: set[str], opened: Any) -> None:
    assert meant(answer(name, call(name, command), opened)) in wanted


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_understands_what_it_is_told(name: str) -> None:
    agent = find_agent(name)
    for event, what in agent.events.items():
        if what.stage in (Stage.BEFORE, Stage.PROMPT):
            assert Permission.DENY in what.permissions
            for permission in Permission:
                assert agent.express(event, permission) >= permission, "never milder than what was meant"
                assert agent.express(event, permission) in what.permissions


def test_codex_is_never_told_what_it_takes_for_a_failed_hook(opened: Any) -> None:
    for command in ("ls", PUSH, WIPE):
        said = answer("codex", call("codex", command), opened, options=AnswerOptions(auto_approve=Level.MEDIUM))
        assert meant(said) in ("silent", "deny")
        if said.stdout:
            told = json.loads(said.stdout)
            assert set(told) <= {"hookSpecificOutput", "systemMessage"}
            assert told["hookSpecificOutput"]["permissionDecisionReason"]


def test_an_agent_that_runs_another_s_hook_is_answered_in_its_own_language(opened: Any) -> None:
    """Cursor and Copilot read Claude Code's settings."""
    assert json.loads(answer("claude-code", call("cursor", WIPE), opened).stdout)["permission"] == "deny"
    told = json.loads(call("copilot", WIPE)) | {"sessionId": "another"}
    assert json.loads(answer("claude-code", json.dumps(told).encode(), opened).stdout)["permissionDecision"] == "deny"
    again = answer("claude-code", call("copilot", "ls"), opened)
    assert "started by another user or agent" in json.loads(again.stdout)["permissionDecisionReason"], (
        "it is Cursor's run"
    )


def test_whoever_wants_to_be_asked_less_is_asked_less(opened: Any) -> None:
    low = AnswerOptions(auto_approve=Level.LOW)
    assert meant(answer("claude-code", call("claude-code", "ls"), opened, options=low)) == "allow"
    assert meant(answer("claude-code", call("claude-code", "ls"), opened)) == "silent"
    risky = call("claude-code", "rm -rf build")
    assert meant(answer("claude-code", risky, opened, options=low)) == "silent", "that is more than low"
    medium = AnswerOptions(auto_approve=Level.MEDIUM)
    assert meant(answer("claude-code", call("claude-code", "rm -rf build"), opened, options=medium)) == "allow"
    unread = call("claude-code", "./build.sh")
    assert meant(answer("claude-code", unread, opened, options=medium)) == "silent", "nobody could read all of it"
    assert meant(answer("claude-code", call("claude-code", PUSH), opened, options=medium)) == "ask"


def test_what_an_agent_cannot_ask_waits_for_an_approval(opened: Any) -> None:
    first = answer("codex", call("codex", PUSH), opened)
    assert meant(first) == "deny"
    with opened() as gate:
        [waiting] = gate.approvals.list()
        assert waiting.agent_id == "codex"
        approve(gate, waiting)
    assert meant(answer("codex", call("codex", PUSH), opened)) == "silent", "it was approved"
    assert meant(answer("codex", call("codex", PUSH), opened)) == "deny", "once"


@pytest.mark.parametrize(("started", "wanted"), [("cli", "ask"), ("sdk-cli", "deny"), ("", "ask")])
def test_an_agent_that_a_script_has_started_can_ask_nobody(opened: Any, started: str, wanted: str) -> None:
    environment = {"CLAUDE_CODE_ENTRYPOINT": started}
    assert meant(answer("claude-code", call("claude-code", PUSH), opened, environment=environment)) == wanted
    with opened() as gate:
        assert len(gate.approvals.list()) == (wanted == "deny"), "it waits in the list instead"


def asked_again(agent: str, command: str, **words: str) -> bytes:
    """Return what an agent says when it is about to ask its person about what it has just been let through with."""
    said = json.loads(call(agent, command))
    event = "permissionRequest" if agent == "copilot" else "PermissionRequest"
    said |= {"hook_event_name": event} if agent != "copilot" else {"hookName": event}
    return json.dumps({**said, "tool_input": {"command": command, **words}} if words else said).encode()


def decisions(opened: Any) -> int:
    with opened() as gate, gate.journal.database.read() as connection:
        return int(connection.value("SELECT count(*) FROM interlock_records WHERE kind = 'decision'"))


def test_what_is_asked_about_twice_is_decided_once(opened: Any) -> None:
    assert meant(answer("claude-code", call("claude-code", PUSH), opened)) == "ask"
    assert meant(answer("claude-code", asked_again("claude-code", PUSH), opened)) == "silent", "the person is asked"
    assert meant(answer("claude-code", call("claude-code", "ls"), opened)) == "silent"
    assert meant(answer("claude-code", asked_again("claude-code", "ls"), opened)) == "silent"
    assert decisions(opened) == 2
    low = AnswerOptions(auto_approve=Level.LOW)
    assert meant(answer("claude-code", asked_again("claude-code", "ls"), opened, options=low)) == "allow"
    assert meant(answer("claude-code", asked_again("claude-code", WIPE), opened)) == "deny", "nobody let that through"
    assert decisions(opened) == 3


def test_what_was_approved_is_not_asked_about_again_at_the_agents_own_prompt(opened: Any) -> None:
    """As Codex does it: with words for the person, which it did not say before."""
    assert meant(answer("codex", call("codex", PUSH), opened)) == "deny"
    prompt = asked_again("codex", PUSH, description="because")
    with opened() as gate:
        approve(gate, gate.approvals.list()[-1])
    assert meant(answer("codex", call("codex", PUSH), opened)) == "silent"
    assert decisions(opened) == 2
    assert meant(answer("codex", prompt, opened)) == "silent", "the agent's own rules go on to apply"
    assert decisions(opened) == 2
    assert meant(answer("codex", call("codex", PUSH), opened)) == "deny", "once"


def test_what_has_become_worse_meanwhile_is_decided_anew(opened: Any) -> None:
    """Another part of the session has written the script that is about to run."""
    assert meant(answer("claude-code", call("claude-code", "bash x.sh"), opened)) == "silent"
    said = json.loads(call("claude-code", "ls"))
    written = {**said, "tool_name": "Write", "tool_input": {"file_path": f"{said['cwd']}/x.sh", "content": PUSH}}
    assert meant(answer("claude-code", json.dumps(written).encode(), opened)) == "silent"
    script = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert meant(answer("claude-code", asked_again("claude-code", "bash x.sh"), opened, environment=script)) == "deny"


def test_whoever_was_there_to_be_asked_must_still_be(opened: Any) -> None:
    assert meant(answer("claude-code", call("claude-code", PUSH), opened)) == "ask"
    script = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert meant(answer("claude-code", asked_again("claude-code", PUSH), opened, environment=script)) == "deny"


def test_nobody_goes_by_what_was_let_through_in_the_run_of_another(opened: Any) -> None:
    assert meant(answer("claude-code", call("claude-code", "ls"), opened)) == "silent"
    low = AnswerOptions(auto_approve=Level.LOW)
    stolen = json.loads(asked_again("codex", "ls")) | {
        "session_id": json.loads(call("claude-code", "ls"))["session_id"]
    }
    assert meant(answer("codex", json.dumps(stolen).encode(), opened, options=low)) == "deny"


def test_a_paused_run_is_let_through_with_nothing(opened: Any) -> None:
    assert meant(answer("claude-code", call("claude-code", "ls"), opened)) == "silent"
    with opened() as gate:
        [(run, _)] = gate.runs.list()
        gate.journal.commit(lambda transaction: pause_run(transaction, run.run_id, "enough"))
        with gate.journal.database.write() as connection:
            connection.run("UPDATE interlock_runs SET state = 'open'")
    low = AnswerOptions(auto_approve=Level.LOW)
    assert meant(answer("claude-code", asked_again("claude-code", "ls"), opened, options=low)) == "deny"


def test_where_nobody_is_there_it_waits_if_that_is_configured(own: Path, opened: Any) -> None:
    own.mkdir(exist_ok=True)
    (own / "interlock.toml").write_text('[approvals]\nunattended = "wait"\n')

    def approve_first() -> None:
        with opened() as gate:
            while not (waiting := gate.approvals.list()):
                time.sleep(0.05)
            approve(gate, waiting[0])

    somebody = threading.Thread(target=approve_first)
    somebody.start()
    assert meant(answer("codex", call("codex", PUSH), opened, options=AnswerOptions(max_wait=60))) == "silent"
    somebody.join()


def test_all_calls_of_a_session_are_one_run_and_outcomes_are_part_of_it(opened: Any) -> None:
    for command in ("ls", "git status"):
        answer("claude-code", call("claude-code", command), opened)
    done = json.loads(call("claude-code", "ls")) | {"hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}}
    for _ in range(2):  # told twice, noted once
        assert answer("claude-code", json.dumps(done).encode(), opened).stdout == b""
    with opened() as gate:
        [(run, actions)] = gate.runs.list()
        assert (run.run_id, run.agent_id, actions) == ("s1", "claude-code", 2)
        with gate.journal.database.read() as connection:
            query = "SELECT count(*) FROM interlock_records WHERE kind = 'event' AND name = 'tool.completed'"
            assert connection.value(query) == 1


def test_as_an_agent_calls_it(own: Path) -> None:
    assert hook(own, "claude-code", given=call("claude-code", "ls")) == HookOutput(b"", b"", 0)
    assert meant(hook(own, "claude-code", given=call("claude-code", WIPE))) == "deny"


@pytest.mark.parametrize("words", [("nobody",), (), ("claude-code", "--bad"), ("claude-code", "--wait", "x")])
def test_a_mistake_in_the_settings_is_no_leave_to_go_on(own: Path, words: tuple[str, ...]) -> None:
    said = hook(own, *words, given=call("claude-code", "ls"))
    assert (said.status, bool(said.stderr)) == (2, True)


def corrupt(own: Path) -> dict[str, str]:
    own.mkdir()
    (own / "interlock.toml").write_text("mode = [[[")
    return {}


def read_only(own: Path) -> dict[str, str]:
    own.mkdir()
    own.chmod(stat.S_IRUSR | stat.S_IXUSR)
    return {"INTERLOCK_STORE": "sqlite:////proc/nowhere/store.db"}


def no_home(own: Path) -> dict[str, str]:
    return {"HOME": "", "INTERLOCK_HOME": "/proc/nowhere"}


def store_down(own: Path) -> dict[str, str]:
    return {"INTERLOCK_STORE": "postgresql://nobody@127.0.0.1:1/nothing"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("state", [corrupt, read_only, no_home, store_down])
def test_a_machine_in_a_bad_state_is_no_leave_to_go_on(own: Path, name: str, state: Any) -> None:
    assert meant(hook(own, name, "--deadline", "8", given=call(name, WIPE), **state(own))) == "deny"


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_comes_in_time(own: Path, name: str) -> None:
    command = [*ALONE, name, "--deadline", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        out = process.stdout.read()  # nobody ever says what is about to run
        process.wait(60)
        assert process.stderr is not None
        assert meant(HookOutput(out, process.stderr.read(), process.returncode)) == "deny"


UNREADABLE = ['{"command": "rm -rf / #\\ud800"}', '{"command": "rm -rf /", "n": 1e999}', '{"command": "rm -rf /",}']


@pytest.mark.parametrize(
    "given", [*UNREADABLE, '"{\\"command\\": \\"rm -rf /\\"}"', '\ufeff{"command": "rm -rf /"', "[1"]
)
def test_what_cannot_be_read_inside_a_text_is_refused(given: str, opened: Any) -> None:
    told = {"sessionId": "c", "timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": given}
    assert meant(answer("copilot", json.dumps(told).encode(), opened)) == "deny"
    told = json.loads(call("cursor", "x")) | {
        "hook_event_name": "beforeMCPExecution",
        "tool_name": "q",
        "tool_input": given,
    }
    told.pop("command")
    assert meant(answer("cursor", json.dumps(told).encode(), opened)) == "deny"


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("claude-code", {"hook_event_name": "preToolUse"}),
        ("claude-code", {"hook_event_name": "BrandNewEvent"}),
        ("claude-code", {"workspace_roots": []}),
        ("claude-code", {"cursor_version": "3", "hook_event_name": "PreToolUse"}),
        ("gemini", {"hook_event_name": "PreToolUse"}),
        ("gemini", {"turn_id": "x", "workspace_roots": ["x"], "toolName": None}),
        ("codex", {"cursor_version": "9"}),
        ("cursor", {"turn_id": "x"}),
        ("cursor", {"hook_event_name": "beforeSomethingNew"}),
    ],
)
def test_an_event_or_a_field_that_is_new_lets_nothing_through(name: str, changed: dict[str, Any], opened: Any) -> None:
    said = answer(name, json.dumps(json.loads(call(name, WIPE)) | changed).encode(), opened)
    assert meant(said) == "deny"


def test_copilot_speaks_in_two_spellings(opened: Any) -> None:
    told: dict[str, Any] = {"hook_event_name": "PreToolUse", "session_id": "c", "cwd": "/w"}
    told |= {"timestamp": "2026-11-15T10:00:00Z", "tool_name": "Bash", "tool_input": {"command": WIPE}}
    assert meant(answer("copilot", json.dumps(told).encode(), opened)) == "deny"
    assert meant(answer("copilot", call("copilot", WIPE), opened, event="PreToolUse")) == "deny"
    assert meant(answer("copilot", call("copilot", "ls"), opened, event="preTolUse")) == "deny", "no such event"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}),
        ("Bash", {"command": "make test"}),
        ("Bash", {"command": "npm install left-pad"}),
        ("Frobnicate", {"a": 1}),
        ("mcp__x__run", {"blob": "…"}),
        ("Agent", {"prompt": "do everything"}),
    ],
)
def test_nothing_that_nobody_could_read_is_approved_in_your_place(
    tool: str, given: dict[str, Any], opened: Any
) -> None:
    told = json.loads(call("claude-code", "")) | {"tool_name": tool, "tool_input": given}
    said = answer("claude-code", json.dumps(told).encode(), opened, options=AnswerOptions(auto_approve=Level.MEDIUM))
    assert meant(said) == "silent"


def hears(pid: int, number: int) -> bool:
    """Whether a process does something of its own when it gets a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGALRM])
def test_a_hook_that_is_stopped_refuses(own: Path, number: int) -> None:
    command = [*ALONE, "codex"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not hears(process.pid, signal.SIGPIPE):  # the last one that it learns to hear
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(60) == 2
        assert process.stderr is not None
        assert b"the action was denied" in process.stderr.read()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">/dev/full", "2>/dev/full"])
@pytest.mark.parametrize("words", ["codex", "codex --nosuch"])
def test_streams_that_are_gone_are_no_leave_to_go_on(own: Path, closed: str, words: str) -> None:
    line = f"{shlex.join(ALONE)} {words} {closed}"
    done = subprocess.run(["sh", "-c", line], input=call("codex", WIPE), capture_output=True, check=False, timeout=120)
    assert done.returncode == 2 or meant(HookOutput(done.stdout, done.stderr, done.returncode)) == "deny"
    assert done.stdout.count(b"hookSpecificOutput") <= 1
    if done.stdout:
        json.loads(done.stdout)


# four eyes: whoever started the run does not approve it once there are two people

ASKING = [agent.name for agent in AGENTS if Permission.ASK in agent.event(agent.before).permissions]


def add_people(gate: Gate, *names: str) -> None:
    for name in names:
        People(gate.journal).add(name, Role.REVIEWER, "test")


@pytest.mark.parametrize("name", ASKING)
def test_the_agents_own_prompt_is_not_enough_once_there_are_two_people(name: str, opened: Any) -> None:
    with opened() as gate:
        add_people(gate, user_name())
    asked = meant(answer(name, call(name, PUSH), opened))
    with opened() as gate:
        add_people(gate, "ann")
    said = answer(name, call(name, PUSH), opened)
    assert (asked, meant(said)) == ("ask", "deny")
    with opened() as gate:
        [waiting] = gate.approvals.list()
        assert not waiting.one_person
        approve(gate, waiting)
    assert meant(answer(name, call(name, PUSH), opened)) in ("silent", "allow"), "another person has approved it"


def test_the_person_is_told_who_can_approve_and_where(opened: Any) -> None:
    with opened() as gate:
        add_people(gate, user_name(), "ann", "bob")
    told = json.loads(answer("claude-code", call("claude-code", PUSH), opened).stdout)["systemMessage"]
    with opened() as gate:
        [waiting] = gate.approvals.list()
        assert f"`ann` or `bob` can approve this with `interlock approvals approve {waiting.approval_id[:8]}`" in told
        Servers(gate.journal.database, "http://127.0.0.1:8700").report("", None)
    told = json.loads(answer("claude-code", call("claude-code", PUSH), opened).stdout)["systemMessage"]
    assert f"can approve this at http://127.0.0.1:8700/approvals/{waiting.approval_id}" in told


def test_a_prompt_that_was_open_when_the_second_person_came_does_not_pass(opened: Any) -> None:
    given = json.loads(call("claude-code", PUSH))
    assert meant(answer("claude-code", json.dumps(given).encode(), opened)) == "ask"
    with opened() as gate:
        add_people(gate, user_name(), "ann")
    prompt = json.dumps(given | {"hook_event_name": "PermissionRequest"}).encode()
    assert meant(answer("claude-code", prompt, opened)) == "deny"


def test_one_person_may_approve_alone_if_the_configuration_says_so(tmp_path: Path, opened: Any) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "interlock.toml").write_text("[approvals]\none_person = true\n")
    with opened() as gate:
        add_people(gate, user_name(), "ann")
    assert meant(answer("claude-code", call("claude-code", PUSH), opened)) == "ask"
