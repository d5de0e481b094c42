"""Prove that an installed hook blocks actions: send sample calls as the agent does, and read the answers like it."""

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
from typing import NamedTuple

from interlock.agents.coding.agent import Agent, HookOutput, HookReading, SampleCall
from interlock.agents.permission import Permission
from interlock.agents.settings.command import split_line
from interlock.agents.settings.proof_store import copy_store_for_proof, remove_store_option

#: The commands of the sample calls. They are only ever text: nothing runs them.
HARMLESS, RISKY, DANGEROUS = "ls", "git push --force origin main", "rm -rf /"
_TIMEOUT_SECONDS = 60
_DENY = (Permission.DENY,)
_OUTCOMES = {
    Permission.ALLOW: "allow",
    Permission.NO_OBJECTION: "no objection",
    Permission.ASK: "ask",
    Permission.DENY: "deny",
}


class HookTrial(NamedTuple):
    """A trial of a hook: the expected permissions, and how the agent interprets the answer."""

    what: str
    wanted: tuple[Permission, ...]
    reading: HookReading
    seconds: float

    @property
    def is_correct(self) -> bool:
        """Whether the answer is right."""
        return self.reading.permission in self.wanted

    @property
    def outcome(self) -> str:
        """The reaction of the agent, in words."""
        permission = self.reading.permission
        return f"runs: {self.reading.problem}" if permission is None else _OUTCOMES[permission]


def prove_hook(agent: Agent, event: str, line: str) -> Iterator[HookTrial]:
    """Try the command line of a hook, and yield each check as it is done. Nothing of it stays on record."""
    with copy_store_for_proof(line) as environment:
        yield from _prove(agent, event, remove_store_option(line), environment)


def _prove(agent: Agent, event: str, line: str, environment: dict[str, str]) -> Iterator[HookTrial]:
    session = f"interlock doctor {time.time_ns():x}"

    def call(command: str) -> bytes:
        return json.dumps(agent.sample_call(SampleCall(event, command, session, os.getcwd()))).encode()

    asks = (Permission.ASK, Permission.DENY) if agent.express(event, Permission.ASK) is Permission.ASK else _DENY
    tries = {
        "a harmless action runs": (HARMLESS, (Permission.NO_OBJECTION, Permission.ALLOW)),
        "a risky action is asked about": (RISKY, asks),
        "a dangerous action is denied": (DANGEROUS, _DENY),
    }
    for what, (command, wanted) in tries.items():
        yield _check(agent, what, wanted, partial(run_hook, agent, line, call(command), environment))
    good = call(HARMLESS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with open(os.path.join(folder, "interlock.toml"), "w", encoding="ascii") as out:
            out.write("mode = [[[")
        home = {"INTERLOCK_HOME": folder}
        yield _check(
            agent, "a broken configuration denies", _DENY, lambda: run_hook(agent, line, good, environment | home)
        )
    yield _check(agent, "an incomplete call denies", _DENY, lambda: run_hook(agent, line, good[:-9], environment))
    yield _check(agent, "a hook that is stopped denies", _DENY, lambda: _run_without_input(agent, line, environment))
    slow = shlex.join([*split_line(line)[: _length(line)], "--deadline", "1"])
    slowly = partial(_run_without_input, agent, slow, environment, kill=False)
    yield _check(agent, "a hook that takes too long denies", _DENY, slowly)
    missing = line.replace("launch.py", "is-not-there.py").replace("interlock hook", "interlock-is-not-there hook")
    yield _check(agent, "a hook that cannot start denies", _DENY, lambda: run_hook(agent, missing, good, environment))


def _length(line: str) -> int:
    """Return how many words of a command line name the hook and its agent."""
    return split_line(line).index("hook", 1) + 2


def _check(agent: Agent, what: str, wanted: tuple[Permission, ...], attempt: Callable[[], HookOutput]) -> HookTrial:
    began = time.monotonic()
    try:
        reading = agent.understand(attempt())
    except subprocess.TimeoutExpired:
        reading = HookReading(None, f"no answer after {_TIMEOUT_SECONDS} seconds")
    except OSError as error:
        reading = HookReading(None, f"the hook cannot be started: {error.strerror}")
    return HookTrial(what, wanted, reading, time.monotonic() - began)


def run_hook(agent: Agent, line: str, call: bytes, environment: dict[str, str]) -> HookOutput:
    """Run the command line of a hook as an agent does."""
    done = subprocess.run(  # noqa: S603 - it is the command that the person installed
        agent.start(line),
        input=call,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=_TIMEOUT_SECONDS,
    )
    return HookOutput(done.stdout, done.stderr, done.returncode)


def _run_without_input(agent: Agent, line: str, environment: dict[str, str], *, kill: bool = True) -> HookOutput:
    """Start a hook that never gets its call; terminate it, or let it reach its deadline."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    hook = shlex.join(split_line(line)[: _length(line)]) if kill else line
    command, variables = agent.start(f"exec {hook}"), {**os.environ, **environment}
    with subprocess.Popen(command, env=variables, **streams) as process:  # type: ignore[call-overload]  # noqa: S603
        if kill:
            _wait_for_handlers(process)
            process.terminate()
        with contextlib.ExitStack() as last:
            last.callback(process.kill)
            process.wait(_TIMEOUT_SECONDS)
        return HookOutput(process.stdout.read(), process.stderr.read(), process.returncode)


def _wait_for_handlers(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has set its signal handlers: before that, Python cannot refuse when it is terminated."""
    until = time.monotonic() + _TIMEOUT_SECONDS
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
