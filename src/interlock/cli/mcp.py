"""`interlock mcp`: stand between an MCP client and an MCP server."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from interlock.agents.refusal import Terms
from interlock.cli.commands.options import Store
from interlock.errors import ConfigError, InterlockError
from interlock.gate import Gate

#: Programs that start a server whose name comes after them.
_RUNNERS = frozenset("npx npm pnpm pnpx yarn bunx bun uvx uv pipx node deno python python3 docker podman env".split())
#: How long a call waits for an approval where the configuration says so. Clients give up after about a minute.
PATIENCE_SECONDS = 50.0
#: A server gets so long to end by itself once the client has gone.
END_SECONDS = 6.0
#: How long a token is at least that clients over HTTP must know.
MIN_TOKEN = 16
_PASSED_OVER = frozenset("run exec dlx tool -m -y --yes x".split())


def run(
    command: tuple[str, ...],
    url: str | None,
    name: str | None,
    headers: tuple[str, ...],
    wait: float,
    listen: str | None,
    store: Store,
) -> int:
    """Carry messages until the client or the server has gone; or, listening, until this process is told to end."""
    if bool(command) == bool(url):
        raise ConfigError("say which server: `interlock mcp -- npx some-server`, or `interlock mcp --url https://…`")
    try:
        import anyio

        from interlock.agents.gateway import judge, relay, streams
    except ModuleNotFoundError as error:
        raise ConfigError(f"the gateway needs `{error.name}`: `pip install 'interlock[mcp]'`") from None
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="interlock: %(message)s")
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    server, target = name or _name(list(command), url), url or "\0".join(command)
    address, given = _address(url) if url else "", _headers(headers)
    terms = Terms(wait=wait, patience=PATIENCE_SECONDS)

    async def carry(gate: Gate, client: Any) -> None:
        ends = streams.called(address, given) if url else streams.started(list(command))
        async with ends as upstream:
            carried = relay.Relay(client, upstream, judge.Judge(gate, server, target, terms))
            try:
                await carried.run()
            finally:
                client.gone()
                await carried.fail()

    async def carry_one(gate: Gate) -> None:
        async with streams.client(_end_soon) as client:
            with anyio.CancelScope() as scope:
                async with _ending_with(scope.cancel):
                    await carry(gate, client)

    if listen is not None:
        return _listen(listen, carry, store)
    with Gate(store.config, store=store.store) as gate:
        try:
            anyio.run(carry_one, gate)
        except BaseExceptionGroup as errors:
            ended = (anyio.BrokenResourceError, anyio.ClosedResourceError, BrokenPipeError)
            left = errors.split(ended)[1]  # that somebody has gone is no mistake
            if left is not None:
                shown = url or command[0]
                raise InterlockError(f"the server `{shown}` cannot be had: {_first(left)}") from None
    return 0


def _listen(listen: str, carry: Callable[[Gate, Any], Awaitable[None]], store: Store) -> int:
    """Answer clients that come over HTTP."""
    import anyio

    from interlock.agents.gateway import streams
    from interlock.agents.gateway.listening import PATH, Listening

    given = os.environ.get(streams.TOKEN, "").strip()
    token = given or secrets.token_urlsafe(32)
    if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable():
        what = f"`{streams.TOKEN}` must hold {MIN_TOKEN} plain characters or more"
        raise ConfigError(f"{what}; without it, one is made that nobody can guess")
    listener = _listener(listen)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"interlock: listening on http://{shown}:{port}{PATH}", file=sys.stderr)
    if not given:
        said = f"clients say `Authorization: Bearer {token}`; `{streams.TOKEN}` sets another"
        print(f"interlock: {said}", file=sys.stderr)
    sys.stderr.flush()

    async def answer(gate: Gate) -> None:
        listening = Listening(partial(carry, gate), token)
        async with _ending_with(listening.end):
            await listening.run(listener)

    with listener, Gate(store.config, store=store.store) as gate:
        anyio.run(answer, gate)
    return 0


def _listener(listen: str) -> socket.socket:
    """Return a socket at an address of this machine alone: a call is decided in the name of who runs this."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535 or host not in ("127.0.0.1", "localhost", "::1"):
        raise ConfigError(f"`{listen}` is no port of this machine; write `--listen 8811`, or `127.0.0.1:8811`")
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family)
    except OSError as error:
        raise InterlockError(f"`{listen}` cannot be listened on: {error.strerror}") from None


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what went wrong, out of all that followed from it; what is no trouble with a server is raised."""
    from interlock.agents.gateway.messages import innermost

    error = innermost(errors)
    if isinstance(error, OSError) or type(error).__module__.startswith(("httpx", "httpcore")):
        return error
    raise error


def _end_soon() -> None:
    """See that this process ends, whatever it waits for: a client that does not listen, a server that does not."""
    timer = threading.Timer(END_SECONDS, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    for child in _children():
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)  # a server is started at the head of a group of its own
    os._exit(0)


def _children() -> list[int]:
    """Return the processes that this one has started, where the system tells."""
    with contextlib.suppress(OSError, ValueError):
        tasks = f"/proc/{os.getpid()}/task"
        found = [Path(tasks, task, "children").read_text("ascii").split() for task in os.listdir(tasks)]
        return [int(child) for children in found for child in children]
    return []


@asynccontextmanager
async def _ending_with(end: Callable[[], object]) -> AsyncIterator[None]:
    """End in order when somebody says so, as often as they like: a server that was started is not left behind."""
    import anyio

    async def listen() -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
            async for _ in signals:
                _end_soon()
                end()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen)
        try:
            yield
        finally:
            tasks.cancel_scope.cancel()


def _address(url: str | None) -> str:
    parts = urlsplit(url or "")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"`{url}` is no address of a server; write `https://host/mcp`")
    return str(url)


def _headers(given: tuple[str, ...]) -> dict[str, str]:
    """Return headers; `$NAME` in one stands for a variable, so that no secret has to stand on the command line."""
    found = {}
    for header in given:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            raise ConfigError(f"`{name[:40]}` is no header; write `--header 'Authorization: Bearer $TOKEN'`")
        found[name.strip()] = os.path.expandvars(value.strip())
    return found


def _name(command: list[str], url: str | None) -> str:
    """Return what a server is called where nobody says: by its host, or by what is started.

    >>> _name(["npx", "-y", "@acme/notes-server@1.2"], None), _name([], "https://mcp.example.com/x")
    ('notes-server', 'mcp.example.com')
    """
    if url:
        return str(urlsplit(url).hostname)
    words = list(command)
    while len(words) > 1 and PurePath(words[0]).name in _RUNNERS:
        words = [word for word in words[1:] if word not in _PASSED_OVER and not word.startswith("-")] or words[:1]
        if words == command[:1]:
            break
    return PurePath(words[0]).name.rpartition("@")[0] or PurePath(words[0]).name
