"""Interlock protects itself: its files, its commands, its settings, and agents that would run without its hooks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import interlock
from interlock import Action, Engine
from interlock.analyse.action import Surroundings
from interlock.config.loaded_files import PACKAGES, own_files
from interlock.levels import Verdict

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
VENV = "~/.local/share/pipx/venvs/interlock"


def verdict(command: str, engine: Engine | None = None) -> Verdict:
    return (engine or Engine()).decide(Action.shell(command, **WHERE)).verdict


@pytest.mark.parametrize(
    "command",
    [
        f"sed -i s/x/y/ {VENV}/lib/python3.11/site-packages/interlock/launch.py",
        f"cp /tmp/python {VENV}/bin/python",
        f"echo 'import os' > {VENV}/lib/python3.11/site-packages/x.pth",
        f"{VENV}/bin/pip install msgspec==0.1",
        f"uv pip install --python={VENV}/bin/python msgspec==0.1",
        f"pip install --target {VENV}/lib/python3.11/site-packages x",
        "pipx uninstall interlock",
        "uv tool uninstall interlock",
        "cp x ~/.local/bin/interlock",
        "ln -s ~/.interlock/interlock.toml n.toml; echo x > n.toml",
        "cd ~/.local/bin && ./interlock uninstall claude-code",
        *(
            f"{program} {rest}"
            for program in ("interlock", "python -m interlock", "uvx interlock", "pipx run interlock", "./interlock")
            for rest in (
                "serve",
                "trust",
                "keys create ci",
                "people add me --role admin",
                "approvals approve 7becbdbe",
                "policy import x.toml",
                "policy apply policies",
                "policy rollback 1",
                "audit accept",
                "install claude-code",
                "uninstall claude-code",
                "daemon stop",
                "hook claude-code",
                "something-new",
            )
        ),
        "systemctl --user set-environment INTERLOCK_HOME=/tmp/x",
        "launchctl setenv INTERLOCK_HOME /tmp/x",
        "tmux set-environment -g INTERLOCK_HOME /tmp/x",
    ],
)
def test_changes_to_interlock_are_blocked(command: str) -> None:
    assert verdict(command) is Verdict.BLOCK


@pytest.mark.parametrize(
    "command",
    [
        "pipx runpip interlock uninstall -y interlock",
        "pipx inject interlock requests",
        "echo INTERLOCK_HOME=/tmp/x > ~/.config/environment.d/a.conf",
        "claude --settings '{\"disableAllHooks\":true}' -p hi",
        "claude --settings other.json -p hi",
        "CLAUDE_CONFIG_DIR=/tmp/x claude -p hi",
        "CODEX_HOME=/tmp/x codex exec hi",
        "export QWEN_HOME=/tmp/x",
        "codex -c approval_policy=never exec hi",
        "npx @anthropic-ai/claude-code --dangerously-skip-permissions -p hi",
        "npx -y @openai/codex@latest --yolo exec hi",
        "npx @google/gemini-cli -y -p hi",
        "npx @qwen-code/qwen-code --yolo -p hi",
        "ln -s ~/.claude c && echo '{}' > c/settings.json",
        "mount --bind ~/.claude c; echo '{}' > c/settings.json",
        "cd ~/.claude && echo '{}' > settings.json",
        "CDPATH=~; cd .claude && echo '{}' > settings.json",
        "cd ~/.claude; cd /tmp; echo '{}' > $OLDPWD/settings.json",
        "cd ~/.claude; cd /tmp; cd - && echo '{}' > settings.json",
        "find ~ -name settings.json -exec sed -i s/a/b/ {} +",
        "grep -rl interlock ~ | xargs sed -i s/a/b/",
    ],
)
def test_ways_around_interlock_are_stopped(command: str) -> None:
    assert verdict(command) >= Verdict.REQUIRE_APPROVAL


@pytest.mark.parametrize(
    "command",
    [
        "interlock",
        "interlock --help",
        "interlock assess ls",
        "interlock doctor",
        "interlock approvals",
        "interlock approvals show 7becbdbe",
        "interlock audit verify",
        "interlock runs",
        "interlock policy check team.toml",
        "interlock policy history",
        "interlock install codex --dry-run",
        "python -m interlock explain ls",
        "claude -p 'explain this'",
        "npx @anthropic-ai/claude-code -p 'explain this'",
        "codex -c model=o3 exec 'explain this'",
        "pushd build; popd; rm -rf dist",
        "cd build && echo x > out.txt",
        "mv dist old && rm -rf old",
        "ln -s releases/12 current && rm current",
        "cat ~/.local/share/pipx/venvs/interlock/pyvenv.cfg",
    ],
)
def test_ordinary_use_passes(command: str) -> None:
    assert verdict(command) is Verdict.ALLOW


def test_the_files_that_run_now_are_guarded() -> None:
    engine = Engine(around=Surroundings(guarded=own_files("sqlite:////srv/interlock/store.db")))
    package = Path(interlock.__file__).parent
    for path in (package / "launch.py", package.parent / "zz.pth", package.parent / "sitecustomize.py"):
        assert verdict(f"echo x > {path}", engine) is Verdict.BLOCK
    assert verdict("rm /srv/interlock/store.db-wal", engine) is Verdict.BLOCK
    assert verdict(f"echo x > {package.parent}/msgspec/__init__.py", engine) is Verdict.BLOCK
    assert verdict(f"cat {package}/launch.py", engine) is Verdict.ALLOW


def test_every_imported_package_is_guarded() -> None:
    imported = set()
    package = Path(interlock.__file__).parent
    for file in package.rglob("*.py"):
        if package / "testing" in file.parents:
            continue  # only tests import it
        for line in file.read_text("utf-8").splitlines():
            words = line.split()
            if line.startswith(("import ", "from ")) and len(words) > 1:
                imported.add(words[1].partition(".")[0])
    ours = {"interlock", "__future__"}
    missing = {name for name in imported - ours - sys.stdlib_module_names if not name.startswith(PACKAGES)}
    assert not missing
