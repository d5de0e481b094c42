"""`interlock mcp`: the gateway between an MCP client and an MCP server."""

from __future__ import annotations

import contextlib
import json
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
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from interlock.agents.gateway import TOKEN
from interlock.agents.reply import AnswerOptions
from interlock.audit.run_details import check_details
from interlock.central.background import start_pulling
from interlock.cli.commands.options import Store
from interlock.errors import ConfigError, InterlockError
from interlock.gate import Gate
from interlock.model import NO_DETAILS, RunDetails

#: Programs that start a server whose name comes after them.
_RUNNERS = frozenset("npx npm pnpm pnpx yarn bunx bun uvx uv pipx node deno python python3 docker podman env".split())
#: How long a call waits for an approval where the configuration says to. Clients give up after about a minute.
MAX_WAIT_SECONDS = 50.0
#: How long a server may take to end by itself once the client has gone.
END_SECONDS = 6.0
#: How long the token of clients over HTTP must be at least.
MIN_TOKEN = 16
#: Names of files and folders that many servers have.
_COMMON = frozenset("index main server app cli mod __main__ __init__ dist build src lib out bin cjs esm mcp".split())
_SKIPPED_WORDS = frozenset("run exec dlx tool -m -y --yes x".split())


class GatewayOptions(msgspec.Struct, frozen=True):
    """The options of the gateway: a server, as a command line or a URL, and how its calls are decided."""

    command: tuple[str, ...]
    url: str | None
    name: str | None
    headers: tuple[str, ...]
    wait: float
    listen: str | None
    interlock: str | None  # the URL of an Interlock server that decides
    store: Store
    details: RunDetails = NO_DETAILS

    @property
    def shown_server(self) -> str:
        """The server as the user wrote it."""
        return self.url or self.command[0]


def run(options: GatewayOptions) -> int:
    """Relay messages until the client or the server ends; with `listen`, until this process is told to end."""
    if bool(options.command) == bool(options.url):
        raise ConfigError("name the server: `interlock mcp -- npx some-server`, or `interlock mcp --url https://…`")
    check_details(options.details)
    address, headers = _address(options.url) if options.url else "", _headers(options.headers)
    endpoint = None if options.listen is None else _open_endpoint(options.listen)
    serve_client = _make_client_server(options, address, headers)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="interlock: %(message)s")
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    start_pulling()
    listener = contextlib.nullcontext() if endpoint is None else endpoint.listener
    with listener, _open_gate(options.interlock, options.store) as gate:
        if endpoint is not None:
            _serve_http(endpoint, partial(serve_client, gate))
        else:
            _serve_stdio(options.shown_server, partial(serve_client, gate))
    return 0


def _make_client_server(
    options: GatewayOptions, address: str, headers: dict[str, str]
) -> Callable[[Gate, Any], Awaitable[None]]:
    """Return a function that relays the messages of one client to a server of its own."""
    command, url = list(options.command), options.url
    server, target = options.name or _name(command, url), url or "\0".join(command)
    answers = AnswerOptions(wait=options.wait, max_wait=MAX_WAIT_SECONDS)
    try:  # after the checks of all options, since this takes a second
        import anyio

        from interlock.agents.gateway import decider, relay, streams
    except ModuleNotFoundError as error:
        raise ConfigError(f"the gateway needs `{error.name}`: `pip install 'interlock[mcp]'`") from None

    async def serve_client(gate: Gate, client: Any) -> None:
        opened = streams.connect_server(address, headers) if url else streams.start_server(command)
        async with opened as upstream:
            deciding = decider.CallDecider(gate, server, target, answers, details=options.details)
            relayed = relay.Relay(client, upstream, deciding)
            try:
                await relayed.run()
            finally:
                client.on_end()
                await relayed.fail_open_requests()
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(deciding.end)

    return serve_client


def _serve_stdio(shown_server: str, serve_client: Callable[[Any], Awaitable[None]]) -> None:
    """Serve the client that started this process, on standard input and output."""
    import anyio

    from interlock.agents.gateway import streams

    async def serve() -> None:
        async with streams.stdio_client(_end_soon) as client:
            with anyio.CancelScope() as scope:
                async with _on_signal(scope.cancel):
                    await serve_client(client)

    try:
        anyio.run(serve)
    except BaseExceptionGroup as errors:
        closed = (anyio.BrokenResourceError, anyio.ClosedResourceError, BrokenPipeError)
        left = errors.split(closed)[1]  # that one side has closed its end is no error
        if left is not None:
            raise InterlockError(f"the server `{shown_server}` cannot be reached: {_first(left)}") from None


def parse_metadata(given: tuple[str, ...]) -> dict[str, Any]:
    """Return metadata from options such as `team=payments`. A value that is JSON counts as that.

    >>> parse_metadata(("team=payments", "tier=2"))
    {'team': 'payments', 'tier': 2}
    """
    found: dict[str, Any] = {}
    for item in given:
        name, sign, text = item.partition("=")
        if not sign or not name.strip():
            raise ConfigError(f"`--metadata {item}` is not a name and a value; write `--metadata team=payments`")
        try:
            found[name.strip()] = json.loads(text)
        except ValueError:
            found[name.strip()] = text
    return found


