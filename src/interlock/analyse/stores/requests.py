"""HTTP requests to data stores that delete data, change rights or settings, or copy data elsewhere."""

from __future__ import annotations

import re

from interlock.analyse.flow import NONE
from interlock.analyse.reading import Reading, Site
from interlock.analyse.stores.scratch import DatabaseTarget, is_local_host, mark_connection
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import StoreRequests
from interlock.patterns import late

_REQUESTS = read_table("store-requests", StoreRequests)

_ADDRESS = late(r"^(?:(https?)://)?(?:[^/@\s]*@)?(\[[^\]]*\]|[^:/?#\s]*)(?::(\d+))?(?:/([^?#\s]*))?(?:\?(\S*))?")
#: Ports on which only stores listen.
_PORTS = frozenset(_REQUESTS.ports)
#: Paths that stores alone have, whatever their port.
_PATHS = late(
    r"""(?x)
    _(?:cluster|snapshot|security|opendistro|plugins|ilm|slm|aliases|reindex|bulk|doc|data_stream)(?:/|$)
    | _(?:delete_by_query|update_by_query|all)(?:/|$)
    | [^/]+/_(?:delete_by_query|doc|close|settings)(?:/|$)
    | api/(?:vhosts|queues|exchanges|permissions|bindings|policies)(?:/|$)
    | v1/kv/ | v3/kv/ | collections/ | indexes/ | connectors/ | subjects/ | solr/
    | api/v2/(?:delete|buckets) | api/v1/admin/tsdb/ | api/v1/(?:collections|reset)(?:/|$) | v1/schema(?:/|$)
    | v[12]/vector(?:db)?/ | _api/(?:database|collection|user) | _users/ | loki/api/v1/delete | druid/coordinator/
    | v1/(?:acl|agent|operator|session)/ | v2/keys/ | db/(?:execute|query|load)$ | rest/dbs?/ | pools/default/
    """
)
_GRANTING = late(
    r"_security/(?:user|role|api_key|role_mapping)|^v1/acl/|^_api/user|^settings/rbac|_plugins/_security/api|_opendistro/_security/api|^api/permissions(?:/|$)|^_users/"
    r"|_node/[^/]+/_config|_shield/"
)
_DELETING = late(
    r"_delete_by_query|/delete$|^api/v2/delete|deleterange$|/contents$|delete_series$|points/delete|/_purge$|/truncate$"
    r"|^api/v1/reset$|/doFlush$|/_update_by_query$|/documents/delete"
)
#: Accounts and keys behind paths that other servers have as well.
_ACCOUNTS = _REQUESTS.accounts
#: Ports on which applications listen as often as stores.
_SHARED_PORTS = frozenset(_REQUESTS.shared_ports)
_DROPPING = late(r"/drop$|_api/database/|^rest/dbs?/")
#: Reads that show accounts with the hashes of their passwords, keys, or the settings of all of them.
_REVEALING = late(
    r"^_users/(?:_all_docs|_find|org\.couchdb)|^\.security|^_security/(?:user|api_key)|^api/definitions"
    r"|^v1/acl/tokens?|^v1/kv/.*(?:secret|password|token)|^_node/[^/]+/_config/(?:admins|jwt)|^api/v2/authorizations"
    r"|^settings/rbac|^_plugins/_security/api/internalusers|^_opendistro/_security/api/internalusers"
)
#: Requests with a body that only ask.
_ASKING = late(
    r"(?:^|/)(?:_search|_msearch|_count|_explain|_analyze|_validate|_field_caps|_mget|_sql|_eql|_find|_all_docs|select|query|search"
    r"|scroll|recommend|cursor|explain|range|tx/commit)(?:/|$)|^graphql$"
)
#: Arguments in which a request carries a statement: `?query=DROP+TABLE+events`, `q=SELECT+1`.
_STATEMENT = late(r"(?:^|&)(?:query|q|sql|statement)=([^&]*)")
_SELECTING = late(r"(?is)^\s*(?:select|show|describe|explain|with|exists|match)\b")
_SETTINGS = late(
    r"^_cluster/settings|/_settings$|/_close$|^api/policies|_ilm/policy|_cluster/reroute|^v1/agent/(?:leave|force-leave|service/deregister)"
    r"|^v1/operator/|^_node/[^/]+/_config|^_aliases$|/_compact$|_index_template/"
)
_ELSEWHERE = late(r"^_snapshot/|^_reindex$|^_replicate$")
_STORE = frozenset({"store"})
_OUTSIDE = frozenset({"outside"})
_TABLE = frozenset({"table"})


