"""How long a hook takes, beside a bare Python: asking the daemon, and deciding by itself.

Times are processor time, the smallest of several runs, so that other programs on the machine disturb them little.
A hook in a checkout compares thousands of sources of the knowledge with the artefact, since people edit them there; an
installed one compares their folders. Users have the latter, so the goal is for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import interlock

LAUNCHER = str(Path(interlock.__file__).with_name("launch.py"))
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
HOOK = [sys.executable, "-I", "-S", LAUNCHER, "hook", "claude-code"]
CALL = {
    "session_id": "bench",
    "cwd": "/tmp",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git status"},
    "tool_use_id": "t",
}
#: How many bare Pythons a hook that decides by itself may cost.
GOAL = 10.0
ROUNDS = 15


def answering(_row: Callable[..., None]) -> None:
    """Time hooks, one after the other and two hundred at once."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(Path(LAUNCHER).parent)], check=False)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "INTERLOCK_HOME": folder}
        run(HOOK, environment)  # it starts the daemon
        lines = (BARE, HOOK, [*HOOK, "--alone"], [*installed_hook(Path(folder)), "--alone"])
        rounds = [[run(line, environment) for line in lines] for _ in range(ROUNDS)]
        bare, asked, edited, alone = (min(times) for times in zip(*rounds, strict=True))
        wanted = f"goal {GOAL:g} ×{'' if alone / bare <= GOAL else ', missed'}"
        print("\n  hooks of coding agents")
        print(f"    bare `python -I -S -c pass`          {bare * 1000:7.1f} ms")
        print(f"    asking the daemon                    {asked * 1000:7.1f} ms   {asked / bare:5.1f} × bare")
        print(f"    deciding by itself, in a checkout    {edited * 1000:7.1f} ms   {edited / bare:5.1f} × bare")
        print(f"    deciding by itself                   {alone * 1000:7.1f} ms   {alone / bare:5.1f} × bare  {wanted}")
        began = time.perf_counter()
        processes = [start(HOOK, environment) for _ in range(200)]
        for process in processes:
            process.wait()
        print(f"    two hundred at once                  {time.perf_counter() - began:7.2f} s in all")
        subprocess.run([*HOOK[:-2], "daemon", "stop"], env=environment, check=False, stdout=subprocess.DEVNULL)


def installed_hook(folder: Path) -> list[str]:
    """Return the command of a hook that runs as it does when the package is installed."""
    packages = folder / "site-packages"
    packages.mkdir()
    (packages / "interlock").symlink_to(Path(LAUNCHER).parent)
    return [str(packages / "interlock" / "launch.py") if word == LAUNCHER else word for word in HOOK]


def start(line: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a hook, and tell it what it is about."""
    process = subprocess.Popen(line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(CALL).encode())
        process.stdin.close()
    except BrokenPipeError:
        pass  # the bare one does not listen
    return process


def run(line: list[str], environment: dict[str, str]) -> float:
    """Return the processor time that a process takes from its start to its end, in seconds."""
    process = start(line, environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime
