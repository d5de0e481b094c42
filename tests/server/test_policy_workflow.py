"""The workflow for CI that the documentation offers: every step is run, against a real server and repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.server.client import Client
from tests.server.live_server import Running
from tests.server.policy_repository import PolicyRepository, policy_text

FILE = Path(__file__).parents[2] / "docs" / "examples" / "policies.yml"
CASES = """policies = ["../a.toml"]
[[cases]]
name = "nobody pays"
tool = "tool"
expect = "block"
policy = "pay"
"""


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text())["jobs"]
    return found


def key_of(caller: Client) -> str:
    return caller.headers["authorization"].removeprefix("Bearer ")


class Runner:
    """Runs the steps of a job as GitHub does: each in a shell that stops at the first error."""

    def __init__(self, server: Running, repository: PolicyRepository, secrets: dict[str, str], home: Path) -> None:
        self._cwd, self._secrets = repository.root, secrets
        self.summary = home / "summary.md"
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "INTERLOCK_HOME": str(home / "runner"),
            "INTERLOCK_SERVER": f"http://127.0.0.1:{server.port}",
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def run(self, job: str) -> list[tuple[str, int, str]]:
        """Return the script, the exit status and the output of each step of a job that runs `interlock`."""
        steps = [step for step in jobs()[job]["steps"] if "interlock policy" in step.get("run", "")]
        return [(step["run"], *self._step(step)) for step in steps]

    def _step(self, step: dict[str, Any]) -> tuple[int, str]:
        given = {name: self._fill(value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=self._cwd, env={**self._environment, **given}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def _fill(self, value: str) -> str:
        return re.sub(r"\$\{\{ secrets\.(\w+) \}\}", lambda found: self._secrets[found[1]], value)


@pytest.fixture
def runner(shared: Running, tmp_path: Path) -> tuple[Runner, PolicyRepository]:
    repository = PolicyRepository(tmp_path, "workflow")
    (repository.folder / "tests").mkdir()
    (repository.folder / "tests" / "cases.toml").write_text(CASES)
    repository.commit(a=policy_text("pay", "block", "tool"))
    keys = {"PLAN": shared.reviewer("bob"), "APPLY": shared.admin("eve")}
    secrets = {f"INTERLOCK_{name}_KEY": key_of(caller) for name, caller in keys.items()}
    return Runner(shared, repository, secrets, tmp_path), repository


def test_the_workflow_checks_plans_and_applies(runner: tuple[Runner, PolicyRepository], shared: Running) -> None:
    github, repository = runner
    checked = github.run("check")
    assert [status for _, status, _ in checked] == [0, 0, 0], checked
    assert "1 to add" in github.summary.read_text()
    assert (repository.root / "results.xml").exists()
    agent = shared.agent("ann")
    assert agent.post("/v1/evaluate", {"toolName": "tool"}).ok()["verdict"] == "allow", "nothing is applied yet"
    (repository.root / "results.xml").unlink()
    ((_, status, said),) = github.run("apply")
    assert (status, "1 added" in said) == (0, True), said
    assert agent.post("/v1/evaluate", {"toolName": "tool"}).ok()["verdict"] == "block"

    repository.commit(a=policy_text("pay", "blck"))
    failed = [status for _, status, _ in github.run("check")]
    assert failed == [1, 1, 1], "an error fails the step that shows the plan as well"


def test_every_line_that_runs_interlock_is_in_a_step_that_is_run() -> None:
    lines = [line.strip() for line in FILE.read_text().splitlines() if not line.strip().startswith("#")]
    shown = [line for line in lines if re.search(r"(?:^|run: )interlock ", line)]
    steps = "\n".join(step.get("run", "") for job in jobs().values() for step in job["steps"])
    assert len(shown) == 4
    assert all(line.removeprefix("run: ") in steps for line in shown)
