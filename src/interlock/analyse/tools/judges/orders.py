"""Orders that are placed or written about, and payments."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument, words_of_key
from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.vocabulary import AMBIGUOUS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-records", RecordWords)


def is_routine_order(call: JudgedCall) -> bool:
    """Whether nothing is bought: an order is only tracked, or things are reordered or moved."""
    if keeps_order_terms(call):
        return True
    if call.meaning.said not in AMBIGUOUS or not call.flags.isdisjoint(GRAVE):
        return False
    if any("amount" in one.roles or not one.words.isdisjoint(_WORDS.traded_words) for one in call.arguments):
        return False
    if call.meaning.said != "reorder":
        return True
    if (call.thing and call.thing.name == "shop_service") or any(
        not one.words.isdisjoint(_WORDS.paid_words) for one in call.arguments
    ):
        return False
    return any(one.key.endswith("ids") or one.key in _WORDS.list_position_keys for one in call.arguments)


def keeps_order_terms(call: JudgedCall) -> bool:
    """Whether a change of an order keeps its items, price and delivery address: `{"expected_date": …}`."""
    if call.meaning.said not in _WORDS.order_note_verbs or call.thing is None or call.thing.name != "order":
        return False
    if not call.flags.isdisjoint(GRAVE | {"binding"}) or not call.arguments:
        return False
    return not any(_is_substance(one) for one in call.arguments)


def _is_substance(one: Argument) -> bool:
    """Whether an argument sets what an order is about, or ends or confirms it."""
    if one.value in (None, False):
        return False
    if not one.words.isdisjoint(_STATES) and isinstance(one.value, str):
        return _WORDS.order_states.isdisjoint(split_words(one.text[:60]))
    if one.key.endswith(("_id", "_ids")) or not _WORDS.own_field_keys.isdisjoint(one.keys):
        return False
    return "amount" in one.roles or any(not _WORDS.order_substance.isdisjoint(words_of_key(key)) for key in one.keys)


_STATES = frozenset({"status", "state", "stage"})


def is_routine_payment(call: JudgedCall) -> bool:
    """Whether a known counterparty gets an amount that the configuration calls routine."""
    org = call.organisation
    if not org.routine_amount or call.has("bank_account", "many", "deceptive", "payout"):
        return False
    amounts = [float(one.value) for one in call.of_role("amount") if type(one.value) in (int, float)]
    named = frozenset(one.low for one in call.of_role("recipient") if isinstance(one.value, str))
    return bool(amounts) and min(amounts) > 0 and org.is_routine_payment(named, max(amounts))
