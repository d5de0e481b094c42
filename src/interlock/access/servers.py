"""The servers of a store. Each reports its configuration, so that differences are noticed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.audit.identity import machine_name
from interlock.audit.record import digest_of
from interlock.audit.running_servers import find_oldest_report
from interlock.config.schema import Config
from interlock.ids import new_id
from interlock.model import Struct
from interlock.store.clock import now_in
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.tables import servers
from interlock.version import VERSION

#: Settings that may differ between the servers of a store: where each of them is, and where its files are.
_LOCAL = frozenset(
    {"files", "store", "server", "home", "policies", "central", "managed", "knowledge", "channels", "given"}
)


class ServerReport(Struct, frozen=True, kw_only=True):
    """A server: its address, its version, and a digest of its configuration.

    `error` says why a newer configuration is not in force.
    """

    server_id: str
    url: str
    machine: str
    version: str
    digest: str
    error: str | None
    started_at: int
    seen_at: int


def configuration_digest(config: Config) -> str:
    """Return a digest of the configuration files that affect decisions and approvals.

    Policies in the store are shared, and left out: each server loads a change at a different moment.
    """
    settings = {name: _plain(getattr(config, name)) for name in config.__struct_fields__ if name not in _LOCAL}
    rules = sorted(digest_of(_plain(policy)) for policy in config.all_policies)
    knowledge = [_plain((one.content, one.own)) for one in config.knowledge]  # wherever the files are
    return digest_of({"version": VERSION, "settings": settings, "policies": rules, "knowledge": knowledge})


def _plain(value: object) -> Any:
    """Return a setting in a comparable form, as JSON."""
    return msgspec.to_builtins(value, enc_hook=repr)


class Servers:
    """The servers that share a store."""

    def __init__(self, database: Database, url: str) -> None:
        self._database, self._url = database, url
        self._server_id, self._started_at = new_id(), 0

    def report(self, digest: str, error: str | None) -> list[ServerReport]:
        """Report the configuration of this server; return all servers of the store, this one first."""
        with self._database.write() as connection:
            at = now_in(connection).wall
            self._started_at = self._started_at or at
            old = "DELETE FROM interlock_servers WHERE server_id = :own OR seen_at < :gone"
            connection.run(old, own=self._server_id, gone=find_oldest_report(connection))
            own = ServerReport(
                server_id=self._server_id,
                url=self._url,
                machine=machine_name(),
                version=VERSION,
                digest=digest,
                error=error,
                started_at=self._started_at,
                seen_at=at,
            )
            connection.insert(servers, msgspec.structs.asdict(own))
            others = [one for one in list_servers(connection) if one.server_id != self._server_id]
        return [own, *others]

    def leave(self) -> None:
        """Remove this server, which shuts down."""
        with self._database.write() as connection:
            connection.run("DELETE FROM interlock_servers WHERE server_id = :own", own=self._server_id)


def list_servers(connection: Connection) -> list[ServerReport]:
    """Return the servers that reported recently, by their address."""
    query = "SELECT * FROM interlock_servers WHERE seen_at >= :since ORDER BY url, server_id"
    rows = connection.rows(query, since=find_oldest_report(connection))
    return [ServerReport(**{name: row[name] for name in ServerReport.__struct_fields__}) for row in rows]


def describe_problems(found: Sequence[ServerReport]) -> list[str]:
    """Describe the problems with the configurations of the servers of a store."""
    failed = "the newest configuration does not load, and an older one is in force"
    problems = [f"{one.url}: {failed}" for one in found if one.error]
    digests = {one.digest for one in found}
    if len(digests) > 1:
        parts = "; ".join(f"{one.url} ({one.machine}) has {one.digest[:8]}" for one in found)
        problems.append(f"the servers of this store decide by different configurations: {parts}")
    return problems
