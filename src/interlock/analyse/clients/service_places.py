"""The target of a client, from the texts in its arguments: another machine, this one, or test data."""

from __future__ import annotations

from interlock.analyse.addresses.hosts import host_flags, host_of, is_url
from interlock.analyse.clients.service_words import NEAR_WORDS, TABLE, split_name
from interlock.patterns import late

FAR, NEAR, TRIAL = "far", "near", "trial"
DOMAIN = late(rf"^(?:[a-z0-9-]+\.)+(?:{'|'.join(TABLE.near.domain_endings)})$")


def is_trial_text(text: str) -> bool:
    """Whether a text names something in memory or a database for tests.

    >>> is_trial_text("sqlite:///:memory:"), is_trial_text("postgresql://app@localhost/app_test")
    (True, True)
    >>> is_trial_text("postgresql://app@localhost/app_dev")
    False
    """
    low = text.lower()
    if any(part in low for part in TABLE.near.trials) or low.startswith(("/tmp/", "/dev/shm/")):
        return True
    name = low.partition("?")[0].rstrip("/").rpartition("/")[2]
    return not NEAR_WORDS.isdisjoint(split_name(name))


def is_near_text(text: str) -> bool:
    """Whether an address, a file or the name of a cluster is on this machine, or made for tests."""
    low = text.lower()
    if any(part in low for part in TABLE.near.texts) or low.startswith(TABLE.near.contexts):
        return True
    if is_url(text):
        return bool(host_flags(text) & {"local"}) and "." not in host_of(text)
    return low.startswith(("/tmp/", "/dev/shm/", "./"))
