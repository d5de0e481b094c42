"""The insiders of an organisation: its domains, people, rooms and counterparties, as configured."""

from __future__ import annotations

import msgspec


class Organisation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The configured people and accounts that an agent deals with. Names are in lower case."""

    domains: tuple[str, ...] = ()  # addresses at these domains, and at names below them, are inside
    people: tuple[str, ...] = ()  # addresses, handles and numbers that are inside whatever their domain
    rooms: tuple[str, ...] = ()  # channels, groups and lists that only insiders read
    counterparties: tuple[str, ...] = ()  # payees that are paid as a matter of routine
    routine_amount: float = 0.0  # payments to them up to this amount are routine
    test_accounts: tuple[str, ...] = ()  # accounts at which nothing is for real

    def __bool__(self) -> bool:
        return self != NO_ORGANISATION

    def has_domain(self, domain: str) -> bool:
        """Whether a domain is one of the organisation's, or below one.

        >>> Organisation(domains=("acme.com",)).has_domain("mail.acme.com")
        True
        """
        return any(domain == own or domain.endswith("." + own) for own in self.domains)

    def names(self, text: str) -> bool:
        """Whether a text is one of the people or rooms that are inside."""
        plain = text.strip().lower()
        return plain in self.people or plain.lstrip("#@") in self.rooms

    def is_routine_payment(self, texts: frozenset[str], amount: float) -> bool:
        """Whether a payment of an amount goes to a known counterparty, and is small enough."""
        return 0 < amount <= self.routine_amount and not texts.isdisjoint(self.counterparties)


NO_ORGANISATION = Organisation()
