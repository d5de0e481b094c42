"""Every agent and verdict, in every state that a machine can be in: an agent is never told more than was decided."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest

from interlock.agents.coding import NAMES
from interlock.cli.daemon_protocol import ACCEPTED, pack
from tests.agents.hook_calls import LAUNCHED, PUSH, WIPE, call, hook, impostor, meant

#: What an agent may be taken to have been told, from the mildest on.
STRICTNESS = {"allow": 0, "silent": 1, "ask": 2, "deny": 3}
LEAST = {"ls": "allow", PUSH: "ask", WIPE: "deny"}
State = Callable[[Path], AbstractContextManager[dict[str, str]]]


def up(home: Path) -> AbstractContextManager[dict[str, str]]:
    return nullcontext({})  # the first hook starts it


@contextmanager
def down(home: Path) -> Iterator[dict[str, str]]:
    home.chmod(0o770)  # a folder that others can write to has no daemon
    yield {}
    home.chmod(0o700)


@contextmanager
def late(home: Path) -> Iterator[dict[str, str]]:
    left = threading.Event()

    def never(connection: socket.socket) -> None:
        connection.sendall(ACCEPTED)
        left.wait(60)

    with impostor(home, never):
        yield {"deadline": "1"}
        left.set()


@contextmanager
def malformed(home: Path) -> Iterator[dict[str, str]]:
    with impostor(home, lambda connection: connection.sendall(ACCEPTED + pack([b"0", b"allow"]))):
        yield {}


def corrupt(home: Path) -> AbstractContextManager[dict[str, str]]:
    (home / "interlock.toml").write_text("mode = [[[")
    return nullcontext({})


def read_only(home: Path) -> AbstractContextManager[dict[str, str]]:
    return nullcontext({"INTERLOCK_HOME": "/proc/self"})


def no_home(home: Path) -> AbstractContextManager[dict[str, str]]:
    return nullcontext({"HOME": "", "INTERLOCK_HOME": "/proc/nowhere"})


#: Each state, and whether anything can be decided in it.
STATES = [(up, True), (down, True), (late, False), (malformed, True), (corrupt, False), (read_only, False)]
STATES += [(no_home, False)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("state", "decides"),
    [
        (up, True),
        (down, True),
        (late, False),
        (malformed, True),
        (corrupt, False),
        (read_only, False),
        (no_home, False),
    ],
)
def test_never_an_unsafe_allow(own: Path, name: str, state: State, decides: bool) -> None:
    own.mkdir(mode=0o700)
    with state(own) as changed:
        deadline = changed.pop("deadline", "20")
        for command, least in LEAST.items():
            home = Path(changed.get("INTERLOCK_HOME", str(own)))
            others = {key: value for key, value in changed.items() if key != "INTERLOCK_HOME"}
            said = hook(home, name, "--deadline", deadline, given=call(name, command), program=LAUNCHED, **others)
            came = meant(said)
            assert STRICTNESS[came] >= STRICTNESS[least], (command, said)
            if command == "ls":
                assert (came != "deny") is decides, "what is harmless runs where it could be decided, and only there"
