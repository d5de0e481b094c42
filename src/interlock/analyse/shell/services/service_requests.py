"""Requests to the APIs of clouds and services: what they change there, whichever HTTP client sends them."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_of
from interlock.analyse.reading import Reading, Site
from interlock.analyse.shell.services.local_systems import is_this_machine
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.clients import Clients
from interlock.patterns import late

_HOSTS = frozenset(read_table("clients", Clients).api_hosts)
_READING = frozenset({"", "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"})
_API = frozenset({"api"})
# Operations in the query of a request, as in `?Action=CreateUser`.
_ACTION = late(r"[?&](?:Action|X-Amz-Target)=(?:\w+\.)?([A-Z][a-z]+)")
_READ_ACTIONS = frozenset(
    "Describe List Get Head Lookup Search Query Scan Batch Check Decode Estimate Simulate".split()
)
# Requests with a body that only ask: sign-ins, searches, queries, models, dry runs.
_ASKING = late(
    r"(?i)(?:/oauth2?/|/token$|/tokens?:|:(?:search|query|runQuery|generateContent|streamGenerateContent|predict|"
    r"lookup|list|getIamPolicy|testIamPermissions|analyze\w*|batchGet\w*)\b|/(?:search|query|queries|completions|"
    r"messages|embeddings|responses|graphql|validate|whatIf|listKeys)\b|dryRun=(?:true|All)|X-Amz-Signature=)"
)
# The API server of a cluster, whatever its name is.
_CLUSTER = late(
    r"^https?://[^/]+/(?:api/v1|apis/[\w.]+/v\w+)/(?:namespaces|nodes|pods|clusterrole|persistentvolumes|\w+)"
)


def report_service_request(reading: Reading, site: Site, method: str, url: str, sends: bool) -> None:
    """Report a request that changes or deletes something at a cloud, a cluster or a service."""
    if is_this_machine(url):
        return
    if is_service(url):
        changed, deleted = "infra.change", "infra.destroy"
    elif _CLUSTER.match(url):
        changed, deleted = "cluster.change", "cluster.delete"
    else:
        return
    action = _ACTION.search(url)
    if action is not None:
        verb = action.group(1)
        if verb not in _READ_ACTIONS:
            reading.emit(deleted if verb in ("Delete", "Terminate", "Remove") else changed, site, url, _API)
    elif method == "DELETE":
        reading.emit(deleted, site, url, _API)
    elif sends and (method or "POST") not in _READING and not _ASKING.search(url):
        reading.emit(changed, site, url, _API)


def is_service(url: str) -> bool:
    """Whether a URL belongs to the API of a cloud or service.

    >>> is_service("https://management.azure.com/subscriptions/1"), is_service("https://example.com/management.azure.com")
    (True, False)
    """
    host = host_of(url)
    while host and host not in _HOSTS:
        host = host.partition(".")[2]  # the domain around it
    return bool(host)
