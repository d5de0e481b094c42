"""A hook goes into an agent's settings and comes out again; everything else in them stays, to the byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.agents.coding import AGENTS, find_agent
from interlock.agents.coding.agent import Agent, Stage
from interlock.agents.settings.command import InstallOptions, command_line, entries, is_ours, settings_file
from interlock.agents.settings.edit import add_entries, find_handlers, find_our_line, remove_entries
from interlock.agents.settings.health import check_agent
from interlock.agents.settings.installer import install, plan_install, plan_uninstall, uninstall
from interlock.agents.settings.jsonc import JsonDocument
from interlock.cli import main
from interlock.errors import ConfigError
from tests.agents.test_codex_trust import trust

CLAUDE, CODEX, GEMINI, CURSOR = map(find_agent, ("claude-code", "codex", "gemini", "cursor"))
EVERY_AGENT = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
OTHERS = {
    "nothing": "",
    "empty": "{}",
    "empty with a comment": "{\n  // mine\n}\n",
    "one line": '{"model": "opus", "hooks": {}}',
    "comments": """{
    // what I like
    "model": "opus", // the big one
    "permissions": { /* none */ "allow": [] } // last
}
""",
    "other hooks": """{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "my-guard"}]} // mine
    ],
    "BeforeTool": [{"matcher": "x", "hooks": []},],
    "beforeShellExecution": [{"command": "./check"}],
    "preToolUse": [],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
  },
  "version": 1,
}""",
    "tabs and carriage returns": '{\r\n\t"a": [1, 2],\r\n\t"b": "naïve ☃"\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "strange strings": '{"a": "// no comment", "b": "/* \\" } */", "c{": "\\u00e9"}',
}


#: Blanks and comments, as people put them between any two things.
BLANKS = st.sampled_from(["", " ", "\n  ", " // note\n", "\n/* a\n b */ ", "\t", " /* , } */"])
NAMES = st.sampled_from(["PreToolUse", "beforeShellExecution", "BeforeTool", "preToolUse", "Stop"])
OTHER = {"matcher": "x", "hooks": [{"type": "command", "command": "my-guard"}]}
settings_of_hypothesis = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def shapes(draw: Any) -> tuple[str, dict[str, Any]]:
    """Draw settings as a text, with comments in between, and as what they mean."""
    value: dict[str, Any] = {}
    for name in draw(st.permutations(["model", "hooks", "permissions", "version"]))[: draw(st.integers(0, 4))]:
        events = draw(st.dictionaries(NAMES, st.lists(st.just(OTHER), max_size=2), max_size=3))
        value[name] = {"model": "opus", "permissions": {"deny": ["Bash(rm:*)"]}, "version": 1, "hooks": events}[name]
    return draw(BLANKS) + _spelled(draw, value) + draw(BLANKS), value


def _spelled(draw: Any, value: Any) -> str:
    if not isinstance(value, dict | list):
        return json.dumps(value)
    keyed = isinstance(value, dict)
    items = [
        (f"{json.dumps(one)}{draw(BLANKS)}:{draw(BLANKS)}" if keyed else "")
        + _spelled(draw, value[one] if keyed else one)
        for one in value
    ]
    inside = ",".join(f"{draw(BLANKS)}{item}{draw(BLANKS)}" for item in items)
    last = "," if items and draw(st.booleans()) else ""
    return f"{'{' if keyed else '['}{inside}{last}{draw(BLANKS)}{'}' if keyed else ']'}"


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    """Return settings without lists of hooks that hold nothing: those may come and go."""
    hooks = {event: entries_ for event, entries_ in value.get("hooks", {}).items() if entries_}
    return {**{key: one for key, one in value.items() if key != "hooks"}, **({"hooks": hooks} if hooks else {})}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in filter(None, (agent.settings.variable for agent in AGENTS)):
        monkeypatch.delenv(variable, raising=False)
    return folder


def put(agent: Agent, text: str) -> Path:
    file = settings_file(agent, None)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def apply(agent: Agent, options: InstallOptions = InstallOptions(), project: Path | None = None) -> None:  # noqa: B008
    install(plan_install(agent, options, project))


def troubles(agent: Agent) -> list[str]:
    """Return what is wrong with a hook, besides that a new one must be trusted in Codex."""
    return [one for one in check_agent(agent, None).problems if "Codex" not in one]


def without_ours(value: Any, agent: Agent) -> Any:
    """Return settings as they would be had we never been there."""
    if isinstance(value, dict):
        lines = (value.get("command"), value.get("bash"))
        if any(isinstance(line, str) and is_ours(agent, line) for line in lines):
            return None
        kept = {key: without_ours(one, agent) for key, one in value.items()}
        emptied = "hooks" in value and value["hooks"] and not kept["hooks"] and "matcher" in value
        return None if emptied else kept
    if isinstance(value, list):
        return [found for one in value if (found := without_ours(one, agent)) is not None]
    return value


@EVERY_AGENT
@pytest.mark.parametrize("text", OTHERS.values(), ids=list(OTHERS))
def test_in_and_out_again_changes_no_byte(home: Path, agent: Agent, text: str) -> None:
    file = put(agent, text)
    apply(agent)
    once = file.read_bytes()
    apply(agent)
    assert file.read_bytes() == once, "done twice it changes nothing"
    settings = JsonDocument(once.decode(), "x").root.value
    wanted = entries(agent, InstallOptions(), shared=False).hooks
    assert all(entry in settings["hooks"][event] for event, entry in wanted.items())
    if text.strip("\ufeff \n"):
        before = JsonDocument(text, "x").root.value
        kept = without_ours(settings, agent)
        assert {key: kept[key] for key in before if key != "hooks"} == {
            key: before[key] for key in before if key != "hooks"
        }
        for event, others in before.get("hooks", {}).items():
            assert kept["hooks"][event] == others
    assert not troubles(agent)
    uninstall(plan_uninstall(agent))
    assert file.read_bytes() == text.encode()


@EVERY_AGENT
def test_a_file_that_was_not_there_is_not_there_again(home: Path, agent: Agent) -> None:
    apply(agent)
    assert settings_file(agent, None).exists()
    uninstall(plan_uninstall(agent))
    assert list(home.iterdir()) == []


@EVERY_AGENT
@pytest.mark.parametrize("text", [OTHERS["comments"], OTHERS["other hooks"], OTHERS["one line"]])
def test_what_was_changed_meanwhile_stays(home: Path, agent: Agent, text: str) -> None:
    file = put(agent, text)
    apply(agent)
    changed = JsonDocument(file.read_text(), "x").add_member("mine", [1, 2])
    file.write_text(changed)
    uninstall(plan_uninstall(agent))
    left = JsonDocument(file.read_text(), "x").root.value
    assert left["mine"] == [1, 2]
    before = JsonDocument(text, "x").root.value
    assert {key: left.get(key) for key in before if key not in ("hooks", "version")} == {
        key: before[key] for key in before if key not in ("hooks", "version")
    }
    assert not check_agent(agent, None).is_installed
    for event, others in before.get("hooks", {}).items():
        assert left.get("hooks", {}).get(event, []) == others
    for comment in ("// what I like", "// the big one", "/* none */", "// last", "// mine"):
        assert (comment in file.read_text()) == (comment in text)


@EVERY_AGENT
def test_other_wishes_replace_the_entry_and_the_first_file_comes_back(home: Path, agent: Agent) -> None:
    file = put(agent, OTHERS["comments"])
    apply(agent)
    apply(agent, InstallOptions(auto_approve="low", wait=min(60, agent.max_wait)))
    said = file.read_text()
    assert "--auto-approve low" in said
    assert said.count("launch.py") == len(entries(agent, InstallOptions(), shared=False).hooks), "the old ones are gone"
    uninstall(plan_uninstall(agent))
    assert file.read_text() == OTHERS["comments"]


def test_an_older_entry_is_no_part_of_what_comes_back(home: Path, own: Path) -> None:
    file = put(CODEX, OTHERS["comments"])
    apply(CODEX)
    file.write_text(JsonDocument(file.read_text(), "x").add_member("mine", 1))
    apply(CODEX, InstallOptions(wait=9))
    uninstall(plan_uninstall(CODEX))
    assert "hook codex" not in file.read_text()
    assert '"mine": 1' in file.read_text()


def test_a_hook_among_those_of_others_is_taken_out_alone(home: Path) -> None:
    ours = {"type": "command", "command": "interlock hook claude-code"}
    theirs = {"type": "command", "command": "my-guard"}
    file = put(CLAUDE, json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [theirs, ours]}]}}))
    uninstall(plan_uninstall(CLAUDE))
    assert json.loads(file.read_text()) == {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [theirs]}]}}


BROKEN = [
    ('{\n  "a": 1,\n  "b": \n}\n', 4),
    ('{\n  "a": 1\n  "b": 2\n}', 3),
    ('{"a": 1} extra', 1),
    ("{\n\n'a': 1}", 3),
    ('{"a": "x\n"}', 1),
    ('{\n"hooks": {},\n"hooks": {}}', 3),
    ('{\n"hooks": []\n}', 2),
    ('{"hooks": {\n"PreToolUse": {}, "BeforeTool": 1, "beforeShellExecution": 1, "preToolUse": 1}}', 2),
    ("[1]", 1),
    ('{"a": /* open', 1),
    ("[" * 500, 1),
    ('{"a": 01}', 1),
]


@EVERY_AGENT
@pytest.mark.parametrize(("text", "line"), BROKEN)
def test_what_cannot_be_read_is_refused_with_the_line_and_not_touched(
    home: Path, agent: Agent, text: str, line: int
) -> None:
    file = put(agent, text)
    with pytest.raises(ConfigError) as error:
        apply(agent)
    assert error.value.line == line
    assert file.read_bytes() == text.encode()


def test_bytes_that_are_no_text_are_refused(home: Path) -> None:
    file = put(CODEX, "")
    file.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConfigError, match="not UTF-8"):
        apply(CODEX)
    assert file.read_bytes() == b'{"a": "\xff"}'


@pytest.mark.parametrize("line", ["interlock hook codex --wait 5", "sh -c 'interlock hook codex || exit 2'"])
def test_a_command_line_of_ours_is_recognised(line: str) -> None:
    assert is_ours(CODEX, line)
    assert not is_ours(CLAUDE, line)
    assert not is_ours(CODEX, line.replace("interlock", "my-guard"))


def test_a_link_stays_one(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text(OTHERS["comments"])
    file = settings_file(CLAUDE, None)
    file.parent.mkdir()
    file.symlink_to("../../dotfiles/claude.json")
    apply(CLAUDE)
    assert file.is_symlink()
    assert "hook claude-code" in real.read_text()
    uninstall(plan_uninstall(CLAUDE))
    assert (file.is_symlink(), real.read_text()) == (True, OTHERS["comments"])


def test_a_link_that_leads_nowhere_is_refused(home: Path) -> None:
    file = settings_file(CODEX, None)
    file.parent.mkdir()
    file.symlink_to("/nowhere/at/all.json")
    with pytest.raises(ConfigError, match="link is broken"):
        apply(CODEX)
    assert file.is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_what_a_file_may_be_done_with_stays(home: Path, mode: int) -> None:
    file = put(GEMINI, OTHERS["comments"])
    file.chmod(mode)
    apply(GEMINI)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    uninstall(plan_uninstall(GEMINI))
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_file_that_may_not_be_written_to_is_not(home: Path) -> None:
    file = put(CURSOR, "{}")
    file.chmod(0o444)
    with pytest.raises(ConfigError, match=r"chmod u\+w"):
        apply(CURSOR)
    assert file.read_text() == "{}"
    assert [found.name for found in file.parent.iterdir()] == ["hooks.json"], "no draft is left"


def test_a_folder_in_place_of_the_file_is_refused(home: Path) -> None:
    settings_file(CURSOR, None).mkdir(parents=True)
    with pytest.raises(ConfigError, match="not a regular file"):
        apply(CURSOR)


@EVERY_AGENT
def test_a_projects_settings_hold_no_path_of_this_machine(home: Path, tmp_path: Path, agent: Agent) -> None:
    project = tmp_path / "project"
    project.mkdir()
    apply(agent, project=project)
    said = settings_file(agent, project).read_text()
    assert f"interlock hook {agent.name}" in said
    assert str(tmp_path) not in said
    uninstall(plan_uninstall(agent, project))
    assert list(project.iterdir()) == []


@EVERY_AGENT
def test_an_agent_waits_longer_than_its_hook(home: Path, agent: Agent) -> None:
    for options in (InstallOptions(), InstallOptions(wait=5), InstallOptions(wait=600)):
        for entry in entries(agent, options, shared=False).hooks.values():
            [handler] = entry.get("hooks", [entry])
            timeout = handler.get("timeout", handler.get("timeoutSec"))
            waits = timeout / 1_000 if timeout >= 10_000 else timeout  # some agents count milliseconds
            assert waits > options.deadline > options.wait


def test_a_hook_does_not_wait_longer_than_its_agent(home: Path) -> None:
    qwen = find_agent("qwen-code")
    apply(qwen, InstallOptions(wait=qwen.max_wait))
    assert not troubles(qwen)
    file = settings_file(qwen, None)
    [handler] = handlers(json.loads(file.read_text()))[:1]
    assert handler["timeout"] < 60_000, "after that, Qwen Code lets the action run whatever the hook's timeout is"
    with pytest.raises(ConfigError, match="at most 40 seconds"):
        apply(qwen, InstallOptions(wait=qwen.max_wait + 1))
    longer = entries(qwen, InstallOptions(wait=300), shared=False)
    file.write_text(json.dumps({"hooks": {event: [entry] for event, entry in longer.hooks.items()}}))
    assert "may let actions run" in " ".join(troubles(qwen))


def test_what_keeps_a_hook_from_working_is_said(home: Path) -> None:
    gone = {
        "type": "command",
        "command": "/no/such/python -I -S /no/interlock/launch.py hook claude-code",
        "timeout": 5,
    }
    settings = {"disableAllHooks": True, "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [gone]}]}}
    put(CLAUDE, json.dumps(settings))
    said = " ".join(check_agent(CLAUDE, None).problems)
    for part in ("no hook for PostToolUse", "/no/such/python", "changed after installation", "disableAllHooks"):
        assert part in said
    put(GEMINI, json.dumps({"hooksConfig": {"enabled": False}}))
    apply(GEMINI)
    assert "hooksConfig" in " ".join(check_agent(GEMINI, None).problems)


def handlers(settings: Any) -> list[dict[str, Any]]:
    """Return every handler in settings, whichever agent's they are."""
    entries_ = [entry for event in settings["hooks"].values() for entry in event]
    return [handler for entry in entries_ for handler in entry.get("hooks", [entry])]


