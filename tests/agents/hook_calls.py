"""Calling a hook as an agent does, and understanding its answer as the agent would."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import interlock
from interlock.agents.coding import find_agent
from interlock.agents.coding.agent import HookOutput, SampleCall
from interlock.approval.challenge.challenge import challenge_for, judge_challenge
from interlock.approval.request import Answer, AnswerVerdict, Approval
from interlock.cli import daemon_client
from interlock.gate import Gate

PUSH = "git push --force origin main"
WIPE = "rm -rf ~"
LAUNCHED = [sys.executable, "-I", "-S", str(Path(interlock.__file__).with_name("launch.py")), "hook"]
ALONE = [sys.executable, "-m", "interlock", "hook", "--alone"]


def call(agent: str, command: str) -> bytes:
    """Return the call by which an agent says that it is about to run a command."""
    found = find_agent(agent)
    return json.dumps(found.sample_call(SampleCall(found.before, command, "s1", "/w/app"))).encode()


def meant(said: HookOutput) -> str:
    """Return what an agent takes an answer for, as its documentation says."""
    if said.status == 2:
        return "deny" if said.stderr else "runs"
    if said.status != 0:
        return "runs"
    if not said.stdout:
        return "silent"
    told = json.loads(said.stdout)
    found = told.get("hookSpecificOutput", {})
    decision = found.get("permissionDecision") or (found.get("decision") or {}).get("behavior")
    return str(decision or told.get("permissionDecision") or told.get("permission") or told.get("decision"))


def hook(home: Path, *words: str, given: bytes, program: list[str] = ALONE, **environment: str) -> HookOutput:
    """Run the hook as an agent does."""
    variables = {**os.environ, "INTERLOCK_HOME": str(home), **environment}
    variables = {name: value for name, value in variables.items() if value}
    done = subprocess.run([*program, *words], input=given, env=variables, capture_output=True, check=False, timeout=120)
    return HookOutput(done.stdout, done.stderr, done.returncode)


def approve(gate: Gate, waiting: Approval, verdict: AnswerVerdict = AnswerVerdict.APPROVE, **more: Any) -> None:
    """Answer a request as somebody does who has read everything."""
    challenge = challenge_for(waiting)
    taken = judge_challenge(challenge, [question.right for question in challenge.questions], 60.0)
    answer = Answer(approver="bob", verdict=verdict, reason="I looked", challenge=taken, **more)
    gate.approvals.answer(waiting.approval_id, answer)


@contextmanager
def impostor(home: Path, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """Listen where the daemon would."""
    with socket.socket(socket.AF_UNIX) as door:
        here = os.getcwd()
        os.chdir(home)
        door.bind(daemon_client.socket_name())
        os.chdir(here)
        door.listen()

        def serve() -> None:
            while True:
                try:
                    connection = door.accept()[0]
                except OSError:
                    return
                threading.Thread(target=converse, args=(connection,), daemon=True).start()

        def converse(connection: socket.socket) -> None:
            with connection, suppress(OSError):  # a hook that has had enough goes
                while connection.recv(1 << 16):
                    pass
                answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        door.shutdown(socket.SHUT_RDWR)
    thread.join()
