"""The daemon keeps gates open, so that hooks are answered in milliseconds. Each account has its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from interlock.agents import MAX_CALL
from interlock.central.background import start_pulling
from interlock.cli import daemon_client
from interlock.cli.daemon_protocol import ACCEPTED, DECIDE_ALONE, pack, unpack
from interlock.cli.gate_pool import GatePool
from interlock.cli.hook import answer_hook, parse_options
from interlock.config.home import own_folder
from interlock.errors import StoreError

#: How often the daemon checks whether it is idle, and how long a caller may take to send its message.
LOOK_SECONDS, CALLER_SECONDS = 0.5, 30.0
_HEADER = 1 << 20
_CHUNK = 1 << 16


def _newest_code() -> int:
    """Return when our code was last changed, so that an old version in memory does not answer for a new one."""
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("interlock")]
    newest = 0
    for module in ours:
        file = getattr(module, "__file__", None)
        with contextlib.suppress(OSError):
            newest = max(newest, os.stat(file).st_mtime_ns if file else 0)
    return newest


class Daemon:
    """Listens on a socket in the person's own folder."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._gates = GatePool()
        self._identity = daemon_client.process_identity()
        self._busy, self._last = 0, time.monotonic()
        self._lock = threading.Lock()
        self._stopping = False
        self._began, self._looked = time.time_ns(), time.monotonic()

    def _is_outdated(self) -> bool:
        """Whether Interlock was changed since we started; then we end, and hooks decide by themselves."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            self._stopping = self._stopping or _newest_code() > self._began
        return self._stopping

    def stop(self) -> None:
        """End soon."""
        self._stopping = True

    def run(self, idle: float) -> bool:
        """Listen until no hook has come for `idle` seconds; return False where another daemon is already running."""
        name = daemon_client.socket_name()
        os.umask(0o077)
        self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.chdir(self._home)  # the whole path may be longer than an address can be
        lock = os.open(f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.ftruncate(lock, 0)
        os.pwrite(lock, b"%d\n" % os.getpid(), 0)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)  # left by a daemon that was killed
        pulling = start_pulling()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(name)
            listener.listen(512)
            listener.settimeout(LOOK_SECONDS)
            mine = os.stat(name).st_ino
            while not self._is_done(idle) and _is_there(name, mine):
                with contextlib.suppress(TimeoutError):
                    self._accept(listener.accept()[0])
            if _is_there(name, mine):
                os.unlink(name)
            self._finish(listener)
        pulling.set()
        self._gates.close()
        return True

    def _is_done(self, idle: float) -> bool:
        with self._lock:
            return self._stopping or (not self._busy and time.monotonic() - self._last > idle)

    def _finish(self, listener: socket.socket) -> None:
        """Accept the connections that are queued, and wait until every caller is answered."""
        listener.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                self._accept(listener.accept()[0])
        until = time.monotonic() + CALLER_SECONDS
        while self._busy and time.monotonic() < until:
            time.sleep(0.01)

    def _accept(self, connection: socket.socket) -> None:
        """Accept immediately, however many calls are in progress: a hook kills a daemon that does not."""
        connection.settimeout(CALLER_SECONDS)
        with contextlib.suppress(OSError):
            connection.sendall(ACCEPTED)
        with self._lock:
            self._busy += 1
        threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.sendall(self._answer(_receive(connection)))
        except OSError:
            pass  # the caller has gone, and refuses
        finally:
            with self._lock:
                self._busy -= 1
                self._last = time.monotonic()

    def _answer(self, message: bytes) -> bytes:
        """Return the answer to a message, or one that makes the hook decide by itself."""
        fields = unpack(message)
        groups = [unpack(field) for field in fields[1:4]] if fields is not None and len(fields) == 5 else []
        if fields is None or len(groups) != 3 or None in groups or groups[0] != self._identity or self._is_outdated():
            return DECIDE_ALONE
        folder, call = os.fsdecode(fields[0].partition(b"\0")[2]), fields[4]
        if daemon_client.path_identity(folder) != fields[0].partition(b"\0")[0]:
            return DECIDE_ALONE  # the hook sees another folder there
        arguments, variables = ([os.fsdecode(one) for one in group or []] for group in groups[1:])
        options = parse_options(arguments)
        if options is None:
            return DECIDE_ALONE  # the hook explains what is wrong with its arguments
        environment = dict(one.partition("=")[::2] for one in variables)
        output = answer_hook(options, call, lambda: self._gates.lend(options, folder), environment)
        return pack([b"%d" % output.status, output.stdout, output.stderr])


def _is_there(name: str, inode: int) -> bool:
    """Whether the socket is still in its folder: once it is removed, no hook finds it."""
    try:
        return os.stat(name).st_ino == inode
    except OSError:
        return False


def _receive(connection: socket.socket) -> bytes:
    """Return a caller's message, read to its end, or raise."""
    kept = bytearray()
    while chunk := connection.recv(_CHUNK):
        kept += chunk
        if len(kept) > MAX_CALL + _HEADER + _CHUNK * 16:
            raise OSError("the message is too long")
    return bytes(kept)


def run(idle: float) -> int:
    """Run the daemon until no hook has come for `idle` seconds."""
    daemon = Daemon(own_folder())
    signal.signal(signal.SIGTERM, lambda *_: daemon.stop())
    signal.signal(signal.SIGINT, lambda *_: daemon.stop())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ran = daemon.run(idle)
    except OSError as error:
        raise StoreError(f"the daemon cannot listen in `{own_folder()}`: {error.strerror}") from None
    if not ran:
        print("another daemon is already running", file=sys.stderr)
    return 0


def status() -> int:
    """Print whether a daemon listens."""
    found = list_running()
    for name, process in found:
        print(f"{name} is running as process {process}")
    if not found:
        print("no daemon is running; the next hook starts one")
    return 0


def stop() -> int:
    """End every daemon of this account's folder, and wait until it is gone."""
    found = list_running()
    for name, process in found:
        end(name, process)
        print(f"{name} stopped")
    if not found:
        print("no daemon is running")
    return 0


def end(name: str, process: int) -> None:
    """End a daemon, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    until = time.monotonic() + CALLER_SECONDS
    while (name, process) in list_running():
        if time.monotonic() > until:
            raise StoreError(f"{name} does not stop; process {process} can be killed safely")
        time.sleep(0.02)


def list_running() -> list[tuple[str, int]]:
    """Return the daemons that hold their lock, each with its process."""
    found = []
    for lock in sorted(own_folder().glob("daemon-*.lock")):
        handle = os.open(lock, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found.append((lock.stem, int(os.pread(handle, 20, 0) or b"0")))
        finally:
            os.close(handle)
    return found