def read_store_request(reading: Reading, site: Site, method: str, url: str, body: str = "") -> bool:
    """Report the effects of a request to the HTTP interface of a store; return whether it only asks for rows."""
    found = _ADDRESS.match(url)
    if found is None:
        return False
    host, port, path, query = found[2], found[3] or "", (found[4] or "").strip("/"), found[5] or ""
    if not (port in _PORTS or _PATHS.match(path)):
        return False
    if method in ("", "GET", "HEAD") and (_REVEALING.search(path) or f"{port}/{path}".startswith(_ACCOUNTS)):
        reading.emit("secret.read", site, url, _STORE)
        return False
    statement = _statement(port, path, query, body)
    if statement:
        first = len(reading.effects)
        reading.nest("cypher" if port in ("7474", "7473") else "sql", statement, site.behind("http"))
        mark_connection(reading, first, DatabaseTarget(host))
        return _SELECTING.match(statement) is not None
    effect = _effect(method, path, query, body)
    if f"{port}/{path}".startswith(_ACCOUNTS) and method not in ("", "GET", "HEAD"):
        effect = "db.grant", NONE
    if path.startswith("api/") and port in _SHARED_PORTS and not _PATHS.match(path):
        return False
    if effect is None:
        return _ASKING.search(path) is not None
    kind, flags = effect
    names = [part for part in path.split("/") if part and part[0] != "_"]
    local = is_local_host(host)
    if local and names and all(is_scratch_name(name) for name in names[-1].split(",")):
        reading.emit_scratch(kind, site, url, flags)
    else:
        reading.emit(kind, site, url, flags | {"local"} if local and kind == "db.delete" else flags)
    return False


def _statement(port: str, path: str, query: str, body: str) -> str:
    """Return the statement that a request carries in its address or body, or an empty text."""
    if port not in _STATEMENT_PORTS:
        return ""
    found = _STATEMENT.search(query) or _STATEMENT.search(body)
    if found is not None:
        return _decode_query(found[1])
    if port == "8123":
        return body
    quoted = _QUOTED.search(body) if path.endswith(("commit", "execute", "statement", "service")) else None
    return quoted[1] if quoted else ""


def _decode_query(text: str) -> str:
    """Return a part of a query as text: `DROP+TABLE%20t` is `DROP TABLE t`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text.replace("+", " "))


_ESCAPED = late(r"%([0-7][0-9A-Fa-f])")
_STATEMENT_PORTS = frozenset(_REQUESTS.statement_ports)
_QUOTED = late(r"(?i)[\"']((?:drop|delete|truncate|match|create|update|insert|select|alter|detach)\b[^\"]*)[\"']")


def _effect(method: str, path: str, query: str, body: str) -> tuple[str, frozenset[str]] | None:
    """Return the kind and the flags of a request's effect, or None for a read or an ordinary write."""
    if _HARMFUL_QUERY.search(_decode_query(query)):  # whatever the method is
        return "db.delete", frozenset({"unbounded"})
    if method in ("", "GET", "HEAD"):
        return None
    if _GRANTING.search(path):
        return "db.grant", NONE
    if _ELSEWHERE.match(path) and method in ("PUT", "POST") and _LEADS_AWAY.search(body):
        return "db.execute", _OUTSIDE
    if _DELETING.search(path):
        return "db.delete", frozenset({"unbounded" if "match_all" in body else "many"})
    if _DROPPING.search(path) and (method == "DELETE" or path.endswith("/drop")):
        return "db.drop", _TABLE
    if _SETTINGS.search(path) or path.endswith("/_restore"):
        return ("db.drop", frozenset({"replaced"})) if path.endswith("/_restore") else ("db.alter", NONE)
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


#: Operations of Solr in the query of a request.
_HARMFUL_QUERY = late(r"(?i)(?:^|&)action=(?:unload|delete\w*)\b|<delete>|stream\.body=.*delete")
_LEADS_AWAY = late(r'"(?:remote|bucket|url|location|container|target)"', re.IGNORECASE)
