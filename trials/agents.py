"""Run real coding agents, each in a home of its own, and check that the installed hook stops what it should.

`python -m trials.agents [claude-code codex …]`. They are installed with npm into `.trials`. While they run, they talk
to the model on this machine alone.
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
from enum import Enum
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
    """How an agent is installed and started: npm packages, arguments, environment, and a settings file."""

    packages: tuple[str, ...]
    program: str
    arguments: tuple[str, ...]
    environment: Callable[[str], dict[str, str]]
    file: str = ""
    text: Callable[[str], str] = lambda _url: ""


RECIPES = {
    "claude-code": Recipe(
        ("@anthropic-ai/claude-code",),
        "claude",
        ("-p", "go", "--allowedTools", "Bash"),
        lambda url: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-ant-told",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    "codex": Recipe(
        ("@openai/codex",),
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
        ("@google/gemini-cli",),
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
        ("@github/copilot",),
        "copilot",
        ("-p", "go", "--allow-all-tools", "--disable-client-telemetry"),
        lambda url: {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "told", "COPILOT_OFFLINE": "true"},
    ),
    "qwen-code": Recipe(
        ("@qwen-code/qwen-code@latest", "node@22"),  # it needs a Node that few systems have
        "qwen",
        ("-p", "go", "--yolo"),
        lambda url: {
            "OPENAI_API_KEY": "told",
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_MODEL": "told",
            "HTTP_PROXY": "",  # it would use the proxy for this machine as well
            "HTTPS_PROXY": "",
        },
        ".qwen/settings.json",
        lambda _url: json.dumps(
            {
                "security": {"auth": {"selectedType": "openai"}},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
            }
        ),
    ),
}


class Trouble(Enum):
    """What is wrong with the hook."""

    NONE = "none"
    MISSING = "missing"  # its program is gone, as after an upgrade
    STUCK = "stuck"  # the store is locked, so that no decision can be recorded


class Trial(NamedTuple):
    """What is tried: a command, whether it may run, and a word that the model must read if not."""

    name: str
    command: str
    runs: bool
    reads: str = ""
    trouble: Trouble = Trouble.NONE


TRIALS = (
    Trial("allowed", "touch allowed-file", True),
    Trial("blocked", "touch forbidden-file", False, "nothing-forbidden"),
    Trial("asked", "touch asked-file && git push --force origin main", False, "Force push"),
    Trial("missing", "touch allowed-file", False, "hook", Trouble.MISSING),
    Trial("stuck", "touch allowed-file", False, "", Trouble.STUCK),
)


def bin_folder(recipe: Recipe) -> Path:
    """Return the folder of an agent's program."""
    return FOLDER / recipe.program / "node_modules" / ".bin"


def install(recipe: Recipe) -> str | None:
    """Return the program of an agent, installed if it is missing; None where npm cannot install it."""
    found = bin_folder(recipe) / recipe.program
    if not found.exists() and shutil.which("npm") is not None:
        folder = FOLDER / recipe.program
        folder.mkdir(parents=True, exist_ok=True)
        print(f"  installing {recipe.packages[0]} …", flush=True)
        words = ["npm", "install", "--no-fund", "--no-audit", "--silent", "--prefix", str(folder), *recipe.packages]
        subprocess.run(words, check=False, timeout=900)
    return str(found) if found.exists() else None


def try_once(agent: str, recipe: Recipe, program: str, trial: Trial) -> str:
    """Run an agent once; return what went wrong, or nothing."""
    model = Model(trial.command)
    with serving(model) as url, _home(agent, recipe, url, trial) as (environment, project):
        done = subprocess.run(
            [program, *recipe.arguments],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        made = bool(list(project.glob("*-file")))
        subprocess.run([*INTERLOCK, "daemon", "stop"], env=environment, capture_output=True, check=False)
    if not model.results:
        return f"the model never got the result of the command: {done.stdout[-300:]} {done.stderr[-300:]}"
    if made != trial.runs:
        return f"the command {'ran' if made else 'did not run'}; the model read {model.results[-1][:300]}"
    return "" if trial.reads in model.results[-1] else f"the model read {model.results[-1][:300]}"


@contextmanager
def _home(agent: str, recipe: Recipe, url: str, trial: Trial) -> Iterator[tuple[dict[str, str], Path]]:
    """Give the environment and the project of an agent, with the hook installed, and with a trial's trouble."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home, project = Path(folder, "home"), Path(folder, "project")
        nowhere = "http://127.0.0.1:9"
        environment = {
            "PATH": f"{bin_folder(recipe)}{os.pathsep}{os.environ['PATH']}",
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
        if trial.trouble is Trouble.MISSING:
            for file in home.rglob("*.json"):
                file.write_text(file.read_text().replace(sys.executable, "/nowhere/python"))
        with _lock_store(home, environment) if trial.trouble is Trouble.STUCK else nullcontext():
            yield environment, project


@contextmanager
def _lock_store(home: Path, environment: dict[str, str]) -> Iterator[None]:
    """Lock the store, so that no decision can be recorded."""
    subprocess.run([*INTERLOCK, "store", "init"], env=environment, capture_output=True, check=True)
    holder = sqlite3.connect(home / ".interlock" / "interlock.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.close()


def main() -> int:
    """Try every agent that is named, or all of them; return 1 if an action ran or not against its decision."""
    failed = False
    for agent in sys.argv[1:] or RECIPES:
        recipe = RECIPES[agent]
        program = install(recipe)
        if program is None:
            print(f"{agent}: npm cannot install it here")
            continue
        print(f"{agent}: {_version(recipe, program)}")
        for trial in TRIALS:
            wrong = try_once(agent, recipe, program, trial)
            failed = failed or bool(wrong)
            mark, why = ("✗", f"  — {wrong}") if wrong else ("✓", "")
            print(f"  {mark} {trial.name:8} {trial.command}{why}", flush=True)
    return int(failed)


def _version(recipe: Recipe, program: str) -> str:
    environment = {**os.environ, "PATH": f"{bin_folder(recipe)}{os.pathsep}{os.environ['PATH']}"}
    words = [program, "--version"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS)
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "?"


if __name__ == "__main__":
    sys.exit(main())
