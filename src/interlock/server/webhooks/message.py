"""A message: one record as a receiver reads it."""

from __future__ import annotations

import msgspec

from interlock.audit.record import Record
from interlock.ids import new_id
from interlock.server.timeline import Item, item_of
from interlock.store.clock import now

PING = "ping"


class Message(Item, frozen=True, kw_only=True):
    """One thing that happened, and in which store."""

    store_id: str


def message_of(store_id: str, record: Record) -> bytes:
    """Return a record as the body of a message."""
    return _body(store_id, item_of(record))


def ping(store_id: str, actor: str) -> bytes:
    """Return the body of a message that tells of nothing, so that somebody sees whether it arrives."""
    tried = Record(kind=PING, at=now().wall, actor=actor, seq=0, record_id=new_id())
    return _body(store_id, msgspec.structs.replace(item_of(tried), what="somebody tries the webhook"))


def _body(store_id: str, item: Item) -> bytes:
    shared = {name: getattr(item, name) for name in Item.__struct_fields__}
    return Message(**shared, store_id=store_id).to_json()
