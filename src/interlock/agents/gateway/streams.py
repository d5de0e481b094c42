"""The two ends of a gateway: a client on standard input and output, and a server that is started or connected to."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import anyio
from mcp.client.stdio import StdioServerParameters
from mcp.client.stdio import stdio_client as start_process
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared._httpx_utils import create_mcp_http_client

from interlock.agents.gateway import TOKEN

#: How long a message of a server may be.
MAX_EVENT = 32_000_000
#: How long a message of a client may be.
MAX_LINE = 16_000_000
FLUSH_SECONDS = 0.1


class _Lines:
    """Lines of standard input, read by a thread that is never joined: a client may keep its end open for ever."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(16)
        self._file = os.fdopen(os.dup(0), "rb", closefd=False)  # the thread may wait on it until the process ends
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while line := self._file.readline(MAX_LINE):
                if len(line) == MAX_LINE and not line.endswith(b"\n"):
                    line = b"a message that is too long\n"
                    while not self._file.readline(MAX_LINE).endswith(b"\n"):
                        pass
                self._put(line.decode("utf-8", "replace"))
            self._on_end()
            self._put(None)
        except (RuntimeError, asyncio.CancelledError):
            return  # the loop has ended

    def _put(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._queue.put(line), self._loop).result()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        line = await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line


class ClientStreams(NamedTuple):
    """The streams of a client, whether it waits for the answer to a request, and what to call once its server ends."""

    read: Any
    write: Any
    is_waiting: Callable[[int | str], bool] = lambda _request: True
    on_end: Callable[[], object] = lambda: None


@asynccontextmanager
async def stdio_client(on_end: Callable[[], None]) -> AsyncIterator[ClientStreams]:
    """Give the streams of the client that started this process. `on_end` is called when it closes its end."""
    lines: Any = _Lines(on_end)
    with anyio.CancelScope() as scope:
        async with stdio_server(stdin=lines) as (read, write):
            try:
                yield ClientStreams(read, write)
            finally:
                with anyio.CancelScope(shield=True):
                    await write.aclose()
                    await read.aclose()
                    await anyio.sleep(FLUSH_SECONDS)  # for the last messages to be written
                scope.cancel()


@asynccontextmanager
async def start_server(command: list[str]) -> AsyncIterator[Any]:
    """Give the streams of a server that is started for this client."""
    environment = {name: value for name, value in os.environ.items() if name != TOKEN}
    parameters = StdioServerParameters(
        command=command[0], args=command[1:], env=environment, encoding_error_handler="replace"
    )
    async with start_process(parameters, errlog=sys.stderr) as streams:
        yield streams


@asynccontextmanager
async def connect_server(url: str, headers: Mapping[str, str]) -> AsyncIterator[Any]:
    """Give the streams of a server at an address."""
    async with (
        create_mcp_http_client(headers=dict(headers)) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=MAX_EVENT) as streams,
    ):
        yield streams
