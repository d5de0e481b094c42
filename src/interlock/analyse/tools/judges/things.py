"""Devices, automations and money."""

from __future__ import annotations

from interlock.analyse.tools.judges.call import GRAVE, Call
from interlock.analyse.tools.words import AMBIGUOUS

_FILTERS = frozenset({"filter", "filters"})
#: Keys by which an automation sends something away or runs something.
_LEADING_AWAY = frozenset(
    "forward forward_to forwarding url webhook callback endpoint delete redirect address script code command".split()
)


def is_routine_operation(call: Call) -> bool:
    """Whether nobody depends on the device."""
    return not call.has("hazard", "lowered", "many", "health")


def is_routine_automation(call: Call) -> bool:
    """Whether a filter only sorts what comes in."""
    if not call.words(_FILTERS):
        return False
    return all(_LEADING_AWAY.isdisjoint(one.keys) for one in call.arguments) and call.flags.isdisjoint(GRAVE)


def is_routine_order(call: Call) -> bool:
    """Whether nothing is bought: things are put into another order, or change places."""
    if call.meaning.said not in AMBIGUOUS or not call.flags.isdisjoint(GRAVE):
        return False
    if any("amount" in one.roles or not one.words.isdisjoint(_TRADED) for one in call.arguments):
        return False
    return call.meaning.said != "reorder" or any(
        one.key.endswith("ids") or one.key in _PLACES for one in call.arguments
    )


_TRADED = frozenset("token coin symbol ticker pair asset currency slippage plan contract supplier vendor sku".split())
_PLACES = frozenset("position index before after order sort_order first to_position".split())


def is_routine_payment(call: Call) -> bool:
    """Whether a known counterparty gets an amount that the configuration calls routine."""
    org = call.organisation
    if not org.routine_amount or call.has("bank_account", "many", "deceptive", "payout"):
        return False
    amounts = [float(one.value) for one in call.of_role("amount") if type(one.value) in (int, float)]
    named = frozenset(one.low for one in call.of_role("recipient") if isinstance(one.value, str))
    return bool(amounts) and min(amounts) > 0 and org.is_routine_payment(named, max(amounts))
