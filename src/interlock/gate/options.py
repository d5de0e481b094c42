"""Settings that a gate derives from a configuration: the URL of its store, and the rules for approvals."""

from __future__ import annotations

import os
from pathlib import Path

from interlock.approval.rules import ApprovalRules
from interlock.config.home import own_folder
from interlock.config.schema import Config
from interlock.store.url import sqlite_url


def store_url(config: Config, given: str | None = None) -> str:
    """Return the URL of the store: as given, `INTERLOCK_STORE`, as configured, or a file in the user's own folder."""
    return given or os.environ.get("INTERLOCK_STORE") or config.store or sqlite_url(str(own_folder() / "interlock.db"))


def resolve_store_url(url: str, start: str | Path | None) -> str:
    """Return the URL of a store with a relative SQLite path resolved against folder `start`."""
    kind, _, path = url.partition(":///")
    if start is None or kind != "sqlite" or path in ("", ":memory:") or "?" in path:
        return url
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path)
    return sqlite_url(os.path.join(start, os.path.expanduser(path)))


def approval_rules(config: Config, *, counts_people: bool) -> ApprovalRules:
    """Return the rules for answering requests.

    Where the configuration does not say whether one person may approve alone, the people of the store are counted, or
    another person always has to.
    """
    one_person = config.approvals.one_person
    return ApprovalRules(
        config.approvals,
        config.roles,
        one_person=counts_people if one_person is None else one_person,
        counts_people=one_person is None,
        reviewer=config.reviewer is not None,
    )
