"""`interlock serve`: start the server and print how to reach it."""

from __future__ import annotations

import contextlib
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from interlock.allocator import use_one_arena
from interlock.approval.approver import NoApprover
from interlock.cli.person import is_at_terminal
from interlock.config.load import load
from interlock.config.settings import ServerSettings
from interlock.gate.gate import Gate
from interlock.sanitise import plain
from interlock.server.listen_options import ListenOptions, bind_socket
from interlock.server.listener import add_admin, admin_sign_in_link
from interlock.server.listener import serve as serve_all
from interlock.server.service import Service
from interlock.show import console, pairs

if TYPE_CHECKING:
    from rich.console import Console

    from interlock.cli.commands.options import Store


def serve(
    store: Store,
    host: str | None,
    port: int | None,
    public_url: str | None,
    tls: tuple[Path | None, Path | None],
    *,
    behind_proxy: bool,
) -> int:
    """Serve until interrupted."""
    use_one_arena()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    settings = _override(load(store.config).server, host=host, port=port, public_url=public_url)
    listen = ListenOptions(settings=settings, tls_cert=tls[0], tls_key=tls[1], behind_proxy=behind_proxy)
    listen.check()
    socket = bind_socket(listen)
    with Gate(store.config, store=store.store, approver=NoApprover()) as gate:
        service = Service(gate, settings, url=listen.url)
        with contextlib.suppress(KeyboardInterrupt):
            serve_all(service, listen, lambda: _print_welcome(service, store.store), [socket])
    print("stopped; pending requests stay open, and can be answered once the server runs again")
    return 0


def _override(settings: ServerSettings, **typed: object) -> ServerSettings:
    return msgspec.structs.replace(settings, **{name: value for name, value in typed.items() if value is not None})


def _print_sign_in(out: Console, service: Service, which: str) -> None:
    """Print a sign-in link for the admin, if a person started the server; its output may be read by anybody else.

    The link is one line, however narrow the terminal is, so that it can be clicked and copied.
    """
    if not is_at_terminal():
        name = plain(add_admin(service))
        out.print(Text(f"  To sign in, run `interlock people link {name}{which}` at a terminal.\n"))
        return
    another = f"`interlock people link NAME{which}` prints another"
    out.print(Text(f"  Sign in with this link. It works once, within 15 minutes; {another}."))
    out.print(Text(f"  {admin_sign_in_link(service)}\n", "bold"), soft_wrap=True)


def _print_welcome(service: Service, typed: str | None) -> None:
    """Print the address, a sign-in link and the next commands, with `--store` if one was given."""
    out = console()
    which = "" if typed is None else f" --store {typed if typed.startswith('sqlite') else 'URL'}"
    people = len(service.authenticator.people.list())
    rows: list[tuple[str, object]] = [
        ("address", service.url),
        ("store", service.journal.database.shown),
        ("agents", Text(f"interlock keys create NAME{which}", "bold") + Text("  creates a key for one", "dim")),
    ]
    if not people:
        rows.append(("", Text(f"you are the admin; `interlock people add NAME{which}` adds others", "dim")))
    out.print(Text("\nInterlock is serving. Ctrl-C stops it.\n", "bold"))
    _print_sign_in(out, service, which)
    out.print(pairs(rows))
    out.print()
    sys.stdout.flush()
