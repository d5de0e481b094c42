"""The key that identifies the servers of a store to push services (VAPID, RFC 8292), created once."""

from __future__ import annotations

import base64
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.store.clock import now_in
from interlock.store.tables import push_keys

_NAME = "vapid"
_BYTES = 32


class PushKey:
    """The key of a store. All its servers share it: a browser accepts messages of the key that it subscribed to."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @cached_property
    def secret(self) -> str:
        """The private key, as base64."""
        return self._journal.commit(_find_or_make)

    @cached_property
    def public(self) -> str:
        """The public key, as browsers expect it."""
        number = int.from_bytes(base64.urlsafe_b64decode(self.secret + "="), "big")
        public = derive_private_key(number, SECP256R1()).public_key()
        return _text(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def _find_or_make(transaction: Transaction) -> str:
    connection = transaction.connection
    row = connection.row("SELECT * FROM interlock_push_keys WHERE key_id = :key_id", key_id=_NAME)
    if row is None:
        at = now_in(connection).wall
        number = generate_private_key(SECP256R1()).private_numbers().private_value
        row = {"key_id": _NAME, "secret": _text(number.to_bytes(_BYTES, "big")), "created_at": at}
        entry = Entry(kind="push_key.made", at=at, actor="interlock", name=_NAME)
        write_row(transaction, push_keys, row, entry, new=True)
    else:
        check_row(transaction, push_keys, row)
    return str(row["secret"])


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
