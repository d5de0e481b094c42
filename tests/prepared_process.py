"""Processes that have imported what they need when they start: copies of one process that has imported it before.

`start_command` returns a command to use in place of `python -m interlock …` or `python script.py …`. What it starts is
a process of its own, with the streams, the environment, the folder and the signals of the command. Only the imports,
which take more than a second where the MCP SDK is one of them, are not repeated. Tests of how a command starts, of how
it ends at a signal, and one at least of everything else start Python itself.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import socket
import sys

_STREAMS = (0, 1, 2)
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: What the gateway and the servers of its tests import.
_IMPORTED = (
    "interlock.cli.app",
    "interlock.cli.mcp",
    "interlock.gate",
    "interlock.agents.gateway.decider",
    "interlock.agents.gateway.http_listener",
    "interlock.agents.gateway.relay",
    "interlock.agents.gateway.streams",
    "mcp.server.mcpserver",
)


def start_command(*words: str) -> list[str]:
    """Return the command that runs a module (`-m`, its name) or a script with its arguments in a prepared process."""
    return [sys.executable, "-I", "-S", __file__, _address(), *words]


def _address() -> str:
    """Return the socket of the process that is copied; start it first if this process has not."""
    import atexit
    import subprocess
    import tempfile

    if _ADDRESS:
        return _ADDRESS[0]
    folder = tempfile.TemporaryDirectory(prefix="interlock-prepared-")
    address = os.path.join(folder.name, "socket")
    command = [sys.executable, "-W", "error", __file__, "--serve", address]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.stdout.close()

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    _ADDRESS.append(address)
    return address


#: The socket of the process that was started for this one.
_ADDRESS: list[str] = []


def _run(address: str, words: list[str]) -> int:
    """Have a copy of the prepared process run the words with the streams of this process; return its status."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        told = marshal.dumps((words, dict(os.environb), os.getcwd()))
        socket.send_fds(connection, [len(told).to_bytes(8, "big")], _STREAMS)
        connection.sendall(told)
        pid = int.from_bytes(_receive(connection, 8), "big")
        for number in _FORWARDED:
            signal.signal(number, lambda number, _frame: os.kill(pid, number))
        for stream in _STREAMS:
            os.close(stream)  # whoever reads them waits until every copy is closed
        return int.from_bytes(_receive(connection, 8), "big", signed=True)


def _receive(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = connection.recv(size - len(found))
        if not part:
            raise EOFError
        found += part
    return found


def _serve(address: str) -> None:
    """Copy this process for every command, until the standard input ends."""
    import gc
    import importlib

    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        while listener.fileno() in select.select([listener.fileno(), 0], [], [])[0]:
            connection, _ = listener.accept()
            if not os.fork():
                listener.close()
                _wait_for_copy(connection)
                os._exit(0)
            connection.close()
            _reap()


def _reap() -> None:
    """Take note of the copies that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _wait_for_copy(connection: socket.socket) -> None:
    """Copy this process to run a command; send the status, or kill the copy if whoever wants it is gone."""
    size, streams, _, _ = socket.recv_fds(connection, 8, len(_STREAMS))
    words, environment, folder = marshal.loads(_receive(connection, int.from_bytes(size, "big")))
    ended, held = os.pipe()  # the copy holds one end until it exits
    pid = os.fork()
    if not pid:
        connection.close()
        os.close(ended)
        _become(words, environment, folder, streams)
    for number in (held, *streams, *_STREAMS):
        os.close(number)
    connection.sendall(pid.to_bytes(8, "big"))
    if ended not in select.select([connection.fileno(), ended], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    connection.sendall(status.to_bytes(8, "big", signed=True))


def _become(words: list[str], environment: dict[bytes, bytes], folder: str, streams: list[int]) -> None:
    """Run a command in this process, and exit with its status."""
    import runpy
    import traceback

    for stream, number in zip(_STREAMS, streams, strict=True):
        os.dup2(number, stream)
        os.close(number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    os.environb.clear()
    os.environb.update(environment)
    os.chdir(folder)
    status: object = 0
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as error:
        status = error.code
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))


def main(words: list[str]) -> int:
    """Serve, or run a command; end as it has, also by a signal."""
    if words[0] == "--serve":
        _serve(words[1])
        return 0
    status = _run(words[0], words[1:])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
