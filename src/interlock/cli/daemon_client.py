"""The daemon's client: a hook asks the daemon for its answer, and starts one if there is none.

Imported on every call of a hook, so it imports nothing that takes long. Whatever is wrong with the daemon, the hook
decides by itself: that takes longer, and gives the same answer.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from interlock.agents import VARIABLE_SUFFIXES
from interlock.cli.daemon_protocol import ACCEPTED, pack, unpack
from interlock.cli.deadline import seconds_left
from interlock.version import VERSION

#: How long a daemon may take to start and to accept a connection, and the time between two checks.
START_SECONDS, ACCEPT_SECONDS, LOOK_SECONDS = 8.0, 3.0, 0.01
_CHUNK = 1 << 16
#: An exit status, and what is printed to the two streams.
DaemonAnswer = tuple[int, bytes, bytes]


def socket_name() -> str:
    """Return the name of the daemon's socket: each release of Interlock has a daemon of its own."""
    return f"daemon-{VERSION}-{os.stat(__file__).st_mtime_ns:x}"


def private_folder() -> str | None:
    """Return the person's own folder, if nobody else can write to it: they could replace the daemon."""
    home = os.environ.get("INTERLOCK_HOME") or (os.environ.get("HOME", "") and os.environ["HOME"] + "/.interlock")
    if not home.startswith("/"):
        return None
    try:
        found = os.stat(home)
    except OSError:
        return None
    return home if found.st_uid == os.geteuid() and not found.st_mode & 0o022 else None


def process_identity() -> list[bytes]:
    """Return the file system, the container and the settings that a daemon must share with a hook that asks it."""
    kept = sorted(key for key in os.environ if key == "HOME" or key.startswith("INTERLOCK_"))
    settings = (os.fsencode(f"{key}={os.environ[key]}") for key in kept)
    return [path_identity("/"), path_identity("/proc/self/ns/mnt"), *settings]


def path_identity(path: str) -> bytes:
    """Return the identity of the file at a path, which differs in another container."""
    try:
        found = os.stat(path)
    except OSError:
        return b"nothing"
    return b"%d:%d" % (found.st_dev, found.st_ino)


def ask_daemon(arguments: list[str], call: bytes) -> DaemonAnswer | None:
    """Return the daemon's answer to a call; None where there is no daemon, or it cannot decide."""
    try:
        home = private_folder()
        for _ in range(2):
            connection = None if home is None else _connect_or_start(home)
            if connection is None:
                return None
            try:
                return _exchange(connection, arguments, call)
            except TimeoutError:
                _kill(connection)  # it hangs, and would hang for every other hook
            finally:
                connection.close()
    except OSError:
        pass
    return None


def _kill(connection: _socket.socket) -> None:
    """End a daemon that does not even accept a connection."""
    process = _peer(connection, 0)
    if process > 1:
        os.kill(process, 9)


def _exchange(connection: _socket.socket, arguments: list[str], call: bytes) -> DaemonAnswer | None:
    variables = [os.fsencode(f"{key}={value}") for key, value in os.environ.items() if key.endswith(VARIABLE_SUFFIXES)]
    groups = [process_identity(), [os.fsencode(word) for word in arguments], variables]
    connection.settimeout(min(ACCEPT_SECONDS, seconds_left()))
    here = os.getcwd()
    message = pack([path_identity(here) + b"\0" + os.fsencode(here), *map(pack, groups), call])
    connection.sendall(message, getattr(_socket, "MSG_NOSIGNAL", 0))
    connection.shutdown(_socket.SHUT_WR)
    if connection.recv(1) != ACCEPTED:
        return None
    connection.settimeout(seconds_left())
    chunks = []
    try:
        while chunk := connection.recv(_CHUNK):
            chunks.append(chunk)
    except TimeoutError:
        return 2, b"", b"Interlock refused this: the daemon did not answer in time\n"
    fields = unpack(b"".join(chunks))
    if fields is None or len(fields) != 3 or fields[0] not in (b"0", b"2"):
        return None
    return int(fields[0]), fields[1], fields[2]


def _connect_or_start(home: str) -> _socket.socket | None:
    """Return a connection to the daemon, which is started where there is none."""
    found = connect(home)
    if found is not None:
        return found
    import fcntl

    until = time.monotonic() + min(START_SECONDS, seconds_left() / 2)
    lock = os.open(f"{home}/{socket_name()}.starting", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        started = False
        while time.monotonic() < until:
            found = connect(home)
            if found is not None or (started and os.waitpid(-1, os.WNOHANG) != (0, 0)):
                return found  # a daemon that ends at once cannot be used
            if not started:
                try:  # one of the hooks that come at once starts it, and holds the lock until it listens
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    started = _start()
                except BlockingIOError:
                    pass
            time.sleep(LOOK_SECONDS)
    finally:
        os.close(lock)
    return None


def connect(home: str) -> _socket.socket | None:
    """Return a connection to a daemon of this account that listens, if there is one."""
    here = os.open(".", os.O_RDONLY)
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(ACCEPT_SECONDS)
    try:
        os.chdir(home)  # the whole path may be longer than an address can be
        connection.connect(socket_name())
    except OSError:
        connection.close()
        return None
    finally:
        os.fchdir(here)
        os.close(here)
    return connection if _is_ours(connection) else None


def _is_ours(connection: _socket.socket) -> bool:
    """Whether the other end runs under our account, where the system tells; else the folder is private."""
    return _peer(connection, 4) in (-1, os.geteuid())


def _peer(connection: _socket.socket, at: int) -> int:
    """Return the process (0) or the account (4) of the other end; -1 where the system does not report it."""
    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return -1
    return int.from_bytes(connection.getsockopt(_socket.SOL_SOCKET, option, 12)[at : at + 4], sys.byteorder)


def _lift_limits() -> None:
    """Undo the resource limits of the process that happens to start the daemon."""
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
    """Start a daemon that is independent of this process."""
    if os.fork():
        return True
    try:
        os.setsid()
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an agent waits until its pipes are closed everywhere
        _lift_limits()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        launcher = os.path.join(os.path.dirname(os.path.dirname(__file__)), "launch.py")
        os.execv(sys.executable, [sys.executable, "-I", "-S", launcher, "daemon"])  # noqa: S606
    finally:
        os._exit(1)
