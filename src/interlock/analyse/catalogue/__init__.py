"""The catalogue of programs: one `Spec` each, in a file for each field. Adding a program touches one of them."""

from __future__ import annotations

from interlock.analyse.catalogue import (
    archives,
    build,
    carriers,
    cloud,
    containers,
    databases,
    defence,
    disks,
    files,
    kernel,
    macos,
    network,
    packages,
    processes,
    services,
    settings,
    system,
    text,
    users,
    vcs,
    volumes,
    windows,
)
from interlock.analyse.catalogue.spec import Spec

FIELDS = (
    files,
    archives,
    text,
    disks,
    volumes,
    users,
    services,
    processes,
    kernel,
    defence,
    settings,
    system,
    macos,
    windows,
    network,
    packages,
    vcs,
    build,
    containers,
    cloud,
    databases,
    carriers,
)

PROGRAMS: dict[str, Spec] = {name: spec for field in FIELDS for spec in field.SPECS for name in spec.names.split()}
