"""Readers: people who look at pages, and programs that follow the stream of events."""

from __future__ import annotations

import http.client
import random
import threading

from tests.server.client import Client, events

from torture.soak.caller import Caller
from torture.soak.site import Site

PAGES = (
    "/ /approvals /runs /agents /audit /actions /policies /reports /metrics /healthz /v1/metrics/risk /v1/runs "
    "/v1/metrics/approvals /v1/audit?limit=50 /v1/approvals?limit=50"
).split()
#: A stream sends a heartbeat every second.
SILENCE_SECONDS = 15.0


class PageReader:
    """A person who looks at one page after another."""

    def __init__(self, site: Site, key: str, stop: threading.Event) -> None:
        self._site, self._stop, self._caller = site, stop, Caller(site, key)

    def run(self, seconds: float) -> None:
        """Read pages until told to stop."""
        while not self._stop.wait(seconds * random.uniform(0.5, 1.5)):
            self._site.count("pages")
            self._caller.get(random.choice(PAGES))


class Follower:
    """A program that follows the records of a store, and continues at any server where it left off."""

    def __init__(self, site: Site, key: str, stop: threading.Event) -> None:
        self._site, self._stop, self._caller = site, stop, Caller(site, key)
        self.last = 0

    def run(self, seconds: float) -> None:
        """Follow the stream until told to stop; connect again after a failure."""
        while not self._stop.is_set():
            client, _ = self._caller.client()
            try:
                self._follow(client)
            except (OSError, http.client.HTTPException, ValueError):
                self._stop.wait(seconds)

    def _follow(self, client: Client) -> None:
        self._site.count("streams")
        headers = {"last_event_id": str(self.last)}
        with client.having(**headers).begun("GET", "/v1/events/stream", timeout=SILENCE_SECONDS) as response:
            if response.status != 200:
                self._stop.wait(1)
                return
            for event in events(response):
                if event.id != self.last + 1:
                    self._site.ledger.note_gap(f"{self._site.name}: {event.id} after {self.last}")
                self.last = event.id
                if self._stop.is_set():
                    return
