"""Uvicorn's HTTP protocol with deadlines: slow or endless request headers close the connection."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from interlock.server import middleware

#: How long a connection may take to send the head of a request: its first line and headers.
HEAD_SECONDS = 15
#: How long the head of a request may be, in bytes.
MAX_HEAD = 64_000


class DeadlineProtocol(HttpToolsProtocol):
    """HTTP with a deadline for the head of each request, one for its body, and a limit on the head's size."""

    def connection_made(self, transport: Any) -> None:
        """Start the deadline for the first request."""
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0  # how much of a head has arrived, or -1 while a body arrives
        self._start_timer(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head, and close the connection if there are too many."""
        if self._head_bytes >= 0:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > MAX_HEAD:
            self._close()

    def on_message_begin(self) -> None:
        """Start the deadline for the rest of a head."""
        self._head_bytes = 0
        self._start_timer(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the deadline for the body."""
        self._head_bytes = -1
        self._start_timer(middleware.BODY_SECONDS + 1)  # the middleware responds with 408 before that
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the deadline: the request is complete."""
        self._head_bytes = 0
        self._stop_timer()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline of a closed connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
