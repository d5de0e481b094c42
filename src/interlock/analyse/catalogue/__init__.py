"""The catalogue of programs: one `Spec` each, in a file for each field. Adding a program touches one of them."""

from __future__ import annotations

from interlock.analyse.catalogue import (
    agents,
    build,
    carriers,
    cloud,
    containers,
    databases,
    editors,
    files,
    interfaces,
    libraries,
    network,
    node,
    packages,
    runners,
    scanners,
    system,
    terminals,
    text,
    tunnels,
    vcs,
)
from interlock.analyse.catalogue.spec import Spec

FIELDS = (
    files,
    text,
    editors,
    system,
    network,
    interfaces,
    tunnels,
    scanners,
    packages,
    libraries,
    node,
    runners,
    vcs,
    build,
    containers,
    cloud,
    databases,
    carriers,
    terminals,
    agents,
)

PROGRAMS: dict[str, Spec] = {name: spec for field in FIELDS for spec in field.SPECS for name in spec.names.split()}