SPOILT: dict[str, Any] = {
    "matched at less": lambda s: [e.update(matcher="Write") for v in s["hooks"].values() for e in v],
    "in the background": lambda s: [h.update({"async": True}) for h in handlers(s)],
    "no command": lambda s: [h.update(type="prompt") for h in handlers(s)],
    "too short a time": lambda s: [h.update(timeout="5", timeoutSec=5) for h in handlers(s)],
    "let through when broken": lambda s: [h.update(failClosed=False, onFailure="continue") for h in handlers(s)],
    "only help": lambda s: [h.update(_said(h, lambda line: f"{line} --help")) for h in handlers(s)],
    "always well": lambda s: [h.update(_said(h, lambda line: f"{line} || true")) for h in handlers(s)],
    "a deadline of its own": lambda s: [
        h.update(_said(h, lambda line: line.replace(" || ", " --deadline=300 || "))) for h in handlers(s)
    ],
    "an odd deadline": lambda s: [
        h.update(_said(h, lambda line: line.replace(" || ", " --deadline abc || "))) for h in handlers(s)
    ],
    "one of them gone": lambda s: s["hooks"].pop(next(iter(s["hooks"]))),
}


def _said(handler: dict[str, Any], change: Any) -> dict[str, str]:
    name = "bash" if "bash" in handler else "command"
    return {name: change(handler[name])}


