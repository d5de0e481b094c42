"""Records that are accounts or rights of people, by the type that a call names: `{"sobject": "User"}`."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.tools.judges import JudgedCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-rights", RightWords)

MAX_TYPE = 80


def kinds_by_type(kind: str, call: JudgedCall) -> Iterator[str]:
    """Yield the kinds of effects of changing a record, by its type: `{"sobject": "User"}` is an account."""
    if kind not in ("record.change", "record.delete"):
        return
    for one in call.arguments:
        if one.key in _WORDS.record_type_keys and isinstance(one.value, str) and len(one.value) < MAX_TYPE:
            words = {word.lower() for word in split_words(one.value)}
            if not words.isdisjoint(_WORDS.right_types):
                yield "access.grant"
            elif not words.isdisjoint(_WORDS.user_types):
                yield "account.change"
