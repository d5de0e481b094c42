"""The catalogue of programs: one `Spec` each, in a file for each field. Adding a program touches one of them."""

from __future__ import annotations

from interlock.analyse.catalogue import (
    aws,
    azure,
    build,
    carriers,
    clouds,
    containers,
    coordination,
    databases,
    files,
    forges,
    gcloud,
    infrastructure,
    kubernetes,
    messaging,
    migrations,
    network,
    packages,
    platforms,
    system,
    text,
    vaults,
    vcs,
)
from interlock.analyse.catalogue.spec import Spec

FIELDS = (
    files,
    text,
    system,
    network,
    packages,
    vcs,
    build,
    containers,
    kubernetes,
    aws,
    gcloud,
    azure,
    clouds,
    infrastructure,
    coordination,
    vaults,
    platforms,
    forges,
    messaging,
    databases,
    migrations,
    carriers,
)

PROGRAMS: dict[str, Spec] = {name: spec for field in FIELDS for spec in field.SPECS for name in spec.names.split()}
