"""Records of the configuration: which files were loaded, and each change of the policies."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.masking import mask
from interlock.audit.record import Entry, digest_of
from interlock.config.schema import Config
from interlock.config.settings import ObserveSettings
from interlock.policy.defaults import DEFAULT_POLICIES
from interlock.policy.policies import Policy
from interlock.store.clock import now


def record_configuration(transaction: Transaction, config: Config, policies: Sequence[Policy], actor: str) -> None:
    """Record that a configuration was loaded, and the policies if they differ from those recorded last."""
    files = {file: _file_digest(file) for file in config.files}
    data: dict[str, Any] = {
        "files": files,
        "mode": config.mode,
        "environment": config.environment,
        "rulesOff": list(config.rules_off),
        "secondOpinion": config.second_opinion,
        "reviewer": config.reviewer.name if config.reviewer else None,
        "approvals": msgspec.to_builtins(config.approvals),
        "roles": {role: list(names) for role, names in config.roles.items()},
        "timeouts": dict(config.timeouts),
        "crisis": config.crisis,
        **({"observe": msgspec.to_builtins(config.observe)} if config.observe != ObserveSettings() else {}),
        **({"signIn": msgspec.to_builtins(config.sign_in)} if config.sign_in is not None else {}),
        "audit": msgspec.to_builtins(config.audit),
    }
    transaction.append(Entry(kind="configuration", at=now().wall, actor=actor, data=data))
    masked = [_mask_policy(policy) for policy in policies]
    digest = digest_of(masked)
    if _read_recorded_digest(transaction) != digest:
        transaction.append(Entry(kind="policy", at=now().wall, actor=actor, name=digest, data={"policies": masked}))


def _mask_policy(policy: Policy) -> dict[str, Any]:
    """Return a policy as it is recorded. The shipped ones hold no secrets."""
    found: dict[str, Any] = msgspec.to_builtins(policy)
    if policy not in DEFAULT_POLICIES:
        found = mask(found)
    return found


def _file_digest(file: str) -> str | None:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def _read_recorded_digest(transaction: Transaction) -> str | None:
    """Return the digest of the policies that were recorded last."""
    query = "SELECT name FROM interlock_records WHERE kind = 'policy' ORDER BY seq DESC LIMIT 1"
    found: str | None = transaction.connection.value(query)
    return found
