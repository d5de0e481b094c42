"""`interlock serve`: the server, started for a person at a terminal or by a supervisor."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from interlock.approval.approver import Approver
from interlock.config.load import load
from interlock.config.settings import ServerSettings
from interlock.gate.gate import Gate
from interlock.server.service import Service
from interlock.server.serving import Listen, free, welcome
from interlock.server.serving import serve as serve_all
from interlock.show import console, pairs

if TYPE_CHECKING:
    from interlock.cli.typed.options import Store


class _Nobody:
    """Nobody sits at the server: whoever is asked answers in a browser."""

    def available(self) -> bool:
        """Whether anybody is there."""
        return False

    def ask(self, *_: object, **__: object) -> None:
        """Ask nobody."""


def serve(
    store: Store,
    host: str | None,
    port: int | None,
    public_url: str | None,
    tls: tuple[Path | None, Path | None],
    *,
    behind_proxy: bool,
) -> int:
    """Serve until somebody says stop."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    settings = _with(load(store.config).server, host=host, port=port, public_url=public_url)
    listen = Listen(settings=settings, tls_cert=tls[0], tls_key=tls[1], behind_proxy=behind_proxy)
    listen.check()
    socket = free(listen)
    desk: Approver = _Nobody()
    with Gate(store.config, store=store.store, desk=desk) as gate:
        service = Service(gate, settings, url=listen.url)
        with contextlib.suppress(KeyboardInterrupt):
            serve_all(service, listen, lambda: _say(service, store.store), [socket])
    print("stopped; whoever waits for an approval goes on waiting, and finds it here when the server is back")
    return 0


def _with(settings: ServerSettings, **typed: object) -> ServerSettings:
    return msgspec.structs.replace(settings, **{name: value for name, value in typed.items() if value is not None})


def _say(service: Service, typed: str | None) -> None:
    """Say where the server is, how to come in, and what to type next: with the store, where one was typed."""
    out = console()
    which = "" if typed is None else f" --store {typed if typed.startswith('sqlite') else 'URL'}"
    people = len(service.doors.people.list())
    rows: list[tuple[str, object]] = [
        ("address", service.url),
        ("store", service.journal.database.shown),
        ("sign in", Text(welcome(service), "bold")),
        ("", Text(f"once, within 15 minutes; `interlock people link NAME{which}` makes another", "dim")),
        ("agents", Text(f"interlock keys create NAME{which}", "bold") + Text("  makes a key for one", "dim")),
    ]
    if not people:
        rows.append(("", Text(f"you are its admin; `interlock people add NAME{which}` lets others in", "dim")))
    out.print(Text("\nInterlock is serving. Ctrl-C stops it.\n", "bold"))
    out.print(pairs(rows))
    out.print()
    sys.stdout.flush()
