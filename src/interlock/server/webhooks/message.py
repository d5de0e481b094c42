"""The JSON body that a receiver gets for one record."""

from __future__ import annotations

import msgspec

from interlock.audit.record import Record
from interlock.ids import new_id
from interlock.server.timeline import TimelineItem, item_of
from interlock.store.clock import now

PING = "ping"


class WebhookMessage(TimelineItem, frozen=True, kw_only=True):
    """A timeline item, and the store it comes from."""

    store_id: str


def record_body(store_id: str, record: Record) -> bytes:
    """Return the body of a message about a record."""
    return _body(store_id, item_of(record))


def ping_body(store_id: str, actor: str) -> bytes:
    """Return the body of a test message."""
    record = Record(kind=PING, at=now().wall, actor=actor, seq=0, record_id=new_id())
    return _body(store_id, msgspec.structs.replace(item_of(record), what="test message"))


def _body(store_id: str, item: TimelineItem) -> bytes:
    shared = {name: getattr(item, name) for name in TimelineItem.__struct_fields__}
    return WebhookMessage(**shared, store_id=store_id).to_json()
