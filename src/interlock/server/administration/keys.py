"""API keys: creating one, their state, their last use, and the stop that may hold them."""

from __future__ import annotations

import msgspec

from interlock.access.keys import AccessKey
from interlock.access.people import ACTIVE
from interlock.access.roles import Role
from interlock.audit.stops import Stop, find_strictest, list_stops
from interlock.errors import InterlockError
from interlock.policy.pins import Pins
from interlock.sanitise import plain
from interlock.server.service import Service
from interlock.store.clock import now

VALID, EXPIRED, REVOKED, OWNER_OUT, STOPPED = "valid", "expired", "revoked", "owner suspended", "stopped"
PAUSED = "paused"


class KeyState(msgspec.Struct, frozen=True, kw_only=True):
    """A key, its state, its last use, and whether its actions are only observed now."""

    key: AccessKey
    state: str
    used_at: int | None
    stop: Stop | None
    is_observed: bool


def create_key(
    service: Service, name: str, role: Role, owner: str, actor: str, days: int | None, pins: Pins
) -> tuple[AccessKey, str]:
    """Create a key; return it, and its secret. Its owner is its creator, or an active person."""
    if owner != actor and owner not in active_people(service):
        raise InterlockError(f"there is no active person `{plain(owner)[:80]}`; add them first, or check the spelling")
    return service.authenticator.keys.create(name, role, owner=owner, actor=actor, days=days, pins=pins)


def active_people(service: Service) -> list[str]:
    """Return the names of the people who can sign in."""
    return [person.name for person in service.authenticator.people.list() if person.state == ACTIVE]


def list_key_states(service: Service) -> list[KeyState]:
    """Return every key with its state: those that can be used first, the newest first."""
    with service.journal.database.read() as connection:
        used, stops = service.authenticator.key_uses.read(connection), list_stops(connection)
    out = {person.name for person in service.authenticator.people.list() if person.state != "active"}
    at = now().wall
    found = [_state_of(key, used.get(key.key_id), stops, out, at) for key in service.authenticator.keys.list()]
    return sorted(found, key=lambda one: one.state in (EXPIRED, REVOKED))


def find_key_state(service: Service, key_id: str) -> KeyState | None:
    """Return a key by its complete id, or None."""
    return next((one for one in list_key_states(service) if one.key.key_id == key_id), None)


def _state_of(key: AccessKey, used_at: int | None, stops: list[Stop], out: set[str], at: int) -> KeyState:
    stop = find_strictest(stop for stop in stops if stop.covers([key.caller.agent], key.key_id))
    return KeyState(
        key=key,
        state=_name_state(key, stop, key.owner in out, at),
        used_at=used_at,
        stop=stop,
        is_observed=key.observe is not None and key.observe.covers(at),
    )


def _name_state(key: AccessKey, stop: Stop | None, owner_out: bool, at: int) -> str:
    if key.revoked_at is not None:
        return REVOKED
    if key.expires_at is not None and key.expires_at <= at:
        return EXPIRED
    if owner_out or stop is None:
        return OWNER_OUT if owner_out else VALID
    return PAUSED if stop.pauses else STOPPED