@EVERY_AGENT
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
def test_a_hook_that_was_spoilt_is_said_to_be(home: Path, agent: Agent, spoil: Any) -> None:
    apply(agent, InstallOptions(wait=20))
    file = settings_file(agent, None)
    settings = json.loads(file.read_text())
    assert not troubles(agent)
    spoil(settings)
    file.write_text(json.dumps(settings))
    assert troubles(agent)
    apply(agent)
    assert not troubles(agent), "to install it again mends it"


def test_switches_elsewhere_are_seen(home: Path, tmp_path: Path) -> None:
    apply(CLAUDE)
    local = tmp_path / ".claude" / "settings.local.json"
    local.parent.mkdir()
    local.write_text('{"disableAllHooks": true}')
    assert "settings.local.json" in " ".join(check_agent(CLAUDE, None).problems)
    put(GEMINI, json.dumps({"hooksConfig": {"disabled": ["interlock"]}}))
    apply(GEMINI)
    assert "disabled" in " ".join(check_agent(GEMINI, None).problems)


COMMENTED = [
    '{ // mine\n  "hooks": {}, "permissions": {"deny": ["Bash(rm:*)"]},\n  "model": "opus"\n}\n',
    '{"hooks": { // guards\n "Stop": []}, "model": "opus"}',
    '{\n // first\n "model": "opus" // last\n // end\n}',
    '{"model": "opus", // x\n "hooks": {"PreToolUse": [ // y\n ]}}',
]


