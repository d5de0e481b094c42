"""A script that one action writes and a later one runs is judged by what was written, also when edited in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock import Action, Engine, RunState
from interlock.agents.hook.answer import answer_call
from interlock.gate import Gate
from interlock.memory.state import MAX_FILE, trim_written
from interlock.model import WrittenFile
from tests.agents.hook_calls import call, meant

WHERE: dict[str, Any] = {"cwd": "/w", "workspace": "/w", "home": "/home/u"}
ENGINE = Engine()


def write(path: str, content: str) -> Action:
    return Action(tool_name="Write", input_payload={"file_path": path, "content": content}, **WHERE)


def edit(path: str, old: str, new: str, **more: Any) -> Action:
    given = {"file_path": path, "old_string": old, "new_string": new, **more}
    return Action(tool_name="Edit", input_payload=given, **WHERE)


def tool(name: str, **given: Any) -> Action:
    return Action(tool_name=name, input_payload=given, **WHERE)


def shell(command: str) -> Action:
    return Action.shell(command, **WHERE)


def last(*actions: Action) -> str:
    """Return the verdict on the last action of a run."""
    state = RunState()
    for action in actions:
        decision = ENGINE.decide(action, state)
        state = state.after(action, decision)
    return decision.verdict.value


WIPE = "rm -rf ~"
ADDED = "*** Begin Patch\n*** Add File: x.sh\n+rm -rf ~\n*** End Patch\n"
UPDATED = "*** Begin Patch\n*** Update File: x.sh\n@@\n-a\n+rm -rf ~\n*** End Patch\n"
DIFF = "--- /dev/null\n+++ b/x.sh\n@@ -0,0 +1 @@\n+rm -rf ~\n"
STOPPED: dict[str, list[Action]] = {
    "written and run": [write("/w/x.sh", f"#!/bin/sh\n{WIPE}\n"), shell("./x.sh")],
    "by an interpreter": [write("/w/x.sh", WIPE), shell("bash x.sh")],
    "by its whole path": [write("/w/x.sh", WIPE), shell("cd /tmp && sh /w/x.sh")],
    "whatever it is called": [write("/w/notes.txt", WIPE), shell("sh notes.txt")],
    "read into a shell": [write("/w/x.sh", WIPE), shell("cat x.sh | sh")],
    "sourced": [write("/w/x.sh", WIPE), shell(". ./x.sh")],
    "Python": [write("/w/x.py", "import shutil\nshutil.rmtree('/home/u')\n"), shell("python3 x.py")],
    "from Python": [write("/w/x.sh", WIPE), Action.python("import os; os.system('sh /w/x.sh')", **WHERE)],
    "by Python": [Action.python("open('/w/x.sh', 'w').write('rm -rf ~')", **WHERE), shell("sh x.sh")],
    "a makefile": [write("/w/Makefile", f"all:\n\t{WIPE}\n"), shell("make")],
    "a package's script": [write("/w/package.json", '{"scripts": {"test": "rm -rf ~"}}'), shell("npm test")],
    "a package's script by its name": [
        write("/w/package.json", '{"scripts": {"prebundle": "rm -rf ~", "bundle": "x"}}'),
        shell("yarn run bundle"),
    ],
    "a package's script at its installation": [
        write("/w/package.json", '{"scripts": {"postinstall": "rm -rf ~"}}'),
        shell("npm install"),
    ],
    "by a client of a database": [write("/w/x.sql", "DROP DATABASE prod;"), shell("psql -f x.sql")],
    "as a module": [write("/w/x.py", "import shutil\nshutil.rmtree('/home/u')\n"), shell("python -m x")],
    "as a test": [write("/w/test_x.py", "import shutil\nshutil.rmtree('/home/u')\n"), shell("pytest -q")],
    "as a test that is named": [
        write("/w/t/x.py", "import shutil\nshutil.rmtree('/home/u')\n"),
        shell("pytest t/x.py::test_one"),
    ],
    "by a pattern": [write("/w/x.sh", WIPE), shell("sh x.*")],
    "by a link": [write("/w/x.sh", WIPE), shell("ln -s x.sh y"), shell("sh y")],
    "put together from parts": [write("/w/a", "rm -rf"), write("/w/b", " ~"), shell("cat a b > c"), shell("sh c")],
    "turned into something else": [write("/w/a", "ql -qe ~"), shell("tr a-z b-za < a > c"), shell("sh c")],
    "by the shell": [shell(f"echo '{WIPE}' > x.sh"), shell("sh x.sh")],
    "a here-document": [shell(f"cat > x.sh <<'E'\n{WIPE}\nE"), shell("chmod +x x.sh"), shell("./x.sh")],
    "moved": [write("/w/x.sh", WIPE), shell("mv x.sh y"), shell("sh y")],
    "copied": [write("/w/x.sh", WIPE), shell("cp x.sh /w/q"), shell("sh /w/q")],
    "appended to": [write("/w/x.sh", "echo hi\n"), shell(f"echo '{WIPE}' >> x.sh"), shell("sh x.sh")],
    "edited": [write("/w/x.sh", "echo hi\n"), edit("/w/x.sh", "echo hi", WIPE), shell("sh x.sh")],
    "edited in halves": [
        write("/w/x.sh", "rX -rf Y\n"),
        edit("/w/x.sh", "rX", "rm"),
        edit("/w/x.sh", "Y", "~"),
        shell("sh x.sh"),
    ],
    "edited everywhere": [write("/w/x.sh", "Xm -Xf ~"), edit("/w/x.sh", "X", "r", replace_all=True), shell("sh x.sh")],
    "edited by sed": [write("/w/x.sh", "echo hi\n"), shell(f"sed -i 's/echo hi/{WIPE}/' x.sh"), shell("sh x.sh")],
    "edited by what nobody reads": [
        write("/w/x.sh", "echo hi\n"),
        shell("perl -i -pe 's/h/$x/e' x.sh"),
        shell("sh x.sh"),
    ],
    "several edits": [
        write("/w/x.sh", "a b\n"),
        tool("MultiEdit", file_path="/w/x.sh", edits=[{"old_string": "a b", "new_string": WIPE}]),
        shell("sh x.sh"),
    ],
    "a part of what others wrote": [edit("/w/old.sh", "x", WIPE), shell("./old.sh")],
    "an edit that does not fit": [write("/w/x.sh", "echo hi\n"), edit("/w/x.sh", "other", WIPE), shell("sh x.sh")],
    "put in between": [
        tool("str_replace_editor", command="insert", path="/w/o.sh", insert_text=WIPE),
        shell("sh o.sh"),
    ],
    "a patch": [tool("apply_patch", command=ADDED), shell("sh x.sh")],
    "a patch of what is there": [tool("apply_patch", command=UPDATED), shell("sh x.sh")],
    "a patch to what was written": [
        write("/w/x.sh", "echo hi\n"),
        tool("apply_patch", command=UPDATED),
        shell("sh x.sh"),
    ],
    "a patch as git writes it": [tool("apply_patch", patch=DIFF), shell("sh x.sh")],
    "replaced by what nobody knows": [write("/w/x.sh", "echo hi\n"), shell("cp other x.sh"), shell("sh x.sh")],
    "too long to keep": [write("/w/x.sh", "echo hi\n" * MAX_FILE), shell("sh x.sh")],
}
GOES_ON: dict[str, list[Action]] = {
    "harmless": [write("/w/x.sh", "echo hi\n"), shell("sh x.sh")],
    "mended": [write("/w/x.sh", f"{WIPE}\n"), edit("/w/x.sh", WIPE, "echo hi"), shell("sh x.sh")],
    "written anew": [write("/w/x.sh", f"{WIPE}\n"), write("/w/x.sh", "echo hi\n"), shell("sh x.sh")],
    "removed": [write("/w/x.sh", f"{WIPE}\n"), shell("rm x.sh"), shell("sh x.sh")],
    "only read": [write("/w/x.sh", f"{WIPE}\n"), shell("cat x.sh")],
    "an edit of what others wrote": [edit("/w/build.sh", "x", "make all"), shell("./build.sh")],
    "a package's script that is harmless": [
        write("/w/package.json", '{"scripts": {"test": "echo ok", "clean": "rm -rf ~"}}'),
        shell("npm test"),
    ],
    "another file": [write("/w/x.sh", f"{WIPE}\n"), shell("sh y.sh")],
    "a file that is no script": [write("/w/data.json", '{"rm": "-rf"}'), shell("jq . data.json")],
}


@pytest.mark.parametrize("actions", STOPPED.values(), ids=list(STOPPED))
def test_what_was_written_is_what_is_judged(actions: list[Action]) -> None:
    assert last(*actions) in ("require_approval", "block")
    assert last(actions[-1]) in ("allow", "warn"), "nobody knew what it held"


@pytest.mark.parametrize("actions", GOES_ON.values(), ids=list(GOES_ON))
def test_what_is_harmless_goes_on(actions: list[Action]) -> None:
    assert last(*actions) in ("allow", "warn")


def test_what_did_not_run_was_not_written() -> None:
    state = RunState()
    blocked = shell(f"echo '{WIPE}' > x.sh; rm -rf /")
    assert ENGINE.decide(blocked, state).verdict.value == "block"
    assert last(shell("sh x.sh")) == "allow"


def test_only_so_much_is_kept_in_mind_and_the_rest_is_asked_about() -> None:
    many = {f"/w/{number}": WrittenFile("x" * 100_000) for number in range(100)}
    found, dropped = trim_written(many)
    assert found["/w/99"].text is not None
    assert found["/w/0"] == WrittenFile(state="changed", marks=frozenset({"cap"}))
    assert not dropped
    found, dropped = trim_written({f"/w/{number}": WrittenFile("x") for number in range(3_000)})
    assert "/w/2999" in found
    assert "/w/0" in dropped
    assert len(found) + len(dropped) == 3_000


def told(tool_name: str, **given: Any) -> bytes:
    found = json.loads(call("claude-code", "")) | {"tool_name": tool_name, "tool_input": given}
    return json.dumps(found).encode()


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Gate]:
    return lambda: Gate(store=f"sqlite:///{tmp_path / 'store.db'}")


def test_hooks_that_know_nothing_of_each_other_know_what_their_run_wrote(own: Path, opened: Any) -> None:
    run = call("claude-code", "sh x.sh")
    assert meant(answer_call("claude-code", run, opened)) == "silent"
    answer_call("claude-code", told("Write", file_path="/w/app/x.sh", content="echo hi\n"), opened)
    assert meant(answer_call("claude-code", run, opened)) == "silent"
    answer_call("claude-code", told("Edit", file_path="/w/app/x.sh", old_string="echo hi", new_string=WIPE), opened)
    assert meant(answer_call("claude-code", run, opened)) == "deny"
    other = json.loads(run) | {"session_id": "another"}
    assert meant(answer_call("claude-code", json.dumps(other).encode(), opened)) == "silent", (
        "another run wrote nothing"
    )


def test_the_chain_keeps_the_digest_and_whoever_changes_the_text_is_asked(own: Path, opened: Any) -> None:
    answer_call("claude-code", told("Write", file_path="/w/app/x.sh", content="echo hi\n"), opened)
    [kept_text] = (own / "written").iterdir()
    assert oct(kept_text.stat().st_mode & 0o777) == "0o600"
    run = call("claude-code", "sh x.sh")
    assert meant(answer_call("claude-code", run, opened)) == "silent"
    kept_text.write_text("echo another\n")
    assert meant(answer_call("claude-code", run, opened)) == "ask"
    kept_text.unlink()
    assert meant(answer_call("claude-code", run, opened)) == "ask"


def test_what_was_only_asked_about_was_not_written(own: Path, opened: Any) -> None:
    codex = json.loads(call("codex", f"echo '{WIPE}' > x.sh; git push --force origin main"))
    assert meant(answer_call("codex", json.dumps(codex).encode(), opened)) == "deny"
    assert meant(answer_call("codex", call("codex", "sh x.sh"), opened)) == "silent"
    assert not (own / "written").exists()


@pytest.mark.parametrize("agent", ["codex", "claude-code", "gemini"])
def test_the_workspace_does_not_follow_the_working_folder(own: Path, opened: Any, agent: str) -> None:
    assert meant(answer_call(agent, call(agent, "ls"), opened)) in ("silent", "allow")
    moved = call(agent, "rm -rf thesis").replace(b'"/w/app"', b'"/home/u/Documents"')
    assert meant(answer_call(agent, moved, opened)) in ("ask", "deny")
