"""A port of this machine that leads to a live data store makes later changes there need approval."""

from __future__ import annotations

import pytest

from tests.run_calls import stops_last

LIVE = [
    "kubectl -n production port-forward svc/shop-postgres 5432:5432 &",
    "kubectl --context prod-eu port-forward deploy/mongo 27017 >/tmp/pf.log 2>&1 &",
    "ssh -fNL 5433:db.internal:5432 ops@prod-bastion.example.com",
    "cloud-sql-proxy acme-prod:europe-west1:main --port 5432 &",
    "gcloud compute start-iap-tunnel prod-db-1 5432 --local-host-port=localhost:5432 &",
]
OTHER = [
    "kubectl -n staging port-forward svc/shop-postgres 5432:5432 &",
    "kubectl -n production port-forward svc/grafana 3000:80 &",
    "ssh -fNL 5433:db.internal:5432 ops@staging.example.com",
    "cloud-sql-proxy acme-dev:europe-west1:main --port 5432 &",
]


@pytest.mark.parametrize("tunnel", LIVE)
def test_changes_through_a_tunnel_need_approval(tunnel: str) -> None:
    assert stops_last([tunnel, "npm run db:fresh"])


@pytest.mark.parametrize("tunnel", OTHER)
def test_other_tunnels_change_nothing(tunnel: str) -> None:
    assert not stops_last([tunnel, "npm run db:fresh"])
