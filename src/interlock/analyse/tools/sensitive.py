"""What a call carries: keys, passwords, bank and card numbers, people's data, confidential matters, orders to a model."""

from __future__ import annotations

from interlock.analyse.instructions import is_hidden_order
from interlock.analyse.keys import holds_key
from interlock.analyse.payloads.prompt_injection import is_prompt_injection
from interlock.analyse.tools.arguments import Argument
from interlock.patterns import late

_IBAN = late(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = late(r"\b(?:\d[ -]?){13,19}\b")
_SSN = late(r"\b\d{3}-\d{2}-\d{4}\b")
_PASSWORD = late(
    r"(?i)\b(?:password|passwort|passwd|pwd|passcode|pin|login|credentials?|secret|api key|token)\b[^.\n]{0,30}?(?:is|are|now|:|=|/)\s*(?:<code>)?[^\s<]*[\d!@#$%&*][^\s<]*"
)
#: Words of matters that are not for everyone.
_CONFIDENTIAL = late(
    r"(?i)\b(?:salar(?:y|ies)|payroll|payslips?|compensation|severance|layoffs?|redundanc(?:y|ies)|terminat(?:e|ed|ion) of employment|diagnos(?:is|es|ed)|medical|patients?|hiv|cancer|pregnan\w+"
    r"|passports?|social security|ssn|date of birth|dob|home address(?:es)?|bank details|iban|credit cards?|card numbers?|cvv|confidential|nda|acquisition|merger|lawsuit|settlement|unreleased|unannounced"
    r"|trade secrets?|board (?:minutes|deck|meeting)|cap table|term sheet|performance reviews?|disciplinary|harassment|background check|customer (?:list|export|data|database)|customers?\.(?:csv|xlsx?)"
    r"|leads?\.(?:csv|xlsx?)|employees?\.(?:csv|xlsx?)|users?\.(?:csv|xlsx?)|source code|credentials?|passwords?|private keys?|seed phrase|database dump|db dump|backup\.sql|\.env|id_rsa|client files|strategy deck|forecast 20\d\d|insider)\b"
)
_PEOPLE_KEYS = frozenset(
    "ssn dob passport iban pan cvv card_number salary diagnosis medication tax_id national_id home_address bank_account account_number routing_number".split()
)


def sensitive_flags(one: Argument, text: str) -> set[str]:
    """Return the flags of what an argument holds."""
    flags: set[str] = set()
    if one.key in _PEOPLE_KEYS and text.strip():
        flags.add("confidential")
    if not isinstance(one.value, str) or len(text) < 4:
        return flags
    if holds_key(text) or _PASSWORD.search(text):
        flags.add("holds_key")
    if _CONFIDENTIAL.search(text) or _SSN.search(text):
        flags.add("confidential")
    if any(is_iban(found[0]) for found in _IBAN.finditer(text)):
        flags.add("bank_account")
    if any(is_card(found[0]) for found in _CARD.finditer(text)):
        flags.add("confidential")
    if is_prompt_injection(text) or is_hidden_order(text):
        flags.add("instructions")
    return flags


def is_iban(text: str) -> bool:
    """Whether a text is an international bank account number with a right checksum.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE89 3704 0044 0532 0130 01")
    (True, False)
    """
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    digits = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return int(digits) % 97 == 1


def is_card(text: str) -> bool:
    """Whether a text is the number of a payment card, by Luhn's checksum.

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(letter) for letter in text if letter.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 3 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [
        (digit * 2 - 9 if digit > 4 else digit * 2) if at % 2 else digit for at, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0
