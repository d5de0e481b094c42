"""The address of the server on a store, for links that commands print or send."""

from __future__ import annotations

from interlock.access.servers import list_servers
from interlock.cli.open_store import OpenStore
from interlock.server.listen_options import ListenOptions


def find_server_address(found: OpenStore, url: str | None = None) -> tuple[str, str]:
    """Return the address of the server, and what was assumed to find it, if anything."""
    if url:
        return url, ""
    with found.database.read() as connection:
        running = sorted({server.url for server in list_servers(connection)})
    configured = ListenOptions(settings=found.config.server).url
    if not running:
        return configured, (
            f"No server is running on this store, so the link assumes {configured}; `--url` takes another address."
        )
    if len(running) == 1 or configured in running:
        return (configured if configured in running else running[0]), ""
    others = ", ".join(running[1:])
    return running[0], f"Several servers are running on this store. The link also works at {others}."