@EVERY_AGENT
@pytest.mark.parametrize("text", COMMENTED)
def test_no_comment_swallows_what_follows_it(home: Path, agent: Agent, text: str) -> None:
    file = put(agent, text)
    apply(agent)
    file.write_text(file.read_text().replace("opus", "sonnet"))
    uninstall(plan_uninstall(agent))
    left, before = JsonDocument(file.read_text(), "x").root.value, JsonDocument(text, "x").root.value
    assert left["model"] == "sonnet"
    assert left.get("permissions") == before.get("permissions")
    assert left.get("hooks", {}).get("Stop") == before.get("hooks", {}).get("Stop")


def test_a_comment_in_a_file_of_ours_is_no_obstacle(home: Path) -> None:
    apply(CLAUDE)
    file = settings_file(CLAUDE, None)
    file.write_text(file.read_text().replace("{\n", "{\n  // guards every tool\n", 1))
    apply(CLAUDE, InstallOptions(auto_approve="low"))
    uninstall(plan_uninstall(CLAUDE))
    assert "// guards every tool" in file.read_text()
    assert "launch.py" not in file.read_text()


@settings_of_hypothesis
@given(shapes())
def test_whatever_stands_in_a_file_stays_in_it(shape: tuple[str, dict[str, Any]]) -> None:
    text, value = shape
    for agent in AGENTS:
        wanted = entries(agent, InstallOptions(), shared=False)
        after = add_entries(text, "x", agent, wanted)
        changed = JsonDocument(after, "x").add_member("☃ mine", 1)
        left = JsonDocument(remove_entries(changed, "x", agent), "x").root.value
        del left["☃ mine"]
        for name in wanted.top_level:
            left.pop(name, None) if name not in value else None
        before = {key: one for key, one in value.items() if key != "hooks" or one}
        left = {key: one for key, one in left.items() if key != "hooks" or one}
        assert _without_empty(left) == _without_empty(before)


