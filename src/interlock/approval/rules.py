"""The rules by which requests for approval are answered, taken from the configuration."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from interlock.config.settings import ApprovalSettings
from interlock.model import Needs


class ApprovalRules(msgspec.Struct, frozen=True):
    """The approval settings, the members of each role, and whether one person may approve alone or a model reviews.

    With `counts_people`, one person may approve alone only until two people of the store may approve.
    """

    settings: ApprovalSettings = ApprovalSettings()
    roles: Mapping[str, tuple[str, ...]] = {}
    one_person: bool = False
    counts_people: bool = False
    reviewer: bool = False

    def members_of_roles(self, needs: Needs) -> dict[str, tuple[str, ...]]:
        """Return the members of the roles that a request requires."""
        return {role: tuple(self.roles.get(role, ())) for role in find_required_roles(needs)}


def find_required_roles(needs: Needs) -> list[str]:
    """Return the roles that a request requires, without their `@`."""
    return sorted({item[1:] for group in needs.who for item in group if item.startswith("@")})
