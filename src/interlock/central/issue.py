"""Issue the bundle of a server: its policies and shared settings, versioned and signed by its key."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.identity import machine_name
from interlock.audit.journal import Journal
from interlock.audit.keys import format_key, parse_key
from interlock.audit.record import Entry, canonical, digest_of
from interlock.audit.rows import check_row, write_row
from interlock.config.bundle import FORMAT, Bundle, SignedBundle, text_to_sign
from interlock.config.managed import ASKING
from interlock.config.schema import Config
from interlock.policy.policies import Policy
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import bundles

_ROW_ID = "central"
_NEWEST = "SELECT * FROM interlock_bundles WHERE bundle_id = :bundle_id"


class IssuedBundle(msgspec.Struct, frozen=True):
    """A bundle, and the form in which it is sent."""

    bundle: Bundle
    signed: SignedBundle


class BundleIssuer:
    """Issues the bundles of a store. All its servers share one sequence of versions."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._issued: IssuedBundle | None = None

    def current(self, config: Config, policies: Sequence[Policy]) -> IssuedBundle:
        """Return the bundle of a configuration: the last one if nothing has changed, else a new one."""
        keys = dict.fromkeys([self._journal.key.public, *map(parse_key, config.audit.keys)])
        content: dict[str, Any] = {
            "settings": collect_shared_settings(config),
            "policies": [msgspec.to_builtins(policy) for policy in policies if policy.policy_id != ASKING],
            "keys": sorted(map(format_key, keys)),
        }
        digest = digest_of(content)
        with self._lock:
            if self._issued is None or not self._is_newest(self._issued.bundle, digest):
                self._issued = self._sign(content, self._journal.commit(lambda one: _newest_row(one, digest)))
            return self._issued

    def _is_newest(self, bundle: Bundle, digest: str) -> bool:
        """Whether nothing has changed since a bundle was issued, at this server or another one of the store."""
        with self._journal.database.read() as connection:
            row = connection.row(_NEWEST, bundle_id=_ROW_ID)
        return row is not None and bundle.digest == digest and row["sequence"] == bundle.sequence

    def _sign(self, content: dict[str, Any], row: dict[str, Any]) -> IssuedBundle:
        bundle = Bundle(
            format=FORMAT,
            store_id=self._journal.store_id,
            sequence=row["sequence"],
            digest=row["digest"],
            issued_at=row["issued_at"],
            **content,
        )
        key, text = self._journal.key, canonical(bundle).decode()
        signature = key.sign(text_to_sign(text))
        return IssuedBundle(bundle, SignedBundle(bundle=text, public_key=format_key(key.public), signature=signature))


def _newest_row(transaction: Transaction, digest: str) -> dict[str, Any]:
    """Return the version of a digest: the last version if it is unchanged, else the next; raise if the row was altered.

    The sequence starts from the current time, so that it keeps growing if the store is created again.
    """
    found = transaction.connection.row(_NEWEST, bundle_id=_ROW_ID)
    if found is not None:
        check_row(transaction, bundles, found)
        if found["digest"] == digest:
            return found
    at = now_in(transaction.connection).wall
    last = found["sequence"] if found is not None else 0
    row = {
        "bundle_id": _ROW_ID,
        "sequence": max(last + 1, at // MICROSECONDS),
        "digest": digest,
        "issued_at": at,
        "issued_by": machine_name(),
    }
    data = {"sequence": row["sequence"], "digest": digest}
    entry = Entry(kind="bundle.issued", at=at, actor=machine_name(), name=_ROW_ID, data=data)
    write_row(transaction, bundles, row, entry, new=found is None)
    return row


def collect_shared_settings(config: Config) -> dict[str, Any]:
    """Return the settings for other machines, in the form of a configuration file."""
    found = {
        "mode": config.mode,
        "modes": {
            name: {level.value: verdict.value for level, verdict in row.items()} for name, row in config.modes.items()
        },
        "rules": [dict(rule.written) for rule in config.rules if rule.written is not None],
        "rules_off": config.rules_off,
        "second_opinion": config.second_opinion,
        "memory": config.memory,
        "sensitive_paths": config.sensitive_paths,
        "trusted_hosts": config.trusted_hosts,
        "organisation": config.organisation or {},
        "tools": config.tools,
        "timeouts": config.timeouts,
        "approvals": _approvals(config),
        "roles": config.roles,
    }
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def _approvals(config: Config) -> dict[str, Any]:
    """Return the rules for approvals without `one_person`: how many people there are differs between machines."""
    table: dict[str, Any] = msgspec.to_builtins(config.approvals)
    return {name: value for name, value in table.items() if name != "one_person"}
