"""Other guards on the same commands, in the same run: each in an environment of its own, where it can be installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).parent.parent / ".venv-peers"
TIMEOUT_SECONDS = 300

# Package → how it is asked about one command.
PEERS = {
    "nah": "from nah.bash import classify_command as ask",
    "rlm-code": (
        "from rlm_code.rlm.approval.policy import RiskAssessor\n"
        "assessor = RiskAssessor()\n"
        "def ask(command): return assessor.assess({'code': command})"
    ),
}

SCRIPT = """
import json, sys, time
{ask}
commands, rounds = json.loads(sys.stdin.read())
taken = []
for command in commands:
    for _ in range(max(rounds // 10, 3)):
        ask(command)
    for _ in range(rounds):
        start = time.perf_counter_ns()
        ask(command)
        taken.append((time.perf_counter_ns() - start) / 1000)
print(json.dumps(taken))
"""


def measure(commands: list[str], rounds: int = 100) -> dict[str, list[float] | str]:
    """Return how long each peer takes for each command, in microseconds, or why it could not be asked."""
    return {name: _measure(name, commands, rounds) for name in PEERS}


def _measure(name: str, commands: list[str], rounds: int) -> list[float] | str:
    python = ENVIRONMENT / name / "bin" / "python"
    try:
        if not python.exists():
            print(f"  setting up {name} in {ENVIRONMENT.name} (once)", flush=True)
            _run([sys.executable, "-m", "venv", str(python.parent.parent)])
            _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name])
        given = json.dumps([commands, rounds])
        found: list[float] = json.loads(_run([str(python), "-c", SCRIPT.format(ask=PEERS[name])], given))
        return found
    except subprocess.TimeoutExpired:
        return f"took more than {TIMEOUT_SECONDS} s"
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr).strip().splitlines()
        return f"could not be installed or asked here: {lines[-1] if lines else error}"


def _run(words: list[str], given: str = "") -> str:
    return subprocess.run(
        words, input=given, capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS
    ).stdout
