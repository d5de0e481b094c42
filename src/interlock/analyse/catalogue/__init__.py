"""The catalogue of programs: one `Spec` each, in a file for each field. Adding a program touches one of them."""

from __future__ import annotations

from interlock.analyse.catalogue import (
    build,
    carriers,
    cloud,
    containers,
    databases,
    files,
    interpreters,
    network,
    packages,
    system,
    text,
    vcs,
    windows,
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
    cloud,
    databases,
    carriers,
    interpreters,
    windows,
)

PROGRAMS: dict[str, Spec] = {name: spec for field in FIELDS for spec in field.SPECS for name in spec.names.split()}
