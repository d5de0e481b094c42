"""One sentence about the effect of a tool call, for its approver.

Texts of the call are quoted in backticks, on one line and cut, so that they cannot pass for words of Interlock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.people import mail_addresses_in, outside_names, own_domains
from interlock.analyse.tools.switches import lowers_protection
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import SummaryKeys
from interlock.sanitise import clean, plain

_WORDS = read_table("tool-summaries", SummaryKeys)

MAX_QUOTE = 60
MAX_SUMMARY = 300
_CURRENCIES = frozenset({"currency", "ccy", "unit", "currency_code"})
_CARRIES = (
    ("holds_key", "a key or a password"),
    ("bank_account", "bank details"),
    ("confidential", "confidential content"),
    ("instructions", "instructions for a model"),
    ("luring", "a request for money or passwords"),
)


def summarise(kind: str, call: JudgedCall) -> str:
    """Return a sentence about an effect of a call, or an empty text if the arguments say too little."""
    write = _SENTENCES.get(kind)
    return write(call)[:MAX_SUMMARY] if write else ""


def quote(text: str) -> str:
    """Return a text of a call as a quotation.

    >>> quote("Q3 `plan`")
    "`Q3 'plan'`"
    """
    shown = plain(clean(text.strip()[: MAX_QUOTE + 1])).replace("`", "'")
    return f"`{shown if len(shown) <= MAX_QUOTE else shown[:MAX_QUOTE] + '…'}`"


def _message(call: JudgedCall) -> str:
    files = [one.text for one in call.of_role("attachment") if isinstance(one.value, str) and one.text]
    what = f"{_count(len(files), 'attachment')} ({_list(files)})" if files else "a message"
    carried = next((words for flag, words in _CARRIES if call.has(flag)), "")
    return f"Sends {what} to {_audience(call)}" + (f", with {carried}" if carried else "")


def _share(call: JudgedCall) -> str:
    what = _first(call, _WORDS.thing_keys) or "something"
    if call.has("public"):
        return f"Makes {what} readable for everyone"
    return f"Shares {what} with {_audience(call)}"


def _access(call: JudgedCall) -> str:
    who, group = _first(call, _WORDS.person_keys), _first(call, _WORDS.group_keys)
    if not group:
        return f"Changes the access of {who}" if who else ""
    named = any(one.key.startswith("group") or one.key == "team" for one in call.arguments if quote(one.text) == group)
    if named:
        return f"Adds {who or 'somebody'} to {group}"
    return f"Gives {who or 'somebody'} {group}"


def _payment(call: JudgedCall) -> str:
    account = next(
        (one.text for one in call.arguments if one.key in _WORDS.account_keys and isinstance(one.value, str)), ""
    )
    amount, payee = _amount(call), _first(call, _WORDS.payee_keys)
    if not amount and account and call.meaning.verb in ("change", "make", "approve", ""):
        return f"Changes where {payee or 'somebody'} is paid, to {quote(account)}"
    if not amount:
        return ""
    verb = next((said for word, said in _PAYING if word in call.meaning.words), "Pays")
    return f"{verb} {amount}" + (f" to {payee}" if payee else f" to {quote(account)}" if account else "")


_PAYING = (("refund", "Refunds"), ("charge", "Charges"), ("donate", "Donates"))


def _order(call: JudgedCall) -> str:
    what = _first(call, (*_WORDS.order_keys, *_WORDS.thing_keys))
    if not what:
        return ""
    if call.meaning.verb == "change":
        return f"Changes {what}: an order, or a price that customers pay"
    side = next((one.low for one in call.arguments if one.key in ("side", "action", "direction")), call.meaning.said)
    verb = {"buy": "Buys", "sell": "Sells", "purchase": "Buys", "bid": "Bids for"}.get(side, "Orders")
    quantity = next((one.text for one in call.arguments if one.key in _WORDS.quantity_keys and _is_number(one)), "")
    return f"{verb} {plain(quantity)} × {what}" if quantity else f"{verb} {what}"


def _lower(call: JudgedCall) -> str:
    lowered = list(dict.fromkeys(one.key for one in call.arguments if lowers_protection(one)))
    what = _first(call, _WORDS.thing_keys)
    return f"Turns off {_list(lowered)}" + (f" of {what}" if what else "") if lowered else ""


def _operate(call: JudgedCall) -> str:
    what = _first(call, _WORDS.device_keys)
    return f"Operates {what}, which could injure people, cause damage or let someone in" if what else ""


def _publish(call: JudgedCall) -> str:
    text = _first(call, _WORDS.text_keys)
    return f"Publishes {text}, which anyone can read" if text else ""


def _export(call: JudgedCall) -> str:
    what = _first(call, (*_WORDS.export_keys, *_WORDS.thing_keys)) or "data"
    where = next((one.text for one in call.of_role("recipient") if isinstance(one.value, str) and one.text), "")
    carried = " about people or in confidence" if call.has("confidential", "sensitive") else ""
    return f"Exports {what}{carried}" + (f" to {quote(where)}" if where else "")


def _delete(call: JudgedCall) -> str:
    what = "everything" if call.has("many") and not _first(call, _WORDS.thing_keys) else _first(call, _WORDS.thing_keys)
    return f"Deletes {what}" + (" for good" if call.has("final") else "") if what else ""


def _account(call: JudgedCall) -> str:
    who = _first(call, _WORDS.person_keys)
    verb = {"make": "Creates", "remove": "Closes or suspends"}.get(call.meaning.verb, "Changes")
    return f"{verb} the account {who}" if who else ""


def _sign(call: JudgedCall) -> str:
    what = _first(call, (*_WORDS.contract_keys, *_WORDS.thing_keys))
    verb = {"sign": "Signs", "submit": "Submits"}.get(call.meaning.verb, "Approves")
    return f"{verb} {what} in the owner's name" if what else ""


def _invite(call: JudgedCall) -> str:
    what = _first(call, ("title", "summary", "subject", "name")) or "an appointment"
    return f"Invites {_audience(call)} to {what}"


def _automate(call: JudgedCall) -> str:
    where = next((one.text for one in call.arguments if "://" in one.text or "@" in one.text), "")
    return f"Sets up an automation that reports to {quote(where)}" if where else ""


_SENTENCES: dict[str, Callable[[JudgedCall], str]] = {
    "message.send": _message,
    "document.share": _share,
    "access.grant": _access,
    "payment.send": _payment,
    "order.place": _order,
    "content.publish": _publish,
    "data.export": _export,
    "record.delete": _delete,
    "account.change": _account,
    "contract.sign": _sign,
    "appointment.make": _invite,
    "automation.install": _automate,
    "security.lower": _lower,
    "device.operate": _operate,
}


def _audience(call: JudgedCall) -> str:
    """Return who gets something, and who of them is outside."""
    named = [one.text for one in call.of_role("recipient") if isinstance(one.value, str) and one.text.strip()]
    own = own_domains(call.arguments)
    outside = outside_names(named, own, call.organisation)
    reached = [address for text in named for address in mail_addresses_in(text)] or named
    where = next(iter((*call.organisation.domains, *sorted(own))), "the organisation")
    if outside and len(outside) == len(reached):
        return f"{_count(len(outside), 'recipient')} outside {plain(where)} ({_list(outside)})"
    if outside:
        return f"{len(reached)} recipients, of whom {len(outside)} outside {plain(where)} ({_list(outside)})"
    if named:
        return _list(named) if len(named) < 3 else f"{len(reached)} recipients ({_list(named)})"
    room = next((one.text for one in call.of_role("room") if isinstance(one.value, str) and one.text), "")
    return quote(room) if room else "many people" if call.has("many") else "its recipients"


def _amount(call: JudgedCall) -> str:
    """Return the amount of a call with its currency."""
    amount = next((one for one in call.of_role("amount") if _is_number(one)), None)
    if amount is None:
        return ""
    currency = next((one.text for one in call.arguments if one.key in _CURRENCIES and len(one.text) < 8), "")
    shown = plain(clean(amount.text)) if isinstance(amount.value, str) else f"{amount.value:,.2f}".removesuffix(".00")
    return f"{shown} {plain(clean(currency))}".strip()


def _is_number(one: Argument) -> bool:
    if isinstance(one.value, str):
        return len(one.text) < 20 and any(char.isdigit() for char in one.text)
    return isinstance(one.value, (int, float)) and not isinstance(one.value, bool)


def _first(call: JudgedCall, keys: Iterable[str]) -> str:
    """Return the first text under one of the keys, as a quotation, or an empty text."""
    texts = {one.key: one.text for one in reversed(call.arguments) if isinstance(one.value, (str, int)) and one.text}
    found = next((texts[key] for key in keys if key in texts and texts[key].strip()), "")
    return quote(found) if found else ""


def _list(texts: Sequence[str]) -> str:
    """Return the first two texts as quotations, and how many more there are."""
    shown = ", ".join(quote(text) for text in texts[:2])
    return f"{shown} and {len(texts) - 2} more" if len(texts) > 2 else shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
