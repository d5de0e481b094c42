"""Words in the names of classes, methods and arguments of service clients, from the table `service-clients`.

They mean the same in every language: `delete_bucket`, `deleteBucket` and `DeleteBucketCommand` are split alike.
"""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.payloads.verbs import DESTRUCTIVE
from interlock.analyse.shell.services.client_vocabulary import CHANGE, DESTROY, READ, find_verb
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.libraries import ServiceClients
from interlock.patterns import late

TABLE = read_table("service-clients", ServiceClients)
#: Package → field of services.
FIELDS = {package: entry.field for entry in TABLE.services for package in entry.packages}
#: Method of any object → its effect.
TELLING = {method: entry.means for entry in TABLE.telling for method in entry.methods}
LOCAL = frozenset(TABLE.local.packages)
EVIDENCE, MAKERS = frozenset(TABLE.evidence.words), frozenset(TABLE.evidence.makers)
EVIDENT_ARGUMENTS = frozenset(TABLE.evidence.arguments)
NEAR_WORDS, REHEARSING = frozenset(TABLE.near.words), frozenset(TABLE.near.rehearsing)
SERIOUS, MONEY = frozenset(TABLE.methods.serious), frozenset(TABLE.methods.money)
MESSAGES, MANY = frozenset(TABLE.methods.messages), frozenset(TABLE.methods.many)
_SECRETS, _SECRET_FACTS = frozenset(TABLE.methods.secrets), frozenset(TABLE.methods.secret_facts)
PUBLIC_POSTS = frozenset(TABLE.methods.public_posts)
_NEUTRAL, _DIRECT = frozenset(TABLE.methods.neutral), frozenset(TABLE.methods.direct)
_DESTROYING, _CHANGING = frozenset(TABLE.methods.destroying), frozenset(TABLE.methods.changing)
_PREPARING, _HANDLES = frozenset(TABLE.methods.preparing), frozenset(TABLE.methods.handles)
_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_STANDARD = frozenset(TABLE.local.standard)
_LOOSE = frozenset(TABLE.methods.loose)
_CARRYING = frozenset({"begin", "post", "send"})
MAX_NAME = 200


@lru_cache(maxsize=2048)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a snake, camel or dotted name.

    >>> split_name("userService.deleteAll_items")
    ('user', 'service', 'delete', 'all', 'items')
    """
    return tuple(word.lower() for word in _WORDS.findall(name[:MAX_NAME]))


@lru_cache(maxsize=2048)
def field_of(name: str) -> str:
    """Return the field of the service library that a dotted name belongs to, or an empty text.

    >>> field_of("google.cloud.storage.Client"), field_of("google.generativeai.configure")
    ('infra', '')
    """
    parts = name.split(".")
    return FIELDS.get(parts[0]) or FIELDS.get(".".join(parts[:2])) or FIELDS.get(".".join(parts[:3])) or ""


@lru_cache(maxsize=2048)
def is_foreign_library(name: str) -> bool:
    """Whether a dotted name belongs to a library outside Python's own that may contact a service."""
    root, dot, _ = name.partition(".")
    return bool(dot) and root not in _STANDARD and root not in LOCAL


@lru_cache(maxsize=2048)
def classify_method(method: str, direct: bool) -> int | None:
    """Classify a client's method by its name: `READ`, `CHANGE`, `DESTROY`, or None if the name does not tell.

    A `direct` method is called on the client itself, not on data that it returned.

    >>> classify_method("begin_delete", True) == DESTROY, classify_method("list_keys", True) == READ
    (True, True)
    >>> classify_method("execute", True)
    """
    if method in _NEUTRAL and not (direct and method in _DIRECT):
        return None
    words = split_name(method)
    if method in _CHANGING:
        return CHANGE
    if not words or words[0] in _PREPARING or words[-1] in _HANDLES:
        return None
    if method.lower() in _DESTROYING or words[0] in _DESTROYING or words[-1] in _DESTROYING:
        return DESTROY
    if words[0] == "remove" and words[-1] not in _LOOSE:
        return DESTROY
    found = find_verb([method if len(words) > 1 else words[0]], 0, 1)
    if found is not None:
        return found[1][0]
    if not DESTRUCTIVE.isdisjoint(words):
        return DESTROY
    return CHANGE if words[0] in _CHANGING or not _CARRYING.isdisjoint(words) else None


@lru_cache(maxsize=2048)
def gives_secret(method: str) -> bool:
    """Whether a client's method returns a secret, by its name.

    >>> gives_secret("get_secret_value"), gives_secret("list_secrets"), gives_secret("list_properties_of_secrets")
    (True, False, False)
    """
    words = split_name(method)
    if _SECRETS.isdisjoint(words) or classify_method(method, direct=True) in (CHANGE, DESTROY):
        return False
    if words[0] in ("list", "describe"):
        return words == ("list", "keys")
    return words[-1] not in _SECRET_FACTS


__all__ = [
    "CHANGE",
    "DESTROY",
    "READ",
    "classify_method",
    "field_of",
    "gives_secret",
    "is_foreign_library",
    "split_name",
]
