"""`interlock serve`, `interlock keys` and `interlock people`: the server, and who may come in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter, validators

from interlock.cli.typed.options import USUAL, Flag, Store

keys = App(name="keys", help="Make, list and take back the keys by which programs come in.")
people = App(name="people", help="Say who may sign in, and as what.")
_REACH = Group("How it is reached", sort_key=2)
_TLS = Group("Beyond this machine", sort_key=3)
Port = Annotated[int | None, Parameter(validator=validators.Number(gte=1, lte=65_535), group=_REACH)]
Days = Annotated[int | None, Parameter(validator=validators.Number(gte=1, lte=36_500))]


def serve(
    *,
    host: Annotated[str | None, Parameter(group=_REACH)] = None,
    port: Port = None,
    public_url: Annotated[str | None, Parameter(group=_REACH)] = None,
    tls_cert: Annotated[Path | None, Parameter(group=_TLS)] = None,
    tls_key: Annotated[Path | None, Parameter(group=_TLS)] = None,
    behind_proxy: Annotated[Flag, Parameter(group=_TLS)] = False,
    store: Store = USUAL,
) -> int:
    """Serve the API, the pages and live events, on this machine unless told otherwise.

    Prints the address, and a link by which you sign in once. Agents ask with a key: `interlock keys create NAME`.
    Any number of servers can share one PostgreSQL: `interlock serve --store postgresql://…`. Ctrl-C stops it.

    Parameters
    ----------
    host
        The address to listen at, 127.0.0.1 unless told otherwise.
    port
        The port, 8700 unless told otherwise.
    public_url
        Where people find the server, if not at that address: https://interlock.example.com
    tls_cert
        A certificate, to speak TLS.
    tls_key
        The key of that certificate.
    behind_proxy
        A proxy with TLS stands before the server, and nobody reaches the port past it.
    """
    from interlock.cli import serve as command

    return command.serve(store, host, port, public_url, (tls_cert, tls_key), behind_proxy=behind_proxy)


@keys.default
@keys.command(name="list")
def keys_list(*, all: Flag = False, json: Flag = False, store: Store = USUAL) -> int:  # noqa: A002
    """List the keys.

    Parameters
    ----------
    all
        Also those that were taken back or have run out.
    json
        Write one JSON object a line.
    """
    from interlock.cli import access as command

    return command.list_keys(store, everything=all, as_json=json)


@keys.command(name="create")
def keys_create(
    name: str,
    *,
    role: str = "agent",
    owner: str | None = None,
    days: Days = None,
    store: Store = USUAL,
) -> int:
    """Make a key and print it, once: only a hash of it is kept.

    Examples: `interlock keys create build-agent`, `interlock keys create dashboards --role reviewer --days 90`.

    Parameters
    ----------
    name
        What it is called. An agent's actions stand under this name.
    role
        agent (evaluate, report), reviewer (see, answer) or admin (policies, keys).
    owner
        The person it acts for; you, unless told otherwise. They cannot approve what it asks.
    days
        It counts for so many days; else until it is taken back.
    """
    from interlock.cli import access as command

    return command.create_key(store, name, role, owner, days)


@keys.command(name="revoke")
def keys_revoke(key: str, *, store: Store = USUAL) -> int:
    """Take a key back.

    Parameters
    ----------
    key
        Its name, its id, or how its id begins.
    """
    from interlock.cli import access as command

    return command.revoke_key(store, key)


@people.default
@people.command(name="list")
def people_list(*, json: Flag = False, store: Store = USUAL) -> int:
    """List the people.

    Parameters
    ----------
    json
        Write one JSON object a line.
    """
    from interlock.cli import access as command

    return command.list_people(store, as_json=json)


@people.command(name="add")
def people_add(name: str, *, role: str = "reviewer", url: str | None = None, store: Store = USUAL) -> int:
    """Let somebody sign in, and print a link by which they can, once.

    Parameters
    ----------
    name
        What they are called.
    role
        reviewer (see, answer) or admin (also policies, keys and people).
    url
        Where they find the server, if not at the configured address.
    """
    from interlock.cli import access as command

    return command.add_person(store, name, role, url)


@people.command(name="link")
def people_link(name: str, *, url: str | None = None, store: Store = USUAL) -> int:
    """Print a link by which somebody can sign in, once.

    Parameters
    ----------
    name
        Who.
    url
        Where they find the server, if not at the configured address.
    """
    from interlock.cli import access as command

    return command.link(store, name, url)


@people.command(name="password")
def people_password(name: str, *, store: Store = USUAL) -> int:
    """Give somebody a password. It is asked for, and never shown.

    Parameters
    ----------
    name
        Who.
    """
    from interlock.cli import access as command

    return command.set_password(store, name)


@people.command(name="role")
def people_role(name: str, role: str, *, store: Store = USUAL) -> int:
    """Change what somebody may do.

    Parameters
    ----------
    name
        Who.
    role
        reviewer or admin.
    """
    from interlock.cli import access as command

    return command.change_role(store, name, role)


@people.command(name="shut-out")
def people_shut_out(name: str, *, undo: Flag = False, store: Store = USUAL) -> int:
    """Let somebody in no longer. Whoever is signed in is out within a second.

    Parameters
    ----------
    name
        Who.
    undo
        Let them in again.
    """
    from interlock.cli import access as command

    return command.shut_out(store, name, undo=undo)
