"""The details of a run, checked and masked: its user, its tenant, and metadata from its program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.analyse.secrets.key_shapes import holds_key
from interlock.audit.masking import mask
from interlock.errors import ConflictError, ForbiddenError, InvalidActionError
from interlock.model import NO_DETAILS, RunDetails
from interlock.sanitise import clean, plain, storable_name

MAX_NAME = 200
#: How many bytes the metadata may take as JSON, how many keys it may have, and how deep it may be nested.
MAX_METADATA, MAX_KEYS, MAX_DEPTH = 8_000, 50, 8


def check_details(given: RunDetails) -> RunDetails:
    """Return details in their recorded form: names printable, metadata masked. Raise if they are not valid."""
    if given == NO_DETAILS:
        return given
    return RunDetails(
        user=_check_name("user", given.user),
        tenant=_check_name("tenant", given.tenant),
        metadata=_check_metadata(given.metadata),
        request=given.request,
    )


def _check_name(what: str, name: str | None) -> str | None:
    if name is None:
        return None
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME:
        raise InvalidActionError(f"`{what}` must be a name or an id of 1 to {MAX_NAME} characters")
    if holds_key(name):
        raise InvalidActionError(f"`{what}` looks like a key or a token; use a name or an id")
    return storable_name(name)


def _check_metadata(metadata: Any) -> dict[str, Any]:
    if not isinstance(metadata, Mapping):
        found = type(metadata).__name__
        raise InvalidActionError(f"`metadata` must be an object such as `{{'ticket': 'T-1'}}`, found `{found}`")
    if len(metadata) > MAX_KEYS:
        raise InvalidActionError(f"`metadata` has {len(metadata)} keys; at most {MAX_KEYS} are kept")
    plain_values = _as_json(metadata, "metadata")
    size = len(msgspec.json.encode(plain_values))
    if size > MAX_METADATA:
        raise InvalidActionError(f"`metadata` takes {size:,} bytes; at most {MAX_METADATA:,} are kept")
    masked: dict[str, Any] = mask(plain_values)
    return masked


def _as_json(value: Any, path: str, depth: int = 0) -> Any:
    """Return a value as JSON, or raise and name the part that JSON cannot represent."""
    if value is None or isinstance(value, bool) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) and value.bit_length() < 64:
        return value
    if depth >= MAX_DEPTH:
        raise InvalidActionError(f"`{path}` is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not key:
                raise InvalidActionError(f"a key in `{path}` is not a string: `{plain(repr(key))[:40]}`")
        return {clean(key): _as_json(item, f"{path}.{plain(key)[:40]}", depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item, f"{path}.{at}", depth + 1) for at, item in enumerate(value)]
    found = type(value).__name__
    raise InvalidActionError(f"`{path}` is not JSON: found `{found}`; use strings, numbers, lists or objects")


def check_same(run_id: str, known: RunDetails, given: RunDetails) -> None:
    """Raise if a run has begun with other details."""
    for name in ("user", "tenant"):
        mine = getattr(given, name)
        if mine and mine != getattr(known, name):
            raise ConflictError(f"run `{plain(run_id)[:80]}` began with another `{name}`; use another id")
    for key, value in given.metadata.items():
        if key not in known.metadata or known.metadata[key] != value:
            raise ConflictError(f"run `{plain(run_id)[:80]}` began with other `metadata`; use another id")


def check_below(parent: RunDetails, run_id: str, known: RunDetails) -> None:
    """Raise if a run has another user or tenant than its parent."""
    for name in ("user", "tenant"):
        theirs = getattr(parent, name)
        if theirs is not None and getattr(known, name) != theirs:
            raise ForbiddenError(f"the parent run is for {name} `{theirs}`, and run `{plain(run_id)[:80]}` is not")


def inherit(parent: RunDetails, given: RunDetails) -> RunDetails:
    """Return the details of a child run: it has the parent's, and can only add metadata."""
    for name in ("user", "tenant"):
        mine, theirs = getattr(given, name), getattr(parent, name)
        if mine is not None and theirs is not None and mine != theirs:
            raise ForbiddenError(f"the parent run is for {name} `{theirs}`; a run inside it must have the same {name}")
    for key, value in given.metadata.items():
        if key in parent.metadata and parent.metadata[key] != value:
            raise ForbiddenError(f"the parent run has set `metadata.{plain(key)[:40]}`; use another key")
    return RunDetails(
        user=parent.user or given.user,
        tenant=parent.tenant or given.tenant,
        metadata={**given.metadata, **parent.metadata},
        request=given.request,
    )
