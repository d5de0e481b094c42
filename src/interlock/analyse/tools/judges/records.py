"""Records that are changed or deleted: one ordinary record is routine; many, for good, or a weighty field is not."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judges.call import GRAVE, Call
from interlock.analyse.tools.sensitive import PERSONAL, SECRET

#: Records that people make and throw away all day.
_SMALL = frozenset(
    (
        "comment comments draft drafts label labels reaction reactions reminder reminders bookmark tag tags note "
        "notes row rows cell cells task tasks subtask todo todos event timer alarm_clock item cart memory entity "
        "relation filter view"
    ).split()
)
#: Words of fields on which somebody's money or health depends.
_WEIGHTY = frozenset(
    (
        "salary pay payrate wage bonus compensation iban bank routing diagnosis diagnoses medication medications "
        "allergy allergies dosage dose ssn tax payout"
    ).split()
)
_FIELD_KEYS = frozenset({"field", "column", "attribute", "property", "key", "option", "setting"})


def is_routine_change(call: Call) -> bool:
    """Whether one ordinary record is changed."""
    if call.has("binding") and not call.thing:
        return False
    if call.has("health", "official", "many", "final", "bank_account", "holds_key", "public", "elsewhere", "lowered"):
        return False
    if call.has("luring") and call.has("company", "outside", "deceptive", "public"):
        return False
    if any(is_weighty(one) for one in call.arguments):
        return False
    return not (call.has("confidential", "sensitive") and call.has("outside"))


def is_weighty(one: Argument) -> bool:
    """Whether an argument sets something on which somebody's money or health depends."""
    if one.key in _FIELD_KEYS and isinstance(one.value, str):
        plain = one.text.strip().lower().replace(" ", "_")
        return plain in PERSONAL or plain in SECRET
    return not one.words.isdisjoint(_WEIGHTY) and one.value not in (None, "", ())


def is_routine_deletion(call: Call) -> bool:
    """Whether something small is deleted that is easily made again."""
    return call.flags.isdisjoint(GRAVE) and call.words(_SMALL)
