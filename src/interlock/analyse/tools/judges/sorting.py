"""Automations that do nothing but label what comes in: `{"criteria": {…}, "action": {"addLabelIds": ["ci"]}}`.

All that an automation does has to be a label, and everything else has to say when it runs or what it is called. Moving
and archiving are no labels: they can hide a warning from its reader.
"""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import JudgedCall

_GRAVE = frozenset("holds_key deceptive instructions bank_account lowered payout".split())
#: Keys around what an automation does, and around what it waits for.
_DOING = frozenset("action actions then do perform apply steps".split())
_WAITING = frozenset("criteria condition conditions when if trigger triggers filter match event on query".split())
_NAMING = frozenset(
    (
        "name display_name title description enabled active is_active is_enabled sequence order position inbox user_id "
        "userid desk brand"
    ).split()
)
_WRAPPING = frozenset("body request_body json payload data params arguments input rule filter".split())
#: Keys of labels that are given, keys of what sort of step it is, and the sorts that give one.
_GIVING = frozenset(
    "add_label add_labels add_label_ids add_tag add_tags tag tags label labels set_tags add_category".split()
)
_SORTS = frozenset({"type", "kind", "action", "name"})
_LABELLING = frozenset("add_tag add_tags add_label add_labels tag label set_tags add_category".split())
#: Labels by which something disappears.
_HIDING = frozenset("trash spam junk deleted bin archive archived hidden".split())


def only_sorts(call: JudgedCall) -> bool:
    """Whether an automation does nothing but give labels."""
    if not call.flags.isdisjoint(_GRAVE):
        return False
    done = [one for one in call.arguments if _is_done(one)]
    rest = [one for one in call.arguments if not _is_done(one)]
    return any(_labels(one) for one in done) and all(map(_is_harmless, done)) and all(map(_only_tells, rest))


def _outermost(one: Argument) -> str:
    """Return the outermost key that says something about an argument."""
    return next((key for key in one.keys if key not in _WRAPPING), one.key)


def _is_done(one: Argument) -> bool:
    return _outermost(one) in _DOING


def _labels(one: Argument) -> bool:
    """Whether a step gives a label: `{"add_tag": "billing"}`, `"add_tag:billing"`."""
    if not isinstance(one.value, str) or not _HIDING.isdisjoint(one.low.replace(":", " ").split()):
        return False
    if one.key in _GIVING:
        return True
    return len(one.keys) - _outermost_index(one) == 1 and one.low.partition(":")[0] in _LABELLING


def _outermost_index(one: Argument) -> int:
    return one.keys.index(_outermost(one))


def _is_harmless(one: Argument) -> bool:
    """Whether a step gives a label, says that it does, or is left out."""
    return one.value == () or _labels(one) or (one.key in _SORTS and one.low in _LABELLING)


def _only_tells(one: Argument) -> bool:
    """Whether an argument says when an automation runs, or what it is called."""
    return _outermost(one) in _WAITING or (one.key in _NAMING and _outermost_index(one) == len(one.keys) - 1)
