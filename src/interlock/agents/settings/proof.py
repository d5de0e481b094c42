"""Proof that an installed hook stops things: harmless calls, made as the agent makes them, read as the agent does."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from interlock.agents.agent import Reply, Said
from interlock.agents.heard import AGENTS
from interlock.agents.settings.entries import words_of

#: What is said to be about to run. It is only ever a text: nothing of it is carried out.
NOTHING, ASKED, DENIED = "ls", "git push --force origin main", "rm -rf /"
_PATIENCE_SECONDS = 60


class Check(NamedTuple):
    """Something that was tried, what had to come of it, and what did."""

    what: str
    wanted: tuple[str, ...]
    came: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether it is as it has to be."""
        return self.came in self.wanted


def call(agent: str, event: str, command: str, session: str) -> bytes:
    """Return the call by which an agent says that it is about to run a command."""
    here = os.getcwd()
    told: dict[str, Any] = {"session_id": session, "cwd": here, "hook_event_name": event, "tool_use_id": "canary"}
    given = {"command": command}
    if agent == "cursor":
        told = {"conversation_id": session, "hook_event_name": event, "cursor_version": "0", "workspace_roots": [here]}
        told |= {"command": command, "cwd": here} if event == "beforeShellExecution" else {"tool_name": "Shell"}
    elif agent == "copilot":
        told = {"sessionId": session, "timestamp": 0, "cwd": here, "toolName": "bash", "toolArgs": given}
    elif agent == "gemini":
        told |= {"tool_name": "run_shell_command", "tool_input": given}
    else:
        told |= {"permission_mode": "default", "tool_name": "Bash", "tool_input": given}
    return json.dumps(told).encode()


def understood(agent: str, said: Said) -> str:
    """Return what an agent takes an answer for: `deny`, `ask`, `allow`, `no objection`, or that it runs by mistake."""
    if said.status == 2:
        return "deny" if said.errors.strip() or agent == "cursor" else "runs: no reason was given"
    if said.status != 0:
        return "deny" if agent == "copilot" else f"runs: the hook ended with {said.status}"
    if not said.out.strip():
        return "no objection" if agent != "cursor" else "deny"
    try:
        told = json.loads(said.out)
        found = told.get("hookSpecificOutput") or told
        decision = found.get("permissionDecision") or found.get("permission") or found.get("decision")
        reason = found.get("permissionDecisionReason") or found.get("reason") or found.get("agent_message")
    except (ValueError, AttributeError):
        return "runs: the answer is no JSON"
    if agent == "cursor" and decision == "allow":
        return "no objection"
    if agent == "codex" and (decision != "deny" or not reason):
        return "runs: Codex does not know this answer"
    return str(decision)


def proved(agent: str, event: str, line: str) -> Iterator[Check]:
    """Give what comes of trying the command of a hook."""
    session = f"interlock doctor {time.time_ns():x}"
    asks = ("ask",) if AGENTS[agent].expressed(event, Reply.ASK) is Reply.ASK else ("deny",)
    calls = {
        "what is harmless runs": (NOTHING, ("no objection", "allow")),
        "what needs a person is asked about": (ASKED, (*asks, "deny")),
        "what is dangerous is denied": (DENIED, ("deny",)),
    }
    for what, (command, wanted) in calls.items():
        yield _tried(agent, what, wanted, partial(run, agent, line, call(agent, event, command, session)))
    good = call(agent, event, NOTHING, session)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        broken = os.path.join(folder, "interlock.toml")
        with open(broken, "w", encoding="ascii") as out:
            out.write("mode = [[[")
        away = {"INTERLOCK_HOME": folder}
        yield _tried(agent, "a broken configuration denies", ("deny",), lambda: run(agent, line, good, away))
    yield _tried(agent, "half a call denies", ("deny",), lambda: run(agent, line, good[:-9]))
    yield _tried(agent, "a hook that is stopped denies", ("deny",), lambda: _stopped(agent, line))
    slow = shlex.join([*words_of(line)[: _length(line)], "--deadline", "1"])
    yield _tried(agent, "a hook that takes too long denies", ("deny",), lambda: _stopped(agent, slow, kill=False))
    missing = line.replace("launch.py", "is-not-there.py").replace("interlock hook", "interlock-is-not-there hook")
    yield _tried(agent, "a hook that cannot start denies", ("deny",), lambda: run(agent, missing, good))


def _length(line: str) -> int:
    """Return how many words of a command line name the hook and its agent."""
    return words_of(line).index("hook", 1) + 2


def _tried(agent: str, what: str, wanted: tuple[str, ...], trying: Callable[[], Said]) -> Check:
    began = time.monotonic()
    try:
        came = understood(agent, trying())
    except subprocess.TimeoutExpired:
        came = f"runs: no answer after {_PATIENCE_SECONDS} seconds"
    except OSError as error:
        came = f"runs: the hook cannot be started: {error.strerror}"
    return Check(what, wanted, came, time.monotonic() - began)


def _shell(agent: str, line: str) -> list[str]:
    shell = os.environ.get("SHELL") or "sh"
    return [shell, "-lc", line] if agent == "codex" else ["sh", "-c", line]


def run(agent: str, line: str, given: bytes, environment: dict[str, str] | None = None) -> Said:
    """Run the command of a hook as an agent does."""
    done = subprocess.run(  # noqa: S603 - it is the command that the person installed
        _shell(agent, line),
        input=given,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        check=False,
        timeout=_PATIENCE_SECONDS,
    )
    return Said(done.stdout, done.stderr, done.returncode)


def _stopped(agent: str, line: str, *, kill: bool = True) -> Said:
    """Start a hook that is never told what it is about; end it, or let it run out of time."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    hook = shlex.join(words_of(line)[: _length(line)]) if kill else line
    with subprocess.Popen(_shell(agent, f"exec {hook}"), **streams) as process:  # type: ignore[call-overload]  # noqa: S603
        if kill:
            _wait_for_ears(process)
            process.terminate()
        with contextlib.ExitStack() as last:
            last.callback(process.kill)
            process.wait(_PATIENCE_SECONDS)
        return Said(process.stdout.read(), process.stderr.read(), process.returncode)


def _wait_for_ears(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process hears that it should end: one that is killed before Python has started cannot say no."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
                caught = int(file.read().partition("SigCgt:")[2].split()[0], 16)
        except (OSError, ValueError, IndexError):  # not on this system
            time.sleep(2)
            return
        if caught >> (signal.SIGPIPE - 1) & 1 and caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.02)