def test_several_at_once_are_all_noted(home: Path) -> None:
    for agent in AGENTS:
        put(agent, OTHERS["one line"])
    processes = [subprocess.Popen([sys.executable, "-m", "interlock", "install", agent.name]) for agent in AGENTS]
    assert [process.wait(60) for process in processes] == [0] * len(AGENTS)
    for agent in AGENTS:
        uninstall(plan_uninstall(agent))
        assert settings_file(agent, None).read_text() == OTHERS["one line"]


@EVERY_AGENT
def test_a_hook_that_cannot_start_or_is_killed_is_a_refusal(agent: Agent) -> None:
    for program in (["/no/such/python"], ["sh", "-c", "kill -9 $$"], ["sh", "-c", "exit 1"]):
        line = command_line(agent, program, [])
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, timeout=60)
        assert (done.returncode, b"Interlock could not run" in done.stderr) == (2, True)
    done = subprocess.run(
        ["sh", "-c", command_line(agent, ["sh", "-c", "exit 0"], [])], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@EVERY_AGENT
def test_a_broken_hook_does_not_hold_back_what_the_person_asks(agent: Agent) -> None:
    [event] = [name for name, event in agent.events.items() if event.stage is Stage.REQUEST]
    entry = entries(agent, InstallOptions(), shared=False).hooks[event]
    [handler] = find_handlers(entry)
    line = find_our_line(handler, agent)
    assert line is not None
    broken = line.replace(sys.executable, "/no/such/python")
    done = subprocess.run(["sh", "-c", broken], capture_output=True, check=False, timeout=60)
    assert done.returncode == 1, "2 would block the request"


@EVERY_AGENT
def test_a_line_that_lets_actions_run_when_the_hook_is_broken_is_reported(agent: Agent, home: Path) -> None:
    install(plan_install(agent, InstallOptions()))
    file = settings_file(agent, None)
    [request] = [name for name, event in agent.events.items() if event.stage is Stage.REQUEST]
    lines = check_agent(agent, None).commands
    deciding = check_agent(agent, None).shell_hook
    assert deciding is not None
    quoted = [json.dumps(line)[1:-1] for line in (deciding[1], lines[request])]
    assert quoted[0] != quoted[1]
    file.write_text(file.read_text().replace(quoted[0], quoted[1]))
    assert any("may let actions run" in problem for problem in check_agent(agent, None).problems)


def test_typed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = put(CODEX, OTHERS["comments"])
    assert main(["install", "codex", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert '+    "hooks": {' in shown
    assert file.read_text() == OTHERS["comments"]
    assert main(["install", "codex", "--auto-approve", "low"]) == 0
    assert "Nobody sees them before they run" in capsys.readouterr().out
    assert main(["install", "codex", "--auto-approve", "low"]) == 0
    assert "installed already" in capsys.readouterr().out
    assert main(["doctor"]) == 1
    assert "until you trust it" in capsys.readouterr().out
    trust()
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "trusted it" not in said
    assert "plain JSON" in said, "Codex takes no comments"
    assert main(["uninstall", "codex"]) == 0
    assert main(["uninstall", "codex"]) == 0
    assert "not installed" in capsys.readouterr().out
    assert file.read_text() == OTHERS["comments"]
    assert main(["install", "codx"]) == 1
    assert "codex" in capsys.readouterr().err
    assert main(["install", "codex"]) == main(["install"]) == 0
    listed = {words[0]: words[1:] for line in capsys.readouterr().out.splitlines() if (words := line.split())}
    assert {one.name: listed[one.name][-1] == one.name for one in AGENTS} == {one.name: one != CODEX for one in AGENTS}
    assert main(["uninstall", "codex"]) == 0


@EVERY_AGENT
def test_an_installed_hook_is_proved_and_a_broken_one_is_not(
    home: Path, agent: Agent, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    apply(agent)
    if agent is CODEX:
        trust()
    assert main(["doctor", "--prove"]) == 0
    said = capsys.readouterr().out
    assert said.count("✓") == 9, said
    own = tmp_path / "own"
    assert not (own / "interlock.db").exists(), "a proof leaves nothing on record"
    assert (own / "anchors").is_dir()
    assert [*(own / "anchors").iterdir()] == []
    file = settings_file(agent, None)
    useless = tmp_path / "interlock"
    useless.write_text("#!/bin/sh\nexit 0\n")
    useless.chmod(0o755)
    line = json.dumps(f"{useless} hook {agent.name}")[1:-1]
    for entry in entries(agent, InstallOptions(), shared=False).hooks.values():
        [handler] = entry.get("hooks", [entry])
        written = json.dumps(handler.get("command") or handler.get("bash"))[1:-1]
        file.write_text(file.read_text().replace(written, line))
    assert main(["doctor", "--prove"]) == 1
    said = capsys.readouterr().out
    assert said.count("✗") >= (1 if agent is CURSOR else 4), said
    assert os.environ["HOME"] == str(home)
