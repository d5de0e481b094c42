"""Records that are accounts or rights of people, by the type that a call names: `{"sobject": "User"}`."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.tools.judges import JudgedCall
from interlock.knowledge.tool_names import split_words

#: Keys that name the type of a record, and words of types that are accounts or rights of people.
_TYPE_KEYS = frozenset(
    (
        "sobject sobject_name object object_name object_type object_api_name entity entity_name entity_type "
        "record_type resource_type doctype model table module type_name logical_name sobject_type"
    ).split()
)
_RIGHTS = frozenset("permission permissions privilege privileges entitlement acl grant grants groups".split())
_USERS = frozenset("user users systemuser systemusers login".split())
MAX_TYPE = 80


def kinds_by_type(kind: str, call: JudgedCall) -> Iterator[str]:
    """Yield what a change of a record is by its type: `{"sobject": "User"}` is an account."""
    if kind not in ("record.change", "record.delete"):
        return
    for one in call.arguments:
        if one.key in _TYPE_KEYS and isinstance(one.value, str) and len(one.value) < MAX_TYPE:
            words = {word.lower() for word in split_words(one.value)}
            if not words.isdisjoint(_RIGHTS):
                yield "access.grant"
            elif not words.isdisjoint(_USERS):
                yield "account.change"
