"""`interlock serve`, `interlock keys` and `interlock people`: the server, API keys and people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter, validators

from interlock.cli.commands.options import UNPINNED, USUAL, Flag, PinOptions, Store

keys = App(name="keys", help="Create, list, pin, observe and revoke API keys.")
people = App(name="people", help="Manage the people who may sign in, and their roles.")
_REACH = Group("Address", sort_key=2)
_TLS = Group("Access from other machines", sort_key=3)
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
    """Serve the API and the pages, by default on this machine only.

    Prints the address, and a link that signs you in once. Agents need a key: `interlock keys create NAME`.
    Any number of servers can share one PostgreSQL: `interlock serve --store postgresql://…`. Ctrl-C stops it.

    Parameters
    ----------
    host
        The address to listen on; by default 127.0.0.1.
    port
        The port; by default 8700.
    public_url
        The URL that people use, if it differs: https://interlock.example.com
    tls_cert
        A TLS certificate.
    tls_key
        The key of that certificate.
    behind_proxy
        A TLS proxy is in front of the server, and the port cannot be reached without it.
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
        Include those that were revoked or have expired.
    json
        Write one JSON object per line.
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
    pins: PinOptions = UNPINNED,
    store: Store = USUAL,
) -> int:
    """Create a key and print it. It is shown only once: only its hash is stored.

    Examples: `interlock keys create build-agent --workspace /srv/shop`,
    `interlock keys create dashboards --role reviewer --days 90`.

    Parameters
    ----------
    name
        The name of the key. An agent's actions are recorded under it.
    role
        agent (evaluate, report), reviewer (see, answer), admin (policies, keys) or machine (pull the bundle).
    owner
        The owner; by default you. The owner cannot approve requests of the key.
    days
        How many days the key is valid; by default until it is revoked.
    """
    from interlock.cli import access as command

    return command.create_key(store, name, role, owner, days, command.make_pins(pins))


@keys.command(name="pin")
def keys_pin(
    key: str,
    *,
    pins: PinOptions = UNPINNED,
    store: Store = USUAL,
) -> int:
    """Replace the pins of a key: facts about its agent. Actions can only claim something stricter.

    Examples: `interlock keys pin build-agent --workspace /srv/shop --environment production`,
    `interlock keys pin support-bot --tenant acme`. Without options, the pins are removed.

    Parameters
    ----------
    key
        The name of the key, its id, or the beginning of its id.
    """
    from interlock.cli import access as command

    return command.pin_key(store, key, command.make_pins(pins))


@keys.command(name="observe")
def keys_observe(key: str, *, days: Days = None, until: str | None = None, store: Store = USUAL) -> int:
    """Only observe the actions of a key: record the verdicts, and let the actions run.

    Floors, the rules that protect Interlock itself, and `interlock stop` are still enforced. Needs a terminal.
    Examples: `interlock keys observe shop-agent --days 7`, `interlock keys observe shop-agent --until 2026-07-01`.

    Parameters
    ----------
    key
        The name of the key, its id, or the beginning of its id.
    days
        How many days to observe.
    until
        The day (UTC) or time until which to observe; by default until `interlock keys enforce`.
    """
    from interlock.cli import access as command

    return command.observe_key(store, key, days, until)


@keys.command(name="enforce")
def keys_enforce(key: str, *, store: Store = USUAL) -> int:
    """Enforce the verdicts on the actions of a key again, after `interlock keys observe`.

    Parameters
    ----------
    key
        The name of the key, its id, or the beginning of its id.
    """
    from interlock.cli import access as command

    return command.enforce_key(store, key)


@keys.command(name="revoke")
def keys_revoke(key: str, *, store: Store = USUAL) -> int:
    """Revoke a key.

    Parameters
    ----------
    key
        The name of the key, its id, or the beginning of its id.
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
        Write one JSON object per line.
    """
    from interlock.cli import access as command

    return command.list_people(store, as_json=json)


@people.command(name="add")
def people_add(name: str, *, role: str = "reviewer", url: str | None = None, store: Store = USUAL) -> int:
    """Add a person, and print a link that signs them in once.

    Parameters
    ----------
    name
        Their name.
    role
        reviewer (see, answer) or admin (also policies, keys and people).
    url
        The URL of the server; by default that of the server that is running, or the configured one.
    """
    from interlock.cli import access as command

    return command.add_person(store, name, role, url)


@people.command(name="link")
def people_link(name: str, *, url: str | None = None, store: Store = USUAL) -> int:
    """Print a link that signs a person in once.

    Parameters
    ----------
    name
        Their name.
    url
        The URL of the server; by default that of the server that is running, or the configured one.
    """
    from interlock.cli import access as command

    return command.link(store, name, url)


@people.command(name="password")
def people_password(name: str, *, store: Store = USUAL) -> int:
    """Set a person's password. It is not shown while you type it.

    Parameters
    ----------
    name
        Their name.
    """
    from interlock.cli import access as command

    return command.set_password(store, name)


@people.command(name="role")
def people_role(name: str, role: str, *, store: Store = USUAL) -> int:
    """Change the role of a person.

    Parameters
    ----------
    name
        Their name.
    role
        reviewer or admin.
    """
    from interlock.cli import access as command

    return command.change_role(store, name, role)


@people.command(name=["suspend", "shut-out"])
def people_suspend(name: str, *, undo: Flag = False, store: Store = USUAL) -> int:
    """Suspend a person, so that they cannot sign in. Their sessions end within a second.

    Parameters
    ----------
    name
        Their name.
    undo
        Allow them to sign in again.
    """
    from interlock.cli import access as command

    return command.suspend(store, name, undo=undo)
