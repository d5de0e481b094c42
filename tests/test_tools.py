"""Tool calls: known names, unknown names by shape, files, requests."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Engine, Level, Verdict
from interlock.analyse.action import Surroundings, analyse
from interlock.analyse.payloads.tools import TOOLS, reader_of
from tests.reading import WHERE, effects

ROOT = "fs.delete file:/ force recursive top"


def tool(name: str, payload: dict[str, Any], **more: Any) -> Action:
    return Action(tool_name=name, input_payload=payload, **WHERE, **more)


SHELL_TOOLS = ["Bash", "shell", "terminal", "execute_command", "run_shell_command", "mcp__desktop__execute_command"]


@pytest.mark.parametrize("name", SHELL_TOOLS)
@pytest.mark.parametrize("payload", [{"command": "rm -rf /"}, {"cmd": "rm -rf /"}, {"command": ["rm", "-rf", "/"]}])
def test_shell_tools_are_read_as_shell(name: str, payload: dict[str, Any]) -> None:
    assert ROOT in effects(analyse(tool(name, payload)))


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("python", {"code": "import os; os.remove('/etc/x')"}, "fs.delete file:/etc/x"),
    ("execute_code", {"code": "import os; os.remove('/etc/x')"}, "fs.delete file:/etc/x"),
    ("sql", {"query": "DROP TABLE t"}, "db.drop table:t table"),
    ("query", {"sql": "DROP TABLE t"}, "db.drop table:t table"),
    ("Write", {"file_path": "/etc/x", "content": "y"}, "fs.write file:/etc/x"),
    ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "fs.write file:/home/u/project/a.py"),
    (
        "apply_patch",
        {"input": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"},
        "fs.delete file:/home/u/project/a.py",
    ),
    ("apply_patch", {"patch": "--- a/x.py\n+++ b/x.py\n@@\n-a\n+b"}, "fs.write file:/home/u/project/x.py"),
    ("WebFetch", {"url": "https://example.com", "prompt": "read"}, "net.fetch url:https://example.com"),
    ("http_request", {"method": "PUT", "url": "https://example.com"}, "net.send url:https://example.com elsewhere"),
    ("http_request", {"url": "https://example.com", "body": "x"}, "net.send url:https://example.com elsewhere"),
    ("Read", {"file_path": "~/.ssh/id_rsa"}, "secret.read file:/home/u/.ssh/id_rsa secret ssh_key"),
    ("delete_file", {"path": "/etc/x"}, "fs.delete file:/etc/x"),
    ("frobnicate", {"command": "rm -rf /"}, ROOT),
    ("frobnicate", {"code": "import os; os.system('rm -rf /')"}, ROOT),
    ("frobnicate", {"sql": "DROP TABLE t"}, "db.drop table:t table"),
    ("frobnicate", {"path": "/home/u/.aws/credentials"}, "secret.read file:/home/u/.aws/credentials cloud_key secret"),
    ("frobnicate", {"url": "http://169.254.169.254/"}, "net.fetch url:http://169.254.169.254/ metadata"),
    ("remove_thing", {"path": "/etc/x"}, "fs.delete file:/etc/x recursive"),
    ("deploy", {"env": "staging"}, "deploy.release release:staging by_tool practice routine"),
]


ELSEWHERE: list[tuple[str, dict[str, Any], str]] = [
    ("Shell", {"command": "rm -rf x", "working_directory": "/etc"}, "fs.delete file:/etc/x force recursive"),
    ("run_shell_command", {"command": "rm -rf x", "dir_path": "/etc"}, "fs.delete file:/etc/x force recursive"),
    ("run_shell_command", {"command": "rm -rf x", "directory": "../.."}, "fs.delete file:/home/x force recursive top"),
    ("exec_command", {"cmd": "rm -rf x", "workdir": "~"}, "fs.delete file:~/x force recursive"),
    ("python", {"code": "import os; os.remove('x')", "cwd": "/etc"}, "fs.delete file:/etc/x"),
    ("frobnicate", {"command": "rm -rf x", "cwd": "/etc"}, "fs.delete file:/etc/x force recursive"),
]


@pytest.mark.parametrize(("name", "payload", "expected"), ELSEWHERE)
def test_a_call_that_names_its_folder_is_read_there(name: str, payload: dict[str, Any], expected: str) -> None:
    assert expected in effects(analyse(tool(name, payload)))


@pytest.mark.parametrize("folders", [{"cwd": "/tmp", "workdir": "/etc"}, {"cwd": ["/etc"]}])
def test_a_call_that_names_several_folders_is_read_in_none(folders: dict[str, Any]) -> None:
    assert "/home/u/project" not in str(effects(analyse(tool("Bash", {"command": "rm -rf x", **folders}))))


@pytest.mark.parametrize(("name", "payload", "expected"), CALLS)
def test_what_a_call_does(name: str, payload: dict[str, Any], expected: str) -> None:
    assert expected in effects(analyse(tool(name, payload)))


@pytest.mark.parametrize("name", ["bash_session", "unbash", "my.shellfish", "readme"])
def test_a_name_is_matched_whole(name: str) -> None:
    assert reader_of(name, {}) is None


def test_users_can_name_their_own_tools() -> None:
    around = Surroundings(tools={"my_box": "shell"})
    assert ROOT in effects(analyse(tool("my_box", {"input": "rm -rf /"}), around))


@pytest.mark.parametrize(
    ("name", "payload", "expected"),
    [
        ("mcp__slack__delete_file", {"file": "F1"}, "record.delete"),
        ("mcp__vault__read", {"path": "prod/db"}, "secret.read"),
        ("mcp__filesystem__write_file", {"path": "/etc/x", "content": "y"}, "fs.write"),
        ("mcp__files__delete_file", {"path": "/etc/x"}, "fs.delete"),
    ],
)
def test_a_tool_of_a_service_is_no_tool_for_files(name: str, payload: dict[str, Any], expected: str) -> None:
    assert expected in {effect.kind for effect in analyse(tool(name, payload)).effects}


def test_every_tool_is_written_as_it_is_looked_up() -> None:
    assert [name for name in TOOLS if reader_of(name, {}) != TOOLS[name]] == []


def test_a_hint_never_lowers_what_name_and_arguments_show() -> None:
    engine = Engine()
    plain = engine.decide(tool("delete_everything", {"path": "/etc/x"}))
    hinted = engine.decide(tool("delete_everything", {"path": "/etc/x"}, annotations={"readOnlyHint": True}))
    assert hinted.assessment.level == plain.assessment.level


def test_a_tool_that_says_it_destroys_is_believed() -> None:
    found = Engine().decide(tool("tidy", {}, annotations={"destructiveHint": True})).assessment
    assert found.level >= Level.HIGH


CARRIED: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {"command": "", "script": "rm -rf /"}),
    ("Bash", {"command": "ls", "cmd": "rm -rf /"}),
    ("Bash", {"command": "rm", "args": ["-rf", "/"]}),
    ("Bash", {"command": ["rm -rf /", "ls"]}),
    ("Bash", {"command": {"cmd": "rm -rf /"}}),
    ("Bash", {"Command": "rm -rf /"}),
    ("Bash", {"bash": "rm -rf /"}),
    ("Bash", {"commands": ["ls", "rm -rf /"]}),
    ("python", {"code": ["import os\n", "os.system('rm -rf /')"]}),
    ("python", {"code": "1", "script": "import os; os.system('rm -rf /')"}),
    ("execute_code", {"language": "bash", "code": "rm -rf /"}),
    ("frobnicate", {"args": ["rm", "-rf", "/"]}),
    ("frobnicate", {"arguments": {"command": "rm -rf /"}}),
    ("frobnicate", {"command": "ls", "code": "import os; os.system('rm -rf /')"}),
    ("rm_rf", {"target": "/"}),
    ("delete_path", {"path": "/"}),
]


@pytest.mark.parametrize(("name", "payload"), CARRIED)
def test_a_payload_is_read_wherever_it_keeps_its_text(name: str, payload: dict[str, Any]) -> None:
    assert Engine().decide(tool(name, payload)).verdict is Verdict.BLOCK


UNREAD: list[tuple[str, dict[str, Any]]] = [
    ("Bash", {}),
    ("Bash", {"command": 5}),
    ("execute_code", {"language": "cobol", "code": "CALL 'SYSTEM' USING X"}),
    ("Write", {"content": "x"}),
    ("move_file", {}),
    ("http_request", {"method": "GET"}),
    ("apply_patch", {"patch": "hello"}),
    ("apply_patch", {"patch": "*** Update File: a\n" * 501 + "*** Delete File: /etc/passwd\n"}),
    ("WebFetch", {"urls": ["https://example.com"] * 60}),
]


@pytest.mark.parametrize(("name", "payload"), UNREAD)
def test_what_a_payload_does_not_tell_is_said(name: str, payload: dict[str, Any]) -> None:
    assert not Engine().decide(tool(name, payload)).assessment.coverage.full


FILES: list[tuple[str, dict[str, Any], str]] = [
    ("Write", {"filePath": "/etc/passwd"}, "fs.write"),
    ("Edit", {"edits": [{"file_path": "/etc/passwd"}]}, "fs.write"),
    ("move_file", {"from": "a", "to": "/etc/passwd"}, "fs.write"),
    ("apply_patch", {"patch": "--- a/etc/x\n+++ /dev/null"}, "fs.write"),
    ("download_file", {"url": "https://example.com", "path": "/etc/passwd"}, "fs.write"),
    ("str_replace_editor", {"command": "view", "path": "~/.ssh/id_rsa"}, "secret.read"),
]


@pytest.mark.parametrize(("name", "payload", "kind"), FILES)
def test_a_file_is_found_wherever_it_is_named(name: str, payload: dict[str, Any], kind: str) -> None:
    assert kind in [effect.kind for effect in analyse(tool(name, payload)).effects]


def test_each_text_of_a_payload_has_its_own_place() -> None:
    found = analyse(tool("Bash", {"command": "ls", "script": "rm -rf /"}))
    [effect] = [effect for effect in found.effects if effect.kind == "fs.delete"]
    assert found.text[effect.span[0] : effect.span[1]] == "rm -rf /"
