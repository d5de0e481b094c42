"""Automations that only label incoming items: `{"criteria": {…}, "action": {"addLabelIds": ["ci"]}}`.

All that an automation does has to be a label, and everything else has to say when it runs or what it is called. Moving
and archiving are no labels: they can hide a warning from its reader.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords

_WORDS = read_table("tool-records", RecordWords)
_GRAVE = frozenset("holds_key deceptive instructions bank_account lowered payout".split())
_SORTS = frozenset({"type", "kind", "action", "name"})


def only_sorts(call: JudgedCall) -> bool:
    """Whether an automation only gives labels."""
    if not call.flags.isdisjoint(_GRAVE):
        return False
    done = [one for one in call.arguments if _is_done(one)]
    rest = [one for one in call.arguments if not _is_done(one)]
    return any(_labels(one) for one in done) and all(map(_is_harmless, done)) and all(map(_only_tells, rest))


def _outermost(one: Argument) -> str:
    """Return the outermost key that says something about an argument."""
    return next((key for key in one.keys if key not in _WORDS.wrapping_keys), one.key)


def _is_done(one: Argument) -> bool:
    return _outermost(one) in _WORDS.doing_keys


def _labels(one: Argument) -> bool:
    """Whether a step gives a label: `{"add_tag": "billing"}`, `"add_tag:billing"`."""
    if not isinstance(one.value, str) or not _WORDS.hiding_labels.isdisjoint(one.low.replace(":", " ").split()):
        return False
    if one.key in _WORDS.labelling_keys:
        return True
    return len(one.keys) - _outermost_index(one) == 1 and one.low.partition(":")[0] in _WORDS.labelling_steps


def _outermost_index(one: Argument) -> int:
    return one.keys.index(_outermost(one))


def _is_harmless(one: Argument) -> bool:
    """Whether a step gives a label, says that it does, or is left out."""
    return one.value == () or _labels(one) or (one.key in _SORTS and one.low in _WORDS.labelling_steps)


def _only_tells(one: Argument) -> bool:
    """Whether an argument says when an automation runs, or what it is called."""
    return _outermost(one) in _WORDS.waiting_keys or (
        one.key in _WORDS.sorting_names and _outermost_index(one) == len(one.keys) - 1
    )
