"""Passwords are hashed with Argon2id, and a name that is unknown takes as long as one that is known."""

from __future__ import annotations

from argon2 import Type, extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY

from interlock.access.people import _DUMMY_HASH, _HASHER, verify_password

PASSWORD = "correct horse battery"


def test_a_password_matches_its_own_hash() -> None:
    hashed = _HASHER.hash(PASSWORD)
    assert verify_password(hashed, PASSWORD)
    assert not verify_password(hashed, "wrong horse battery")
    assert not verify_password(None, PASSWORD)
    assert not verify_password("no hash", PASSWORD)


def test_hashing_costs_what_is_recommended() -> None:
    found = extract_parameters(_HASHER.hash(PASSWORD))
    assert found.type is Type.ID
    assert found.memory_cost >= RFC_9106_LOW_MEMORY.memory_cost
    assert found.time_cost >= RFC_9106_LOW_MEMORY.time_cost


def test_an_unknown_name_costs_as_much_as_a_known_one() -> None:
    assert extract_parameters(_DUMMY_HASH) == extract_parameters(_HASHER.hash(PASSWORD))
