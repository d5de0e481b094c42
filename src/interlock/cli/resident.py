"""The short way of a hook: ask the gate that is resident, and start it where there is none.

Imported on every call of a hook, so it imports nothing that takes long. Whatever is odd about the daemon, the hook
decides by itself: that takes longer, and comes to the same.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from interlock.agents import PROJECTS, STARTED
from interlock.cli.lastword import left
from interlock.cli.wire import HERE, packed, unpacked
from interlock.version import VERSION

#: How long a daemon may take to start, to answer the door, and between two looks whether it has.
START_SECONDS, DOOR_SECONDS, LOOK_SECONDS = 8.0, 3.0, 0.01
#: What ends an answer where the daemon is not the right one to ask.
ALONE = b"alone"
_CHUNK = 1 << 16
Answer = tuple[int, bytes, bytes]


def name() -> str:
    """Return the name of the daemon's socket: another release of Interlock has a daemon of its own."""
    return f"daemon-{VERSION}-{os.stat(__file__).st_mtime_ns:x}"


def folder() -> str | None:
    """Return the person's own folder, if it is theirs alone: a daemon that others could replace is not asked."""
    home = os.environ.get("INTERLOCK_HOME") or (os.environ.get("HOME", "") and os.environ["HOME"] + "/.interlock")
    if not home.startswith("/"):
        return None
    try:
        found = os.stat(home)
    except OSError:
        return None
    return home if found.st_uid == os.geteuid() and not found.st_mode & 0o022 else None


def stands_for() -> list[bytes]:
    """Return what a daemon must have in common with whoever asks it."""
    kept = sorted(key for key in os.environ if key == "HOME" or key.startswith("INTERLOCK_"))
    return [identity("/"), identity("/proc/self/ns/mnt"), *(os.fsencode(f"{key}={os.environ[key]}") for key in kept)]


def identity(path: str) -> bytes:
    """Return what stands at a path: whoever lives in another container sees something else there."""
    try:
        found = os.stat(path)
    except OSError:
        return b"nothing"
    return b"%d:%d" % (found.st_dev, found.st_ino)


def asked(words: list[str], raw: bytes) -> Answer | None:
    """Return what the daemon answers: a status, what is printed, and what is said of errors. None: nobody answers."""
    try:
        home = folder()
        for _ in range(2):
            connection = None if home is None else _connected(home)
            if connection is None:
                return None
            try:
                return _answer(connection, words, raw)
            except TimeoutError:
                _end(connection)  # it hangs, and would hang for everybody
            finally:
                connection.close()
    except OSError:
        pass
    return None


def _end(connection: _socket.socket) -> None:
    """End a daemon that does not even answer the door."""
    process = _peer(connection, 0)
    if process > 1:
        os.kill(process, 9)


def _answer(connection: _socket.socket, words: list[str], raw: bytes) -> Answer | None:
    about = [f"{key}={os.environ[key]}" for key in (*PROJECTS, STARTED) if os.environ.get(key)]
    groups = [stands_for(), [os.fsencode(word) for word in words], [os.fsencode(one) for one in about]]
    connection.settimeout(min(DOOR_SECONDS, left()))
    here = os.getcwd()
    message = packed([identity(here) + b"\0" + os.fsencode(here), *map(packed, groups), raw])
    connection.sendall(message, getattr(_socket, "MSG_NOSIGNAL", 0))
    connection.shutdown(_socket.SHUT_WR)
    if connection.recv(1) != HERE:
        return None
    connection.settimeout(left())
    chunks = []
    try:
        while chunk := connection.recv(_CHUNK):
            chunks.append(chunk)
    except TimeoutError:
        return 2, b"", b"Interlock does not let this run: the daemon did not answer in time\n"
    fields = unpacked(b"".join(chunks))
    if fields is None or len(fields) != 3 or fields[0] not in (b"0", b"2"):
        return None
    return int(fields[0]), fields[1], fields[2]


def _connected(home: str) -> _socket.socket | None:
    """Return a connection to the daemon, which is started where there is none."""
    found = connect(home)
    if found is not None:
        return found
    import fcntl

    until = time.monotonic() + min(START_SECONDS, left() / 2)
    lock = os.open(f"{home}/{name()}.starting", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        started = False
        while time.monotonic() < until:
            found = connect(home)
            if found is not None or (started and os.waitpid(-1, os.WNOHANG) != (0, 0)):
                return found  # a daemon that ends at once cannot be had
            if not started:
                try:  # one of all who come at once starts it, and holds this until it is there
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    started = _start()
                except BlockingIOError:
                    pass
            time.sleep(LOOK_SECONDS)
    finally:
        os.close(lock)
    return None


def connect(home: str) -> _socket.socket | None:
    """Return a connection to a daemon of ours that listens, if there is one."""
    here = os.open(".", os.O_RDONLY)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(DOOR_SECONDS)
    try:
        os.chdir(home)  # the whole path may be longer than an address can be
        connection.connect(name())
    except OSError:
        connection.close()
        return None
    finally:
        os.fchdir(here)
        os.close(here)
    return connection if _is_ours(connection) else None


def _is_ours(connection: _socket.socket) -> bool:
    """Whether the other end runs under our account, where the system says so."""
    whose = _peer(connection, 4)
    return whose in (-1, os.geteuid())  # where nobody says, the folder is ours alone


def _peer(connection: _socket.socket, at: int) -> int:
    """Return what the system knows of the other end: its process (0), or its account (4); -1 where it does not say."""
    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return -1
    return int.from_bytes(connection.getsockopt(_socket.SOL_SOCKET, option, 12)[at : at + 4], sys.byteorder)


def _lift_limits() -> None:
    """Take back limits that whoever came first had set for itself."""
    import resource

    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            kind = getattr(resource, name)
            try:
                hard = resource.getrlimit(kind)[1]
                resource.setrlimit(kind, (hard, hard))
            except (OSError, ValueError):
                continue


def _start() -> bool:
    """Start a daemon that has nothing to do with this process any more."""
    if os.fork():
        return True
    try:
        os.setsid()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an agent waits until nobody holds its pipes
        _lift_limits()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        launcher = os.path.join(os.path.dirname(os.path.dirname(__file__)), "launch.py")
        os.execv(sys.executable, [sys.executable, "-I", "-S", launcher, "daemon"])  # noqa: S606
    finally:
        os._exit(1)