def _open_gate(url: str | None, store: Store) -> Gate:
    """Return the gate that decides: at a server, or with a store on this machine."""
    if url is None:
        return Gate(store.config, store=store.store)
    if store.store is not None or store.config is not None:
        raise ConfigError("`--store` and `--config` cannot be combined with `--interlock`: the server has its own")
    return Gate.remote(url)


class _HttpEndpoint(NamedTuple):
    """The endpoint of clients over HTTP: a socket, the token that they must send, and whether the user chose it."""

    listener: socket.socket
    token: str
    is_chosen: bool


def _open_endpoint(listen: str) -> _HttpEndpoint:
    chosen = os.environ.get(TOKEN, "").strip()
    token = chosen or secrets.token_urlsafe(32)
    if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable():
        what = f"`{TOKEN}` must have at least {MIN_TOKEN} printable ASCII characters"
        raise ConfigError(f"{what}; if it is not set, a random token is used")
    return _HttpEndpoint(_open_socket(listen), token, bool(chosen))


def _serve_http(endpoint: _HttpEndpoint, serve_client: Callable[[Any], Awaitable[None]]) -> None:
    """Serve clients over HTTP."""
    import anyio

    from interlock.agents.gateway.http_listener import PATH, HttpListener

    listener, token, is_chosen = endpoint
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"interlock: listening on http://{shown}:{port}{PATH}", file=sys.stderr)
    if not is_chosen:
        advice = f"clients must send `Authorization: Bearer {token}`; set `{TOKEN}` to choose the token"
        print(f"interlock: {advice}", file=sys.stderr)
    sys.stderr.flush()

    async def serve() -> None:
        http = HttpListener(serve_client, token)
        async with _on_signal(http.end):
            await http.run(listener)

    anyio.run(serve)


def _open_socket(listen: str) -> socket.socket:
    """Return a socket on the loopback interface: calls are decided in the name of the person who runs this."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535 or host not in ("127.0.0.1", "localhost", "::1"):
        raise ConfigError(f"`{listen}` is not a local port; write `--listen 8811` or `--listen 127.0.0.1:8811`")
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family)
    except OSError as error:
        raise InterlockError(f"cannot listen on `{listen}`: {error.strerror}") from None


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error of a server behind a group of errors; raise any other error."""
    from interlock.agents.gateway.messages import find_innermost

    error = find_innermost(errors)
    if isinstance(error, OSError) or type(error).__module__.startswith(("httpx", "httpcore")):
        return error
    raise error


def _end_soon() -> None:
    """End this process after a while, also where a client or a server no longer reads."""
    timer = threading.Timer(END_SECONDS, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    for child in _children():
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)  # a server is started at the head of a group of its own
    os._exit(0)


def _children() -> list[int]:
    """Return the child processes, where the system tells."""
    with contextlib.suppress(OSError, ValueError):
        tasks = f"/proc/{os.getpid()}/task"
        found = [Path(tasks, task, "children").read_text("ascii").split() for task in os.listdir(tasks)]
        return [int(child) for children in found for child in children]
    return []


@asynccontextmanager
async def _on_signal(end: Callable[[], object]) -> AsyncIterator[None]:
    """Call `end` at every signal to stop, so that a server that was started is not left behind."""
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
        raise ConfigError(f"`{url}` is not the URL of a server; write `https://host/mcp`")
    return str(url)


def _headers(given: tuple[str, ...]) -> dict[str, str]:
    """Return the headers, with `$NAME` replaced by a variable: so a secret need not be on the command line."""
    found = {}
    for header in given:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            raise ConfigError(f"`{name[:40]}` is not a header; write `--header 'Authorization: Bearer $TOKEN'`")
        found[name.strip()] = os.path.expandvars(value.strip())
    return found


def _name(command: list[str], url: str | None) -> str:
    """Return the default name of a server: its host, or the program that is started.

    >>> _name(["npx", "-y", "@acme/notes-server@1.2"], None), _name([], "https://mcp.example.com/x")
    ('notes-server', 'mcp.example.com')
    >>> _name(["node", "/opt/weather/dist/index.js"], None), _name(["python3", "-m", "mail_server"], None)
    ('weather', 'mail_server')
    """
    if url:
        return str(urlsplit(url).hostname)
    words = list(command)
    while len(words) > 1 and PurePath(words[0]).name in _RUNNERS:
        words = [word for word in words[1:] if word not in _SKIPPED_WORDS and not word.startswith("-")] or words[:1]
        if words == command[:1]:
            break
    parts = [part for part in PurePath(words[0]).parts if part != "/"]
    while len(parts) > 1 and PurePath(parts[-1]).stem in _COMMON:
        parts.pop()  # `weather/dist/index.js` is the server `weather`
    return parts[-1].rpartition("@")[0] or parts[-1]
