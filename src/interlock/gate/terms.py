"""What a configuration means for a gate: where its store is, and by which rules requests are answered."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from interlock.approval.rules import ApprovalRules
from interlock.config.schema import Config
from interlock.config.trust import own_folder
from interlock.store.url import sqlite_url


def store_url(config: Config, given: str | None = None) -> str:
    """Return where the store is: as given, as `INTERLOCK_STORE` says, as configured, or in the person's own folder."""
    return given or os.environ.get("INTERLOCK_STORE") or config.store or sqlite_url(str(own_folder() / "interlock.db"))


def seen_from(start: str | Path | None, url: str) -> str:
    """Return the URL of a store as it is meant in a folder: a relative path starts there."""
    kind, _, path = url.partition(":///")
    if start is None or kind != "sqlite" or path in ("", ":memory:") or "?" in path:
        return url
    return sqlite_url(os.path.join(start, os.path.expanduser(unquote(path))))


def terms_of(config: Config, *, embedded: bool) -> ApprovalRules:
    """Return by which rules requests are answered; an embedded store is one person's, unless it is said not to be."""
    one_person = config.approvals.one_person
    return ApprovalRules(
        config.approvals,
        config.roles,
        one_person=embedded if one_person is None else one_person,
        reviewer=config.reviewer is not None,
    )
