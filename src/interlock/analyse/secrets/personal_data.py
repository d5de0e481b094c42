"""Personal data in texts: numbers of payment cards, bank accounts and people, found by shape and check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from interlock.patterns import late

#: The classes of personal data that are masked, by name.
CLASSES = ("cards", "accounts", "identities")
_CARD = late(r"(?<![\w.-])(?:[3-6]\d{3}|2[2-7]\d{2})(?:[ -]?\d){8,15}(?![\w-])")
_IBAN = late(r"(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)")
_IDENTITIES = late(
    r"(?x)(?<![\w-]) (?:"
    r"(?P<ssn> (?!000|666|9)\d{3} (?P<gap>[ -]) (?!00)\d{2} (?P=gap) (?!0000)\d{4} )"
    r"| (?P<nino> (?![DFIQUV])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-Z][A-CEGHJ-PR-TW-Z] [ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?[A-D] )"
    r"| (?P<cpf> \d{3}\.\d{3}\.\d{3}-\d{2} )"
    r"| (?P<nir> [12][ ]?\d{2}[ ]?(?:0[1-9]|1[0-2])[ ]?\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{2} )"
    r"| (?P<dni> [XYZ]?\d{7,8}-?[A-HJ-NP-TV-Z] )"
    r"| (?P<fiscal> [A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z] )"
    r") (?!\w)"
)


def mask_personal_data(text: str, mask: Callable[[str], str], classes: Iterable[str] = CLASSES) -> str:
    """Return a text in which the numbers of cards, accounts and people are masked.

    >>> mask_personal_data("pay 4111 1111 1111 1111 to DE89 3704 0044 0532 0130 00, ssn 078-05-1120", lambda _: "‹›")
    'pay ‹› to ‹›, ssn ‹›'
    >>> mask_personal_data("build 4111 1111 1111 1112, order 2024-10-1120, id 12345678901", lambda _: "‹›")
    'build 4111 1111 1111 1112, order 2024-10-1120, id 12345678901'
    """
    if "accounts" in classes:
        text = _IBAN.sub(lambda found: _mask_iban(found, mask), text)
    if "cards" in classes:
        text = _CARD.sub(lambda found: mask(found[0]) if _is_card(found[0]) else found[0], text)
    if "identities" in classes:
        text = _IDENTITIES.sub(lambda found: mask(found[0]) if _is_identity(found) else found[0], text)
    return text


def find_personal_data(text: str) -> frozenset[str]:
    """Return the classes of personal data whose numbers are in a text.

    >>> sorted(find_personal_data("pay 4111 1111 1111 1111 to DE89 3704 0044 0532 0130 00"))
    ['accounts', 'cards']
    """
    return frozenset(name for name in CLASSES if mask_personal_data(text, lambda _: "", (name,)) != text)


def _mask_iban(found: re.Match[str], mask: Callable[[str], str]) -> str:
    """Mask an account number. The pattern may have taken a word that follows it."""
    text = found[0]
    while text:
        if _is_iban(text):
            return mask(text) + found[0][len(text) :]
        text = text.rpartition(" ")[0]
    return found[0]


def _is_iban(text: str) -> bool:
    """Whether the check digits of an international bank account number are right (ISO 13616)."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def _is_card(text: str) -> bool:
    """Whether the check digit of a payment card is right (ISO 7812), and its digits are not all the same."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    if not 12 < len(digits) < 20 or len(set(digits)) < 2:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_identity(found: re.Match[str]) -> bool:
    """Whether the check digits of a national identity number are right, if it has any."""
    kind = str(found.lastgroup if found.lastgroup != "gap" else "ssn")
    check = _CHECKS.get(kind)
    return check is None or check(re.sub(r"\W", "", found[0]))


def _check_cpf(digits: str) -> bool:
    """Brazil: two digits modulo 11."""
    if len(set(digits)) < 2:
        return False
    for length in (9, 10):
        total = sum(int(digit) * weight for digit, weight in zip(digits, range(length + 1, 1, -1), strict=False))
        if total * 10 % 11 % 10 != int(digits[length]):
            return False
    return True


def _check_nir(digits: str) -> bool:
    """France: the last two digits complement the others modulo 97."""
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def _check_dni(text: str) -> bool:
    """Spain: the letter is a remainder modulo 23."""
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return len(number) == 8 and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


#: The national identity numbers with check digits.
_CHECKS: dict[str, Callable[[str], bool]] = {
    "cpf": _check_cpf,
    "nir": _check_nir,
    "dni": _check_dni,
}
