"""Every code block in the README and the docs runs, and prints what it says."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import interlock
from interlock.accuracy.corpus import read_row
from interlock.agents.hook.call import parse_call
from interlock.cli import main
from interlock.cli.app import app
from interlock.config.home import own_folder
from interlock.config.schema import parse
from interlock.documents import Document
from interlock.policy.modes import MODES
from tests.server.live_server import served

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

TIMES = re.compile(r"^ +[\d,]+ actions in .*$", re.MULTILINE)  # the one line that no two runs share
ROWS = next(found[2] for found in BLOCK.finditer((ROOT / "docs" / "accuracy.md").read_text()) if found[1] == "json")
POLICY = '[[policies]]\npolicy_id = "no-deploys"\naction = "block"\nconditions = ["toolName=deploy"]\n'
PUSHES = """[[policies]]\npolicy_id = "no-pushes"\naction = "block"\nwhen = '"vcs.push" in effects.kind'\n"""
#: Commands that are shown after a few actions were recorded.
RECORDED = r"^\$ interlock (approvals|audit|evidence|grants|history|policy apply|replay|runs|store|suggest)"
#: Calls of coding agents that the pages show, by the name of their file.
CALLS = [
    found
    for page in PAGES
    for found in re.findall(r"`([\w-]+\.json)` is the call .*?```json\n(.*?)```", page.read_text(), re.DOTALL)
]


def blocks(*languages: str) -> list[object]:
    return [
        pytest.param(found[2], id=f"{page.name}:{page.read_text()[: found.start()].count(chr(10)) + 2}")
        for page in PAGES
        for found in BLOCK.finditer(page.read_text())
        if found[1] in languages
    ]


def test_every_block_says_what_it_is() -> None:
    known = {"python", "console", "toml", "json", "text"}
    for page in PAGES:
        assert {found[1] for found in BLOCK.finditer(page.read_text())} <= known, page.name


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs(code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path))
    compiled = compile(code, "docs", "exec")
    if "Gate.remote()" not in code:
        exec(compiled, {})
        return
    with served(interlock.Gate(store=f"sqlite:///{tmp_path / 'store.db'}")) as server:
        secret = server.agent("sam", "shop-agent").headers["authorization"].split()[1]
        monkeypatch.setenv("INTERLOCK_URL", f"http://127.0.0.1:{server.port}")
        monkeypatch.setenv("INTERLOCK_KEY", secret)
        exec(compiled, {})


@pytest.mark.parametrize("text", blocks("toml"))
def test_configuration_loads(text: str) -> None:
    assert parse(Document(text, "docs")).engine()


@pytest.mark.parametrize("text", blocks("json"))
def test_json_is_an_action_or_a_row(text: str) -> None:
    if '"label"' in text:
        assert [read_row(number, json.loads(line)) for number, line in enumerate(text.splitlines())]
        return
    value = json.loads(text)
    if "hook_event_name" in value or "toolArgs" in value:
        calls = [parse_call(name, text.encode()) for name in ("claude-code", "copilot")]
        commands = [call.action.input_payload["command"] for call in calls]
        assert set(commands) == {"rm -rf ~"} or set(commands) == {"git push --force origin main"}
        return
    value.pop("id")
    assert interlock.Action(**{re.sub("([A-Z])", r"_\1", key).lower(): item for key, item in value.items()})


#: What no two runs share: ids and hashes, moments, seconds that are left, whose account it is.
PASSING = (
    (re.compile(r"\b[0-9a-f]{16,64}\b|\b(?=\w*\d)[0-9a-f]{8}\b|ed25519:\w+"), "#"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b\d\d:\d\d:\d\d\b"), "@"),
    (re.compile(r"(?<=\s)(?:\d+ s|…)(?=\s*$)", re.MULTILINE), "…"),
    (re.compile(r"rejected by `(?:sam|root|\w+)`"), "rejected by `sam`"),
    (re.compile(r" +"), " "),
)


def settled(text: str) -> list[str]:
    """Return the words of a text without what no two runs share; where a line is folded hangs on that too."""
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text.split()


def recorded() -> None:
    """Fill the usual store: a run that looked around, and asks for an approval."""
    where = {"cwd": "/home/sam/shop", "workspace": "/home/sam/shop", "home": "/home/sam"}
    (own_folder() / "interlock.toml").write_text('[approvals]\nunattended = "queue"\n')
    gate = interlock.Gate()
    with contextlib.suppress(interlock.ActionRefused):
        gate.check(interlock.Action.shell("git status", agent_id="claude", **where))
        gate.check(interlock.Action.shell("git push --force origin main", agent_id="claude", **where))
    gate.journal.close()


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console block with the lines that it prints."""
    command, printed = "", list[str]()
    for line in block.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line[2:], []
        else:
            printed.append(line.rstrip())
    yield command, printed


