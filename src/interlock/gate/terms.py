"""What a configuration means for a gate: where its store is, and by which rules requests are answered."""

from __future__ import annotations

import os
from pathlib import Path

from interlock.approval.register import Terms
from interlock.config.schema import Config
from interlock.config.trust import own_folder


def store_url(config: Config, given: str | None = None) -> str:
    """Return where the store is: as given, as `INTERLOCK_STORE` says, as configured, or in the person's own folder."""
    return given or os.environ.get("INTERLOCK_STORE") or config.store or f"sqlite:///{own_folder() / 'interlock.db'}"


def seen_from(start: str | Path | None, url: str) -> str:
    """Return the URL of a store as it is meant in a folder: a relative path starts there."""
    kind, slashes, path = url.partition(":///")
    if start is None or kind != "sqlite":
        return url
    return f"{kind}{slashes}{os.path.join(start, os.path.expanduser(path))}"


def terms_of(config: Config, *, embedded: bool) -> Terms:
    """Return by which rules requests are answered; an embedded store is one person's, unless it is said not to be."""
    one_person = config.approvals.one_person
    return Terms(
        config.approvals,
        config.roles,
        one_person=embedded if one_person is None else one_person,
        reviewer=config.reviewer is not None,
    )
