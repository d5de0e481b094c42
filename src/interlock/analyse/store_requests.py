"""Requests to data stores that speak HTTP: which delete data, change rights or settings, or copy data elsewhere."""

from __future__ import annotations

import re

from interlock.analyse.reading import NONE, Reading, Site
from interlock.analyse.scratch import is_local_host
from interlock.analyse.scratch_names import is_scratch_name
from interlock.patterns import late

_ADDRESS = late(r"^(?:(https?)://)?(?:[^/@\s]*@)?(\[[^\]]*\]|[^:/?#\s]*)(?::(\d+))?(?:/([^?#\s]*))?(?:\?(\S*))?")
#: Ports on which only stores listen.
_PORTS = frozenset(
    "9200 9201 9243 5984 8983 6333 7700 8108 8529 8086 15672 15671 2379 8123 8443 7474 8500 8083 8081".split()
)
#: Paths that stores alone have, whatever their port.
_PATHS = late(
    r"""(?x)
    _(?:cluster|snapshot|security|opendistro|plugins|ilm|slm|aliases|reindex|bulk|doc|data_stream)(?:/|$)
    | _(?:delete_by_query|update_by_query|all)(?:/|$)
    | [^/]+/_(?:delete_by_query|doc|close|settings)(?:/|$)
    | api/(?:vhosts|queues|exchanges|permissions|bindings|policies)(?:/|$)
    | v1/kv/ | v3/kv/ | collections/ | indexes/ | connectors/ | subjects/ | solr/
    | api/v2/(?:delete|buckets) | api/v1/admin/tsdb/
    """
)
_GRANTING = late(
    r"_security/(?:user|role|api_key|role_mapping)|_plugins/_security/api|_opendistro/_security/api|^api/(?:permissions|users)(?:/|$)|^_users/"
    r"|_node/[^/]+/_config|_shield/"
)
_DELETING = late(r"_delete_by_query|/delete$|^api/v2/delete|deleterange$|/contents$|delete_series$|points/delete")
_SETTINGS = late(r"^_cluster/settings|/_settings$|/_close$|^api/policies|_ilm/policy|_cluster/reroute")
_ELSEWHERE = late(r"^_snapshot/|^_reindex$|^_replicate$")
_OUTSIDE = frozenset({"outside"})
_TABLE = frozenset({"table"})


def read_store_request(reading: Reading, site: Site, method: str, url: str, body: str = "") -> None:
    """Emit what a request does to a store, if its address is one of a store."""
    found = _ADDRESS.match(url)
    if found is None:
        return
    host, port, path = found[2], found[3] or "", (found[4] or "").strip("/")
    if not (port in _PORTS or _PATHS.match(path)):
        return
    effect = _effect(method, path, found[5] or "", body)
    if effect is None:
        return
    kind, flags = effect
    names = [part for part in path.split("/") if part and part[0] != "_"]
    local = is_local_host(host)
    if local and names and all(is_scratch_name(name) for name in names[-1].split(",")):
        reading.emit_scratch(kind, site, url, flags)
    else:
        reading.emit(kind, site, url, flags | {"local"} if local and kind == "db.delete" else flags)


def _effect(method: str, path: str, query: str, body: str) -> tuple[str, frozenset[str]] | None:
    """Return the kind and flags of what a request does, or None for a read or an ordinary write."""
    writes = method not in ("", "GET", "HEAD")
    if not writes:
        return None
    if _GRANTING.search(path):
        return "db.grant", NONE
    if _ELSEWHERE.match(path) and method in ("PUT", "POST") and _LEADS_AWAY.search(body):
        return "db.execute", _OUTSIDE
    if _DELETING.search(path):
        return "db.delete", frozenset({"unbounded" if "match_all" in body else "many"})
    if _SETTINGS.search(path):
        return "db.alter", NONE
    if (path.endswith("update") and "<delete>" in body) or '"delete"' in body[:40]:
        return "db.delete", frozenset({"many"})
    if method != "DELETE" or not path:
        return None
    parts = path.split("/")
    if path.startswith("v1/kv/"):
        return "db.delete", frozenset({"many"}) if "recurse" in query else NONE
    if path.startswith("api/"):
        return "db.drop", frozenset({"queue"})
    deep = (len(parts) > 1 and "_doc" in parts) or len(parts) > 2
    return ("db.delete", NONE) if deep else ("db.drop", _TABLE)


_LEADS_AWAY = late(r'"(?:remote|bucket|url|location|container|target)"', re.IGNORECASE)
