"""Numbers with checksums: bank accounts and payment cards."""

from __future__ import annotations

from interlock.patterns import late

_IBAN = late(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = late(r"\b(?:\d[ -]?){13,19}\b")


def contains_iban(text: str) -> bool:
    """Whether a text holds an international bank account number."""
    return any(is_iban(found[0]) for found in _IBAN.finditer(text))


def contains_card(text: str) -> bool:
    """Whether a text holds the number of a payment card."""
    return any(is_card(found[0]) for found in _CARD.finditer(text))


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
    digits = [int(letter) for letter in text if letter.isdecimal()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [
        (digit * 2 - 9 if digit > 4 else digit * 2) if at % 2 else digit for at, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0