@pytest.mark.parametrize("block", blocks("console"))
def test_a_console_shows_what_happens(
    block: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tempfile.mkdtemp(dir="/tmp")  # as short as the one that the pages show, so that tables look the same
    monkeypatch.setenv("INTERLOCK_HOME", own)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.toml").write_text('mode = "asist"\n')
    (tmp_path / "policies.toml").write_text(POLICY)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "pushes.toml").write_text(PUSHES)
    (tmp_path / "rows.jsonl").write_text(ROWS)
    for name, call in CALLS:
        (tmp_path / name).write_text(call)
    if "loose/interlock.toml" in block:
        (tmp_path / "loose").mkdir()
        (tmp_path / "loose" / "interlock.toml").write_text('mode = "auto_approve"\n')
        monkeypatch.chdir(tmp_path / "loose")
    if re.search(RECORDED, block, re.MULTILINE):
        recorded()
    for command, printed in commands(block):
        program, *arguments = shlex.split(command)
        if program == "curl":
            continue  # tests/test_server_docs.py makes these calls
        if "7becbdbe" in arguments:
            main(["approvals", "--json"])
            pending = json.loads(capsys.readouterr().out)["approvalId"]
            arguments = [pending if word == "7becbdbe" else word for word in arguments]
        if program == "make":
            assert f"\n{arguments[0]}:" in (ROOT / "Makefile").read_text()
            continue
        assert program == "interlock"
        if "<" in arguments:
            given = (tmp_path / arguments[-1]).read_bytes()
            words = [sys.executable, "-m", "interlock", *arguments[:-2], "--alone"]
            sys.stdout.write(subprocess.run(words, input=given, capture_output=True, check=False).stdout.decode())
        else:
            main(arguments)
        captured = capsys.readouterr()
        shown = (captured.out + captured.err).replace(own, "~/.interlock")
        shown = TIMES.sub("", shown.replace(f"{tmp_path}/", ""))
        assert settled(shown) == settled("\n".join(printed))


def test_commands_in_the_text_exist() -> None:
    for page in PAGES:
        for command, word in re.findall(r"`interlock ([a-z]+)(?: ([a-z]+)(?=[ `]))?", BLOCK.sub("", page.read_text())):
            assert command in app, f"{page.name}: {command}"
            words = [name for name in app[command] if name[0] != "-"]
            assert not word or not words or word in words, f"{page.name}: {command} {word}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", BLOCK.sub("", page.read_text())):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_the_architecture_page_names_files_that_exist() -> None:
    folders = [ROOT / name for name in ("src", "tests", "bench", "docs", "deploy")]
    found = [path.as_posix() for folder in folders for path in (folder, *folder.rglob("*"))]
    named = re.findall(r"`([\w./-]+\.(?:py|toml|md|html)|[\w./-]+/)`", ARCHITECTURE)
    tables = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", ARCHITECTURE.partition("## Where do I change")[2])
    for name in (*named, *(f"tables/{table}.toml" for table in tables)):
        assert any(path.endswith(f"/{name.rstrip('/')}") for path in found), name


def test_the_architecture_page_names_every_folder() -> None:
    source = ROOT / "src" / "interlock"
    folders = {path.parent.relative_to(source) for path in source.rglob("*.py")} - {Path()}
    assert [folder.as_posix() for folder in sorted(folders) if not is_on_architecture_page(folder)] == []
    assert not is_on_architecture_page(Path("analyse/helpers"))


def is_on_architecture_page(folder: Path) -> bool:
    """Whether the page names a folder, by its whole path or in the row of the folder around it."""
    return f"{folder.name}/" in ARCHITECTURE or f"`{folder.as_posix()}" in ARCHITECTURE


def test_every_public_name_is_documented() -> None:
    assert interlock.__all__ == sorted(
        interlock.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    for name in interlock.__all__:
        found = getattr(interlock, name)
        if callable(found):
            assert found.__doc__, name


def test_every_mode_is_on_the_page_of_policies() -> None:
    policies = (ROOT / "docs" / "policies.md").read_text()
    assert [name for name in MODES if f"| `{name}` |" not in policies] == []
