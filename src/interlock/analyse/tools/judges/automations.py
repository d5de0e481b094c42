"""Automations that are installed."""

from __future__ import annotations

from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.judges.labelling import only_sorts
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords

_WORDS = read_table("tool-records", RecordWords)

_FILTERS = frozenset({"filter", "filters"})


def is_routine_automation(call: JudgedCall) -> bool:
    """Whether a filter or a rule only sorts what comes in."""
    if only_sorts(call):
        return True
    if not call.words(_FILTERS):
        return False
    return all(_WORDS.leading_away.isdisjoint(one.keys) for one in call.arguments) and call.flags.isdisjoint(GRAVE)
