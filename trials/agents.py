"""Run real coding agents, each in a home of its own, and see that the installed hook stops what it should.

`python -m trials.agents [claude-code codex …]`. They are installed with npm into `.trials`; nothing but this machine
is talked to while they run.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from trials.model import Model, serving

FOLDER = Path(".trials").absolute()
INTERLOCK = [sys.executable, "-m", "interlock"]
SECONDS = 120
POLICY = """
[[policies]]
policy_id = "nothing-forbidden"
name = "Nothing forbidden"
action = "block"
conditions = [{ field = "resources", operator = "contains", value = "forbidden" }]
"""


class Recipe(NamedTuple):
    """How an agent is had and started: its package, its words, its environment, and its settings."""

    package: str
    program: str
    words: tuple[str, ...]
    environment: Callable[[str], dict[str, str]]
    file: str = ""
    text: Callable[[str], str] = lambda _url: ""


RECIPES = {
    "claude-code": Recipe(
        "@anthropic-ai/claude-code",
        "claude",
        ("-p", "go", "--allowedTools", "Bash"),
        lambda url: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-ant-told",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    "codex": Recipe(
        "@openai/codex",
        "codex",
        ("exec", "go", "--skip-git-repo-check", "--sandbox", "danger-full-access", "--dangerously-bypass-hook-trust"),
        lambda _url: {},
        ".codex/config.toml",
        lambda url: (
            'model = "told"\nmodel_provider = "told"\n'
            f'[model_providers.told]\nname = "told"\nwire_api = "responses"\nbase_url = "{url}/v1"\n'
        ),
    ),
    "gemini": Recipe(
        "@google/gemini-cli",
        "gemini",
        ("-p", "go", "--yolo", "-m", "gemini-2.5-pro"),
        lambda url: {
            "GEMINI_API_KEY": "told",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        ".gemini/settings.json",
        lambda _url: json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}),
    ),
    "copilot": Recipe(
        "@github/copilot",
        "copilot",
        ("-p", "go", "--allow-all-tools", "--disable-client-telemetry"),
        lambda url: {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "told", "COPILOT_OFFLINE": "true"},
    ),
}


class Trial(NamedTuple):
    """What is tried: a command, whether it may run, and a word that the model must hear if not."""

    name: str
    command: str
    runs: bool
    hears: str = ""
    how: str = ""  # `broken`: the hook's program is gone; `stuck`: the store cannot be written


TRIALS = (
    Trial("allowed", "touch allowed-file", True),
    Trial("blocked", "touch forbidden-file", False, "nothing-forbidden"),
    Trial("asked", "touch asked-file && git push --force origin main", False, "Force push"),
    Trial("broken", "touch allowed-file", False, "hook", "broken"),
    Trial("stuck", "touch allowed-file", False, "", "stuck"),
)


def program(recipe: Recipe) -> str | None:
    """Return the program of an agent, installed if it is not there; None where it cannot be had."""
    found = FOLDER / recipe.program / "node_modules" / ".bin" / recipe.program
    if not found.exists() and shutil.which("npm") is not None:
        folder = FOLDER / recipe.program
        folder.mkdir(parents=True, exist_ok=True)
        print(f"  installing {recipe.package} …", flush=True)
        words = ["npm", "install", "--no-fund", "--no-audit", "--silent", "--prefix", str(folder), recipe.package]
        subprocess.run(words, check=False, timeout=900)
    return str(found) if found.exists() else None


def tried(agent: str, recipe: Recipe, started: str, trial: Trial) -> str:
    """Run an agent once; return what went wrong, or nothing."""
    model = Model(trial.command)
    with serving(model) as url, _home(agent, recipe, url, trial) as (environment, project):
        done = subprocess.run(
            [started, *recipe.words],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        made = bool(list(project.glob("*-file")))
        subprocess.run([*INTERLOCK, "daemon", "stop"], env=environment, capture_output=True, check=False)
    if not model.heard:
        return f"it never told what came of the command: {done.stdout[-300:]} {done.stderr[-300:]}"
    if made != trial.runs:
        return f"the command {'ran' if made else 'did not run'}; the model heard {model.heard[-1][:300]}"
    return "" if trial.hears in model.heard[-1] else f"the model heard {model.heard[-1][:300]}"


@contextmanager
def _home(agent: str, recipe: Recipe, url: str, trial: Trial) -> Iterator[tuple[dict[str, str], Path]]:
    """Give the environment and the project of an agent, with the hook installed; or broken, as after an upgrade."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        nowhere = "http://127.0.0.1:9"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "HTTP_PROXY": nowhere,
            "HTTPS_PROXY": nowhere,
            "NO_PROXY": "127.0.0.1,localhost",
            **recipe.environment(url),
        }
        for path, text in ((".interlock/interlock.toml", POLICY), (recipe.file, recipe.text(url))):
            if path:
                (home / path).parent.mkdir(parents=True)
                (home / path).write_text(text)
        project.mkdir()
        subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
        subprocess.run([*INTERLOCK, "install", agent], env=environment, capture_output=True, check=True)
        if trial.how == "broken":
            for file in home.rglob("*.json"):
                file.write_text(file.read_text().replace(sys.executable, "/nowhere/python"))
        with _stuck(home, environment) if trial.how == "stuck" else nullcontext():
            yield environment, project


@contextmanager
def _stuck(home: Path, environment: dict[str, str]) -> Iterator[None]:
    """Hold the store, so that no decision can be recorded."""
    subprocess.run([*INTERLOCK, "store", "init"], env=environment, capture_output=True, check=True)
    holder = sqlite3.connect(home / ".interlock" / "interlock.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.close()


def main() -> int:
    """Try every agent that is named, or all of them; 1 where one was not stopped, or was stopped for nothing."""
    failed = False
    for agent in sys.argv[1:] or RECIPES:
        recipe = RECIPES[agent]
        started = program(recipe)
        if started is None:
            print(f"{agent}: not here, and npm does not bring it")
            continue
        version = subprocess.run([started, "--version"], capture_output=True, text=True, check=False, timeout=SECONDS)
        print(f"{agent}: {version.stdout.strip().splitlines()[0] if version.stdout.strip() else '?'}")
        for trial in TRIALS:
            wrong = tried(agent, recipe, started, trial)
            failed = failed or bool(wrong)
            print(
                f"  {'✗' if wrong else '✓'} {trial.name:8} {trial.command}{'  — ' + wrong if wrong else ''}", flush=True
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
